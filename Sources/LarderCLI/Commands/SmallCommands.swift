// Commands about the command line itself.
import LarderCore
import LarderDaemon
import LarderSettings

enum CompletionsCommand {
    static let command = Subcommand(
        "completions", "print the completion script of a shell", operands: "SHELL",
        examples: [
            ("larder completions bash > ~/.local/share/bash-completion/completions/larder", "for bash"),
            ("larder completions zsh > ~/.zfunc/_larder", "for zsh, with ~/.zfunc in fpath"),
        ],
        operandChoices: ["bash", "zsh"]
    ) { invocation throws(CommandFailure) in
        switch try invocation.operand("shell") {
        case "bash": invocation.console.line(Completions.bash(invocation.tool.subcommands))
        case "zsh": invocation.console.line(Completions.zsh(invocation.tool.subcommands))
        case let other: throw CommandFailure(.usage, "there are completions for bash and zsh, not \"\(other)\"")
        }
        return .done
    }
}

enum HelpCommand {
    static let command = Subcommand(
        "help", "show help", operands: "[COMMAND]",
        options: [CommandOption("--man", "print the manual page (roff) instead")],
        examples: [("larder help search", "one command, with examples")]
    ) { invocation throws(CommandFailure) in
        if invocation.has("--man") {
            _ = invocation.console.write(Bytes(text: ManualPage.roff(invocation.tool.subcommands)))
        } else if invocation.operands.isEmpty {
            invocation.console.line(HelpText.overview(invocation.tool.subcommands))
        } else {
            invocation.console.line(HelpText.page(try invocation.tool.find(invocation.operands).command))
        }
        return .done
    }
}

enum VersionCommand {
    static let command = Subcommand("version", "show the version") { invocation throws(CommandFailure) in
        try invocation.noOperands()
        invocation.console.line("larder \(LarderVersion.text)")
        return .done
    }
}
