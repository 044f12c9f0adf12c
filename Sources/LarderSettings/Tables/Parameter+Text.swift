// Descriptions of a setting in words. The example file, the manual, the man page and `larder params` share them, so
// they all say the same.
import LarderCore

extension Parameter {
    /// The allowed values: "a size from 1 MiB to 16 TiB".
    public var wanted: String {
        switch kind {
        case .size(let range):
            "a size from \(Units.format(size: range.lowerBound)) to \(Units.format(size: range.upperBound))"
        case .duration(let range):
            "a duration from \(Units.format(duration: range.lowerBound)) to \(Units.format(duration: range.upperBound))"
        case .count(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "true or false"
        case .text: "a text"
        case .choice(let words): words.count == 1 ? words.joined() : "one of \(words.joined(separator: ", "))"
        case .rate: "a rate such as 20/min, 20/10s or 100/day, or off"
        case .texts: "a list of texts"
        case .ttl: "a duration, or a mapping from endpoint or path to duration"
        case .listeners: "a list of addresses"
        case .fields: "a mapping from field names to values"
        case .actions(let words):
            "a mapping from hosts to \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        case .percent(let range): "a percentage from \(range.lowerBound) % to \(range.upperBound) %"
        case .tools: "a list of mappings with name, and user, token or share"
        case .readOnlyPosts: "a list of mappings with path, ttl, and kind (graphql or any)"
        }
    }

    /// The last part of the path, as written in the file.
    public var name: String { path.split(separator: ".").last.map(String.init) ?? path }

    /// Summary, whether a restart is needed, and advice. Advice of several lines begins a line of its own.
    public var explanation: String {
        guard !advice.isEmpty else { return heading }
        return heading + (advice.contains("\n") ? "\n" : " ") + advice
    }

    /// The summary, and whether a restart is needed.
    var heading: String { needsRestart ? "\(summary) Takes effect at the next start." : summary }
}

/// Wrapping of plain text.
public enum Prose {
    /// Lines of at most `width` characters, broken at spaces. A longer word gets a line of its own. A line of the text
    /// begins a new line, and what follows the first line of an item ("- ") is indented.
    public static func wrap(_ text: String, width: Int) -> [String] {
        text.split(separator: "\n").flatMap { part -> [String] in
            guard part.hasPrefix("- ") else { return wrap(line: part, width: width) }
            return wrap(line: part.dropFirst(2), width: width - 2).enumerated().map {
                ($0.offset == 0 ? "- " : "  ") + $0.element
            }
        }
    }

    private static func wrap(line text: Substring, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
