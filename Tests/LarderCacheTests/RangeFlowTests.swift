// The steps of a request for a range of which nothing is stored.
import LarderCache
import LarderCore
import Testing

@Suite struct RangeFlowTests {
    private let now = FlowCase.now

    /// A request that was looked up and is fetched as the whole.
    private func flow() -> RequestFlow {
        var terms = FlowCase.standard()
        terms.wantsRange = true
        terms.storesParts = true
        var flow = RequestFlow(terms)
        _ = flow.lookedUp(nil, now: now)
        return flow
    }

    @Test func aRangeIsAnsweredFromWhatArrivesForItsClientAlone() {
        var flow = flow()
        let whole = FlowCase.fetched {
            $0.mayBeShared = false
            $0.body = .streaming
        }
        guard case .answerFetched = flow.fetched(whole, now: now) else {
            Issue.record("asked again")
            return
        }
    }

    @Test(arguments: [(403, true), (416, true), (404, false), (401, false), (429, false), (503, false)])
    func onlyAnErrorThatMayDemandARangeIsFollowedByOne(_ status: Int, _ demands: Bool) {
        var flow = flow()
        let step = flow.fetched(FlowCase.fetched(status), now: now)
        if case .fetchPart = step { #expect(demands) } else { #expect(!demands) }
        // This happens once.
        guard demands, case .fetchPart = flow.fetched(FlowCase.fetched(status), now: now) else { return }
        Issue.record("asked again")
    }
}
