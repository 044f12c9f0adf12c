// The commands that a provider has of its own name, since its users can sign in or it takes files. No provider is named here.
import LarderProviders

enum ProviderCommands {
    /// Those of the providers that Larder knows, in their order.
    static let all = ProviderRegistry.builtIn.flatMap { of($0.about) }

    /// Those of one provider.
    static func of(_ about: ProviderAbout) -> [Subcommand] {
        var commands: [Subcommand] = []
        if let facts = about.signIn {
            let account = SignInCommand(about: about, facts: facts)
            commands += [account.login, account.logout, account.status]
        }
        if let facts = about.uploads {
            commands.append(UploadCommand(about: about, facts: facts).command)
            commands.append(RemovalCommand(about: about, facts: facts).command)
        }
        return commands
    }

    /// Whether these words begin an upload.
    static func isUpload(_ words: [String]) -> Bool {
        words.count > 1 && words[1] == UploadCommand.word && all.contains { $0.name == "\(words[0]) \(words[1])" }
    }
}
