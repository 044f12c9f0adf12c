import LarderCache
import LarderCore
import Testing

@Suite struct FlightTests {
    private typealias Table = FlightTable<String, Int>

    private func lead(_ table: inout Table, _ key: String, wanted: Bool = false) throws -> FlightNumber {
        guard case .lead(let number) = table.enter(key, wantedByItself: wanted) else {
            throw Unexpected()
        }
        return number
    }

    private struct Unexpected: Error {}

    @Test func theFirstLeadsAndTheOthersJoin() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a")
        #expect(table.enter("a", wantedByItself: false) == .joined(number))
        #expect(table.enter("b", wantedByItself: false) != .joined(number))
    }

    @Test func theLeaderLeavingHarmsNobody() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a")
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.wait(number, ticket: 2, 200) == true)
        let left = table.leave(number, ticket: 1, keepFlight: false)
        #expect(left?.waiter == 100)
        #expect(left?.departure == .carryOn)
        #expect(table.finish(number) == [200])
    }

    @Test func theLastOneLeavingCancelsAndFreesTheKey() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a")
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.leave(number, ticket: 1, keepFlight: false)?.departure == .cancel(number))
        #expect(try lead(&table, "a") != number, "a new asker must not join what is being cancelled")
        #expect(table.finish(number).isEmpty)
        #expect(table.flight(of: "a") != nil, "the end of the old flight leaves the new one alone")
    }

    @Test func aRefreshGoesOnWhenNobodyWaits() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a", wanted: true)
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.leave(number, ticket: 1, keepFlight: false)?.departure == .carryOn)
    }

    @Test func whoRunsOutOfPatienceLeavesTheFlightToEndByItself() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a")
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.leave(number, ticket: 1, keepFlight: true)?.departure == .carryOn)
        #expect(table.enter("a", wantedByItself: false) == .joined(number))
    }

    @Test func limitsHold() throws {
        var table = Table(maxFlights: 1, maxWaiters: 1)
        let number = try lead(&table, "a")
        #expect(table.enter("b", wantedByItself: false) == .refused)
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.enter("a", wantedByItself: false) == .refused)
        #expect(table.finish(number) == [100])
        #expect(table.enter("b", wantedByItself: false) != .refused)
    }

    @Test func nobodyIsResumedTwice() throws {
        var table = Table(maxFlights: 10, maxWaiters: 10)
        let number = try lead(&table, "a")
        #expect(table.wait(number, ticket: 1, 100) == true)
        #expect(table.finish(number) == [100])
        #expect(table.leave(number, ticket: 1, keepFlight: false) == nil)
        #expect(table.wait(number, ticket: 2, 200) == false, "a flight that is over takes nobody")
    }

    @Test func aFailureIsRepeatedUntilItsPauseIsOver() {
        var memory = FailureMemory<String>(limit: 10)
        let digest = Digest(of: [1])
        memory.remember(
            digest, "down", until: MonotonicTime(nanoseconds: 10), now: MonotonicTime(nanoseconds: 0))
        #expect(memory.recall(digest, now: MonotonicTime(nanoseconds: 9)) == "down")
        #expect(memory.recall(digest, now: MonotonicTime(nanoseconds: 10)) == nil)
        #expect(memory.count == 0)
    }

    @Test func theMemoryOfFailuresIsBounded() {
        var memory = FailureMemory<Int>(limit: 100)
        for number in 0..<5000 {
            memory.remember(
                Digest(of: Bytes(text: "\(number)")), number, until: MonotonicTime(nanoseconds: 10),
                now: MonotonicTime(nanoseconds: 0))
        }
        #expect(memory.count == 100)
        #expect(memory.recall(Digest(of: Bytes(text: "4999")), now: MonotonicTime(nanoseconds: 0)) == 4999)
        #expect(memory.recall(Digest(of: Bytes(text: "0")), now: MonotonicTime(nanoseconds: 0)) == nil)
    }

    @Test func aFailureWhosePauseIsOverIsForgottenThoughNobodyAsksAgain() {
        var memory = FailureMemory<Int>(limit: 100)
        for number in 0..<50 {
            let now = MonotonicTime(nanoseconds: Int64(number))
            memory.remember(Digest(of: Bytes(text: "\(number)")), number, until: now + .nanoseconds(10), now: now)
        }
        #expect(memory.count == 10)
    }
}
