// Who counts as one client when clients take turns.
import LarderCore
import LarderIO
import LarderServer
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct AskingClientTests {
    private func name(_ peer: Peer, session: String? = nil, request: UInt64 = 1) -> String {
        AskingClient(
            ServerRequest(
                id: RequestID(loop: 0, sequence: request), target: Bytes(text: "/"), path: "/",
                fields: session.map { ["X-Larder-Session": $0] } ?? [:], peer: peer,
                receivedAt: WallTime(seconds: 0))
        ).name
    }

    private func address(_ text: String) throws -> Peer { .tcp(try Address(text)) }

    @Test func aUserOfTheSocketIsOneClientWhateverItSays() {
        let names = (0..<3).map { name(.unix(uid: 1000, pid: $0), session: "session\($0)") }
        #expect(Set(names).count == 1)
        #expect(name(.unix(uid: 1001, pid: 0)) != names[0])
    }

    @Test func aSessionIsOneClientOverAllItsConnections() throws {
        #expect(name(try address("127.0.0.1:1"), session: "a") == name(try address("127.0.0.1:2"), session: "a"))
        #expect(name(try address("127.0.0.1:1"), session: "a") != name(try address("127.0.0.1:1"), session: "b"))
    }

    @Test func theNumberOfAQuestionMakesNoOtherClient() throws {
        #expect(
            name(try address("127.0.0.1:1"), session: "a;seq=1") == name(try address("127.0.0.1:2"), session: "a;seq=2")
        )
    }

    @Test func onThisMachineAConnectionIsAClientAndElsewhereAMachineIs() throws {
        #expect(name(try address("127.0.0.1:1")) != name(try address("127.0.0.1:2")))
        #expect(name(try address("127.0.0.1:1"), request: 1) == name(try address("127.0.0.1:1"), request: 2))
        #expect(name(try address("192.0.2.1:1")) == name(try address("192.0.2.1:2")))
        #expect(name(try address("[2001:db8::1]:1")) != name(try address("[2001:db8::2]:1")))
    }

    @Test func whoCannotBeToldApartIsAClientForEachRequest() {
        #expect(name(.tcp(nil), request: 1) != name(.tcp(nil), request: 2))
    }
}
