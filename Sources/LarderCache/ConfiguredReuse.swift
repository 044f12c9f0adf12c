// Whether a stored answer may be used for a request (RFC 9111 §4), before asking the upstream and after asking failed.
//
// The clock may have been set back since the entry was stored. How long it has lain is then unknown, so an entry that
// seems to come from the future, beyond a small skew, is not fresh any more: a step back never makes an entry live
// longer than its lifetime and the skew. It may still be served stale while it is fetched anew; from more than a day
// ahead it is not used at all. A step forward makes entries stale, within their bounds, and nothing else.
import LarderCore
import LarderHTTP

/// What may be done with a stored answer.
public enum ReuseDecision: Sendable, Hashable {
    /// Answers as it is.
    case fresh
    /// A fresh cached absence: answers as it is.
    case negative
    /// May answer; a refresh is needed.
    case stale
    /// The upstream must be asked.
    case unusable(Reason)

    /// Why an answer may not be used.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The client wants none that is stored (RFC 9111 §5.2.1.4).
        case noCache
        /// It is older, or staler, than the client accepts (§5.2.1.1, §5.2.1.2).
        case maxAge
        /// It is not fresh for as long as the client wants (§5.2.1.3).
        case minFresh
        /// Beyond every window.
        case expired
        /// Stale, and its own fields allow no use without validation (§4.2.4).
        case mustValidate
        /// It seems to come from the future.
        case clock
    }
}

/// Decides about reuse. Pure.
public enum ConfiguredReuse {
    /// Steps of the clock up to this are no reason to distrust an entry.
    public static let clockSkew: Duration = .seconds(30)
    /// An entry from further ahead than this is not used at all.
    public static let clockLimit: Duration = .seconds(86_400)

    /// Before the upstream is asked.
    ///
    /// A stale answer is offered where the rule (`ttl`) or the answer's own `stale-while-revalidate` (`rfc`) allows it
    /// and the client set no bound to age or freshness, or where the client's `max-stale` does; always before
    /// `staleUntil`.
    public static func decide(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, now: WallTime
    ) -> ReuseVerdict {
        let (decision, cited) = look(entry, directives, rule, now)
        return ReuseVerdict(decision: decision, rule: rule.semantics == .rfc ? cited : .configuredTTL)
    }

    /// After asking the upstream failed, or could not be tried (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// `no-cache`, `max-age` and `min-fresh` express what a client prefers (RFC 9111 §5.2.1); with the upstream gone an
    /// older answer, marked as stale, is better than none. A client that says how stale is too stale is obeyed.
    public static func afterFailure(
        _ trouble: UpstreamTrouble, entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule,
        now: WallTime
    ) -> ReuseVerdict {
        let (decision, cited) = lookAfterFailure(trouble, entry, directives, rule, now)
        return ReuseVerdict(decision: decision, rule: rule.semantics == .rfc ? cited : .configuredTTL)
    }

    /// What is cited counts with `rfc`, where the answer says itself how long it lasts; with `ttl` the configuration does.
    private static func look(
        _ entry: StoredResponse, _ directives: ClientDirectives, _ rule: FreshnessRule, _ now: WallTime
    ) -> (ReuseDecision, CacheRule) {
        let ahead = entry.responseTime - now
        if ahead > clockLimit { return (.unusable(.clock), .clock) }
        if directives.noCache { return (.unusable(.noCache), .requestNoCache) }
        if let maxAge = directives.maxAge, entry.age(at: now) > maxAge {
            return (.unusable(.maxAge), .requestMaxAge)
        }
        if now < entry.freshUntil, ahead <= clockSkew {
            if let minFresh = directives.minFresh, entry.freshUntil - now < .seconds(minFresh) {
                return (.unusable(.minFresh), .requestMinFresh)
            }
            return entry.isNegative ? (.negative, .configuredNegative) : (.fresh, .fresh)
        }
        if directives.minFresh != nil { return (.unusable(.minFresh), .requestMinFresh) }
        guard !entry.isNegative, now < staleEnd(entry, rule) else { return (.unusable(.expired), .staleBound) }
        let staleness = max(.zero, now - entry.freshUntil)
        switch directives.maxStale {
        case .any: return (.stale, .requestMaxStale)
        case .seconds(let limit):
            return (staleness <= .seconds(limit) ? .stale : .unusable(.maxAge), .requestMaxStale)
        case .none: break
        }
        if directives.maxAge != nil { return (.unusable(.maxAge), .requestMaxAge) }
        switch rule.semantics {
        case .ttl: return (.stale, .configuredStale)
        case .rfc:
            let window = CacheControl(entry.fields.all("Cache-Control")).staleWhileRevalidate ?? 0
            return staleness < .seconds(window)
                ? (.stale, .staleWhileRevalidate) : (.unusable(.mustValidate), .staleNeedsValidation)
        }
    }

    private static func lookAfterFailure(
        _ trouble: UpstreamTrouble, _ entry: StoredResponse, _ directives: ClientDirectives, _ rule: FreshnessRule,
        _ now: WallTime
    ) -> (ReuseDecision, CacheRule) {
        let ahead = entry.responseTime - now
        if ahead > clockLimit { return (.unusable(.clock), .clock) }
        if now < entry.freshUntil, ahead <= clockSkew {
            return entry.isNegative ? (.negative, .configuredNegative) : (.fresh, .fresh)
        }
        guard !entry.isNegative, now < staleEnd(entry, rule) else { return (.unusable(.expired), .staleBound) }
        let staleness = max(.zero, now - entry.freshUntil)
        var bounds: [(limit: Int64, cited: CacheRule)] = []
        if case .seconds(let limit) = directives.maxStale { bounds.append((limit, .requestMaxStale)) }
        if let limit = directives.staleIfError { bounds.append((limit, .requestStaleIfError)) }
        let widest = bounds.max { $0.limit < $1.limit }
        if let widest, staleness > .seconds(widest.limit) { return (.unusable(.maxAge), widest.cited) }
        if rule.semantics == .rfc,
            // Where the origin set a window for errors, that one holds, not the one for refreshing.
            let window = CacheControl(entry.fields.all("Cache-Control")).staleIfError
        {
            return (staleness >= .seconds(window) ? .unusable(.expired) : .stale, .staleIfError)
        }
        if let widest { return (.stale, widest.cited) }
        return (.stale, trouble == .disconnected ? .disconnected : .configuredStale)
    }

    /// The entry's own end, or an earlier one where the rule's window has been made smaller since.
    private static func staleEnd(_ entry: StoredResponse, _ rule: FreshnessRule) -> WallTime {
        min(entry.staleUntil, entry.freshUntil + max(.zero, rule.staleWindow))
    }
}
