// The words that a shell offers for an option's value or an operand. They come from the tables that the values are
// parsed with. The names of the user's own providers are not included, because only the configuration contains them.
import LarderCore
import LarderProviders
import LarderSettings

enum CompletionWords {
    /// The words for an option's value; none if it can be any text.
    static func of(_ option: CommandOption) -> [String] {
        if !option.choices.isEmpty { return option.choices }
        return switch option.name {
        case "--source", "--provider": providers
        case "--category": categories
        case "--fields": ResultProjection.names
        case "--set": settings.map { $0 + "=" }
        default: []
        }
    }

    /// The words for the operands of a command.
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

    /// The paths of all settings. A setting of providers is listed for each built-in provider.
    private static let settings = SettingsTable.all.flatMap { setting in
        setting.path.contains("<name>")
            ? providers.map { setting.path.replacing("<name>", with: $0) } : [setting.path]
    }
}
