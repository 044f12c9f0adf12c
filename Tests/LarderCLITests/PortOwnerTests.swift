// Who receives the token: judged from rows of /proc/net/tcp, and tested against sockets of this process.
import Glibc
import LarderCore
import LarderIO
import Testing

@testable import LarderCLI

struct PortOwnerTests {
    private static let peer = Address.ipv4([127, 0, 0, 1], port: 8787)
    private static let own = Address.ipv4([127, 0, 0, 1], port: 40_000)

    /// Rows as the kernel of a little-endian machine prints them.
    private func rows(_ lines: String...) -> [TCPSocket] {
        let heading =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        return TCPSocket.all(in: Bytes(text: heading + lines.joined(separator: "\n")), port: 8787)
    }

    private func row(_ local: String, _ remote: String, _ state: String, _ user: UInt32) -> String {
        "   0: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 1155 1 0000000037470178 100"
    }

    private func judge(_ sockets: [TCPSocket], trusted: Set<UInt32> = [0, 1000]) -> PortOwner {
        PortOwner.judge(peer: Self.peer, own: Self.own, among: sockets, trusted: trusted)
    }

    @Test func theOwnerOfTheOtherEndDecides() {
        let listener = row("0100007F:2253", "00000000:0000", "0A", 1000)
        let end = { self.row("0100007F:2253", "0100007F:9C40", "01", $0) }
        // The client's own end has a row too. That row says nothing about the other end.
        let own = row("0100007F:9C40", "0100007F:2253", "01", 1000)
        #expect(judge(rows(listener, own, end(1000))) == .trusted)
        #expect(judge(rows(listener, own, end(1001))) == .other(1001), "whoever listens by now")
        #expect(judge(rows(listener, own, end(0))) == .trusted, "nobody has accepted it yet")
        #expect(judge(rows(row("0100007F:2253", "00000000:0000", "0A", 1001), own, end(0))) == .other(1001))
    }

    @Test func everyListenerThatCouldAcceptCounts() {
        let good = row("0100007F:2253", "00000000:0000", "0A", 1000)
        for wild in ["00000000:2253", "00000000000000000000000000000000:2253"] {
            #expect(judge(rows(good, row(wild, "00000000:0000", "0A", 1001))) == .other(1001), "\(wild)")
            #expect(judge(rows(row(wild, "00000000:0000", "0A", 1000))) == .trusted, "\(wild)")
        }
        #expect(judge(rows(good, row("0200007F:2253", "00000000:0000", "0A", 1001))) == .trusted, "another address")
        #expect(judge(rows(good, row("0100007F:2254", "00000000:0000", "0A", 1001))) == .trusted, "another port")
        #expect(judge(rows(row("0100007F:2254", "00000000:0000", "0A", 1000))) == .unknown)
    }

    @Test func onlyRowsThatNameThePortAreParsed() {
        let others = (0..<3).map { row("0100007F:225\($0)", "0200007F:9C40", "01", 1000) }
        let own = row("0100007F:9C40", "0100007F:2253", "01", 1000)
        #expect(rows(others[0], own, others[1], others[2]).map(\.local.port) == [40_000])
        #expect(rows(own, others[0]).count == 1 && rows(others[0]).isEmpty)
    }

    @Test func mappedAddressesAreTheFourBytesTheyStandFor() {
        let end = row("0000000000000000FFFF00000100007F:2253", "0000000000000000FFFF00000100007F:9C40", "01", 1001)
        #expect(judge(rows(end)) == .other(1001))
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "0.0.0.0:0"])
    func theKernelTellsOfASocketOfThisProcess(_ address: String) throws {
        let listener = try Socket.listen(on: try Address(address))
        defer { Syscall.close(listener) }
        let port = try #require(Socket.localAddress(listener)?.port)
        let host = address.hasPrefix("[") ? "[::1]" : "127.0.0.1"
        let descriptor = try Socket.connect(to: try Address("\(host):\(port)"))
        defer { Syscall.close(descriptor) }
        #expect(PortOwner.of(descriptor, trusted: [geteuid()]) == .trusted)
        #expect(PortOwner.of(descriptor, trusted: []) == .other(geteuid()))
    }

    @Test func theTokenStaysHereWhereThePortIsSomebodyElses() throws {
        let daemon = try ScriptedDaemon { _ in answer(200, #"{"purged":1}"#) }
        var conversation = Conversation(address: try DaemonAddress(url: daemon.url), token: "open-sesame-0123456789")
        conversation.trusted = []
        do throws(CommandFailure) {
            _ = try conversation.ask(DaemonRequest(.delete, "/v1/cache?all=1"))
            Issue.record("the token was sent")
        } catch {
            #expect(error.status == .refused && error.message.contains("the token was not sent"), "\(error)")
            #expect(error.advice?.contains("Unix socket") == true)
        }
        #expect(!daemon.heads.joined().contains("open-sesame"))
        conversation.trusted = [geteuid()]
        #expect(try conversation.ask(DaemonRequest(.delete, "/v1/cache?all=1")).status == 200)
        #expect(daemon.heads.last?.contains("Bearer open-sesame") == true)
    }

    @Test func theDaemonsUserIsNamedByTheEnvironment() throws {
        #expect(try PortOwner.trusted(environment: ["LARDER_DAEMON_USER": "12345"]).contains(12_345))
        #expect(throws: CommandFailure.self) {
            try PortOwner.trusted(environment: ["LARDER_DAEMON_USER": "no such user"])
        }
        #expect(try PortOwner.trusted(environment: [:]).isSuperset(of: [0, getuid()]))
    }
}
