// The strong validator that allows parts of different responses to be combined into one representation (RFC 9111 §3.4,
// RFC 9110 §8.8.1).
import LarderCore
import LarderHTTP

/// A strong validator of a representation (RFC 9110 §8.8.1).
public enum StrongValidator: Sendable, Hashable {
    /// A strong entity tag.
    case tag(EntityTag)
    /// `Last-Modified`, exactly as the origin wrote it.
    case date(String)

    /// The strong validator of a response; nil if it has none. If there is an entity tag, the date does not count: a
    /// weak tag says that equal dates do not mean equal bytes.
    ///
    /// A date is strong if the response's `Date` is at least one second later (RFC 9110 §8.8.2.2).
    /// - Parameter now: for dates with a two-digit year.
    public init?(_ fields: HeaderFields, now: WallTime) {
        if fields.contains(.etag) {
            guard let tag = Validation.etag(fields), !tag.isWeak else { return nil }
            self = .tag(tag)
            return
        }
        guard let changed = Validation.lastModifiedTime(fields, now: now), let text = fields.first(.lastModified),
            let date = fields.first(.date).flatMap({ HTTPDate.parse($0, now: now) }), changed.seconds < date.seconds
        else { return nil }
        self = .date(text)
    }

    /// The value of `If-Range` that requests parts of this representation only.
    public var ifRange: String {
        switch self {
        case .tag(let tag): tag.description
        case .date(let text): text
        }
    }

    // Texts are compared by their Unicode scalars, which represent bytes.
    public static func == (left: StrongValidator, right: StrongValidator) -> Bool {
        switch (left, right) {
        case (.tag(let one), .tag(let other)): one == other
        case (.date(let one), .date(let other)): one.unicodeScalars.elementsEqual(other.unicodeScalars)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        for scalar in ifRange.unicodeScalars { hasher.combine(scalar) }
    }
}
