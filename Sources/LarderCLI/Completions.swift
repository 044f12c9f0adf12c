// Completion scripts for shells, made from the subcommands' own records.
import LarderCore
import LarderDaemon

enum Completions {
    /// For bash: a function that looks at the words before the cursor.
    static func bash(_ commands: [Subcommand]) -> String {
        var cases = ""
        for command in commands {
            let words = command.options.map(\.name) + command.operandChoices
            cases += "        \"\(command.name)\") words=\"\(words.joined(separator: " "))\" ;;\n"
        }
        var values = ""
        for (name, choices) in choicesByOption(commands) {
            values +=
                "        \(name)) COMPREPLY=($(compgen -W \"\(choices.joined(separator: " "))\" -- \"$word\")); return ;;\n"
        }
        return """
            # bash completion for larder; made by "larder completions bash"
            _larder() {
                local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command words=""
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(firstWords(commands).joined(separator: " "))" -- "$word"))
                    return
                fi
                command="${COMP_WORDS[1]}"
                if [ "$command" = config ]; then
                    if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "check" -- "$word")); return; fi
                    command="config check"
                fi
                case "$before" in
            \(values)        --config|-o|--output|--recordings) COMPREPLY=($(compgen -f -- "$word")); return ;;
                esac
                case "$command" in
            \(cases)    esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
                case "$command" in
                    "config check"|warm) COMPREPLY+=($(compgen -f -- "$word")) ;;
                esac
            }
            complete -F _larder larder
            """
    }

    /// For zsh: `_arguments` with a description for each option.
    static func zsh(_ commands: [Subcommand]) -> String {
        var list = ""
        var cases = ""
        for command in commands {
            let first = command.name.split(separator: " ").first.map(String.init) ?? command.name
            list += "        '\(first):\(quoted(command.summary))'\n"
            cases += "        \(first)) _arguments"
            for option in command.options {
                let value = option.value.map { name in
                    let action = option.choices.isEmpty ? files(name) : "(\(option.choices.joined(separator: " ")))"
                    return ":\(name):\(action)"
                }
                cases += " \\\n            '*\(option.name)[\(quoted(option.summary))]\(value ?? "")'"
            }
            let operands =
                command.operandChoices.isEmpty ? "_files" : "(\(command.operandChoices.joined(separator: " ")))"
            cases += " \\\n            '*::\(quoted(command.operands)):\(operands)' ;;\n"
        }
        return """
            #compdef larder
            # zsh completion for larder; made by "larder completions zsh"
            _larder() {
                local -a commands
                commands=(
            \(list)    )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=${words[2]}
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases)    esac
            }
            _larder "$@"
            """
    }

    private static func firstWords(_ commands: [Subcommand]) -> [String] {
        commands.compactMap { $0.name.split(separator: " ").first.map(String.init) }
    }

    /// Options with fixed values, each once.
    private static func choicesByOption(_ commands: [Subcommand]) -> [(String, [String])] {
        var seen: Set<String> = []
        return commands.flatMap(\.options).filter { !$0.choices.isEmpty && seen.insert($0.name).inserted }
            .map { ($0.name, $0.choices) }
    }

    private static func files(_ value: String) -> String { ["FILE", "DIR"].contains(value) ? "_files" : " " }

    /// What `_arguments` and single quotes would take for their own.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(
            ":", with: "\\:")
    }
}
