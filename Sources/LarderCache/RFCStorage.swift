// RFC 9111 for a shared cache: what may be stored (§3) and how long it is fresh (§4.2). Stricter than it must be where
// the full rules would need machinery of their own: no answer with `Set-Cookie`, none chosen by a request field other
// than `Accept-Encoding`, and `must-understand` does not lift `no-store`. Being strict costs a fetch and is never wrong.
import LarderCore
import LarderHTTP

enum RFCStorage {
    /// Heuristic freshness is this part of the time since the last change, and never longer than a day (§4.2.2).
    static let heuristicDivisor: Int64 = 10
    static let heuristicLimit: Int64 = 86_400_000

    static func decide(response: UpstreamResponse, isNegative: Bool, rule: FreshnessRule) -> StoreDecision {
        let fields = response.fields
        let control = CacheControl(fields.all("Cache-Control"))
        guard understood.contains(response.status) else { return .refuse(reason: "status") }
        if control.noStore { return .refuse(reason: "noStore") }
        if control.isPrivate { return .refuse(reason: "private") }
        if fields.contains("Set-Cookie") { return .refuse(reason: "setCookie") }
        guard Vary(fields).dependsOnly(on: ["accept-encoding"]) else { return .refuse(reason: "vary") }
        guard let lifetime = lifetime(response: response, control: control) else {
            return .refuse(reason: "noLifetime")
        }
        let initialAge = Age.initial(
            fields: fields, requestTime: response.requestTime, responseTime: response.responseTime)
        // Freshness counts from the birth of the answer, and part of it may have passed on the way (§4.2).
        let left = control.noCache ? 0 : max(0, lifetime - initialAge)
        let window = isNegative ? .zero : staleWindow(control: control, rule: rule)
        return StorePolicy.bounded(
            initialAge: initialAge, responseTime: response.responseTime, lifetime: left, staleWindow: window,
            isNegative: isNegative, rule: rule)
    }

    /// Status codes whose meaning for caching is known here (§3: "understood"). 206 needs the joining of parts.
    static let understood: Set<Int> = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 415, 421, 451, 500, 501, 502,
        503, 504,
    ]

    /// Those that may be kept without being told how long (RFC 9110 §15.1).
    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Milliseconds of freshness from birth (§4.2.1); nil where neither the answer nor a heuristic gives any.
    static func lifetime(response: UpstreamResponse, control: CacheControl) -> Int64? {
        if let seconds = control.sMaxAge ?? control.maxAge { return seconds * 1000 }
        let date = Age.date(response.fields, responseTime: response.responseTime)
        let expires = response.fields.all("Expires")
        if !expires.isEmpty {
            // An unreadable date, "0" above all, means already expired; so do lines that contradict each other (§5.3).
            guard Set(expires).count == 1, let end = HTTPDate.parse(expires[0], now: response.responseTime) else {
                return 0
            }
            return max(0, (end - date).milliseconds)
        }
        guard heuristicallyCacheable.contains(response.status) || control.isPublic,
            let text = response.fields.first("Last-Modified"),
            let changed = HTTPDate.parse(text, now: response.responseTime), changed < date
        else { return nil }
        return min((date - changed).milliseconds / heuristicDivisor, heuristicLimit)
    }

    /// How long past its freshness the answer may ever be served. Directives that demand validation forbid it
    /// (§4.2.4); the answer's own windows (RFC 5861) may narrow what the rule allows, not widen it.
    static func staleWindow(control: CacheControl, rule: FreshnessRule) -> Duration {
        if control.mustRevalidate || control.proxyRevalidate || control.noCache || control.sMaxAge != nil {
            return .zero
        }
        guard control.staleWhileRevalidate != nil || control.staleIfError != nil else { return rule.staleWindow }
        let own = max(control.staleWhileRevalidate ?? 0, control.staleIfError ?? 0)
        return min(rule.staleWindow, .seconds(own))
    }
}
