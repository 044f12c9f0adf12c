// What an API says of its own end: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). They change nothing in what a cache does, but
// whoever builds on the API wants to know.
import LarderCore

/// The dates that an answer's fields name. Pure.
public struct Deprecation: Sendable, Hashable {
    /// Since when the resource is deprecated, or from when on it will be.
    public var deprecatedAt: WallTime?
    /// When the resource is expected to be gone.
    public var sunsetAt: WallTime?

    /// Nil where the fields say neither. What is no date says nothing.
    public init?(_ fields: HeaderFields, now: WallTime) {
        deprecatedAt = fields.first("Deprecation").flatMap(Self.date)
        sunsetAt = fields.first("Sunset").flatMap { HTTPDate.parse($0, now: now) }
        if deprecatedAt == nil, sunsetAt == nil { return nil }
    }

    /// A Date of structured fields: "@" and whole seconds since 1970 (RFC 9651 §3.3.7); parameters say nothing here.
    private static func date(_ text: String) -> WallTime? {
        let item = ASCII.trimmed(text.prefix { $0 != ";" })
        guard item.hasPrefix("@") else { return nil }
        let digits = item.dropFirst()
        let magnitude = digits.hasPrefix("-") ? digits.dropFirst() : digits
        guard (1...15).contains(magnitude.utf8.count), magnitude.utf8.allSatisfy(ASCII.isDigit),
            let seconds = Int64(digits)
        else { return nil }
        return WallTime(seconds: seconds)
    }
}
