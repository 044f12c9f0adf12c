// How often a request may still be forwarded (RFC 9110 §7.6.2).
import LarderCore

public enum MaxForwards {
    /// The number in the fields of a request. A number too large to count becomes the maximum. A value that is not a number
    /// is ignored.
    public static func left(_ fields: HeaderFields) -> UInt64? {
        guard let text = fields.first(.maxForwards).map({ ASCII.trimmed($0[...]) }), !text.isEmpty,
            text.utf8.allSatisfy(ASCII.isDigit)
        else { return nil }
        return UInt64(text) ?? .max
    }
}
