// Decides by which rules a stored response is judged. Pass-through with `rfc` uses RFC 9111 and the response's own
// stored fields (`RFCReuse`). Everything else uses the configured windows (`ConfiguredReuse`), even if a built-in
// provider's responses state their own lifetimes. The other steps of a request are the same for all.
import LarderCore
import LarderHTTP

/// Judges stored responses. Pure.
public struct ReuseJudge: Sendable {
    private enum Rules: Sendable {
        case standard(targets: TargetFields)
        case configured
    }
    private let rules: Rules
    public let rule: FreshnessRule
    /// How long past its freshness an entry answers at once while it is refreshed, by the configured rules. After that,
    /// and until its hard limit, it only covers for a fetch that fails or is slow.
    private let staleWhileRefresh: Duration

    /// Judges by the response's stored fields (`RFCReuse`).
    /// - Parameter targets: the same targeted fields as when the response was stored.
    public static func standard(_ rule: FreshnessRule, targets: TargetFields) -> ReuseJudge {
        ReuseJudge(rules: .standard(targets: targets), rule: rule, staleWhileRefresh: .zero)
    }

    /// Judges by the configured lifetimes (`ConfiguredReuse`).
    public static func configured(_ rule: FreshnessRule, staleWhileRefresh: Duration) -> ReuseJudge {
        ReuseJudge(rules: .configured, rule: rule, staleWhileRefresh: staleWhileRefresh)
    }

    /// Ends an entry's freshness early if today's settings say so, for the answers that tell or keep it.
    public func limit(_ entry: inout StoredResponse?) {
        guard case .configured = rules, let end = entry.flatMap({ ConfiguredReuse.freshEnd($0, rule) }) else { return }
        entry?.freshUntil = end
    }

    /// Whether a stored response may be used before the upstream is asked.
    public func decide(_ entry: StoredResponse, _ directives: ClientDirectives, now: WallTime) -> ReuseVerdict {
        switch rules {
        case .standard(let targets):
            return RFCReuse.decide(entry: entry, directives: directives, rule: rule, targets: targets, now: now)
        case .configured:
            return ConfiguredReuse.decide(entry: entry, directives: directives, rule: rule, now: now)
        }
    }

    /// Whether a stored response may be used after the upstream failed.
    public func afterFailure(
        _ trouble: UpstreamTrouble, _ entry: StoredResponse, _ directives: ClientDirectives, now: WallTime
    ) -> ReuseVerdict {
        switch rules {
        case .standard(let targets):
            return RFCReuse.afterFailure(
                entry: entry, directives: directives, rule: rule, targets: targets, failure: trouble, now: now)
        case .configured:
            return ConfiguredReuse.afterFailure(
                trouble, entry: entry, directives: directives, rule: rule, now: now)
        }
    }

    /// Whether a usable stale response answers at once while it is refreshed. With `rfc` it always does: it is usable
    /// only because of RFC 5861 §3 or the client's directives. The configured rules have a window of their own for
    /// this.
    public func refreshesBehind(_ entry: StoredResponse, now: WallTime) -> Bool {
        rule.semantics == .rfc || now < entry.freshUntil + staleWhileRefresh
    }

    /// Whether a stored response is marked as shared, so that it may answer a request with credentials. This is
    /// stricter than RFC 9111 §4, which permits any stored response.
    public func isForAll(_ entry: StoredResponse) -> Bool {
        guard case .standard(let targets) = rules else { return true }
        let control = ResponseControl(fields: entry.fields, targets: targets).control
        return control.isPublic || control.sMaxAge != nil || control.mustRevalidate
    }

    /// Whether the upstream's response is a failure for which a stale response may stand in.
    /// - Parameter isAnswer: whether the provider accepts the response as an answer.
    public func isFailure(status: Int, isAnswer: Bool) -> Bool {
        switch rules {
        case .standard: status >= 500
        case .configured: !isAnswer
        }
    }

    /// Whether a slow upstream permits a stale response. The standard does not allow it (RFC 9111 §4.2.4).
    public var hasPatience: Bool {
        switch rules {
        case .standard: false
        case .configured: true
        }
    }
}
