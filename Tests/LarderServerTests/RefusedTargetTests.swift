import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

/// The responses to a client that mistakes this server for another, or that sends an ambiguous target.
@Suite struct RefusedTargetTests {
    @Test(arguments: ["/a#b", "#", "/a\"b", "/<a>", "/a|b", "/{a}", "/a^b", "/a`b", "/..\\b", "http://localhost/a#b"])
    func aTargetThatMustBeEncodedIs400(target: String) async throws {
        let asked = CounterCell()
        let handler = Answering { _ in
            asked.add()
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { test in
            for method in ["GET", "PUT"] {
                let client = try RawClient(test.address)
                client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try client.response()
                #expect(answer.status == 400)
                #expect(answer.text.contains("badTarget"))
            }
            #expect(asked.current == 0)
        }
    }

    @Test(arguments: [
        ("GET http://api.example/a HTTP/1.1\r\nHost: api.example\r\n", 421),
        ("GET http://192.0.2.7/a HTTP/1.1\r\nHost: localhost\r\n", 421),
        ("GET http://api.example/a HTTP/1.0\r\n", 421),
        ("CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n", 501),
        ("CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n", 501),
    ])
    func aForwardProxysRequestIsToldWhereToAsk(request: String, status: Int) async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send(request + "\r\n")
            let answer = try client.response()
            #expect(answer.status == status)
            for word in ["notAProxy", "/raw/", "listen"] { #expect(answer.text.contains(word)) }
            #expect(client.isEnded())
            #expect(test.count(ServerCounters.refusals, "notAProxy") == 1)
            #expect(test.count(ServerCounters.refusals, "foreignHost") == 0)
        }
    }

    @Test func theHTTP2PrefaceIsAnsweredInItsOwnFrames() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            client.send([0, 0, 0, 4, 0, 0, 0, 0, 0])
            let answer = client.rest()
            #expect(answer.utf8.starts(with: [0, 0, 0, 4, 0, 0, 0, 0, 0]), "the server's own SETTINGS come first")
            #expect(answer.contains("http2Preface") && answer.contains("use HTTP/1.1"))
            #expect(test.count(ServerCounters.refusals, "http2Preface") == 1)
        }
    }

    @Test func anotherMajorVersionIsNoPreface() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().status == 505)
        }
    }
}

/// The address literals that a listener reachable from other machines accepts.
@Suite struct LocalAddressTests {
    /// A non-loopback address of this machine, found without sending anything; nil if there is none.
    static let own: String? = {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(9).bigEndian
        // Reserved for documentation (RFC 5737).
        name.sin_addr.s_addr = inet_addr("192.0.2.1")
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, case .ipv4(let bytes, _)? = Socket.localAddress(descriptor), bytes != [0, 0, 0, 0] else {
            return nil
        }
        return Address.text(bytes)
    }()

    @Test(.enabled(if: own != nil)) func theAddressThatTheConnectionCameToIsAcceptedAndNoOther() async throws {
        let own = try #require(Self.own)
        let clock = ManualTime()
        let ready = StubReady(["/a": Bytes(text: "alpha")], now: clock.wall())
        let listeners = [ListenerSpec(address: try Address("0.0.0.0:0"), number: 0)]
        try await withServer(listeners: listeners, ready: ready, clock: clock) { test in
            let port = try #require(test.address.port)
            func status(_ host: String, at address: String) throws -> Int {
                let client = try RawClient(Address("\(address):\(port)"))
                for _ in 0..<2 { client.send("GET /a HTTP/1.1\r\nHost: \(host)\r\n\r\n") }
                let first = try client.response().status
                if first == 200 { #expect(try client.response().status == 200) }
                return first
            }
            #expect(try status("\(own):\(port)", at: own) == 200)
            #expect(try status("localhost", at: own) == 200)
            #expect(try status("192.0.2.7", at: own) == 421)
            #expect(try status("0.0.0.0:\(port)", at: own) == 421)
            // The same server, under another of its addresses.
            #expect(try status("\(own):\(port)", at: "127.0.0.1") == 421)
            #expect(ready.asked.current == 4)
        }
    }
}
