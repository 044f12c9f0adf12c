// Applies RFC 9111 to entries of providers that have one response per key: no variants, no validation. It is stricter
// than the full rules (RFC/RFCStorage.swift). It stores no response with `Set-Cookie` and none selected by a request
// field other than `Accept-Encoding`, and `must-understand` does not override `no-store`. Strictness costs a fetch and
// is never wrong.
import LarderCore
import LarderHTTP

extension RFCStorage {
    static func decide(response: UpstreamResponse, isNegative: Bool, rule: FreshnessRule) -> StoreDecision {
        let fields = response.fields
        let control = CacheControl(fields.all(.cacheControl))
        guard understood.contains(response.status) else { return .refuse(reason: .status) }
        if control.noStore { return .refuse(reason: .noStore) }
        if control.isPrivate { return .refuse(reason: .private) }
        if fields.contains(.setCookie) { return .refuse(reason: .setCookie) }
        guard Vary(fields).dependsOnly(on: ["accept-encoding"]) else { return .refuse(reason: .vary) }
        let lifetime = lifetime(
            status: response.status, fields: fields, responseTime: response.responseTime,
            answer: ResponseControl(fields: fields, targets: []), rule: rule)
        guard let lifetime else { return .refuse(reason: .noLifetime) }
        let initialAge = Age.initial(
            fields: fields, requestTime: response.requestTime, responseTime: response.responseTime)
        // Freshness counts from the generation of the response. Part of it may have passed before arrival (§4.2).
        let left = control.noCache ? 0 : max(0, lifetime.milliseconds - initialAge)
        let window = isNegative ? .zero : staleWindow(control: control, rule: rule)
        return StorePolicy.bounded(
            initialAge: initialAge, responseTime: response.responseTime, lifetime: left, staleWindow: window,
            isNegative: isNegative, rule: rule)
    }

    /// How long past its freshness the response may be served. Directives that demand validation forbid stale use
    /// (§4.2.4). The response's own windows (RFC 5861) may narrow what the rule allows, not widen it.
    static func staleWindow(control: CacheControl, rule: FreshnessRule) -> Duration {
        if control.noCache || RFCReuse.staleProhibition(control) != nil { return .zero }
        guard control.staleWhileRevalidate != nil || control.staleIfError != nil else { return rule.staleWindow }
        let own = max(control.staleWhileRevalidate ?? 0, control.staleIfError ?? 0)
        return min(rule.staleWindow, .seconds(own))
    }
}
