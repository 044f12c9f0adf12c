// Evaluates conditional requests in the order of RFC 9110 §13.2.2. `If-Range` belongs to `ByteRange`.
import LarderCore

/// What the conditions of a request require of a response that is at hand.
public enum ConditionalOutcome: Sendable, Hashable {
    /// Respond as if there were no conditions.
    case proceed
    /// 304.
    case notModified
    /// 412.
    case preconditionFailed
}

/// Evaluates `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since`.
public enum Conditional {
    /// The role in which Larder responds.
    public enum Role: Sendable, Hashable {
        /// The resource is Larder's own: all four fields count.
        case origin
        /// A stored response of another server. The origin evaluates `If-Match` and `If-Unmodified-Since`, so a cache
        /// ignores them (RFC 9111 §4.3.2).
        case cache
    }

    /// Decides what a request's conditions lead to.
    /// - Parameters:
    ///   - status: the status of the response at hand. Conditions count for 2xx only (RFC 9110 §13.2.1).
    ///   - lastModified: a cache may pass the response's `Date` if it has no `Last-Modified` (RFC 9111 §4.3.2).
    ///   - now: decides the century of two-digit years.
    // More than six parameters: those of the request, those of the response at hand, and the time.
    public static func evaluate(
        method: Method, requestFields: HeaderFields, status: Int, etag: EntityTag?, lastModified: WallTime?,
        now: WallTime,
        role: Role = .origin
    ) -> ConditionalOutcome {
        guard (200..<300).contains(status) else { return .proceed }
        // QUERY asks for a representation as GET does (RFC 10008).
        let reads = method == .get || method == .head || method == .query
        if role == .origin {
            if let list = EntityTagList.parse(requestFields.all(.ifMatch)) {
                guard matches(list, etag, by: EntityTag.stronglyEquals) else { return .preconditionFailed }
            } else if let since = date(requestFields, "If-Unmodified-Since", now), let lastModified {
                guard lastModified.seconds <= since.seconds else { return .preconditionFailed }
            }
        }
        if let list = EntityTagList.parse(requestFields.all(.ifNoneMatch)) {
            guard matches(list, etag, by: EntityTag.weaklyEquals) else { return .proceed }
            return reads ? .notModified : .preconditionFailed
        }
        if reads, let since = date(requestFields, "If-Modified-Since", now), let lastModified,
            lastModified.seconds <= since.seconds
        {
            return .notModified
        }
        return .proceed
    }

    /// Whether the request has a condition or a range, so that a whole 200 might not be its response.
    public static func isConditional(_ fields: HeaderFields) -> Bool { fields.contains(anyOf: conditions) }

    private static let conditions: FieldNameSet = [
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range",
    ]

    /// "*" matches any representation that exists. The response at hand is one.
    private static func matches(
        _ list: EntityTagList, _ etag: EntityTag?, by equals: (EntityTag) -> (EntityTag) -> Bool
    ) -> Bool {
        switch list {
        case .any: true
        case .tags(let tags): etag.map { etag in tags.contains { equals(etag)($0) } } ?? false
        }
    }

    /// The date of a field that occurs once and is valid. Any other field is ignored (RFC 9110 §13.1.3).
    private static func date(_ fields: HeaderFields, _ name: String, _ now: WallTime) -> WallTime? {
        let values = fields.all(name)
        return values.count == 1 ? HTTPDate.parse(values[0], now: now) : nil
    }
}
