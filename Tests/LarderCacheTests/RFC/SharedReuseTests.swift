// Whether a stored response may be used, before and after the upstream was asked. The response, client, rule and clock
// decide.
import LarderCache
import LarderCore
import Testing

@Suite struct SharedReuseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var answer: String
        var request: String
        var seconds: Int64
        var expected: ReuseDecision
        var rule: CacheRule

        init(_ answer: String, _ request: String, _ seconds: Int64, _ expected: ReuseDecision, _ rule: CacheRule) {
            self.answer = answer
            self.request = request
            self.seconds = seconds
            self.expected = expected
            self.rule = rule
        }

        var testDescription: String { "\(answer) / \(request) after \(seconds) s" }
    }

    /// Fresh for 100 s, with a stale window of 3600 s.
    func decide(_ row: Row, stale: Duration = .seconds(3600), retention: Duration? = nil) -> ReuseVerdict {
        RFCReuse.decide(
            entry: Sample.entry(["Cache-Control": row.answer]),
            directives: ClientDirectives(fields: row.request.isEmpty ? [:] : ["Cache-Control": row.request]),
            rule: Sample.rule(.rfc, stale: stale, retention: retention), targets: [],
            now: Sample.now + .seconds(row.seconds))
    }

    func afterFailure(_ row: Row, _ failure: UpstreamTrouble) -> ReuseVerdict {
        RFCReuse.afterFailure(
            entry: Sample.entry(["Cache-Control": row.answer]),
            directives: ClientDirectives(fields: row.request.isEmpty ? [:] : ["Cache-Control": row.request]),
            rule: Sample.rule(.rfc), targets: [], failure: failure, now: Sample.now + .seconds(row.seconds))
    }

    static let no = ReuseDecision.unusable(.mustValidate)
    static let old = ReuseDecision.unusable(.maxAge)
    static let short = ReuseDecision.unusable(.minFresh)
    static let gone = ReuseDecision.unusable(.expired)

    @Test(arguments: [
        Row("", "", 99, .fresh, .fresh), Row("immutable", "", 99, .fresh, .immutable),
        Row("", "", 100, no, .staleNeedsValidation), Row("immutable", "", 100, no, .staleNeedsValidation),
        Row("no-cache", "", 0, no, .noCacheAnswer), Row("no-cache=\"x\"", "", 9, .fresh, .fresh),
        Row("", "no-cache", 0, .unusable(.noCache), .requestNoCache),
        Row("", "max-age=0", 0, old, .requestMaxAge), Row("immutable", "max-age=0", 9, old, .requestMaxAge),
        Row("", "max-age=50", 50, .fresh, .fresh), Row("", "max-age=50", 51, old, .requestMaxAge),
        Row("", "max-age=500", 150, old, .requestMaxAge), Row("", "max-age=50, max-stale", 60, old, .requestMaxAge),
        Row("", "max-age=500, max-stale", 150, .stale, .requestMaxStale),
        Row("", "min-fresh=50", 50, .fresh, .fresh), Row("", "min-fresh=50", 51, short, .requestMinFresh),
        Row("", "min-fresh=0, max-stale", 150, short, .requestMinFresh),
        Row("", "max-stale", 150, .stale, .requestMaxStale), Row("", "max-stale=50", 150, .stale, .requestMaxStale),
        Row("", "max-stale=50", 151, old, .requestMaxStale), Row("", "max-stale", 3700, gone, .staleBound),
        Row("must-revalidate", "max-stale", 150, no, .mustRevalidate),
        Row("proxy-revalidate", "max-stale", 150, no, .proxyRevalidate),
        Row("s-maxage=100", "max-stale", 150, no, .sharedMaxAgeStale),
        Row("must-revalidate, stale-while-revalidate=60", "", 110, no, .mustRevalidate),
        Row("stale-while-revalidate=60", "", 159, .stale, .staleWhileRevalidate),
        Row("stale-while-revalidate=60", "", 160, no, .staleNeedsValidation),
        Row("stale-while-revalidate=60", "max-age=500", 110, old, .requestMaxAge),
        Row("stale-while-revalidate=99999", "", 3700, gone, .staleBound),
        Row("", "only-if-cached", 99, .fresh, .fresh),
        Row("", "", -30, .fresh, .fresh), Row("", "", -31, no, .staleNeedsValidation),
        Row("", "", -90_000, .unusable(.clock), .clock),
    ])
    func storedAnswerIsUsedAsTheRuleSays(_ row: Row) {
        #expect(decide(row) == ReuseVerdict(decision: row.expected, rule: row.rule))
    }

    @Test(
        arguments: [
            (Row("", "", 99, .fresh, .fresh), .disconnected), (Row("", "", 150, .stale, .disconnected), .disconnected),
            (Row("", "", 3700, gone, .staleBound), .disconnected),
            (Row("must-revalidate", "", 150, no, .mustRevalidate), .disconnected),
            (Row("must-revalidate, stale-if-error=60", "", 150, no, .mustRevalidate), .status(503)),
            (Row("proxy-revalidate", "", 150, no, .proxyRevalidate), .disconnected),
            (Row("s-maxage=100", "", 150, no, .sharedMaxAgeStale), .disconnected),
            (Row("no-cache", "", 50, no, .noCacheAnswer), .disconnected),
            (Row("", "no-cache", 50, .unusable(.noCache), .requestNoCache), .disconnected),
            (Row("", "max-age=50", 60, old, .requestMaxAge), .disconnected),
            (Row("", "max-age=500", 150, old, .requestMaxAge), .disconnected),
            (Row("", "min-fresh=60", 50, short, .requestMinFresh), .disconnected),
            (Row("", "max-stale=40", 150, old, .requestMaxStale), .disconnected),
            (Row("", "max-stale=60", 150, .stale, .requestMaxStale), .status(500)),
            (Row("", "", 150, no, .errorForwarded), .status(503)),
            (Row("stale-if-error=60", "", 159, .stale, .staleIfError), .status(500)),
            (Row("stale-if-error=60", "", 159, .stale, .staleIfError), .status(502)),
            (Row("stale-if-error=60", "", 159, .stale, .staleIfError), .disconnected),
            (Row("stale-if-error=60", "", 160, gone, .staleIfError), .status(504)),
            (Row("stale-if-error=60", "", 160, gone, .staleIfError), .disconnected),
            (Row("stale-if-error=60", "", 150, no, .errorForwarded), .status(501)),
            (Row("stale-if-error=60", "", 150, no, .errorForwarded), .status(404)),
            (Row("", "stale-if-error=50", 150, .stale, .requestStaleIfError), .status(503)),
            (Row("", "stale-if-error=50", 151, old, .requestStaleIfError), .disconnected),
            (Row("", "max-age=200, stale-if-error=50", 150, .stale, .requestStaleIfError), .status(503)),
        ] as [(Row, UpstreamTrouble)])
    func failureIsCoveredOnlyWhereAllowed(_ row: Row, _ failure: UpstreamTrouble) {
        #expect(afterFailure(row, failure) == ReuseVerdict(decision: row.expected, rule: row.rule))
    }

    @Test func retentionForbidsStaleUse() {
        let row = Row("", "max-stale", 150, .stale, .requestMaxStale)
        #expect(decide(row, retention: .seconds(151)).decision == .stale)
        #expect(decide(row, retention: .seconds(150)).decision == Self.gone)
    }

    @Test func answerThatWasNeverFreshIsNotMadeSoByTheClock() {
        var entry = Sample.entry()
        entry.freshUntil = entry.responseTime
        let verdict = RFCReuse.decide(
            entry: entry, directives: .none, rule: Sample.rule(.rfc), targets: [], now: Sample.now + .seconds(-10))
        #expect(verdict.decision == Self.no)
    }

    @Test func targetedFieldDecidesAboutReuse() {
        let entry = Sample.entry(["Larder-Cache-Control": "max-age=100", "Cache-Control": "no-cache"])
        let decide = { (targets: [String]) in
            RFCReuse.decide(
                entry: entry, directives: .none, rule: Sample.rule(.rfc), targets: TargetFields(targets),
                now: Sample.now
            ).decision
        }
        #expect(decide([ResponseControl.ownTarget]) == .fresh)
        #expect(decide([]) == Self.no)
    }
}
