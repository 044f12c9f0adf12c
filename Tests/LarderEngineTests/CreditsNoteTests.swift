// The number of calls that an API reports as left is saved for the next run, but not with every answer.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct CreditsNoteTests {
    @Test func whatIsLeftIsWrittenDownAtOnceAndThenOnceAMinute() {
        let lane = ProviderLane(
            budget: CallBudget(rate: nil, quota: nil), suspension: SuspensionMachine(), suspends: true,
            credits: { _, now in
                Credits([.init(name: "user", limit: 500, remaining: 400, resetsAt: now + .seconds(600))])
            })
        let now = ManualTime().moment()
        func isDue(after seconds: Int64) -> Bool { lane.heard([:], callNumber: 0, now: now + .seconds(seconds)) }
        #expect(isDue(after: 0), "nothing of it is written down yet")
        #expect(!isDue(after: 59))
        #expect(isDue(after: 60))
    }
}
