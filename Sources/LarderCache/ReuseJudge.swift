// By whose rules a stored answer is judged. Pass-through with `rfc`: by RFC 9111 from the answer's own stored fields
// (`RFCReuse`). Everything else: within the windows of our configuration (`ConfiguredReuse`), also where a built-in provider's answers
// say themselves how long they last. The rest of a request's way is the same for all.
import LarderCore
import LarderHTTP

/// Judges stored answers. Pure.
public struct ReuseJudge: Sendable {
    private enum Rules: Sendable {
        case standard(targets: [String])
        case configured
    }
    private let rules: Rules
    public let rule: FreshnessRule
    /// For how long past its freshness an entry answers at once while it is refreshed, by our own rules; after that, and
    /// until its hard bound, it only covers for a fetch that fails or is slow.
    private let staleWhileRefresh: Duration

    /// By the answer's stored fields (`RFCReuse`).
    /// - Parameter targets: as given when it was stored.
    public static func standard(_ rule: FreshnessRule, targets: [String]) -> ReuseJudge {
        ReuseJudge(rules: .standard(targets: targets), rule: rule, staleWhileRefresh: .zero)
    }

    /// By the configured lifetimes (`ConfiguredReuse`).
    public static func configured(_ rule: FreshnessRule, staleWhileRefresh: Duration) -> ReuseJudge {
        ReuseJudge(rules: .configured, rule: rule, staleWhileRefresh: staleWhileRefresh)
    }

    /// Whether a stored answer may be used before the upstream is asked.
    public func decide(_ entry: StoredResponse, _ directives: ClientDirectives, now: WallTime) -> ReuseVerdict {
        switch rules {
        case .standard(let targets):
            return RFCReuse.decide(entry: entry, directives: directives, rule: rule, targets: targets, now: now)
        case .configured:
            return ConfiguredReuse.decide(entry: entry, directives: directives, rule: rule, now: now)
        }
    }

    /// The same after the upstream was asked and did not help.
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

    /// Whether a stale answer that may be used goes out at once while it is refreshed: with `rfc` that is what made it
    /// usable (RFC 5861 §3), or the client said so; with our rules it is a window of its own.
    public func refreshesBehind(_ entry: StoredResponse, now: WallTime) -> Bool {
        rule.semantics == .rfc || now < entry.freshUntil + staleWhileRefresh
    }

    /// Whether a stored answer is said to be everybody's, so that it may go to a request with credentials too. Stricter
    /// than RFC 9111 §4, which lets any stored answer go.
    public func isForAll(_ entry: StoredResponse) -> Bool {
        guard case .standard(let targets) = rules else { return true }
        let control = ResponseControl(fields: entry.fields, targets: targets).control
        return control.isPublic || control.sMaxAge != nil || control.mustRevalidate
    }

    /// Whether an answer of the upstream is a failure that a stale one may cover for.
    /// - Parameter isAnswer: the provider takes it for an answer.
    public func isFailure(status: Int, isAnswer: Bool) -> Bool {
        switch rules {
        case .standard: status >= 500
        case .configured: !isAnswer
        }
    }

    /// Whether a slow upstream is a reason for a stale answer. It is none for the standard (RFC 9111 §4.2.4).
    public var hasPatience: Bool {
        switch rules {
        case .standard: false
        case .configured: true
        }
    }
}
