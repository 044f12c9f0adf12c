// Cache-Status (RFC 9211): one member, which says either that the cache answered or why the request went forward, never
// both (§2.2: "hit" and "fwd" are exclusive). The key is left out, because it would reveal what was searched for (§6).
import LarderCore

/// Renders `Cache-Status`.
public enum CacheStatus {
    /// Why the request went forward (RFC 9211 §2.2).
    public enum ForwardReason: String, Sendable, Hashable, CaseIterable {
        /// The cache was configured not to handle the request.
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case miss
        /// The request's own directives forbade the stored response.
        case request
        case stale
        case partial
    }

    /// The field's value for an outcome of the built-in providers (RFC 9211 §2), such as `larder; hit; ttl=123` or
    /// `larder; fwd=uri-miss; fwd-status=200; stored`. Pass-through says more, with `hit` and `forwarded`.
    ///
    /// - Parameters:
    ///   - ttl: seconds of freshness left; negative for a stale response. Used only for responses from the cache.
    ///   - fwdStatus: the upstream's status, if there is one. This and the next three are used only for forwarded
    ///     requests.
    ///   - stored: whether the response was stored; nil if this is not known.
    ///   - collapsed: whether another request's fetch gave the response.
    ///   - fwdReason: nil for the usual reason of the outcome: `uri-miss`, or `bypass` for a bypass.
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

    /// A response from the cache without forwarding (RFC 9211 §2.1), such as `larder; hit; ttl=123`. This includes a
    /// stale response for which nothing was sent: while it is refreshed, or because the upstream could not be asked.
    ///
    /// - Parameter ttl: seconds of freshness left, negative for a stale response (§2.4).
    public static func hit(ttl: Int64?, detail: String? = nil) -> String {
        var out = "larder; hit"
        if let ttl { out = "larder; hit; ttl=" + String(StructuredField.integer(ttl)) }
        return detail == nil ? out : out + rendered(detail: detail)
    }

    /// A response to a request that went forward (RFC 9211 §2.2 to §2.6), such as
    /// `larder; fwd=uri-miss; fwd-status=200; stored; ttl=60`. A forwarded request is never a hit, even if a stored
    /// response was used in the end:
    ///  - a stored response that the upstream confirmed is `fwd=stale; fwd-status=304`. Nothing new was stored, so
    ///    `stored` is left out next to 304, as in the RFC's own example;
    ///  - a stale response in place of the upstream's error is
    ///    `fwd=stale; fwd-status=503; ttl=-5; detail=stale-if-error`.
    ///
    /// - Parameters:
    ///   - reason: why the request went forward (§2.2).
    ///   - status: the upstream's status; nil if none came, or if the request was collapsed.
    ///   - ttl: as for `hit`, for the response that is sent, if it is or was just stored.
    ///   - stored: whether the response was stored (§2.5).
    ///   - collapsed: whether another request's fetch gave the response (§2.6).
    public static func forwarded(
        _ reason: ForwardReason, status: Int? = nil, ttl: Int64? = nil, stored: Bool = false, collapsed: Bool = false,
        detail: String? = nil
    ) -> String {
        // Every forwarded answer has this text, so it is made without interpolation.
        var out = "larder; fwd="
        out.reserveCapacity(64)
        out += reason.rawValue
        if let status, (100...999).contains(status) {
            out += "; fwd-status="
            out += String(status)
        }
        // A 304 stores nothing new, unless it confirmed the variant of another request.
        if stored, status != 304 || reason == .varyMiss { out += "; stored" }
        if collapsed { out += "; collapsed" }
        if let ttl {
            out += "; ttl="
            out += String(StructuredField.integer(ttl))
        }
        return detail == nil ? out : out + rendered(detail: detail)
    }

    private static func rendered(detail: String?) -> String {
        guard let detail, !detail.isEmpty else { return "" }
        return "; detail=\(StructuredField.tokenOrQuoted(detail))"
    }
}
