// Whether a stored response may be used, before and after the upstream was asked. The entry, client and clock decide.
import LarderCache
import LarderCore
import Testing

@Suite struct ReuseTests {
    /// Decides for an entry that is fresh for 100 s and useful for 200 s.
    func decide(
        _ entry: StoredResponse = Sample.entry(), _ control: String? = nil, _ semantics: FreshnessRule.Semantics = .ttl,
        after seconds: Int64, stale: Duration = .seconds(3600)
    ) -> ReuseDecision {
        ConfiguredReuse.decide(
            entry: entry, directives: ClientDirectives(fields: control.map { ["Cache-Control": $0] } ?? [:]),
            rule: Sample.rule(semantics, stale: stale), now: Sample.now + .seconds(seconds)
        ).decision
    }

    func afterFailure(
        _ entry: StoredResponse = Sample.entry(), _ control: String? = nil, _ semantics: FreshnessRule.Semantics = .ttl,
        after seconds: Int64
    ) -> ReuseDecision {
        ConfiguredReuse.afterFailure(
            .disconnected, entry: entry,
            directives: ClientDirectives(fields: control.map { ["Cache-Control": $0] } ?? [:]),
            rule: Sample.rule(semantics), now: Sample.now + .seconds(seconds)
        ).decision
    }

    @Test(
        arguments: [
            (0, .fresh), (99, .fresh), (100, .stale), (199, .stale), (200, .unusable(.expired)),
            (1_000_000, .unusable(.expired)),
        ] as [(Int64, ReuseDecision)])
    func entryIsFreshThenStaleThenGone(_ seconds: Int64, _ expected: ReuseDecision) {
        #expect(decide(after: seconds) == expected)
        #expect(afterFailure(after: seconds) == expected)
    }

    /// It was stored for 100 seconds. The settings of today give a negative entry 60.
    @Test func negativeEntryIsNeverStale() {
        let entry = Sample.entry(negative: true)
        #expect(decide(entry, after: 59) == .negative)
        #expect(decide(entry, after: 60) == .unusable(.expired))
        #expect(afterFailure(entry, after: 59) == .negative)
        #expect(afterFailure(entry, after: 60) == .unusable(.expired))
    }

    /// An entry whose removal may have been missed is used under no rule, whatever client and answer permit.
    @Test(arguments: FreshnessRule.Semantics.allCases, [nil, "max-stale", "stale-if-error=999999999", "max-stale=9"])
    func whatIsUnverifiedIsNotUsed(_ semantics: FreshnessRule.Semantics, _ control: String?) {
        var entry = Sample.entry(["Cache-Control": "max-age=60, stale-while-revalidate=60, stale-if-error=60"])
        entry.freshUntil = StoredResponse.unverified
        let directives = ClientDirectives(fields: control.map { ["Cache-Control": $0] } ?? [:])
        let rule = Sample.rule(semantics)
        let judge: ReuseJudge =
            semantics == .rfc ? .standard(rule, targets: []) : .configured(rule, staleWhileRefresh: .seconds(3600))
        var decisions = [judge.decide(entry, directives, now: Sample.now).decision]
        for trouble in [UpstreamTrouble.disconnected, .status(503)] {
            decisions.append(judge.afterFailure(trouble, entry, directives, now: Sample.now).decision)
        }
        for decision in decisions {
            if case .unusable = decision { continue }
            Issue.record("\(decision)")
        }
    }

    @Test func smallerWindowOfTheRuleCountsAtOnce() {
        #expect(decide(after: 140, stale: .seconds(50)) == .stale)
        #expect(decide(after: 150, stale: .seconds(50)) == .unusable(.expired))
    }

    /// RFC 9111 §5.2.1, one row per directive.
    @Test(
        arguments: [
            ("no-cache", 0, .unusable(.noCache)), ("max-age=0", 0, .fresh),
            ("max-age=0", 1, .unusable(.maxAge)),
            ("max-age=50", 50, .fresh), ("max-age=50", 51, .unusable(.maxAge)),
            ("max-age=9999", 150, .unusable(.maxAge)), ("max-age=9999, max-stale", 150, .stale),
            ("min-fresh=50", 50, .fresh), ("min-fresh=50", 51, .unusable(.minFresh)),
            ("min-fresh=0", 150, .unusable(.minFresh)), ("max-stale", 199, .stale),
            ("max-stale", 200, .unusable(.expired)), ("max-stale=50", 150, .stale),
            ("max-stale=50", 151, .unusable(.maxAge)), ("max-stale=0", 101, .unusable(.maxAge)),
            ("only-if-cached", 50, .fresh), ("no-store", 50, .fresh), ("foo", 150, .stale),
        ] as [(String, Int64, ReuseDecision)])
    func clientsDirectiveIsObeyed(_ control: String, _ seconds: Int64, _ expected: ReuseDecision) {
        #expect(decide(Sample.entry(), control, after: seconds) == expected)
    }

    @Test func ageOnArrivalCountsForTheClientsMaxAge() {
        #expect(decide(Sample.entry(age: 40), "max-age=50", after: 10) == .fresh)
        #expect(decide(Sample.entry(age: 40), "max-age=50", after: 11) == .unusable(.maxAge))
    }

    @Test func pragmaCountsOnlyWithoutCacheControl() {
        #expect(ClientDirectives(fields: ["Pragma": "no-cache"]).noCache)
        #expect(ClientDirectives(fields: ["pragma": "foo, No-Cache"]).noCache)
        #expect(!ClientDirectives(fields: ["Pragma": "no-cache", "Cache-Control": "max-age=1"]).noCache)
        #expect(!ClientDirectives(fields: ["Pragma": "cache"]).noCache)
        #expect(ClientDirectives.none == ClientDirectives(fields: [:]))
    }

    // MARK: rfc

    @Test func standardAllowsStaleOnlyWithPermission() {
        #expect(decide(Sample.entry(), nil, .rfc, after: 99) == .fresh)
        #expect(decide(Sample.entry(), nil, .rfc, after: 101) == .unusable(.mustValidate))
        #expect(decide(Sample.entry(), "max-stale=10", .rfc, after: 101) == .stale)
        let entry = Sample.entry(["Cache-Control": "max-age=100, stale-while-revalidate=30"])
        #expect(decide(entry, nil, .rfc, after: 129) == .stale)
        #expect(decide(entry, nil, .rfc, after: 130) == .unusable(.mustValidate))
    }

    @Test func standardAllowsStaleAfterAFailureWithinTheOriginsWindow() {
        #expect(afterFailure(Sample.entry(), nil, .rfc, after: 150) == .stale)
        let entry = Sample.entry(["Cache-Control": "max-age=100, stale-if-error=30, stale-while-revalidate=90"])
        #expect(afterFailure(entry, nil, .rfc, after: 129) == .stale)
        #expect(afterFailure(entry, nil, .rfc, after: 130) == .unusable(.expired))
    }

    // MARK: After a failure

    @Test func preferencesYieldToAnOutageButBoundsDoNot() {
        for control in ["no-cache", "max-age=0", "min-fresh=99999"] {
            #expect(afterFailure(Sample.entry(), control, after: 50) == .fresh)
            #expect(afterFailure(Sample.entry(), control, after: 150) == .stale)
        }
        #expect(afterFailure(Sample.entry(), "max-stale=40", after: 150) == .unusable(.maxAge))
        #expect(afterFailure(Sample.entry(), "stale-if-error=40", after: 150) == .unusable(.maxAge))
        #expect(afterFailure(Sample.entry(), "max-stale=40, stale-if-error=60", after: 150) == .stale)
        #expect(afterFailure(Sample.entry(), "max-stale", after: 150) == .stale)
    }

    // MARK: The clock

    @Test func clockSetBackNeverMakesAnEntryFreshBeyondTheSkew() {
        #expect(decide(after: -30) == .fresh)
        #expect(decide(after: -31) == .stale)
        #expect(decide(after: -86_400) == .stale)
        #expect(decide(after: -86_401) == .unusable(.clock))
        #expect(afterFailure(after: -31) == .stale)
        #expect(afterFailure(after: -86_401) == .unusable(.clock))
        #expect(decide(Sample.entry(negative: true), after: -31) == .unusable(.expired))
    }

    @Test func ageIsNeverNegative() {
        #expect(Sample.entry().age(at: Sample.now + .seconds(-500)) == 0)
        #expect(decide(Sample.entry(), "max-age=0", after: -10) == .fresh)
    }

    @Test(arguments: [
        (0, "", CacheRule.fresh), (120, "", .staleWhileRevalidate), (120, "max-stale", .requestMaxStale),
        (150, "", .staleNeedsValidation), (0, "no-cache", .requestNoCache), (300, "", .staleBound),
        (-90_000, "", .clock), (150, "max-stale=10", .requestMaxStale),
    ])
    func anExplanationCitesTheAnswersOwnRuleWhereTheAnswerDecides(after: Int64, control: String, cited: CacheRule) {
        let judge = ReuseJudge.configured(Sample.rule(.rfc, stale: .seconds(3600)), staleWhileRefresh: .zero)
        let entry = Sample.entry(["Cache-Control": "max-age=100, stale-while-revalidate=30"])
        let directives = ClientDirectives(fields: control.isEmpty ? [:] : ["Cache-Control": control])
        #expect(judge.decide(entry, directives, now: Sample.now + .seconds(after)).rule == cited)
    }

    @Test(arguments: [
        (UpstreamTrouble.disconnected, "max-age=100", "", CacheRule.disconnected),
        (.status(503), "max-age=100", "", .configuredStale),
        (.disconnected, "max-age=100, stale-if-error=60", "", .staleIfError),
        (.disconnected, "max-age=100, stale-if-error=10", "", .staleIfError),
        (.disconnected, "max-age=100", "max-stale=10", .requestMaxStale),
        (.disconnected, "max-age=100", "stale-if-error=60", .requestStaleIfError),
    ])
    func afterAFailureAnExplanationCitesWhatBoundedTheStaleAnswer(
        trouble: UpstreamTrouble, own: String, asked: String, cited: CacheRule
    ) {
        let judge = ReuseJudge.configured(Sample.rule(.rfc, stale: .seconds(3600)), staleWhileRefresh: .zero)
        let directives = ClientDirectives(fields: asked.isEmpty ? [:] : ["Cache-Control": asked])
        let verdict = judge.afterFailure(
            trouble, Sample.entry(["Cache-Control": own]), directives, now: Sample.now + .seconds(150))
        #expect(verdict.rule == cited)
    }

    @Test func anExplanationCitesTheConfigurationWhereThatDecides() {
        let judge = ReuseJudge.configured(Sample.rule(.ttl, stale: .seconds(3600)), staleWhileRefresh: .zero)
        #expect(judge.decide(Sample.entry(), .none, now: Sample.now).rule == .configuredTTL)
    }
}
