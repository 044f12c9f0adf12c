// The way of one request through the cache, as named steps: look up, then answer, refresh, wait or fetch. The flow is a
// value; whoever drives it performs the step it names and reports what came of it. The order is always
// lookup → join → limiter → fetch: joining and limiting are the fetch step's own business, behind every lookup.
import LarderCore
import LarderHTTP

/// Why a request went forward (RFC 9211 §2.2).
public typealias ForwardReason = CacheStatus.ForwardReason

/// One request's decisions.
public struct RequestFlow: Sendable {
    public enum Step: Sendable {
        case lookUp
        /// Answer with this entry.
        case answer(StoredResponse, CacheOutcome)
        /// Answer with this stale entry and have it refreshed once, by whoever is first.
        case answerAndRefresh(StoredResponse)
        /// Fetch, or join a fetch. With a fallback, which may be served when the fetch fails or, where `patience`
        /// says so, takes longer than that.
        case fetch(ForwardReason, fallback: StoredResponse?, patience: Duration?)
        /// Nothing usable is stored and the client wants nothing else (RFC 9111 §5.2.1.7).
        case gatewayTimeout
    }

    /// What a fetch without an answer came to. One with an answer ends the flow by itself.
    public enum FetchResult: Sendable {
        case failed
        /// Patience ran out; the fetch goes on without this request.
        case late
    }

    /// The end of the flow after a fetch.
    public enum Ending: Sendable {
        case answer(StoredResponse, CacheOutcome)
        /// Nothing to fall back on: the failure is the answer.
        case failure
    }

    private let directives: ClientDirectives
    private let rule: FreshnessRule
    private let staleWhileRefresh: Duration
    private let patience: Duration?
    private let wantsFresh: Bool
    private var fallback: StoredResponse?

    /// - Parameters:
    ///   - staleWhileRefresh: for how long past its freshness an entry answers at once while it is refreshed (`ttl`
    ///     semantics); after that, and until its hard bound, it only covers for a fetch that fails or is slow.
    ///   - patience: how long a client waits for a fetch while there is something stale to give it.
    ///   - wantsFresh: the flow serves a refresh, or a normalised form made from this raw one: a stale entry may only
    ///     cover for a failed fetch, else nothing would ever be refreshed.
    public init(
        directives: ClientDirectives, rule: FreshnessRule, staleWhileRefresh: Duration, patience: Duration?,
        wantsFresh: Bool = false
    ) {
        self.directives = directives
        self.rule = rule
        self.staleWhileRefresh = staleWhileRefresh
        self.patience = patience
        self.wantsFresh = wantsFresh
    }

    public func begin() -> Step { .lookUp }

    /// The store has answered.
    public mutating func lookedUp(_ entry: StoredResponse?, now: WallTime) -> Step {
        guard let entry else {
            return directives.onlyIfCached ? .gatewayTimeout : .fetch(.uriMiss, fallback: nil, patience: nil)
        }
        switch Reuse.decide(entry: entry, directives: directives, rule: rule, now: now) {
        case .fresh: return .answer(entry, .hit)
        case .negative: return .answer(entry, .negative)
        case .stale:
            // With `rfc` the answer's own stale-while-revalidate allowed it (RFC 5861 §3).
            let mayRefreshBehind = rule.semantics == .rfc || now < entry.freshUntil + staleWhileRefresh
            if directives.onlyIfCached || (mayRefreshBehind && !wantsFresh) { return .answerAndRefresh(entry) }
            fallback = entry
            return .fetch(.stale, fallback: entry, patience: wantsFresh ? nil : patience)
        case .unusable:
            if directives.onlyIfCached { return .gatewayTimeout }
            // Past its freshness or not to this client's liking; it may still cover for an upstream that fails.
            let cover = Reuse.afterFailure(entry: entry, directives: directives, rule: rule, now: now)
            if case .unusable = cover { fallback = nil } else { fallback = entry }
            return .fetch(directives.noCache ? .request : .stale, fallback: fallback, patience: nil)
        }
    }

    /// The fetch brought nothing, or patience ran out. An error never replaces a good entry: what is stored answers,
    /// within its hard bound.
    public func fetched(_ result: FetchResult, now: WallTime) -> Ending {
        guard let fallback else { return .failure }
        switch Reuse.afterFailure(entry: fallback, directives: directives, rule: rule, now: now) {
        case .fresh: return .answer(fallback, .hit)
        case .negative: return .answer(fallback, .negative)
        case .stale: return .answer(fallback, .stale)
        case .unusable: return .failure
        }
    }
}
