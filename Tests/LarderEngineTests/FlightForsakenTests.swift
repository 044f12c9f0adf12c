// Who still waits for a queued call: its clients and the flights that wait for it.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct FlightForsakenTests {
    private let now = MonotonicTime(nanoseconds: 10_000_000_000)

    private func ended(_ wait: Duration = .zero) -> HalfClose {
        let client = HalfClose()
        client.began(until: now + wait)
        return client
    }

    @Test func aFlightIsForsakenOnceAllItsClientsHaveEndedTheirInputForLongEnough() {
        let flight = FlightWait()
        flight.add(.client(ended()), ticket: 1, at: now)
        flight.add(.client(ended(.seconds(5))), ticket: 2, at: now)
        #expect(!flight.isForsaken(at: now))
        #expect(!flight.isForsaken(at: now + .seconds(4)))
        #expect(flight.isForsaken(at: now + .seconds(5)))
    }

    @Test func oneClientThatStaysKeepsTheFlight() {
        let flight = FlightWait()
        flight.add(.client(ended()), ticket: 1, at: now)
        flight.add(.client(HalfClose()), ticket: 2, at: now)
        #expect(!flight.isForsaken(at: now + .seconds(600)))
        flight.remove(ticket: 2, at: now)
        #expect(flight.isForsaken(at: now))
    }

    @Test func aFlightThatNobodyWaitsForAndOneForTheDaemonItselfGoOn() {
        let refresh = FlightWait()
        #expect(!refresh.isForsaken(at: now))
        refresh.add(.client(nil), ticket: 1, at: now)
        #expect(!refresh.isForsaken(at: now))
    }

    @Test func aPartIsForsakenWithTheListThatWaitsForIt() {
        let (list, part) = (FlightWait(), FlightWait())
        part.add(.flight(list), ticket: 1, at: now)
        list.add(.client(ended()), ticket: 2, at: now)
        #expect(part.isForsaken(at: now))
        list.add(.client(HalfClose()), ticket: 3, at: now)
        #expect(!part.isForsaken(at: now))
    }

    @Test func onlyTheFirstReportOfAnEndCounts() {
        let client = ended()
        client.began(until: now + .seconds(5))
        #expect(client.isOver(at: now))
    }
}
