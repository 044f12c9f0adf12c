// A flight is as urgent as the most urgent of those who wait for it, and so are its calls and its parts.
import LarderCache
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct FlightUrgencyTests {
    @Test func aFlightThatNobodyWaitsForIsBackground() {
        #expect(FlightWait().urgency == .background)
    }

    @Test func aFlightBecomesMoreUrgentAndNeverLess() {
        let flight = FlightWait()
        FlightWait.Asker.client(nil, .ordinary).hurry(flight, ticket: 1)
        #expect(flight.urgency == .ordinary)
        FlightWait.Asker.client(nil, .person).hurry(flight, ticket: 2)
        FlightWait.Asker.client(nil, .ordinary).hurry(flight, ticket: 3)
        #expect(flight.urgency == .person)
    }

    @Test func aCallThatWaitsLearnsOfWhoJoins() {
        let flight = FlightWait()
        let told = Lock<[Urgency]>([])
        flight.rise(to: .ordinary)
        flight.watch { urgency in told.withLock { $0.append(urgency) } }
        FlightWait.Asker.client(nil, .person).hurry(flight, ticket: 1)
        FlightWait.Asker.client(nil, .person).hurry(flight, ticket: 2)
        #expect(told.withLock { $0 } == [.ordinary, .person])
    }

    @Test func aPartIsAsUrgentAsTheListThatWaitsForIt() {
        let (list, part) = (FlightWait(), FlightWait())
        list.rise(to: .ordinary)
        _ = part.register(.flight(list), ticket: 1)
        FlightWait.Asker.flight(list).hurry(part, ticket: 1)
        #expect(part.urgency == .ordinary)
        list.rise(to: .person)
        #expect(part.urgency == .person)
    }

    @Test func aPartThatIsNoLongerWaitedForIsNotHurried() {
        let (list, part) = (FlightWait(), FlightWait())
        _ = part.register(.flight(list), ticket: 1)
        FlightWait.Asker.flight(list).hurry(part, ticket: 1)
        part.remove(ticket: 1, at: MonotonicTime(nanoseconds: 1))
        list.rise(to: .person)
        #expect(part.urgency == .background)
    }

    /// A mass call that is refused because of the reserve must not refuse the person who asks the same next.
    @Test(arguments: [true, false])
    func aRefusalForTheSakeOfOthersIsNotRemembered(_ isKept: Bool) throws {
        let now = Moment(wall: WallTime(seconds: 1_767_225_600), monotonic: MonotonicTime(nanoseconds: 1))
        let memory = MemoryTier(budget: 1 << 20)
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [])
        var failure = UpstreamFailure(provider: "p", failure: .limited, detail: "")
        failure.isKeptForOthers = isKept
        let result = FlightResult.failed(failure)
        let question = FlightQuestion(key: key.digest, removable: key.digest, isShared: true) { _ in result }
        var state = FlightState(failurePause: .seconds(1))
        let led = state.refresh(question, memory.removalStamp(key.digest), memory, now: now.monotonic)
        _ = state.land(try #require(led).number, question, result, now: now)
        let isAnswered = state.isAnswered(key.digest, memory, now: now.monotonic)
        #expect(isAnswered == !isKept)
    }
}
