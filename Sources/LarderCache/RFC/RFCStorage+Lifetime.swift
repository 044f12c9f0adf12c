// Decides how long a response is fresh (RFC 9111 §4.2): by s-maxage, max-age or Expires, in this order, or else by the
// settings or by a heuristic from the time since the last change. Also lists the status codes that allow the heuristic, and those whose
// caching rules are implemented here.
import LarderCore
import LarderHTTP

extension RFCStorage {
    /// Heuristic freshness is this fraction of the time since the last change, and at most one day (§4.2.2).
    static let heuristicDivisor: Int64 = 10
    static let heuristicLimit: Int64 = 86_400_000

    /// Status codes whose caching rules are implemented here (RFC 9111 §3, §5.2.2.3). A 206 is not included:
    /// `PartRequest` decides about it first.
    static let understood: Set<Int> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 415, 421, 451, 500, 501, 502,
        503, 504,
    ]

    /// Status codes that are cacheable without an explicit lifetime (RFC 9110 §15.1).
    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// A lifetime in milliseconds from the generation of the response, and the rule that gave it.
    struct Lifetime: Sendable, Hashable {
        var milliseconds: Int64
        var rule: CacheRule
    }

    /// Status codes to which a declared lifetime applies.
    private static let successes: Set<Int> = [200, 203, 204]

    /// The freshness lifetime (RFC 9111 §4.2.1, §4.2.2); nil if neither the response nor the rule nor a heuristic gives
    /// one. The rule's lifetimes take the place of the heuristic; `fallbackTTL` applies to the same responses.
    static func lifetime(
        status: Int, fields: HeaderFields, responseTime: WallTime, answer: ResponseControl, rule: FreshnessRule
    ) -> Lifetime? {
        let control = answer.control
        if let seconds = control.sMaxAge { return Lifetime(milliseconds: seconds * 1000, rule: .sharedMaxAge) }
        if let seconds = control.maxAge { return Lifetime(milliseconds: seconds * 1000, rule: .maxAge) }
        let date = Age.date(fields, responseTime: responseTime)
        let expires = answer.isTargeted ? [] : fields.all(.expires)
        if !expires.isEmpty {
            // An unreadable date, such as "0", means already expired. So do lines that contradict each other (§5.3).
            guard Set(expires).count == 1, let end = HTTPDate.parse(expires[0], now: responseTime) else {
                return Lifetime(milliseconds: 0, rule: .expires)
            }
            return Lifetime(milliseconds: max(0, (end - date).milliseconds), rule: .expires)
        }
        if let declared = rule.declaredTTL {
            return successes.contains(status)
                ? Lifetime(milliseconds: declared.milliseconds, rule: .declaredTTL) : nil
        }
        guard heuristicallyCacheable.contains(status) || control.isPublic else { return nil }
        if let fallback = rule.fallbackTTL {
            return Lifetime(milliseconds: fallback.milliseconds, rule: .fallbackTTL)
        }
        guard let text = fields.first(.lastModified), let changed = HTTPDate.parse(text, now: responseTime),
            changed < date
        else { return nil }
        let guess = min((date - changed).milliseconds / heuristicDivisor, heuristicLimit)
        return Lifetime(milliseconds: guess, rule: .heuristic)
    }
}
