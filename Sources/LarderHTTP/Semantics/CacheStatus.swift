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

    /// The field's value, such as `larder; hit; ttl=123` or `larder; fwd=uri-miss; fwd-status=200; stored`.
    ///
    /// - Parameters:
    ///   - ttl: seconds of freshness left; negative for a stale answer. Only with answers from the cache.
    ///   - fwdStatus: the upstream's status, where one came. Only with forwarded requests, as are the next three.
    ///   - stored: whether the answer was stored; nil where that is not known.
    ///   - collapsed: whether another request's fetch answered.
    ///   - fwdReason: nil for the usual one of the outcome: `uri-miss`, or `bypass` for a bypass.
    ///   - detail: a word or sentence of our own.
    public static func render(
        outcome: CacheOutcome, ttl: Int64? = nil, fwdStatus: Int? = nil, stored: Bool? = nil, collapsed: Bool = false,
        fwdReason: ForwardReason? = nil, detail: String? = nil
    ) -> String {
        var out = "larder"
        var detail = detail
        switch outcome {
        case .hit, .stale, .negative:
            out += "; hit"
            if let ttl { out += "; ttl=\(integer(ttl))" }
            if outcome == .negative, detail == nil { detail = "negative" }
        case .miss, .joined, .bypass:
            out += "; fwd=\((fwdReason ?? (outcome == .bypass ? .bypass : .uriMiss)).rawValue)"
            if let fwdStatus, (100...999).contains(fwdStatus) { out += "; fwd-status=\(fwdStatus)" }
            if stored == true { out += "; stored" }
            if collapsed || outcome == .joined { out += "; collapsed" }
        case .none:
            break
        }
        if let detail, !detail.isEmpty { out += "; detail=\(bareItem(detail))" }
        return out
    }

    /// Structured-field integers have at most 15 digits (RFC 8941 §3.3.1).
    private static func integer(_ value: Int64) -> Int64 {
        min(max(value, -999_999_999_999_999), 999_999_999_999_999)
    }

    /// A token where the text is one, else a string; characters that neither can hold become "?".
    private static func bareItem(_ text: String) -> String {
        let bytes = text.utf8
        let startsToken = bytes.first.map { $0 == 0x2A || ASCII.lowercased($0) &- 0x61 < 26 } ?? false
        if startsToken, bytes.allSatisfy({ ASCII.isToken($0) || $0 == 0x3A || $0 == 0x2F }) { return text }
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                out += "\\"
                out.unicodeScalars.append(scalar)
            case 0x20...0x7E: out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out + "\""
    }
}
