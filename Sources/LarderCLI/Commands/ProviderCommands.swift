// The commands under a provider's own name, for providers with sign-in or uploads. This file names no provider.
import LarderProviders

enum ProviderCommands {
    /// The commands of all built-in providers, in their order.
    static let all = ProviderRegistry.builtIn.flatMap { of($0.about) }

    /// The commands of one provider.
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

    /// Whether these words begin an upload command.
    static func isUpload(_ words: [String]) -> Bool {
        words.count > 1 && words[1] == UploadCommand.word && all.contains { $0.name == "\(words[0]) \(words[1])" }
    }
}
