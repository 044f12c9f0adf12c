// Reads what an API says about its own end: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). These fields do not
// change what a cache does, but developers who use the API want to know them.
import LarderCore

/// The dates that a response's fields name. Pure: no clock.
public struct Deprecation: Sendable, Hashable {
    /// The time since which the resource is deprecated, or from which it will be.
    public var deprecatedAt: WallTime?
    /// The time at which the resource is expected to disappear.
    public var sunsetAt: WallTime?

    /// Nil if neither field is present and readable. A value that is no date is ignored.
    public init?(_ fields: HeaderFields, now: WallTime) {
        deprecatedAt = fields.first(.deprecation).flatMap(Self.date)
        sunsetAt = fields.first(.sunset).flatMap { HTTPDate.parse($0, now: now) }
        if deprecatedAt == nil, sunsetAt == nil { return nil }
    }

    /// A Date of structured fields: "@" and whole seconds since 1970 (RFC 9651 §3.3.7). Parameters are ignored.
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
