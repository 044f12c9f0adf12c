// The places for streams of requests: the last ones are for the owner of the Unix socket.
import LarderCore
import Testing

@testable import LarderDaemon

@Suite struct RequestStreamPlacesTests {
    @Test func theLastPlacesAreForTheOwner() throws {
        let counters = CounterRegistry()
        let places = RequestStreamPlaces(counters: counters)
        var taken: [RequestStreamPlaces.Place] = []
        for _ in 0..<28 { taken.append(try places.take(isOwner: false)) }
        #expect(throws: ClientFacingError.self) { try places.take(isOwner: false) }
        for _ in 0..<4 { taken.append(try places.take(isOwner: true)) }
        #expect(throws: ClientFacingError.self) { try places.take(isOwner: true) }
        #expect(counters.cell(RequestStreamPlaces.refusals).current == 2)
        taken.removeLast()
        #expect(throws: ClientFacingError.self, "the place is the owner's") { try places.take(isOwner: false) }
        taken.append(try places.take(isOwner: true))
    }
}
