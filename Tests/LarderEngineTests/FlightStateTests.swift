// A step of the flight state releases objects only after it has released the lock.
import LarderCache
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct FlightStateTests {
    private let now = Moment(wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1))
    private let memory = MemoryTier(budget: 1 << 20)

    private var question: FlightQuestion {
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [])
        return FlightQuestion(key: key.digest, removable: key.digest, isShared: true) { _ in Self.failure }
    }

    private static let failure = FlightResult.failed(UpstreamFailure(provider: "p", failure: .broken, detail: ""))

    /// The deinit of a released object may take other locks, such as the lock of the memory that it holds.
    @Test func aFlightThatHasLandedIsHeldByWhoLandedIt() throws {
        var state = FlightState(failurePause: .zero)
        weak var task: RunningWork?
        func begin() throws -> FlightNumber {
            let led = state.refresh(question, memory.removalStamp(question.removable), memory, now: now.monotonic)
            let lead = try #require(led)
            task = lead.flight.task
            return lead.number
        }
        let number = try begin()
        let landing = state.land(number, question, Self.failure, now: now)
        #expect(state.count == 0)
        withExtendedLifetime(landing) { #expect(task != nil) }
    }

    /// Admits a caller and lets it leave again.
    /// - Returns: what became of it, and whether it joined a flight of another.
    private func admit(
        _ client: HalfClose, _ number: UInt64, to state: inout FlightState
    ) -> (FlightState.Admittance, joined: Bool) {
        let ticket = FlightTicket(number: number, asker: .client(client))
        var waiter = FlightState.Waiter(tell: { _ in }, ticket: number, hasJoined: false)
        let stamp = memory.removalStamp(question.removable)
        return (state.admit(&waiter, ticket, question, stamp, memory, now: now), waiter.hasJoined)
    }

    /// The fetcher drops the queued call of a flight whose clients are gone. Its failure is for nobody else.
    @Test func whoComesWhenAFlightIsGivenUpLeadsAnother() throws {
        var state = FlightState(failurePause: .zero)
        let gone = HalfClose()
        gone.began(until: now.monotonic)
        guard case (.admitted(let first, lead: _?), joined: false) = admit(gone, 1, to: &state) else {
            Issue.record("the first does not lead")
            return
        }
        guard case (.admitted(let second, lead: nil), joined: true) = admit(gone, 2, to: &state) else {
            Issue.record("the second does not join")
            return
        }
        #expect(second.number == first.number)
        #expect(first.wait.giveUp(at: now.monotonic))
        let isAnswered = state.isAnswered(question.key, memory, now: now.monotonic)
        #expect(!isAnswered)
        guard case (.admitted(let third, lead: _?), joined: false) = admit(HalfClose(), 3, to: &state) else {
            Issue.record("the third does not lead")
            return
        }
        #expect(third.number != first.number)
        // The end of the first flight says nothing to the third.
        let landing = state.land(first.number, question, Self.failure, now: now)
        #expect(landing.told.map(\.waiter.ticket).sorted() == [1, 2])
    }

    @Test(arguments: [true, false])
    func aFailureAfterTheAnnouncementIsRememberedIfABeginningIsOfNoUse(isUseful: Bool) throws {
        var state = FlightState(failurePause: .seconds(1))
        let led = state.refresh(question, memory.removalStamp(question.removable), memory, now: now.monotonic)
        let number = try #require(led).number
        var made = Made(
            entry: StoredResponse(
                key: CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: []), layer: .raw, provider: "p",
                endpoint: "e", requestTime: now.wall,
                responseTime: now.wall, freshUntil: now.wall, staleUntil: now.wall))
        made.isUsefulInPart = isUseful
        _ = state.announce(number, question, made, now: now.monotonic)
        _ = state.land(number, question, Self.failure, now: now)
        let isAnswered = state.isAnswered(question.key, memory, now: now.monotonic)
        #expect(isAnswered == !isUseful)
    }

    @Test func aFlightThatIsCancelledBeforeItHasItsTaskCancelsItThen() async {
        let flight = RunningWork()
        flight.cancel()
        #expect(flight.isCancelled)
        let (steps, end) = AsyncStream<Void>.makeStream()
        let task = Task { for await _ in steps {} }
        flight.attach(task)
        #expect(task.isCancelled)
        end.finish()
        await task.value
    }
}
