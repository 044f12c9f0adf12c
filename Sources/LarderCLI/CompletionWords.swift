// What a shell offers for the value of an option or for an operand: the words of the tables that the values are read with. Names of
// a user's own providers are not among them: they are in the configuration alone.
import LarderCore
import LarderProviders
import LarderSettings

enum CompletionWords {
    /// For the value of an option; none where it is any text.
    static func of(_ option: CommandOption) -> [String] {
        if !option.choices.isEmpty { return option.choices }
        return switch option.name {
        case "--source", "--provider": providers
        case "--category": categories
        case "--outcome": CacheOutcome.allCases.map(\.rawValue)
        case "--fields": ResultProjection.names
        case "--set": settings.map { $0 + "=" }
        default: []
        }
    }

    /// For the operands of a command.
    static func ofOperands(_ command: Subcommand) -> [String] {
        if !command.operandChoices.isEmpty { return command.operandChoices }
        return switch command.name {
        case "params": settings
        case "resume", "suspend": providers
        default: []
        }
    }

    private static let providers = ProviderRegistry.builtIn.map(\.about.name)

    private static let categories = ProviderRegistry.builtIn.flatMap(\.about.categories).reduce(into: [String]()) {
        if !$0.contains($1) { $0.append($1) }
    }

    /// Those of each built-in provider by its name.
    private static let settings = SettingsTable.all.flatMap { setting in
        setting.path.contains("<name>")
            ? providers.map { setting.path.replacing("<name>", with: $0) } : [setting.path]
    }
}
