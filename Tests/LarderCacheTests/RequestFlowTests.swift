// The decisions about one request, step by step, for stored entries and results of a fetch.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

/// Entries, terms and flows for the tests of the request flow.
struct FlowCase {
    static let now = WallTime(seconds: 1_000_000)

    static func rule(_ semantics: FreshnessRule.Semantics = .ttl) -> FreshnessRule {
        FreshnessRule(
            semantics: semantics, ttl: .seconds(60), staleWindow: .seconds(3600), emptyTTL: .seconds(5),
            negativeTTL: .seconds(60), jitterPercent: 0, retention: nil)
    }

    /// An entry whose freshness ends this many seconds from now.
    static func entry(freshFor seconds: Int64, negative: Bool = false, fields: HeaderFields = [:]) -> StoredResponse {
        StoredResponse(
            key: CacheKey(bytes: [1]), layer: .raw, provider: "p", endpoint: "e", isNegative: negative, fields: fields,
            requestTime: now + .seconds(seconds - 60), responseTime: now + .seconds(seconds - 60),
            freshUntil: now + .seconds(seconds), staleUntil: now + .seconds(seconds + 3600))
    }

    /// Terms with the configured rule.
    static func terms(_ fields: HeaderFields = [:], semantics: FreshnessRule.Semantics = .ttl) -> RequestTerms {
        RequestTerms(
            directives: ClientDirectives(fields: fields),
            judge: .configured(rule(semantics), staleWhileRefresh: .seconds(600)), patience: .seconds(2))
    }

    /// Terms with RFC 9111.
    static func standard(_ fields: HeaderFields = [:]) -> RequestTerms {
        RequestTerms(
            directives: ClientDirectives(fields: fields), judge: .standard(rule(.rfc), targets: []),
            patience: .seconds(2))
    }

    static func fetched(_ status: Int = 200, _ change: (inout Fetched) -> Void = { _ in }) -> Fetched {
        var fetched = Fetched(entry: entry(freshFor: 60), origin: .upstream(status: status, isAnswer: status < 500))
        change(&fetched)
        return fetched
    }
}

@Suite struct RequestFlowTests {
    private let now = FlowCase.now

    private func flow(_ fields: HeaderFields = [:], _ change: (inout RequestTerms) -> Void = { _ in }) -> RequestFlow {
        var terms = FlowCase.terms(fields)
        change(&terms)
        return RequestFlow(terms)
    }

    private func entry(freshFor seconds: Int64, negative: Bool = false) -> StoredResponse {
        FlowCase.entry(freshFor: seconds, negative: negative)
    }

    // MARK: The look-up

    @Test func nothingStoredIsFetchedAndAFailureIsTheAnswer() {
        var flow = flow()
        guard case .fetch(let forward) = flow.lookedUp(nil, now: now) else {
            Issue.record("not fetched")
            return
        }
        #expect(forward.reason == .uriMiss && !forward.hasFallback && forward.patience == nil)
        guard case .fail(isValidationOwed: false) = flow.ended(.failed, now: now) else {
            Issue.record("there is nothing to fall back on")
            return
        }
    }

    @Test func otherVariantsAreNoAnswer() {
        var flow = flow()
        guard case .fetch(let forward) = flow.lookedUp(nil, hasVariants: true, now: now) else {
            Issue.record("not fetched")
            return
        }
        #expect(forward.reason == .varyMiss && forward.rule == .variantMiss)
    }

    @Test func aVariantInDoubtIsAskedAboutAndCoversForNothing() {
        var flow = flow()
        guard case .fetch(let forward) = flow.lookedUp(entry(freshFor: 10), isInDoubt: true, now: now) else {
            Issue.record("answered without a validation")
            return
        }
        #expect(forward.reason == .stale && forward.rule == .variantInDoubt && !forward.hasFallback)
        guard case .fail = flow.ended(.failed, now: now) else {
            Issue.record("it covered for a failure")
            return
        }
    }

    @Test(arguments: [(false, CacheOutcome.hit), (true, .negative)])
    func aFreshEntryAnswers(_ isNegative: Bool, _ outcome: CacheOutcome) {
        var flow = flow()
        guard case .answer(let stored) = flow.lookedUp(entry(freshFor: 10, negative: isNegative), now: now) else {
            Issue.record("no hit")
            return
        }
        #expect(stored.outcome == outcome && stored.forward == nil)
    }

    @Test func staleEntryIsServedWhileOneRefreshRuns() {
        var flow = flow()
        guard case .answerAndRefresh = flow.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("not served stale")
            return
        }
    }

    @Test func whatMayNotBeStoredIsNotRefreshed() {
        var flow = flow(["Cache-Control": "no-store"])
        guard case .answer(let stored) = flow.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("a call that brings nothing to anybody")
            return
        }
        #expect(stored.outcome == .stale)
    }

    @Test(arguments: RequestFlow.Ending.allCases.filter { $0 != .unshareable })
    func longStaleEntryOnlyCoversForAFailedOrSlowFetch(_ ending: RequestFlow.Ending) {
        var flow = flow()
        guard case .fetch(let forward) = flow.lookedUp(entry(freshFor: -700), now: now),
            forward.patience != nil, forward.hasFallback
        else {
            Issue.record("not fetched in front of the client")
            return
        }
        guard case .answer(let stored) = flow.ended(ending, now: now) else {
            Issue.record("the fallback did not answer")
            return
        }
        #expect(stored.outcome == .stale && stored.forward == .stale)
    }

    @Test func aRefreshNeverAnswersWithWhatItIsToReplace() {
        var flow = flow { $0.wantsFresh = true }
        guard case .fetch(let forward) = flow.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("the refresh did not fetch")
            return
        }
        #expect(forward.hasFallback && forward.patience == nil)
    }

    @Test(arguments: [(-3600, false), (-1, true)])
    func stalenessHasAHardEndAndAnAbsenceNone(_ seconds: Int64, _ isNegative: Bool) {
        var flow = flow()
        guard case .fetch(let forward) = flow.lookedUp(entry(freshFor: seconds, negative: isNegative), now: now) else {
            Issue.record("an entry past its bound answered")
            return
        }
        #expect(forward.reason == .stale && !forward.hasFallback)
    }

    @Test func theClientsNoCacheIsObeyedButCoversForAFailure() {
        var flow = flow(["Cache-Control": "no-cache"])
        guard case .fetch(let forward) = flow.lookedUp(entry(freshFor: 10), now: now) else {
            Issue.record("reused against the client's word")
            return
        }
        #expect(forward.reason == .request && forward.patience == nil)
        guard case .answer(let stored) = flow.ended(.failed, now: now) else {
            Issue.record("a fresh entry did not cover for a dead upstream")
            return
        }
        #expect(stored.outcome == .hit)
    }

    @Test(arguments: [nil, FlowCase.entry(freshFor: -4000)])
    func onlyIfCachedNeverFetches(_ entry: StoredResponse?) {
        var flow = flow(["Cache-Control": "only-if-cached"])
        guard case .gatewayTimeout = flow.lookedUp(entry, now: now) else {
            Issue.record("fetched")
            return
        }
    }

    @Test func onlyIfCachedTakesWhatIsStaleWithoutARefresh() {
        var flow = flow(["Cache-Control": "only-if-cached, max-stale"])
        guard case .answer(let stored) = flow.lookedUp(entry(freshFor: -1000), now: now) else {
            Issue.record("max-stale was not obeyed")
            return
        }
        #expect(stored.outcome == .stale)
    }

    @Test func onlyIfCachedTakesWhatAnotherStoredFormGives() {
        var flow = flow(["Cache-Control": "only-if-cached"]) { $0.worksFromStore = true }
        guard case .makeFromStore = flow.lookedUp(nil, now: now) else {
            Issue.record("the other form was not asked")
            return
        }
    }

    @Test func byTheBookAStaleAnswerNeedsThePermissionOfItsOrigin() {
        var without = RequestFlow(FlowCase.standard())
        guard case .fetch(let forward) = without.lookedUp(entry(freshFor: -10), now: now) else {
            Issue.record("stale without permission")
            return
        }
        #expect(forward.patience == nil, "a slow upstream is no reason for a stale answer")
        var with = RequestFlow(FlowCase.standard())
        let allowed = FlowCase.entry(
            freshFor: -10, fields: ["Cache-Control": "max-age=60, stale-while-revalidate=30"])
        guard case .answerAndRefresh = with.lookedUp(allowed, now: now) else {
            Issue.record("stale-while-revalidate was not used")
            return
        }
    }

    @Test func whatMustBeValidatedAndCouldNotBeIsOwedAs504() {
        var flow = RequestFlow(FlowCase.standard())
        _ = flow.lookedUp(
            FlowCase.entry(freshFor: -10, fields: ["Cache-Control": "max-age=60, must-revalidate"]), now: now)
        guard case .fail(isValidationOwed: true) = flow.ended(.failed, now: now) else {
            Issue.record("no 504")
            return
        }
    }

    @Test func whatPassesThroughIsStaleWhereTheUpstreamWasAskedInVain() {
        var flow = flow(["Cache-Control": "no-cache"]) { $0.isPassThrough = true }
        _ = flow.lookedUp(entry(freshFor: 10), now: now)
        guard case .answer(let stored) = flow.ended(.failed, now: now) else {
            Issue.record("not covered")
            return
        }
        #expect(stored.outcome == .stale && stored.forward == .request)
    }

    @Test func anEntryFromFarAheadIsRefusedByNoRequest() {
        var flow = flow()
        var ahead = entry(freshFor: 200_000)
        ahead.responseTime = now + .seconds(100_000)
        guard case .fetch(let forward) = flow.lookedUp(ahead, now: now) else {
            Issue.record("an entry of tomorrow answered")
            return
        }
        #expect(forward.reason == .stale)
    }

    @Test func aStandInTellsThatTheUpstreamWasAsked() {
        var flow = flow()
        _ = flow.lookedUp(nil, now: now)
        let standIn = FlowCase.fetched {
            $0.entry = entry(freshFor: -10)
            $0.origin = .standIn
        }
        guard case .answer(let stored) = flow.fetched(standIn, now: now) else {
            Issue.record("not answered")
            return
        }
        #expect(stored.outcome == .stale && stored.forward == .uriMiss && stored.rule == .configuredTTL)
    }

    // MARK: Who asks

    @Test func aPersonalRequestTakesNothingStoredThatIsNotForAll() {
        var terms = FlowCase.standard()
        terms.isPersonal = true
        var flow = RequestFlow(terms)
        guard case .fetchAlone(let forward) = flow.lookedUp(entry(freshFor: 10), now: now) else {
            Issue.record("somebody else's answer")
            return
        }
        #expect(forward.reason == .bypass && forward.rule == .ownBusiness)
    }

    @Test func whatIsSaidToBePublicGoesToAPersonalRequestToo() {
        var terms = FlowCase.standard()
        terms.isPersonal = true
        var flow = RequestFlow(terms)
        let shared = FlowCase.entry(freshFor: 10, fields: ["Cache-Control": "public, max-age=60"])
        guard case .answer = flow.lookedUp(shared, now: now) else {
            Issue.record("not answered")
            return
        }
    }

    @Test func aHeadThatNothingAnswersIsPassedOn() {
        var flow = flow { $0.isHead = true }
        guard case .passOn(.uriMiss, hasStored: false, .uriMiss) = flow.lookedUp(nil, now: now) else {
            Issue.record("fetched whole")
            return
        }
    }

    @Test func aPartOfWhatNobodyMayShareIsAskedForAsAPart() {
        var flow = flow { $0.wantsRange = true }
        _ = flow.lookedUp(nil, now: now)
        guard case .passOn(.uriMiss, hasStored: false, .uriMiss) = flow.ended(.unshareable, now: now) else {
            Issue.record("fetched whole")
            return
        }
    }

    @Test func aPartOfWhatIsTooLargeToBeSharedIsFetchedToBeStored() {
        var flow = flow {
            $0.wantsRange = true
            $0.storesParts = true
        }
        _ = flow.lookedUp(nil, now: now)
        guard case .fetchPart = flow.ended(.unshareable, now: now) else {
            Issue.record("not fetched as a part")
            return
        }
        // This happens once: a response that cannot be stored is passed on.
        guard case .passOn = flow.ended(.unshareable, now: now) else {
            Issue.record("fetched again")
            return
        }
    }

    @Test func whatLacksOfStoredPartsIsFetchedForThatReason() {
        var flow = flow { $0.storesParts = true }
        guard case .fetch(let forward) = flow.lookedUp(nil, parts: .ask([0..<10]), now: now) else {
            Issue.record("not fetched")
            return
        }
        #expect(forward.reason == .partial)
        #expect(forward.rule == .partsLack)
    }

    @Test func aRangeThatOnlyTheOriginKnowsIsPassedOn() {
        var flow = flow { $0.wantsRange = true }
        guard
            case .passOn(.bypass, hasStored: false, .rangeUnit) = flow.lookedUp(
                nil, parts: .forward(.rangeUnit), now: now)
        else {
            Issue.record("not passed on")
            return
        }
    }

    // MARK: What a fetch brought

    @Test(arguments: [(200, false, CacheOutcome.miss), (304, false, .revalidated), (200, true, .joined)])
    func aFetchTellsWhatItWas(_ status: Int, _ hasJoined: Bool, _ outcome: CacheOutcome) {
        var flow = flow()
        _ = flow.lookedUp(nil, now: now)
        guard
            case .answerFetched(let fresh) = flow.fetched(
                FlowCase.fetched(status) { $0.hasJoined = hasJoined }, now: now)
        else {
            Issue.record("not answered")
            return
        }
        #expect(fresh.outcome == outcome && fresh.forward == .uriMiss && fresh.forwardStatus == status)
    }

    @Test func whatAnotherFetchStoredMeanwhileIsAHit() {
        var flow = flow()
        _ = flow.lookedUp(nil, now: now)
        guard case .answerFetched(let fresh) = flow.fetched(FlowCase.fetched { $0.origin = .store }, now: now) else {
            Issue.record("not answered")
            return
        }
        #expect(fresh.outcome == .hit && fresh.forward == nil)
    }

    @Test func anErrorIsCoveredByWhatIsStored() {
        var flow = flow()
        _ = flow.lookedUp(entry(freshFor: -700), now: now)
        guard case .answer(let stored) = flow.fetched(FlowCase.fetched(503), now: now) else {
            Issue.record("the error went out")
            return
        }
        #expect(stored.outcome == .stale && stored.forwardStatus == 503)
    }

    @Test func anAnswerThatOthersFieldsSelectedIsFetchedForThisRequestAlone() {
        var flow = flow()
        _ = flow.lookedUp(nil, now: now)
        let other = FlowCase.fetched {
            $0.hasJoined = true
            $0.isSelected = false
        }
        guard case .fetchAlone = flow.fetched(other, now: now) else {
            Issue.record("somebody else's variant")
            return
        }
    }

    @Test func anOlderAnswerThanTheClientTakesIsAskedForOnceMoreAndThenAlone() {
        var flow = flow(["Cache-Control": "max-age=1"])
        _ = flow.lookedUp(nil, now: now)
        let old = FlowCase.fetched {
            $0.entry = entry(freshFor: 10)
            $0.origin = .otherForm
            $0.hasJoined = true
        }
        guard case .fetch = flow.fetched(old, now: now), case .fetchAlone = flow.fetched(old, now: now) else {
            Issue.record("an older answer than the client takes")
            return
        }
    }

    /// The result of a shared fetch that was sent this many seconds after this request arrived.
    private func joined(_ control: String, sent seconds: Int64, status: Int = 200) -> Fetched {
        FlowCase.fetched(status) {
            $0.hasJoined = true
            $0.entry.fields = ["Cache-Control": control]
            $0.entry.requestTime = now + .seconds(seconds)
            $0.entry.responseTime = now + .seconds(2)
            $0.entry.freshUntil = now + .seconds(control == "max-age=60" ? 62 : 2)
        }
    }

    /// Whether the upstream is asked again by a new call.
    private func isAskedForAgain(_ fetched: Fetched, _ fields: HeaderFields = [:]) -> Bool {
        var flow = RequestFlow(FlowCase.standard(fields))
        _ = flow.lookedUp(nil, now: now)
        guard case .fetch(let forward) = flow.fetched(fetched, now: now + .seconds(2)) else { return false }
        return forward.sentSince == now
    }

    @Test(arguments: ["no-cache", "max-age=0"])
    func anAnswerThatIsOwedAValidationIsNotTakenFromACallThatWasSentBefore(_ control: String) {
        #expect(isAskedForAgain(joined(control, sent: -1)))
    }

    @Test func aReloadIsNotAnsweredByACallThatWasSentBefore() {
        #expect(isAskedForAgain(joined("max-age=60", sent: -1), ["Cache-Control": "no-cache"]))
    }

    @Test func anAnswerThatIsOwedAValidationIsTakenFromACallThatWasSentSince() {
        #expect(!isAskedForAgain(joined("no-cache", sent: 1)))
    }

    @Test func aFreshAnswerIsTakenFromACallThatWasSentBefore() {
        #expect(!isAskedForAgain(joined("max-age=60", sent: -1)))
    }

    @Test func theFailureOfAServerIsSharedWithWhoeverWaitsForIt() {
        #expect(!isAskedForAgain(joined("no-cache", sent: -1, status: 503)))
    }

    /// An older entry has been replaced, or is about to be.
    @Test(arguments: [(-60, false), (3, true)])
    func afterASecondFailureOnlyWhatIsNoOlderThanTheAnswerThatWasSeenCovers(_ came: Int64, _ covers: Bool) {
        var flow = RequestFlow(FlowCase.standard())
        var old = FlowCase.entry(freshFor: -1, fields: ["Cache-Control": "max-age=60, stale-if-error=600"])
        _ = flow.lookedUp(old, now: now)
        _ = flow.fetched(joined("no-cache", sent: -1), now: now + .seconds(2))
        old.responseTime = now + .seconds(came)
        old.requestTime = now + .seconds(-70)
        guard case .fetch(let again) = flow.lookedUpAgain(old, now: now + .seconds(4)) else {
            Issue.record("it is not asked for again")
            return
        }
        #expect(again.hasFallback == covers)
    }

    @Test(arguments: [(0, 200, true), (1, 200, true), (-1, 200, false), (1, 503, false)])
    func whatACallOfAfterItsComingHasStoredAnswersARequestThatWokeLate(_ sent: Int64, _ status: Int, _ answers: Bool) {
        var flow = RequestFlow(FlowCase.standard())
        var entry = FlowCase.entry(freshFor: -1, fields: ["Cache-Control": "max-age=60"])
        _ = flow.lookedUp(entry, now: now)
        _ = flow.fetched(joined("no-cache", sent: -1), now: now + .seconds(2))
        entry.status = status
        (entry.requestTime, entry.responseTime) = (now + .seconds(sent), now + .seconds(3))
        if case .answer(let stored) = flow.lookedUpAgain(entry, now: now + .seconds(4)) {
            #expect(answers && stored.outcome == .joined)
        } else {
            #expect(!answers)
        }
    }

    @Test func theSecondCallAnswersThoughTheClockWasSetBack() {
        var flow = RequestFlow(FlowCase.standard())
        _ = flow.lookedUp(nil, now: now)
        _ = flow.fetched(joined("no-cache", sent: -1), now: now)
        guard case .answerFetched = flow.fetched(joined("no-cache", sent: -1), now: now) else {
            Issue.record("it is asked for without end")
            return
        }
    }

    @Test func thePersonalAnswerThatIsNotStoredPassedTheCacheBy() {
        var terms = FlowCase.standard()
        terms.isPersonal = true
        var flow = RequestFlow(terms)
        _ = flow.lookedUp(nil, now: now)
        guard case .answerFetched(let fresh) = flow.fetched(FlowCase.fetched(), now: now) else {
            Issue.record("not answered")
            return
        }
        #expect(fresh.outcome == .bypass && fresh.forward == .bypass && fresh.rule == .ownBusiness)
    }
}
