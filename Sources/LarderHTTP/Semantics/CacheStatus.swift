// Cache-Status (RFC 9211): one member, ours, which says either that the cache answered or why it went forward, never
// both (§2.2: "hit" and "fwd" are exclusive). The key is left out: it would tell others what was searched (§6).
import LarderCore

/// Rendering of `Cache-Status`.
public enum CacheStatus {
    /// Why the request went forward (RFC 9211 §2.2).
    public enum ForwardReason: String, Sendable, Hashable, CaseIterable {
        /// The cache was configured not to handle it.
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case miss
        /// The request's own directives forbade the stored answer.
        case request
        case stale
        case partial
    }

    /// The field's value for an outcome of the built-in providers (RFC 9211 §2), such as `larder; hit; ttl=123` or
    /// `larder; fwd=uri-miss; fwd-status=200; stored`. Pass-through says more, by `hit` and `forwarded`.
    ///
    /// - Parameters:
    ///   - ttl: seconds of freshness left; negative for a stale answer. Only with answers from the cache.
    ///   - fwdStatus: the upstream's status, where one came. Only with forwarded requests, as are the next three.
    ///   - stored: whether the answer was stored; nil where that is not known.
    ///   - collapsed: whether another request's fetch answered.
    ///   - fwdReason: nil for the usual one of the outcome: `uri-miss`, or `bypass` for a bypass.
    ///   - detail: a word or sentence of our own.
    // More than six parameters: one for each parameter of the field. All but the outcome have a default.
    public static func render(
        outcome: CacheOutcome, ttl: Int64? = nil, fwdStatus: Int? = nil, stored: Bool? = nil, collapsed: Bool = false,
        fwdReason: ForwardReason? = nil, detail: String? = nil
    ) -> String {
        switch outcome {
        case .hit, .stale: hit(ttl: ttl, detail: detail)
        case .negative: hit(ttl: ttl, detail: detail ?? "negative")
        case .miss, .revalidated, .joined, .bypass:
            forwarded(
                fwdReason ?? (outcome == .bypass ? .bypass : outcome == .revalidated ? .stale : .uriMiss),
                status: fwdStatus, stored: stored == true,
                collapsed: collapsed || outcome == .joined, detail: detail)
        case .none: "larder" + rendered(detail: detail)
        }
    }

    /// An answer from the cache without going forward (RFC 9211 §2.1), such as `larder; hit; ttl=123`. That is also a
    /// stale answer for which nothing was sent: while it is refreshed, or since the upstream could not be asked.
    ///
    /// - Parameter ttl: seconds of freshness left, negative for a stale answer (§2.4).
    public static func hit(ttl: Int64?, detail: String? = nil) -> String {
        var out = "larder; hit"
        if let ttl { out = "larder; hit; ttl=" + String(StructuredField.integer(ttl)) }
        return detail == nil ? out : out + rendered(detail: detail)
    }

    /// An answer for which the request went forward (RFC 9211 §2.2 to §2.6), such as
    /// `larder; fwd=uri-miss; fwd-status=200; stored; ttl=60`. What went forward is no hit, whoever answered at last:
    ///  - a stored answer that the upstream confirmed is `fwd=stale; fwd-status=304`. Nothing new was stored, so
    ///    `stored` is left out beside 304, as in the RFC's own example;
    ///  - a stale answer in place of the upstream's error is `fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error`.
    ///
    /// - Parameters:
    ///   - reason: why (§2.2).
    ///   - status: the upstream's; nil where none came, or none of this request's own where it was collapsed.
    ///   - ttl: as for `hit`: of what is answered, where it is or has just been stored.
    ///   - stored: the answer was stored (§2.5).
    ///   - collapsed: another request's fetch answered (§2.6).
    public static func forwarded(
        _ reason: ForwardReason, status: Int? = nil, ttl: Int64? = nil, stored: Bool = false, collapsed: Bool = false,
        detail: String? = nil
    ) -> String {
        var out = "larder; fwd=\(reason.rawValue)"
        if let status, (100...999).contains(status) { out += "; fwd-status=\(status)" }
        if stored, status != 304 { out += "; stored" }
        if collapsed { out += "; collapsed" }
        if let ttl { out += "; ttl=\(StructuredField.integer(ttl))" }
        return out + rendered(detail: detail)
    }

    private static func rendered(detail: String?) -> String {
        guard let detail, !detail.isEmpty else { return "" }
        return "; detail=\(StructuredField.tokenOrQuoted(detail))"
    }
}
