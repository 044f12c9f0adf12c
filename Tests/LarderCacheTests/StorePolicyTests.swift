// Which responses are stored and for how long, by our own rule (`ttl`) and by RFC 9111 (`rfc`).
import LarderCache
import LarderCore
import Testing

func decide(
    _ semantics: FreshnessRule.Semantics, status: Int = 200, _ fields: HeaderFields = [:],
    classification: Classification = .data, request: UpstreamRequest = UpstreamRequest(path: "/search"),
    requestFields: HeaderFields = [:], rule: FreshnessRule? = nil, requestTime: WallTime = Sample.now,
    key: CacheKey = Sample.key()
) -> StoreDecision {
    StorePolicy.decide(
        request: request, requestFields: requestFields,
        response: Sample.response(status: status, fields, requestTime: requestTime), classification: classification,
        rule: rule ?? Sample.rule(semantics), key: key)
}

/// Seconds of freshness and of total use from receipt; nil if the response is refused.
func spans(_ decision: StoreDecision) -> [Int64]? {
    guard case .store(let lifetimes) = decision else { return nil }
    return [
        (lifetimes.freshUntil - Sample.now).wholeSeconds, (lifetimes.staleUntil - Sample.now).wholeSeconds,
    ]
}

@Suite struct StorePolicyTests {
    static let both = FreshnessRule.Semantics.allCases
    static let keepable: HeaderFields = ["Cache-Control": "max-age=100", "Date": Sample.nowText]

    @Test(arguments: both)
    func whatBelongsToOnePersonOrChangesSomethingIsRefused(_ semantics: FreshnessRule.Semantics) {
        func reason(_ request: UpstreamRequest, _ fields: HeaderFields = [:]) -> StoreDecision {
            decide(semantics, Self.keepable, request: request, requestFields: fields)
        }
        let get = UpstreamRequest(path: "/")
        for method in [Method.head, .post, .put, .delete, .options, Method("QUERY"), Method("get")] {
            #expect(reason(UpstreamRequest(method: method, path: "/")) == .refuse(reason: .method))
        }
        #expect(reason(UpstreamRequest(path: "/", body: [1])) == .refuse(reason: .requestBody))
        #expect(reason(get, ["authorization": "x"]) == .refuse(reason: .authorization))
        #expect(reason(get, ["cookie": "x"]) == .refuse(reason: .cookie))
        #expect(reason(get, ["Cache-Control": "no-store"]) == .refuse(reason: .requestNoStore))
        #expect(spans(reason(get, ["Cache-Control": "no-cache"])) != nil)
        #expect(spans(reason(UpstreamRequest(path: "/", body: []))) != nil)
    }

    @Test(arguments: both)
    func errorsAreNeverStored(_ semantics: FreshnessRule.Semantics) {
        let errors: [(Classification, StoreObstacle)] = [
            (.limited(until: nil), .limited), (.refused("key"), .refused), (.invalidRequest("q"), .invalidRequest),
            (.broken("html"), .broken),
        ]
        for (classification, reason) in errors {
            #expect(decide(semantics, Self.keepable, classification: classification) == .refuse(reason: reason))
        }
    }

    @Test(arguments: both)
    func partsAndInterimAnswersAreNeverStored(_ semantics: FreshnessRule.Semantics) {
        #expect(decide(semantics, status: 206, Self.keepable) == .refuse(reason: .partial))
        #expect(decide(semantics, status: 304, Self.keepable) == .refuse(reason: .partial))
        for status in [100, 103, 199, 600, 999, 0] {
            #expect(decide(semantics, status: status, Self.keepable) == .refuse(reason: .status))
        }
    }

    // MARK: ttl

    @Test func ruleOverridesTheAnswersOwnDirectives() {
        for control in ["no-store", "no-cache", "private", "max-age=0", "must-revalidate", "max-age=99999"] {
            #expect(spans(decide(.ttl, ["Cache-Control": control, "Pragma": "no-cache"])) == [900, 4500])
        }
        #expect(spans(decide(.ttl, ["Vary": "*", "Set-Cookie": "a=b", "Expires": "0"])) == [900, 4500])
    }

    @Test func classificationChoosesTheLifetime() {
        #expect(spans(decide(.ttl, classification: .data)) == [900, 4500])
        #expect(spans(decide(.ttl, classification: .empty)) == [300, 3900])
        #expect(spans(decide(.ttl, status: 404, classification: .notFound)) == [60, 60])
    }

    @Test func onlyAbsenceIsNegative() {
        let cases: [(Classification, Bool)] = [(.data, false), (.empty, false), (.notFound, true)]
        for (classification, expected) in cases {
            guard case .store(let lifetimes) = decide(.ttl, classification: classification) else {
                Issue.record("stored")
                continue
            }
            #expect(lifetimes.isNegative == expected)
        }
    }

    @Test func freshnessBeginsWithArrivalWhateverTheAge() {
        let fields: HeaderFields = ["Age": "3600", "Date": Sample.hourAgoText]
        let decision = decide(.ttl, fields)
        #expect(spans(decision) == [900, 4500])
        guard case .store(let lifetimes) = decision else { return }
        #expect(lifetimes.initialAge == 3_600_000)
    }

    @Test func retentionBoundsEverything() {
        func rule(_ retention: Duration) -> FreshnessRule { Sample.rule(.ttl, retention: retention) }
        #expect(spans(decide(.ttl, rule: rule(.seconds(1000)))) == [900, 1000])
        #expect(spans(decide(.ttl, rule: rule(.seconds(10)))) == [10, 10])
        #expect(decide(.ttl, rule: rule(.zero)) == .refuse(reason: .noLifetime))
        let rfc = Sample.rule(.rfc, retention: .seconds(50))
        #expect(spans(decide(.rfc, Self.keepable, rule: rfc)) == [50, 50])
    }

    @Test func nothingIsStoredThatNothingCouldUse() {
        #expect(decide(.ttl, rule: Sample.rule(.ttl, ttl: .zero, stale: .zero)) == .refuse(reason: .noLifetime))
        #expect(spans(decide(.ttl, rule: Sample.rule(.ttl, ttl: .zero))) == [0, 3600])
        #expect(
            decide(.ttl, rule: Sample.rule(.ttl, ttl: .seconds(-5), stale: .seconds(-5)))
                == .refuse(reason: .noLifetime))
    }

    @Test func jitterShortensByAtMostItsPercentAndTheSameEachTime() {
        let rule = Sample.rule(.ttl, ttl: .seconds(1_000_000), jitter: 10)
        var seen: Set<Int64> = []
        for number in 0..<500 {
            let key = Sample.key("\(number)")
            guard case .store(let lifetimes) = decide(.ttl, rule: rule, key: key),
                case .store(let again) = decide(.ttl, rule: rule, key: key)
            else {
                Issue.record("stored")
                return
            }
            #expect(lifetimes == again)
            let life = (lifetimes.freshUntil - Sample.now).milliseconds
            #expect((900_000_000...1_000_000_000).contains(life))
            seen.insert(life / 10_000_000)
        }
        // The values are spread over the whole range: all ten hundredths occur.
        #expect(seen.count >= 10)
    }

    @Test func extremeLifetimesDoNotOverflow() {
        let rule = Sample.rule(.ttl, ttl: .milliseconds(Int64.max / 2), stale: .milliseconds(Int64.max / 2), jitter: 10)
        #expect(spans(decide(.ttl, rule: rule)) != nil)
        #expect(
            spans(decide(.rfc, ["Cache-Control": "max-age=99999999999999", "Age": "999999999999"], rule: rule)) != nil)
    }

    @Test func storedFieldsLackConnectionFieldsAndCookies() {
        let response = Sample.response([
            "Set-Cookie": "a", "set-cookie": "b", "Connection": "X-A", "X-A": "1", "Content-Type": "a/b", "Age": "1",
        ])
        #expect(StorePolicy.storedFields(of: response).map(\.name) == ["Content-Type", "Age"])
    }
}
