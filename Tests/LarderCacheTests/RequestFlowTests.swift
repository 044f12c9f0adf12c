import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct RequestFlowTests {
    private let now = WallTime(seconds: 1_000_000)

    private func rule(_ semantics: FreshnessRule.Semantics = .ttl) -> FreshnessRule {
        FreshnessRule(
            semantics: semantics, ttl: .seconds(60), staleWindow: .seconds(3600), emptyTTL: .seconds(5),
            negativeTTL: .seconds(5), jitterPercent: 0, retention: nil)
    }

    /// An entry whose freshness ends that many seconds from now.
    private func entry(freshFor seconds: Int64, negative: Bool = false, fields: HeaderFields = [:]) -> StoredResponse {
        StoredResponse(
            key: CacheKey(bytes: [1]), layer: .raw, provider: "p", endpoint: "e", isNegative: negative, fields: fields,
            requestTime: now + .seconds(seconds - 60), responseTime: now + .seconds(seconds - 60),
            freshUntil: now + .seconds(seconds), staleUntil: now + .seconds(seconds + 3600))
    }

    private func flow(
        _ fields: HeaderFields = [:], semantics: FreshnessRule.Semantics = .ttl, wantsFresh: Bool = false
    ) -> RequestFlow {
        RequestFlow(
            directives: ClientDirectives(fields: fields), rule: rule(semantics), staleWhileRefresh: .seconds(600),
            patience: .seconds(2), wantsFresh: wantsFresh)
    }

    @Test func nothingStoredIsFetched() {
        var flow = flow()
        guard case .fetch(.uriMiss, nil, nil) = flow.lookedUp(nil, now: now) else {
            Issue.record("not fetched")
            return
        }
        guard case .failure = flow.fetched(.failed, now: now) else {
            Issue.record("there is nothing to fall back on")
            return
        }
    }

    @Test func aFreshEntryAnswers() {
        var flow = flow()
        guard case .answer(_, .hit) = flow.lookedUp(entry(freshFor: 10), now: now) else {
            Issue.record("no hit")
            return
        }
    }

    @Test func aFreshNegativeEntryAnswersAsSuch() {
        var flow = flow()
        guard case .answer(_, .negative) = flow.lookedUp(entry(freshFor: 10, negative: true), now: now) else {
            Issue.record("not negative")
            return
        }
    }

    @Test func staleEntryIsServedWhileOneRefreshRuns() {
        var flow = flow()
        guard case .answerAndRefresh = flow.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("not served stale")
            return
        }
    }

    @Test func longStaleEntryOnlyCoversForAFailedOrSlowFetch() {
        var flow = flow()
        guard case .fetch(.stale, _?, .some) = flow.lookedUp(entry(freshFor: -700), now: now) else {
            Issue.record("not fetched in front of the client")
            return
        }
        guard case .answer(_, .stale) = flow.fetched(.failed, now: now),
            case .answer(_, .stale) = flow.fetched(.late, now: now)
        else {
            Issue.record("the fallback did not answer")
            return
        }
    }

    @Test func aRefreshNeverAnswersWithWhatItIsToReplace() {
        var flow = flow(wantsFresh: true)
        guard case .fetch(.stale, _?, nil) = flow.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("the refresh did not fetch")
            return
        }
    }

    @Test func stalenessHasAHardEnd() {
        var flow = flow()
        guard case .fetch(.stale, nil, nil) = flow.lookedUp(entry(freshFor: -3600), now: now) else {
            Issue.record("an entry past its bound was kept as a fallback")
            return
        }
    }

    @Test func anExpiredNegativeEntryIsNoFallback() {
        var flow = flow()
        guard case .fetch(.stale, nil, nil) = flow.lookedUp(entry(freshFor: -1, negative: true), now: now) else {
            Issue.record("a negative entry outlived its time")
            return
        }
    }

    @Test func theClientsNoCacheIsObeyedButCoversForAFailure() {
        var flow = flow(["Cache-Control": "no-cache"])
        guard case .fetch(.request, _?, nil) = flow.lookedUp(entry(freshFor: 10), now: now) else {
            Issue.record("reused against the client's word")
            return
        }
        guard case .answer(_, .hit) = flow.fetched(.failed, now: now) else {
            Issue.record("a fresh entry did not cover for a dead upstream")
            return
        }
    }

    @Test func onlyIfCachedNeverFetches() {
        var empty = flow(["Cache-Control": "only-if-cached"])
        guard case .gatewayTimeout = empty.lookedUp(nil, now: now) else {
            Issue.record("fetched")
            return
        }
        var expired = flow(["Cache-Control": "only-if-cached"])
        guard case .gatewayTimeout = expired.lookedUp(entry(freshFor: -4000), now: now) else {
            Issue.record("fetched")
            return
        }
        var stale = flow(["Cache-Control": "only-if-cached, max-stale"])
        guard case .answerAndRefresh = stale.lookedUp(entry(freshFor: -1000), now: now) else {
            Issue.record("max-stale was not obeyed")
            return
        }
    }

    @Test func byTheBookAStaleAnswerNeedsThePermissionOfItsOrigin() {
        var without = flow(semantics: .rfc)
        guard case .fetch(.stale, _?, _) = without.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("stale without permission")
            return
        }
        var with = flow(semantics: .rfc)
        let allowed = entry(freshFor: -10, fields: ["Cache-Control": "max-age=60, stale-while-revalidate=30"])
        guard case .answerAndRefresh = with.lookedUp(allowed, now: now) else {
            Issue.record("stale-while-revalidate was not used")
            return
        }
    }
}
