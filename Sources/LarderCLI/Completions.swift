// Completion scripts for shells, made from the records of the subcommands.
import LarderCore
import LarderDaemon

enum Completions {
    /// The script for bash: a function that looks at the words before the cursor.
    static func bash(_ commands: [Subcommand]) -> String {
        var cases = ""
        for command in commands {
            let words = command.options.map(\.name) + CompletionWords.ofOperands(command)
            cases += "        \"\(command.name)\") words=\"\(words.joined(separator: " "))\" ;;\n"
        }
        var values = ""
        for (name, choices) in choicesByOption(commands) {
            values +=
                "        \(name)) COMPREPLY=($(compgen -P \"$first\" -W \"\(choices.joined(separator: " "))\" -- \"$word\")); return ;;\n"
        }
        return """
            # bash completion for larder; made by "larder completions bash"
            _larder() {
                local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command words="" first=""
                # Of a list with commas the last part is completed.
                case "$before" in --source|--fields) first="${word%"${word##*,}"}"; word="${word##*,}" ;; esac
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

    /// The script for zsh: `_arguments` with a description for each option.
    static func zsh(_ commands: [Subcommand]) -> String {
        var list = ""
        var cases = ""
        for command in commands {
            let first = command.name.split(separator: " ").first.map(String.init) ?? command.name
            list += "        '\(first):\(quoted(command.summary))'\n"
            cases += "        \(first)) _arguments"
            for option in command.options {
                let value = option.value.map { name in
                    let words = CompletionWords.of(option)
                    let action = words.isEmpty ? files(name) : "(\(words.joined(separator: " ")))"
                    return ":\(name):\(action)"
                }
                cases += " \\\n            '*\(option.name)[\(quoted(option.summary))]\(value ?? "")'"
            }
            let words = CompletionWords.ofOperands(command)
            let operands = words.isEmpty ? "_files" : "(\(words.joined(separator: " ")))"
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

    /// The script for fish: one line for each command, each option and its values.
    static func fish(_ commands: [Subcommand]) -> String {
        var lines = ["# fish completion for larder; made by \"larder completions fish\"", "complete -c larder -f"]
        var told: Set<String> = []
        for command in commands {
            let names = command.name.split(separator: " ").map(String.init)
            guard let first = names.first else { continue }
            if told.insert(first).inserted {
                lines.append(
                    "complete -c larder -n __fish_use_subcommand -a \(first) -d '\(plain(command.summary))'")
            }
            let seen = "-n '__fish_seen_subcommand_from \(first)'"
            if names.count > 1 { lines.append("complete -c larder \(seen) -a \(names[1])") }
            for option in command.options {
                let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
                var line = "complete -c larder \(seen) -l \(option.name.dropFirst(2))\(short)"
                if let value = option.value {
                    let words = CompletionWords.of(option)
                    line +=
                        words.isEmpty
                        ? (files(value) == "_files" ? " -r -F" : " -x") : " -x -a '\(words.joined(separator: " "))'"
                }
                lines.append(line + " -d '\(plain(option.summary))'")
            }
            let operands = CompletionWords.ofOperands(command)
            if !operands.isEmpty { lines.append("complete -c larder \(seen) -a '\(operands.joined(separator: " "))'") }
            if command.operands.contains("FILE") { lines.append("complete -c larder \(seen) -F") }
        }
        return lines.joined(separator: "\n")
    }

    /// Escapes a text for single quotes in fish.
    private static func plain(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }

    private static func firstWords(_ commands: [Subcommand]) -> [String] {
        commands.compactMap { $0.name.split(separator: " ").first.map(String.init) }
    }

    /// The options with offered values, each once.
    private static func choicesByOption(_ commands: [Subcommand]) -> [(String, [String])] {
        var seen: Set<String> = []
        return commands.flatMap(\.options).filter { !CompletionWords.of($0).isEmpty && seen.insert($0.name).inserted }
            .map { ($0.name, CompletionWords.of($0)) }
    }

    private static func files(_ value: String) -> String { ["FILE", "DIR"].contains(value) ? "_files" : " " }

    /// Escapes the characters that `_arguments` and single quotes treat specially.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(
            ":", with: "\\:")
    }
}
