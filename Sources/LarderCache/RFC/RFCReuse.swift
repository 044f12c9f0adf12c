// Decides whether a stored response may be used without asking the upstream (RFC 9111 §4). The decision uses the
// stored fields, so changed settings apply at once. The stale window of the rule limits every stale use, including
// those that the response (RFC 5861) or the client allows. `ConfiguredReuse.swift` describes what happens when the
// clock is set back.
//
// `immutable` (RFC 8246 §2.1) needs no step of its own: a fresh response is never validated unless the client's own
// directives forbid its use.
import LarderCore
import LarderHTTP

/// A decision about reuse, and the rule that decided.
public struct ReuseVerdict: Sendable, Hashable {
    public var decision: ReuseDecision
    public var rule: CacheRule

    public init(decision: ReuseDecision, rule: CacheRule) {
        self.decision = decision
        self.rule = rule
    }
}

/// How a request to the upstream failed.
public enum UpstreamTrouble: Sendable, Hashable {
    /// No response: the upstream was not reached, the response was cut off or timed out, or no request was tried.
    case disconnected
    /// A response with this status. Errors are 500, 502, 503 and 504 (RFC 5861 §4).
    case status(Int)
}

/// Decides about reuse by RFC 9111. Pure.
public enum RFCReuse {
    /// Decides before the upstream is asked (RFC 9111 §4, §4.2.4, §5.2.1; RFC 5861 §3).
    ///
    /// `stale` means that the request is answered at once. The rule, `staleWhileRevalidate` or `requestMaxStale`, says
    /// whether a refresh is started as well.
    ///
    /// - Parameters:
    ///   - entry: an entry whose selecting fields already match the request (see `VariantIndex`).
    ///   - targets: the same targeted fields as when the entry was stored.
    public static func decide(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, targets: TargetFields, now: WallTime
    ) -> ReuseVerdict {
        let control = ResponseControl(fields: entry.fields, targets: targets).control
        if let verdict = beforeStaleness(entry, directives, control, now) { return verdict }
        let staleness = max(.zero, now - entry.freshUntil)
        if let verdict = staleRefusal(entry, directives, control, rule, staleness, now) { return verdict }
        if let verdict = clientsStaleness(directives, staleness) { return verdict }
        if let window = control.staleWhileRevalidate, staleness < .seconds(window) {
            return ReuseVerdict(decision: .stale, rule: .staleWhileRevalidate)
        }
        return unusable(.mustValidate, .staleNeedsValidation)
    }

    /// Decides after the upstream failed (RFC 9111 §4.2.4, §4.3.3; RFC 5861 §4). What the stored response forbids stays
    /// forbidden, and so does what the client's `no-cache`, `max-age` and `min-fresh` exclude. If the upstream sent no
    /// response, a stale entry may be used. If it sent an error, a stale entry needs `stale-if-error` or the client's
    /// `max-stale`.
    public static func afterFailure(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, targets: TargetFields,
        failure: UpstreamTrouble, now: WallTime
    ) -> ReuseVerdict {
        let control = ResponseControl(fields: entry.fields, targets: targets).control
        if case .status(let status) = failure, !errors.contains(status) {
            return unusable(.mustValidate, .errorForwarded)
        }
        if let verdict = beforeStaleness(entry, directives, control, now) { return verdict }
        let staleness = max(.zero, now - entry.freshUntil)
        if let verdict = staleRefusal(entry, directives, control, rule, staleness, now) { return verdict }
        if let limit = directives.staleIfError {
            return staleness <= .seconds(limit)
                ? ReuseVerdict(decision: .stale, rule: .requestStaleIfError) : unusable(.maxAge, .requestStaleIfError)
        }
        if let verdict = clientsStaleness(directives, staleness) { return verdict }
        if let window = control.staleIfError {
            return staleness < .seconds(window)
                ? ReuseVerdict(decision: .stale, rule: .staleIfError) : unusable(.expired, .staleIfError)
        }
        switch failure {
        case .disconnected: return ReuseVerdict(decision: .stale, rule: .disconnected)
        case .status: return unusable(.mustValidate, .errorForwarded)
        }
    }

    /// The statuses that `stale-if-error` covers (RFC 5861 §4).
    public static let errors: Set<Int> = [500, 502, 503, 504]

    /// The directive, if any, that forbids a shared cache to use the response when stale (RFC 9111 §4.2.4). An
    /// unqualified `no-cache`, which also forbids fresh use, is not included.
    public static func staleProhibition(_ control: CacheControl) -> CacheRule? {
        if control.mustRevalidate { return .mustRevalidate }
        if control.proxyRevalidate { return .proxyRevalidate }
        return control.sMaxAge != nil ? .sharedMaxAgeStale : nil
    }

    /// Decides what does not depend on staleness: clock, `no-cache` of both sides, the client's `max-age`, freshness.
    private static func beforeStaleness(
        _ entry: StoredResponse, _ directives: ClientDirectives, _ control: CacheControl, _ now: WallTime
    ) -> ReuseVerdict? {
        let ahead = entry.responseTime - now
        if ahead > ConfiguredReuse.clockLimit { return unusable(.clock, .clock) }
        if directives.noCache { return unusable(.noCache, .requestNoCache) }
        if control.noCache, control.noCacheFields.isEmpty { return unusable(.mustValidate, .noCacheAnswer) }
        if let maxAge = directives.maxAge, isOlder(entry, than: maxAge, now) {
            return unusable(.maxAge, .requestMaxAge)
        }
        // A response that was never fresh must not become fresh when the clock is set back.
        let isFresh =
            now < entry.freshUntil && entry.freshUntil > entry.responseTime && ahead <= ConfiguredReuse.clockSkew
        guard isFresh else { return nil }
        if let minFresh = directives.minFresh, entry.freshUntil - now < .seconds(minFresh) {
            return unusable(.minFresh, .requestMinFresh)
        }
        if entry.isNegative { return ReuseVerdict(decision: .negative, rule: .fresh) }
        return ReuseVerdict(decision: .fresh, rule: control.immutable ? .immutable : .fresh)
    }

    /// Applies the rules that forbid every stale use (RFC 9111 §4.2.4), and Larder's own limits.
    private static func staleRefusal(
        _ entry: StoredResponse, _ directives: ClientDirectives, _ control: CacheControl, _ rule: FreshnessRule,
        _ staleness: Duration, _ now: WallTime
    ) -> ReuseVerdict? {
        if let prohibition = staleProhibition(control) { return unusable(.mustValidate, prohibition) }
        if directives.minFresh != nil { return unusable(.minFresh, .requestMinFresh) }
        let isKept = rule.retention.map { now < entry.responseTime + $0 } ?? true
        guard !entry.isNegative, isKept, staleness < rule.staleWindow else { return unusable(.expired, .staleBound) }
        return nil
    }

    /// What the client says of a stale response: `max-stale` permits it, and `max-age` without it does not (RFC 9111
    /// §5.2.1). Nil if it says nothing.
    private static func clientsStaleness(_ directives: ClientDirectives, _ staleness: Duration) -> ReuseVerdict? {
        switch directives.maxStale {
        case .any: return ReuseVerdict(decision: .stale, rule: .requestMaxStale)
        case .seconds(let limit):
            return staleness <= .seconds(limit)
                ? ReuseVerdict(decision: .stale, rule: .requestMaxStale) : unusable(.maxAge, .requestMaxStale)
        case .none: return directives.maxAge == nil ? nil : unusable(.maxAge, .requestMaxAge)
        }
    }

    /// `max-age=0` demands a validation even in the instant of arrival. Otherwise ages are compared in milliseconds.
    private static func isOlder(_ entry: StoredResponse, than maxAge: Int64, _ now: WallTime) -> Bool {
        let age = entry.initialAge + max(0, (now - entry.responseTime).milliseconds)
        return maxAge == 0 || age > maxAge * 1000
    }

    private static func unusable(_ reason: ReuseDecision.Reason, _ rule: CacheRule) -> ReuseVerdict {
        ReuseVerdict(decision: .unusable(reason), rule: rule)
    }
}
