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
            ("larder completions fish > ~/.config/fish/completions/larder.fish", "for fish"),
        ],
        operandChoices: ["bash", "zsh", "fish"]
    ) { invocation throws(CommandFailure) in
        switch try invocation.operand("shell") {
        case "bash": invocation.console.line(Completions.bash(invocation.tool.subcommands))
        case "zsh": invocation.console.line(Completions.zsh(invocation.tool.subcommands))
        case "fish": invocation.console.line(Completions.fish(invocation.tool.subcommands))
        case let other:
            throw CommandFailure(.usage, "there are completions for bash, zsh and fish, not \"\(other)\"")
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
            invocation.console.line(HelpText.overview(invocation.tool.groups))
        } else {
            invocation.console.line(HelpText.page(try invocation.tool.find(invocation.operands).command))
        }
        return .done
    }
}

enum VersionCommand {
    static let command = Subcommand(
        "version", "show the version",
        details: ["Shows the version, the commit of the build, and the versions of the libraries in use."]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        invocation.console.line("larder \(LarderVersion.text)")
        let facts = [("commit", LarderVersion.commit)] + LibraryVersions.all.map { ($0.name, $0.version) }
        for (name, value) in facts {
            invocation.console.line(name + String(repeating: " ", count: max(1, 9 - name.count)) + value)
        }
        return .done
    }
}
