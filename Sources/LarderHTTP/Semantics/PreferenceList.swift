// Proactive negotiation (RFC 9110 §12.5): compares `Accept` and its relatives as lists, by meaning and not by spelling.
// White space and case are ignored, and the weights order the members. Some servers take the first of equal weight, so
// the order of such members counts (§12.5.4).
import LarderCore

/// Reads the fields of proactive negotiation.
public enum PreferenceList {
    /// The fields that are such lists, in lower case.
    public static let names: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// One thing that the client accepts.
    public struct Member: Sendable, Hashable {
        /// The accepted range with its parameters, in one spelling: "text/html;level=1".
        public var range: String
        /// In thousandths: 0 for not acceptable, 1000 for most wanted.
        public var weight: Int

        /// The member in one spelling.
        public var text: String { weight == 1000 ? range : "\(range);q=\(weight)" }
    }

    /// The members, the most wanted first. Nil if a member breaks the grammar; then only an exact comparison is safe.
    ///
    /// - Parameter name: the field's name in lower case.
    public static func members(_ values: [String], of name: String) -> [Member]? {
        var out: [Member] = []
        for text in FieldList.members(values) {
            guard let member = member(text, keepsCase: name == "accept") else { return nil }
            out.append(member)
        }
        // The sort is stable: members of one weight keep their order.
        return out.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element)
    }

    /// - Parameter keepsCase: whether the values of parameters keep their case, which may matter (RFC 9110 §8.3.1).
    private static func member(_ text: Substring, keepsCase: Bool) -> Member? {
        // A quoted string may contain the characters that separate the others.
        guard !text.utf8.contains(0x22) else { return nil }
        let pieces = text.split(separator: ";", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
        let range = FieldList.lowercased(pieces[0])
        guard !range.isEmpty, range.utf8.allSatisfy({ ASCII.isToken($0) || $0 == 0x2F }) else { return nil }
        var member = Member(range: range, weight: 1000)
        var isWeighed = false
        for piece in pieces.dropFirst() where !piece.isEmpty {
            guard let equals = piece.firstIndex(of: "=") else { return nil }
            let name = FieldList.lowercased(piece[..<equals])
            let value = piece[piece.index(after: equals)...]
            guard name.utf8.allSatisfy(ASCII.isToken), value.utf8.allSatisfy(ASCII.isToken) else { return nil }
            if name == "q" {
                guard !isWeighed, let weight = weight(value) else { return nil }
                member.weight = weight
                isWeighed = true
            } else {
                member.range += ";\(name)=\(keepsCase ? String(value) : FieldList.lowercased(value))"
            }
        }
        return member
    }

    /// Parses `qvalue` (RFC 9110 §12.4.2) in thousandths.
    private static func weight(_ text: Substring) -> Int? {
        let digits = Array(text.utf8)
        guard let first = digits.first, first == 0x30 || first == 0x31, digits.count <= 5 else { return nil }
        if digits.count > 1, digits[1] != 0x2E { return nil }
        var value = Int(first - 0x30) * 1000
        for (digit, unit) in zip(digits.dropFirst(2), [100, 10, 1]) {
            guard ASCII.isDigit(digit) else { return nil }
            value += Int(digit - 0x30) * unit
        }
        return value <= 1000 ? value : nil
    }
}
