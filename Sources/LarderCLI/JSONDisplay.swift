// A JSON answer for a person at a terminal: indented, with colours. Numbers and texts keep their spelling.
import LarderCore

struct JSONDisplay {
    /// An array or object that fits into so many columns stays on its line.
    private static let short = 60
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// The text of a value, which has no control character but line ends and those of colours.
    func text(_ value: JSONValue, indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent + 2)
        let end = String(repeating: " ", count: indent)
        switch value.kind {
        case .object:
            let isShort = isShort(value)
            let members = value.members.map { member in
                let name = console.styled(Console.printable(member.key.raw.lossyText), .blue)
                return "\(name): \(text(member.value, indent: indent + 2))"
            }
            return bracketed(members, "{", "}", isShort, margin, end)
        case .array:
            return bracketed(value.elements.map { text($0, indent: indent + 2) }, "[", "]", isShort(value), margin, end)
        case .string: return console.styled(Console.printable(value.raw.lossyText), .green)
        case .null: return console.styled("null", .faint)
        case .number, .bool: return console.styled(value.raw.lossyText, .yellow)
        }
    }

    private func bracketed(
        _ parts: [String], _ open: String, _ close: String, _ isShort: Bool, _ margin: String, _ end: String
    ) -> String {
        if parts.isEmpty { return open + close }
        if isShort { return open + parts.joined(separator: ", ") + close }
        return "\(open)\n\(margin)\(parts.joined(separator: ",\n" + margin))\n\(end)\(close)"
    }

    /// Whether it is short and holds only plain values.
    private func isShort(_ value: JSONValue) -> Bool {
        guard value.range.count <= Self.short else { return false }
        let parts = value.kind == .object ? value.members.map(\.value) : Array(value.elements)
        return parts.allSatisfy { $0.kind != .object && $0.kind != .array }
    }
}
