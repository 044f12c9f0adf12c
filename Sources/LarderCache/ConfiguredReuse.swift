// Decides whether a stored response may be used for a request (RFC 9111 §4), before the upstream is asked and after
// asking failed.
//
// The clock may have been set back since the entry was stored, so its real age is unknown. An entry that seems to come
// from the future, beyond a small skew, is no longer fresh. So a step back never makes an entry live longer than its
// lifetime and the skew. Such an entry may still be served stale while it is fetched anew. An entry from more than a
// day ahead is not used at all. A step forward only makes entries stale, within their limits.
import LarderCore
import LarderHTTP

/// How a stored response may be used.
public enum ReuseDecision: Sendable, Hashable {
    /// It answers the request as it is.
    case fresh
    /// It is a fresh cached absence and answers as it is.
    case negative
    /// It may answer, but a refresh is needed.
    case stale
    /// It must not answer. The upstream must be asked.
    case unusable(Reason)

    /// Why a response must not be used.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The client accepts no stored response (RFC 9111 §5.2.1.4).
        case noCache
        /// It is older or staler than the client accepts (§5.2.1.1, §5.2.1.2).
        case maxAge
        /// It does not stay fresh as long as the client demands (§5.2.1.3).
        case minFresh
        /// It is past every window.
        case expired
        /// It is stale, and its own fields forbid use without validation (§4.2.4).
        case mustValidate
        /// It seems to come from the future.
        case clock
    }
}

/// Decides about reuse by the configured lifetimes. Pure.
public enum ConfiguredReuse {
    /// Clock steps up to this size do not make an entry suspect.
    public static let clockSkew: Duration = .seconds(30)
    /// An entry from further ahead than this is not used at all.
    public static let clockLimit: Duration = .seconds(86_400)

    /// Decides before the upstream is asked.
    ///
    /// A stale response may answer in two cases, always before the end of its stale window. The client's `max-stale`
    /// allows it. Or the rule (`ttl`) or the response's own `stale-while-revalidate` (`rfc`) allows it, and the client
    /// sets no limit to age or freshness.
    public static func decide(
        entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule, now: WallTime
    ) -> ReuseVerdict {
        let (decision, cited) = look(limited(entry, rule), directives, rule, now)
        return ReuseVerdict(decision: decision, rule: rule.semantics == .rfc ? cited : .configuredTTL)
    }

    /// Decides after asking the upstream failed or could not be tried (RFC 9111 §4.2.4, RFC 5861 §4).
    ///
    /// `no-cache`, `max-age` and `min-fresh` state what a client prefers (RFC 9111 §5.2.1). If the upstream fails, an
    /// older response, marked as stale, is better than none. A client's limit to staleness is obeyed.
    public static func afterFailure(
        _ trouble: UpstreamTrouble, entry: StoredResponse, directives: ClientDirectives, rule: FreshnessRule,
        now: WallTime
    ) -> ReuseVerdict {
        let (decision, cited) = lookAfterFailure(trouble, limited(entry, rule), directives, rule, now)
        return ReuseVerdict(decision: decision, rule: rule.semantics == .rfc ? cited : .configuredTTL)
    }

    /// The end of an entry's freshness by today's settings, if they are shorter than those it was stored with. Longer ones
    /// hold for what is stored from now on. A stored answer without results is not told apart from others, except for a
    /// 204.
    static func freshEnd(_ entry: StoredResponse, _ rule: FreshnessRule) -> WallTime? {
        guard rule.semantics == .ttl, !lacksPart(entry) else { return nil }
        let lifetime =
            entry.isNegative ? rule.negativeTTL : entry.status == 204 ? rule.emptyTTL : max(rule.ttl, rule.emptyTTL)
        let end = entry.responseTime + max(.zero, lifetime)
        return end < entry.freshUntil ? end : nil
    }

    /// Whether a part of the answer failed. Its freshness is the pause until that is tried again.
    private static func lacksPart(_ entry: StoredResponse) -> Bool {
        entry.layer == .normalised && entry.fields.contains("lack")
    }

    private static func limited(_ entry: StoredResponse, _ rule: FreshnessRule) -> StoredResponse {
        guard let end = freshEnd(entry, rule) else { return entry }
        var entry = entry
        entry.freshUntil = end
        return entry
    }

    /// Returns the decision and the rule that is cited with `rfc` semantics. With `ttl` the configuration is cited
    /// instead.
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
            let window = CacheControl(entry.fields.all(.cacheControl)).staleWhileRevalidate ?? 0
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
            // If the origin set a window for errors, that window applies, not the one for refreshing.
            let window = CacheControl(entry.fields.all(.cacheControl)).staleIfError
        {
            return (staleness >= .seconds(window) ? .unusable(.expired) : .stale, .staleIfError)
        }
        if let widest { return (.stale, widest.cited) }
        return (.stale, trouble == .disconnected ? .disconnected : .configuredStale)
    }

    /// The end of the entry's stale window, or an earlier time if the rule's window has been made smaller since.
    private static func staleEnd(_ entry: StoredResponse, _ rule: FreshnessRule) -> WallTime {
        min(entry.staleUntil, entry.freshUntil + max(.zero, rule.staleWindow))
    }
}
