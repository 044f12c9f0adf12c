// What a client would rather have (RFC 9110 §12.5): `Accept` and its kin as lists whose meaning is compared, not their
// spelling. White space and case mean nothing, and the weights order the members. Of equal weight some servers take the
// first, so that their order counts (§12.5.4).
import LarderCore

/// Reading fields of proactive negotiation.
public enum PreferenceList {
    /// The fields that are such lists, in lower case.
    public static let names: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// One thing that is accepted.
    public struct Member: Sendable, Hashable {
        /// What is accepted, with its parameters, in one spelling: "text/html;level=1".
        public var range: String
        /// In thousandths: 0 for what is not acceptable, 1000 for what is wanted most.
        public var weight: Int

        /// In one spelling.
        public var text: String { weight == 1000 ? range : "\(range);q=\(weight)" }
    }

    /// The members, those that are wanted most first; nil where a member is not of the grammar, so that only an exact
    /// comparison is safe.
    ///
    /// - Parameter name: of the field, in lower case.
    public static func members(_ values: [String], of name: String) -> [Member]? {
        var out: [Member] = []
        for text in FieldList.members(values) {
            guard let member = member(text, keepsCase: name == "accept") else { return nil }
            out.append(member)
        }
        // Stable: members of one weight keep their order.
        return out.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element)
    }

    /// - Parameter keepsCase: of the values of parameters, which may have one (RFC 9110 §8.3.1).
    private static func member(_ text: Substring, keepsCase: Bool) -> Member? {
        // A quoted string may hold what separates the others.
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

    /// `qvalue` (RFC 9110 §12.4.2) in thousandths.
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
