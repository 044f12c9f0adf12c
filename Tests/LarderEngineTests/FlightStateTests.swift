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
        return FlightQuestion(key: key, removable: key.digest, isShared: true) { _ in Self.failure }
    }

    private static let failure = FlightResult.failed(UpstreamFailure(provider: "p", failure: .broken, detail: ""))

    /// The deinit of a released object may take other locks, such as the lock of the memory that it holds.
    @Test func aFlightThatHasLandedIsHeldByWhoLandedIt() throws {
        var state = FlightState(failurePause: .zero)
        weak var task: FlightTask?
        func begin() throws -> FlightNumber {
            let led = state.refresh(question, memory.removalStamp(question.removable), memory, now: now.monotonic)
            let lead = try #require(led)
            task = lead.task
            return lead.number
        }
        let number = try begin()
        let landing = state.land(number, question, Self.failure, now: now)
        #expect(state.count == 0)
        withExtendedLifetime(landing) { #expect(task != nil) }
    }

    @Test func aFlightThatIsCancelledBeforeItHasItsTaskCancelsItThen() async {
        let flight = FlightTask()
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
