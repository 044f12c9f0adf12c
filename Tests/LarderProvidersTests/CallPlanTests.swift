// Plans are values: what a plan asks for next follows only from what it was given. These tests walk plans with answers
// from a table; the scenarios let the daemon carry them out.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

/// Walks a plan to its end.
///
/// - Returns: The answer, and the targets of each step's calls.
func walk(
    _ plan: any CallPlan, _ answer: (PlannedCall) -> CallOutcome
) throws -> (answer: NormalisedAnswer, steps: [[String]]) {
    var plan = plan
    var brought: [CallOutcome] = []
    var steps: [[String]] = []
    while steps.count < 100 {
        switch try plan.next(brought, ArtworkSigner(key: Bytes(repeating: 7, count: 32))) {
        case .done(let answer): return (answer, steps)
        case .fetch(let calls):
            steps.append(calls.map(\.request.target))
            brought = calls.map(answer)
        }
    }
    throw PlanHasNoEnd()
}

struct PlanHasNoEnd: Error {}

/// A response of status 200 with this text.
func answered(_ text: String, url: String = "") -> CallOutcome {
    let now = WallTime(seconds: 1_700_000_000)
    return .answered(
        UpstreamResponse(status: 200, body: Bytes(text: text), requestTime: now, responseTime: now, url: url))
}

@Suite struct CallPlanTests {
    private let row = #"{"names":["Gala","Fuji","Idared"]}"#

    private func endpoint() throws -> Endpoint {
        try ExampleProvider().endpoint(path: ["rows", "3"], query: QueryParameters())
    }

    @Test func aPlanAsksForItsSubjectAndThenForTheParts() throws {
        let (answer, steps) = try walk(try #require(try endpoint().plan)) { call in
            call.role == .subject
                ? answered(row)
                : answered(#"{"trees":[{"id":\#(call.request.target.utf8.count),"name":"A"},{"id":2}]}"#)
        }
        #expect(steps == [["/rows/3"], ["/trees?name=Gala", "/trees?name=Fuji", "/trees?name=Idared"]])
        #expect(answer.count == 3)
        #expect(answer.dropped == 3)
        #expect(try JSON.parse(answer.results).elements.compactMap { $0["id"]?.string }.count == 3)
    }

    @Test func partsThatAreNotThereLeaveTheRestInItsOrder() throws {
        let (answer, _) = try walk(try #require(try endpoint().plan)) { call in
            switch call.request.target {
            case "/rows/3": answered(row)
            case "/trees?name=Gala": .absent
            case "/trees?name=Fuji": .failed(.timedOut)
            default: answered(#"{"trees":[{"id":9,"name":"Idared"}]}"#)
            }
        }
        #expect(try JSON.parse(answer.results).elements.compactMap { $0["title"]?.string } == ["Idared"])
    }

    @Test func theSamePlanWalkedTwiceGivesTheSameBytes() throws {
        let plan = try #require(try endpoint().plan)
        func once() throws -> Bytes {
            try walk(plan) { $0.role == .subject ? answered(row) : answered(#"{"trees":[{"id":1,"name":"A"}]}"#) }
                .answer.results
        }
        #expect(try once() == once())
    }

    @Test func whatCannotBeReadIsAnErrorAndNoHalfAnswer() throws {
        let plan = try #require(try endpoint().plan)
        #expect(throws: NormaliseError.self) { try walk(plan) { _ in answered("<html>") } }
    }

    @Test func aQuestionOfSeveralCallsHasNoAnswerFromOneOfThem() throws {
        let endpoint = try endpoint()
        #expect(endpoint.upstream.target == "/rows/3")
        let now = WallTime(seconds: 0)
        let one = UpstreamResponse(status: 200, body: Bytes(text: row), requestTime: now, responseTime: now)
        #expect(throws: NormaliseError.self) {
            try endpoint.normalise(one, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        }
    }
}
