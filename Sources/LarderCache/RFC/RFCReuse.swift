// Decides whether a stored answer may be used without asking the upstream (RFC 9111 §4). The decision uses the stored
// fields, so changed settings apply at once. The stale window of the rule limits every stale use, also those that the
// answer (RFC 5861) or the client allows. `ConfiguredReuse.swift` describes what happens when the clock is set back.
//
// `immutable` (RFC 8246 §2.1) needs no step of its own: a fresh answer is never validated, unless the client's own
// directives forbid its use.
import LarderCore
import LarderHTTP

/// A decision about reuse, and what decided.
public struct ReuseVerdict: Sendable, Hashable {
    public var decision: ReuseDecision
    public var rule: CacheRule

    public init(decision: ReuseDecision, rule: CacheRule) {
        self.decision = decision
        self.rule = rule
    }
}

/// What became of asking the upstream.
public enum UpstreamTrouble: Sendable, Hashable {
    /// No answer: not reached, cut off, timed out, or not tried at all.
    case disconnected
    /// An answer with that status. Errors are 500, 502, 503 and 504 (RFC 5861 §4).
    case status(Int)
}

/// Decides about reuse by RFC 9111. Pure.
public enum RFCReuse {
    /// Before the upstream is asked (RFC 9111 §4, §4.2.4, §5.2.1; RFC 5861 §3).
    ///
    /// `stale` means: answer at once; whether a refresh goes out beside it is told by the rule, which is
    /// `staleWhileRevalidate` or `requestMaxStale`.
    ///
    /// - Parameters:
    ///   - entry: whose selecting fields match the request already (see `VariantIndex`).
    ///   - targets: as given when it was stored.
    public static func decide(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, targets: [String], now: WallTime
    ) -> ReuseVerdict {
        let control = ResponseControl(fields: entry.fields, targets: targets).control
        if let verdict = beforeStaleness(entry, directives, control, now) { return verdict }
        let staleness = max(.zero, now - entry.freshUntil)
        if let verdict = staleRefusal(entry, directives, control, rule, staleness, now) { return verdict }
        switch directives.maxStale {
        case .any: return ReuseVerdict(decision: .stale, rule: .requestMaxStale)
        case .seconds(let limit):
            return staleness <= .seconds(limit)
                ? ReuseVerdict(decision: .stale, rule: .requestMaxStale) : unusable(.maxAge, .requestMaxStale)
        case .none: break
        }
        if directives.maxAge != nil { return unusable(.maxAge, .requestMaxAge) }
        if let window = control.staleWhileRevalidate, staleness < .seconds(window) {
            return ReuseVerdict(decision: .stale, rule: .staleWhileRevalidate)
        }
        return unusable(.mustValidate, .staleNeedsValidation)
    }

    /// After asking failed (RFC 9111 §4.2.4, §4.3.3; RFC 5861 §4). What the answer forbids stays forbidden, and so
    /// does what the client's `no-cache`, `max-age` and `min-fresh` exclude. Without an answer from the upstream a
    /// stale one may serve; an error that it sent is covered only where answer or request says `stale-if-error`.
    public static func afterFailure(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, targets: [String],
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
        switch directives.maxStale {
        case .any: return ReuseVerdict(decision: .stale, rule: .requestMaxStale)
        case .seconds(let limit):
            return staleness <= .seconds(limit)
                ? ReuseVerdict(decision: .stale, rule: .requestMaxStale) : unusable(.maxAge, .requestMaxStale)
        case .none: break
        }
        if directives.maxAge != nil { return unusable(.maxAge, .requestMaxAge) }
        if let window = control.staleIfError {
            return staleness < .seconds(window)
                ? ReuseVerdict(decision: .stale, rule: .staleIfError) : unusable(.expired, .staleIfError)
        }
        switch failure {
        case .disconnected: return ReuseVerdict(decision: .stale, rule: .disconnected)
        case .status: return unusable(.mustValidate, .errorForwarded)
        }
    }

    /// The errors that `stale-if-error` is about (RFC 5861 §4).
    public static let errors: Set<Int> = [500, 502, 503, 504]

    /// The directive that forbids a shared cache to use the answer stale (RFC 9111 §4.2.4), where there is one. An
    /// unqualified `no-cache`, which forbids fresh use too, is not among them.
    public static func staleProhibition(_ control: CacheControl) -> CacheRule? {
        if control.mustRevalidate { return .mustRevalidate }
        if control.proxyRevalidate { return .proxyRevalidate }
        return control.sMaxAge != nil ? .sharedMaxAgeStale : nil
    }

    /// What is decided before staleness matters: clock, `no-cache` of both sides, the client's `max-age`, freshness.
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
        // An answer that was never fresh does not become so by a clock set back.
        let isFresh =
            now < entry.freshUntil && entry.freshUntil > entry.responseTime && ahead <= ConfiguredReuse.clockSkew
        guard isFresh else { return nil }
        if let minFresh = directives.minFresh, entry.freshUntil - now < .seconds(minFresh) {
            return unusable(.minFresh, .requestMinFresh)
        }
        if entry.isNegative { return ReuseVerdict(decision: .negative, rule: .fresh) }
        return ReuseVerdict(decision: .fresh, rule: control.immutable ? .immutable : .fresh)
    }

    /// What forbids every stale use (RFC 9111 §4.2.4), and our own bounds.
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

    /// `max-age=0` asks for a validation, also within the instant of arrival; else the age counts in milliseconds.
    private static func isOlder(_ entry: StoredResponse, than maxAge: Int64, _ now: WallTime) -> Bool {
        let age = entry.initialAge + max(0, (now - entry.responseTime).milliseconds)
        return maxAge == 0 || age > maxAge * 1000
    }

    private static func unusable(_ reason: ReuseDecision.Reason, _ rule: CacheRule) -> ReuseVerdict {
        ReuseVerdict(decision: .unusable(reason), rule: rule)
    }
}
