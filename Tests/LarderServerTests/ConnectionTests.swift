import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

@Suite struct ConnectionTests {
    @Test func aHandledRequestIsAnsweredWithDateLengthAndId() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            let response = try client.get("/x/%C3%A9?q=1&r")
            #expect(response.status == 200)
            #expect(response.text == "GET /x/%C3%A9 q=1&r ")
            #expect(response.length == response.body.count)
            #expect(response.fields.all("Date").count == 1)
            #expect(response.fields.all("X-Request-Id") == ["0-1"])
            #expect(test.count(ServerCounters.requests, "miss") == 1)
        }
    }

    @Test func rawBytesOfATargetReachTheHandlerEncoded() async throws {
        try await withServer(
            handler: Answering { request in
                let text = "\(request.path) \(request.target.count)"
                return ServerResponse(status: 200, body: .bytes(Bytes(text: text)))
            }
        ) { test in
            let client = try RawClient(test.address)
            client.send(
                Bytes(text: "GET /a") + [0xFF, 0xC3, 0xA9] + Bytes(text: " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            #expect(try client.response().text.lowercased() == "/a%ff%c3%a9 5")
        }
    }

    @Test func aVerticalLineInAQueryReachesTheHandlerEncoded() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            #expect(try client.get("/a?with_genres=28|12").text == "GET /a with_genres=28%7c12 ")
        }
    }

    @Test func absoluteTargetsNameTheHostThemselves() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("GET http://127.0.0.1:1/p?q HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().text == "GET /p q ")
            client.send("GET HTTP://localhost HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().text == "GET / - ")
            client.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().text == "OPTIONS * - ")
            client.send("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().status == 421)
            #expect(test.count(ServerCounters.refusals, "notAProxy") == 1)
            let other = try RawClient(test.address)
            other.send("GET nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try other.response().status == 400)
        }
    }

    @Test func bodiesAreReadByLengthAndByChunks() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel")
            client.send("loPOST /b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            client.send("3\r\ndef\r\n0\r\nT: 1\r\n\r\nGET /c HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().text == "POST /a - hello")
            #expect(try client.response().text == "POST /b - abcdef")
            #expect(try client.response().text == "GET /c - ")
        }
    }

    @Test func aClientThatWaitsIsToldToContinue() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.response().status == 100)
            client.send("ok")
            #expect(try client.response().text == "PUT /a - ok")
        }
    }

    @Test func tooLargeABodyIsRefusedWithoutReadingIt() async throws {
        let settings = ServerSettings(limits: ServerLimits(maxBody: 10))
        try await withServer(settings: settings) { test in
            let client = try RawClient(test.address)
            client.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
            #expect(try client.response().status == 413)
            let chunked = try RawClient(test.address)
            chunked.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nB\r\n")
            #expect(try chunked.response().status == 413)
        }
    }

    @Test func aTargetOf64KilobytesIs414AndItsAnswerArrives() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("GET /\(String(repeating: "a", count: 65_536)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 414)
            #expect(response.fields.first("Connection") == "close")
            #expect(response.text.contains("\"code\":\"targetTooLong\""))
            client.endSending()
            #expect(client.isEnded())
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: what\r\n\r\n", 501), ("\u{16}\u{3}\u{1}", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "b", count: 40_000), 431),
    ])
    func brokenRequestsAreAnsweredAndTheConnectionEnds(text: String, status: Int) async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send(text)
            #expect(try client.response().status == status)
            client.endSending()
            #expect(client.isEnded())
        }
    }

    @Test func whatCameBeforeABrokenRequestIsStillAnswered() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost : x\r\n\r\n")
            #expect(try client.response().text == "GET /a - ")
            #expect(try client.response().status == 400)
        }
    }

    @Test func aHeadMayComeByteByByte() async throws {
        // The clock stands still: the head is never late, however slowly its bytes are sent.
        try await withServer(clock: ManualTime()) { test in
            let client = try RawClient(test.address)
            for byte in "GET /slow HTTP/1.1\r\nHost: localhost\r\nX: y\r\n\r\n".utf8 { client.send([byte]) }
            #expect(try client.response().text == "GET /slow - ")
        }
    }

    @Test func headOfAHandledAnswerHasItsLengthAndNoBody() async throws {
        try await withServer { test in
            let client = try RawClient(test.address)
            client.send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\nGET /d HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response(toHead: true).length == "HEAD /abc - ".utf8.count)
            #expect(try client.response().text == "GET /d - ")
        }
    }

    @Test(arguments: [204, 304])
    func statusesWithoutABodyHaveNone(status: Int) async throws {
        try await withServer(
            handler: Answering { _ in
                ServerResponse(status: status, fields: ["ETag": "\"x\""], body: .bytes([1, 2, 3]))
            }
        ) { test in
            let client = try RawClient(test.address)
            for _ in 0..<2 {
                let response = try client.get("/")
                #expect(response.status == status)
                #expect(response.length == nil)
            }
        }
    }

    @Test func slicesAreSentInOrder() async throws {
        let pieces = (0..<40).map { Bytes(repeating: 0x30 + UInt8($0), count: 120_000) }
        try await withServer(handler: Answering { _ in ServerResponse(status: 200, body: .slices(pieces)) }) { test in
            let client = try RawClient(test.address)
            #expect(try client.get("/").body == pieces.reduce(into: Bytes()) { $0 += $1 })
        }
    }

    @Test func aStoredRequestIdAndDateOfTheOriginAreTreatedAsTheyShould() async throws {
        try await withServer(
            handler: Answering { _ in
                ServerResponse(
                    status: 200, fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "X-Request-Id": "theirs"])
            }
        ) { test in
            let response = try RawClient(test.address).get("/")
            #expect(response.fields.all("Date") == ["Sun, 06 Nov 1994 08:49:37 GMT"])
            #expect(response.fields.all("X-Request-Id") == ["0-1"])
        }
    }

    /// Over TCP only a reset says so. On a Unix socket the end of the connection does.
    @Test(arguments: ["tcp", "unix"])
    func leavingBeforeTheAnswerCancelsTheHandler(_ kind: String) async throws {
        let cancelled = CounterCell()
        let arrived = CounterCell()
        let directory = TemporaryDirectory()
        let address = try Address(kind == "tcp" ? "127.0.0.1:0" : "unix:\(directory.path)/larder.sock")
        try await withServer(
            listeners: [ListenerSpec(address: address, number: 3)],
            handler: Answering { _ in
                arrived.add()
                // A stream that nobody feeds. The wait on it ends only with the task.
                let (nothing, source) = AsyncStream<Void>.makeStream()
                for await _ in nothing {}
                source.finish()
                cancelled.add()
                return ServerResponse(status: 200)
            }
        ) { test in
            var client: RawClient? = try RawClient(test.address)
            client?.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { arrived.current == 1 }
            #expect(cancelled.current == 0)
            if kind == "tcp" { client?.resetAtEnd() }
            client = nil
            try await eventually { cancelled.current == 1 }
            #expect(test.count(ServerCounters.left) == 1)
        }
    }

    @Test(arguments: ["GET", "PUT"])
    func endingOnesSideBeforeTheAnswerCancelsNothing(_ method: String) async throws {
        let (arrived, told) = (CounterCell(), CounterCell())
        let (gate, opener) = AsyncStream<Void>.makeStream()
        try await withServer(
            handler: Answering { request in
                arrived.add()
                for await _ in gate {}
                if request.halfClose?.isOver(at: MonotonicTime(nanoseconds: .max - 1)) == true { told.add() }
                return ServerResponse(status: 200, body: .bytes(Bytes(text: "\(request.path) \(Task.isCancelled)")))
            }
        ) { test in
            let client = try RawClient(test.address)
            client.send("\(method) /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { arrived.current == 1 }
            client.endSending()
            try client.awaitDelivery()
            await test.advance(.zero)
            opener.finish()
            #expect(try client.response().text == "/a false")
            #expect(try client.response().text == "/b false")
            #expect(client.isEnded())
            #expect(test.count(ServerCounters.left) == 0)
            // A request to change something must not depend on it.
            #expect(told.current == (method == "GET" ? 2 : 1))
        }
    }

    @Test func endingOnesSideAfterTheAnswerBeganLosesNothing() async throws {
        let body = Bytes(repeating: 0x7A, count: 24 << 20)
        try await withServer(handler: Answering { _ in ServerResponse(status: 200, body: .bytes(body)) }) { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually { test.count(ServerCounters.requests, "none") == 1 }
            client.endSending()
            #expect(try client.response().body.count == body.count)
            #expect(client.isEnded())
        }
    }

    @Test func theHandlerRunsOnTheConnectionsLoop() async throws {
        let loops = Lock<[EventLoop]>([])
        try await withServer(
            handler: Answering { _ in
                let here = loops.withLock { $0.filter(\.isCurrent).count }
                await Task.yield()
                let after = loops.withLock { $0.filter(\.isCurrent).count }
                return ServerResponse(status: 200, body: .bytes(Bytes(text: "\(here)\(after)")))
            }
        ) { test in
            let all = test.loops
            loops.withLock { $0 = all }
            let client = try RawClient(test.address)
            #expect(try client.get("/").text == "11")
        }
    }
}
