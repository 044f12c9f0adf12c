import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

@Suite struct MemoryHitTests {
    static func ready(_ clock: ManualTime, _ bodies: [String: Bytes] = ["/a": Bytes(text: "alpha")]) -> StubReady {
        StubReady(bodies, now: clock.wall())
    }

    @Test func aHitCarriesItsAgeItsOutcomeAndAnId() async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock)
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            let first = try client.get("/a")
            #expect(first.status == 200)
            #expect(first.text == "alpha")
            #expect(first.fields.all("Age") == ["7"])
            #expect(first.fields.all("Cache-Status") == ["larder; hit; ttl=60"])
            #expect(first.fields.all("X-Request-Id") == ["0-1"])
            #expect(first.fields.all("Connection") == [])
            let second = try client.get("/a")
            #expect(second.fields.all("X-Request-Id") == ["0-2"])
            #expect(ready.hits("/a") == 2)
            #expect(test.count(ServerCounters.memoryHits, "0") == 2)
        }
    }

    @Test func headGetsTheHeadAlone() async throws {
        let clock = ManualTime()
        try await withServer(ready: Self.ready(clock), clock: clock) { test in
            let client = try RawClient(test.address)
            client.send("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try client.response(toHead: true)
            #expect(head.length == 5)
            #expect(head.fields.contains("Cache-Status"))
            #expect(try client.response().text == "alpha")
        }
    }

    @Test(arguments: [
        "Authorization: x", "Cookie: a=b", "Cache-Control: no-cache", "Pragma: no-cache", "Prefer: wait=1",
        "X-Larder-Session: s", "If-Match: \"x\"", "If-Unmodified-Since: x", "Range: bytes=0-1\r\nRange: bytes=0-1",
        "If-None-Match: \"x\"\r\nIf-None-Match: \"x\"", "Content-Length: 1\r\nX: y", "If: (<a>)",
        "Last-Event-ID: 5", "Accept-Datetime: x",
    ])
    func fieldsThatChangeTheAnswerTakeTheSlowWay(field: String) async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock)
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\nz")
            #expect(try client.response().text.hasPrefix("GET /a"))
            #expect(ready.asked.current == 0)
        }
    }

    @Test func otherMethodsTakeTheSlowWay() async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock)
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            client.send("DELETE /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().text == "DELETE /a - ")
            #expect(ready.asked.current == 0)
        }
    }

    @Test func pipelinedHitsAndMissesKeepTheirOrder() async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock, ["/a": Bytes(text: "alpha"), "/big": Bytes(repeating: 0x62, count: 20_000)])
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            let order = (0..<600).map { ["/a", "/miss\($0)", "/big", "/a"][$0 % 4] }
            client.send(order.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for target in order {
                let response = try client.response()
                switch target {
                case "/a": #expect(response.text == "alpha")
                case "/big": #expect(response.body.count == 20_000)
                default: #expect(response.text == "GET \(target) - ")
                }
            }
        }
    }

    @Test func aSlowReaderOfLargeBodiesGetsEveryByteInOrder() async throws {
        let clock = ManualTime()
        let bodies = (0..<3).map { Bytes(repeating: 0x41 + UInt8($0), count: 12 << 20) }
        let ready = Self.ready(clock, ["/0": bodies[0], "/1": bodies[1], "/2": bodies[2]])
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            client.send((0..<3).map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for body in bodies { #expect(try client.response().body == body) }
        }
    }

    @Test func http10IsServedAndClosedUnlessItAsksToStay() async throws {
        let clock = ManualTime()
        try await withServer(ready: Self.ready(clock), clock: clock) { test in
            let stays = try RawClient(test.address)
            stays.send("GET /a HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
            #expect(try stays.response().fields.all("Connection") == ["keep-alive"])
            stays.send("GET /a HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(try stays.response().fields.all("Connection") == ["close"])
            #expect(stays.isEnded())
            let bare = try RawClient(test.address)
            bare.send("GET /a HTTP/1.0\r\n\r\n")
            #expect(bare.rest().hasSuffix("GET /a - "))
        }
    }

    @Test func foreignHostsAndPagesAreRefusedBeforeMemoryIsAsked() async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock)
        try await withServer(ready: ready, clock: clock) { test in
            for (fields, status) in [
                ("Host: evil.example", 421), ("Host: localhost.evil.example", 421), ("Host:", 421),
                ("Host: localhost\r\nSec-Fetch-Site: cross-site", 403),
                ("Host: localhost\r\nOrigin: https://evil.example", 403), ("Host: localhost\r\nOrigin: null", 403),
                ("Host: localhost\r\nSec-Fetch-Site: same-site", 403), ("Host: [::ffff:127.0.0.1]", 421),
                ("Host: localhost\r\nOrigin: https://evil.example\r\nOrigin: http://localhost", 403),
                ("Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://evil.example", 403),
                ("Host: localhost\r\nOrigin: https://evil.example\r\nOrigin:", 403),
                ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none", 403),
            ] {
                let client = try RawClient(test.address)
                client.send("GET /a HTTP/1.1\r\n\(fields)\r\n\r\n")
                let response = try client.response()
                #expect(response.status == status, "\(fields)")
                #expect(response.fields.first("Content-Type") == "application/problem+json")
                #expect(client.isEnded())
            }
            #expect(ready.asked.current == 0)
            #expect(test.count(ServerCounters.refusals, "foreignHost") == 4)
            #expect(test.count(ServerCounters.refusals, "crossSite") == 8)
        }
    }

    @Test func pagesOfOurOwnAreServedFromMemory() async throws {
        let clock = ManualTime()
        let ready = Self.ready(clock)
        try await withServer(ready: ready, clock: clock) { test in
            let client = try RawClient(test.address)
            #expect(try client.get("/a", fields: "Sec-Fetch-Site: same-origin\r\n").text == "alpha")
            #expect(try client.get("/a", fields: "Origin: http://localhost\r\n").text == "alpha")
            #expect(ready.asked.current == 2)
        }
    }

    @Test func theAccessLogNamesHitsWhereAllAreAskedFor() async throws {
        let clock = ManualTime()
        try await withServer(ready: Self.ready(clock), settings: ServerSettings(accessLog: .all), clock: clock) {
            test in
            let client = try RawClient(test.address)
            _ = try client.get("/a")
            _ = try client.get("/b?apiKey=hidden")
            #expect(test.log.all.contains { $0.hasPrefix("access answered") && $0.contains("outcome=hit") })
            #expect(test.log.all.contains { $0.contains("path=/b") && $0.contains("outcome=miss") })
            #expect(!test.log.all.contains { $0.contains("hidden") })
        }
    }
}
