// The help texts, made from the records of the subcommands.
import LarderCore
import LarderDaemon
import LarderSettings

enum HelpText {
    /// The text of `larder` alone and of `larder help`.
    static func overview(_ groups: [(title: String, commands: [Subcommand])]) -> String {
        let width = groups.flatMap(\.commands).map(\.name.count).max() ?? 0
        let list = groups.map { group in
            ([group.title] + group.commands.map { "  \(padded($0.name, width))  \($0.summary)" })
                .joined(separator: "\n")
        }
        return """
            larder \(LarderVersion.text): a local cache for public search APIs and your own APIs

            Usage: larder COMMAND [OPTIONS]

            \(list.joined(separator: "\n\n"))

            larder help COMMAND shows more, with examples. Start with: larder demo
            """
    }

    /// The help of one command.
    static func page(_ command: Subcommand) -> String {
        var out = "larder \(command.name): \(command.summary)\n\nUsage: \(usage(command))\n"
        for paragraph in command.details {
            out += "\n" + Prose.wrap(paragraph, width: 88).joined(separator: "\n") + "\n"
        }
        if !command.options.isEmpty {
            let width = command.options.map(\.usage.count).max() ?? 0
            out += "\nOptions:\n"
            for option in command.options { out += "  \(padded(option.usage, width))  \(summary(option))\n" }
        }
        if !command.examples.isEmpty {
            out += "\nExamples:\n"
            for example in command.examples { out += "  \(example.command)\n      \(example.purpose)\n" }
        }
        while out.hasSuffix("\n") { out.removeLast() }
        return out
    }

    static func usage(_ command: Subcommand) -> String {
        ["larder \(command.name)", command.options.isEmpty ? "" : "[OPTIONS]", command.operands]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    static func summary(_ option: CommandOption) -> String {
        option.choices.isEmpty ? option.summary : "\(option.summary): \(option.choices.joined(separator: ", "))"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
