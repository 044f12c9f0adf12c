// The part of a representation that a 206 holds (RFC 9110 §14.4).
import LarderCore

/// The `Content-Range` of a part.
public struct ContentRange: Sendable, Hashable {
    /// The bytes of the representation. Never empty.
    public let range: Range<Int64>
    /// The complete length; nil if the sender does not know it ("*").
    public let length: Int64?

    /// The longest representation in bytes. The limit lets positions be added without overflow.
    public static let mostBytes: Int64 = 1 << 60

    /// Reads the field. Nil if there is no line or several, if the unit is not bytes, and for impossible values: a last
    /// position before the first, a complete length not beyond the last position, or one above `mostBytes`.
    public init?(_ fields: HeaderFields) {
        let values = fields.all(.contentRange)
        guard values.count == 1 else { return nil }
        let text = ASCII.trimmed(values[0][...])
        let halves = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, FieldList.lowercased(halves[0]) == "bytes" else { return nil }
        let parts = halves[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.position(ends[0]), let last = Self.position(ends[1]), first <= last,
            last < Self.mostBytes
        else { return nil }
        range = first..<last + 1
        if parts[1] == "*" {
            length = nil
        } else {
            guard let length = Self.position(parts[1]), length > last, length <= Self.mostBytes else { return nil }
            self.length = length
        }
    }

    /// Whether the fields have a `Content-Range` in bytes that names no part (RFC 9110 §14.4).
    public static func isInvalid(_ fields: HeaderFields) -> Bool {
        let units = fields.all(.contentRange).map { ASCII.trimmed($0[...]).prefix { $0 != " " } }
        return units.contains { FieldList.lowercased($0) == "bytes" } && ContentRange(fields) == nil
    }

    private static func position(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return Int64(text)
    }
}
