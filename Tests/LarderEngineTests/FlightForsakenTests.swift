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
        _ = flight.register(.client(ended()), ticket: 1)
        _ = flight.register(.client(ended(.seconds(5))), ticket: 2)
        #expect(!flight.isForsaken(at: now))
        #expect(!flight.isForsaken(at: now + .seconds(4)))
        #expect(flight.isForsaken(at: now + .seconds(5)))
    }

    @Test func oneClientThatStaysKeepsTheFlight() {
        let flight = FlightWait()
        _ = flight.register(.client(ended()), ticket: 1)
        _ = flight.register(.client(HalfClose()), ticket: 2)
        #expect(!flight.isForsaken(at: now + .seconds(600)))
        flight.remove(ticket: 2, at: now)
        #expect(flight.isForsaken(at: now))
    }

    @Test func aFlightThatNobodyWaitsForAndOneForTheDaemonItselfGoOn() {
        let refresh = FlightWait()
        #expect(!refresh.isForsaken(at: now))
        _ = refresh.register(.client(nil), ticket: 1)
        #expect(!refresh.isForsaken(at: now))
    }

    @Test func aPartIsForsakenWithTheListThatWaitsForIt() {
        let (list, part) = (FlightWait(), FlightWait())
        _ = part.register(.flight(list), ticket: 1)
        _ = list.register(.client(ended()), ticket: 2)
        #expect(part.isForsaken(at: now))
        _ = list.register(.client(HalfClose()), ticket: 3)
        #expect(!part.isForsaken(at: now))
    }

    @Test func onlyTheFirstReportOfAnEndCounts() {
        let client = ended()
        client.began(until: now + .seconds(5))
        #expect(client.isOver(at: now))
    }

    @Test func aFlightThatWasGivenUpTakesNobodyMore() {
        let flight = FlightWait()
        _ = flight.register(.client(ended()), ticket: 1)
        #expect(flight.giveUp(at: now) && flight.isGivenUp)
        #expect(flight.register(.client(HalfClose()), ticket: 2) == nil)
    }

    @Test func oneWhoComesBeforeAFlightIsGivenUpKeepsIt() {
        let flight = FlightWait()
        _ = flight.register(.client(ended()), ticket: 1)
        _ = flight.register(.client(HalfClose()), ticket: 2)
        #expect(!flight.giveUp(at: now) && !flight.isGivenUp)
        #expect(flight.register(.client(HalfClose()), ticket: 3) == false)
    }

    @Test func aListIsGivenUpWithItsPartUnlessAnotherWaitsForThePart() {
        let (list, part) = (FlightWait(), FlightWait())
        _ = part.register(.flight(list), ticket: 1)
        _ = list.register(.client(ended()), ticket: 2)
        _ = part.register(.client(HalfClose()), ticket: 3)
        #expect(!part.giveUp(at: now) && !list.isGivenUp)
        part.remove(ticket: 3, at: now)
        #expect(part.giveUp(at: now) && list.isGivenUp)
    }
}
