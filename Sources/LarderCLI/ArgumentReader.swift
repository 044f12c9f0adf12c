// Parses the words of a command line by the usual rules: options may stand anywhere, as "--name=value" or "--name
// value", and "--" ends them. If the operands are another command, its first word ends them too.
import LarderCore
import LarderDaemon
import LarderSettings

struct ArgumentReader {
    /// The operands and options in the arguments of one subcommand.
    static func read(
        _ words: [String], for command: Subcommand
    ) throws(CommandFailure) -> (operands: [String], options: [String: [String]]) {
        var operands: [String] = []
        var options: [String: [String]] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word.count > 1 else {
                operands.append(word)
                guard command.takesCommand else { continue }
                operands += rest
                break
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? word
            let attached = word.hasPrefix("--") && parts.count == 2 ? String(parts[1]) : nil
            guard let option = command.options.first(where: { $0.name == name || $0.short == name }) else {
                throw unknown(name, command)
            }
            if option.value == nil {
                if attached != nil { throw CommandFailure(.usage, "\(name) takes no value") }
                options[option.name, default: []].append("")
            } else if let attached {
                options[option.name, default: []].append(attached)
            } else {
                // "-" alone is a value (standard input). Another word with a dash suggests a forgotten value.
                guard let value = rest.first, value == "-" || !value.hasPrefix("-") else {
                    throw CommandFailure(.usage, "\(name) needs a value: \(option.usage)")
                }
                rest.removeFirst()
                options[option.name, default: []].append(value)
            }
        }
        return (operands, options)
    }

    /// Whether the words ask for the help of this subcommand, and not for that of a command in its operands.
    static func asksForHelp(_ words: [String], of command: Subcommand) -> Bool {
        var isValue = false
        for word in words {
            if word == "--" { return false }
            if word == "--help" || word == "-h" { return true }
            if command.takesCommand, !isValue, !word.hasPrefix("-") { return false }
            isValue = command.options.contains { $0.value != nil && ($0.name == word || $0.short == word) }
        }
        return false
    }

    private static func unknown(_ name: String, _ command: Subcommand) -> CommandFailure {
        let near = NearestName.find(name, among: command.options.map(\.name))
        return CommandFailure(
            .usage, "larder \(command.name) has no option \(name)",
            advice: near.map { "Did you mean \($0)?" } ?? "See: larder help \(command.name)")
    }
}
