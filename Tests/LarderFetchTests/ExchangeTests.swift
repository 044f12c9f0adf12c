import LarderCore
import LarderFetch
import LarderTestSupport
import Testing

@Suite struct ExchangeTests {
    @Test func anAnswerArrivesWholeWithItsFieldsAndTimes() async throws {
        let origin = ScriptedOrigin(
            answering: ok("{\"a\":1}", fields: "X-One: a\r\nX-One:  b \r\nETag: \"\u{E9}\"\r\n"))
        defer { origin.stop() }
        try await withRig { rig in
            let before = SystemTime().wall()
            let response = try await rig.fetcher.fetch(order(origin.base + "/path?q=1", fields: ["Accept": "text/x"]))
            #expect(response.status == 200)
            #expect(response.reason == "OK")
            #expect(response.fields.all("x-one") == ["a", "b"])
            // Two bytes of UTF-8 are read as one scalar each.
            #expect(response.fields.first("ETag") == "\"\u{C3}\u{A9}\"")
            #expect(response.body.lossyText == "{\"a\":1}")
            #expect(response.url == origin.base + "/path?q=1")
            #expect(before <= response.requestTime && response.requestTime <= response.responseTime)
            #expect(response.responseTime <= SystemTime().wall())
            let request = try #require(origin.requests.first)
            #expect(request.head.hasPrefix("GET /path?q=1 HTTP/1.1\r\n"))
            #expect(request.field("Accept") == "text/x")
            #expect(request.field("User-Agent") == "larder/1")
            #expect(request.field("Accept-Encoding") == nil)
            #expect(request.field("Host") == "127.0.0.1:\(origin.port)")
            #expect(rig.count(FetchCounters.fetches, "answered") == 1)
            #expect(rig.count(FetchCounters.receivedBytes) == 7)
        }
    }

    @Test func aConnectionIsKeptForTheNextRequest() async throws {
        let origin = ScriptedOrigin(answering: ok("x"))
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<3 { _ = try await rig.fetcher.fetch(order(origin.base + "/")) }
            #expect(origin.requests.map(\.connection) == [0, 0, 0])
            #expect(rig.count(FetchCounters.requests, "new") == 1)
            #expect(rig.count(FetchCounters.requests, "kept") == 2)
        }
    }

    @Test func aChunkedAnswerIsUnwrappedAndItsTrailersIgnored() async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nContent-Length: 9\r\nX-Late: 1\r\n\r\n")
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<2 {
                let response = try await rig.fetcher.fetch(order(origin.base + "/"))
                #expect(response.body.lossyText == "abcdefg")
                #expect(!response.fields.contains("X-Late"))
                #expect(!response.fields.contains("Content-Length"))
            }
            #expect(origin.requests.map(\.connection) == [0, 0])
        }
    }

    @Test func bytesOfACodingStayAsReceived() async throws {
        let bytes = Bytes(0...255)
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 256\r\n\r\n"), .sendBytes(bytes)]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/", fields: ["Accept-Encoding": "gzip"]))
            #expect(response.body == bytes)
            #expect(response.fields.first("Content-Encoding") == "gzip")
            #expect(origin.requests.first?.field("Accept-Encoding") == "gzip")
        }
    }

    @Test func interimAnswersArePassedOver() async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok("late"))
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/"))
            #expect(response.status == 200)
            #expect(!response.fields.contains("Link"))
            #expect(response.body.lossyText == "late")
        }
    }

    @Test(arguments: ["204 No Content", "304 Not Modified"])
    func anAnswerWithoutABodyEndsWithItsHead(status: String) async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\n")
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/"))
            #expect(response.body.isEmpty)
            #expect(response.fields.first("Content-Length") == "5")
        }
    }

    @Test func headHasNoBodyAndKeepsTheLengthTold() async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<2 {
                let response = try await rig.fetcher.fetch(order(origin.base + "/", method: .head, maxBody: 10))
                #expect(response.fields.first("content-length") == "99999999")
            }
            #expect(origin.requests.map(\.connection) == [0, 0])
            #expect(origin.requests.first?.head.hasPrefix("HEAD / HTTP/1.1") == true)
        }
    }

    @Test func aBodyThatEndsWithItsConnectionIsWhole() async throws {
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.0 200 OK\r\n\r\nold"), .close] }
        defer { origin.stop() }
        try await withRig { rig in
            let response = try await rig.fetcher.fetch(order(origin.base + "/"))
            #expect(response.body.lossyText == "old")
        }
    }

    @Test(arguments: [Method.post, .put, .patch, .delete])
    func aRequestBodyIsSentWithItsLengthOnly(method: Method) async throws {
        let origin = ScriptedOrigin(answering: ok(""))
        defer { origin.stop() }
        let body: Bytes = [1, 0, 2, 0x0D, 0x0A]
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(order(origin.base + "/", method: method, body: body))
            _ = try await rig.fetcher.fetch(
                order(origin.base + "/", method: method, fields: ["Content-Type": "a/b"], body: []))
            let requests = origin.requests
            #expect(requests.map(\.body) == [body, []])
            #expect(requests.allSatisfy { $0.head.hasPrefix("\(method) / HTTP/1.1") })
            #expect(requests.map { $0.field("Content-Length") } == ["5", "0"])
            #expect(requests.map { $0.field("Content-Type") } == [nil, "a/b"])
            #expect(requests.allSatisfy { $0.field("Expect") == nil })
        }
    }

    @Test func otherMethodsKeepTheirName() async throws {
        let origin = ScriptedOrigin(answering: ok("", fields: "Allow: GET\r\n"))
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(order(origin.base + "/", method: .options))
            #expect(origin.requests.first?.head.hasPrefix("OPTIONS / HTTP/1.1\r\n") == true)
        }
    }

    @Test func fieldsOfTheConnectionAreOurs() async throws {
        let origin = ScriptedOrigin(answering: ok(""))
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.fetcher.fetch(
                order(
                    origin.base + "/",
                    fields: [
                        "Host": "evil", "Transfer-Encoding": "chunked", "Content-Length": "7", "Connection": "close",
                        "Expect": "100-continue", "X-Empty": "", "X-Key": "weak", "User-Agent": "mine",
                    ], secretFields: ["X-Key": "strong"]))
            let request = try #require(origin.requests.first)
            #expect(request.field("Host") == "127.0.0.1:\(origin.port)")
            for name in ["Transfer-Encoding", "Content-Length", "Connection", "Expect"] {
                #expect(request.field(name) == nil)
            }
            #expect(request.field("X-Empty") == "")
            #expect(request.field("User-Agent") == "mine")
            #expect(request.head.contains("X-Key: strong"))
            #expect(!request.head.contains("weak"))
        }
    }

    @Test func aFieldThatWouldBeTwoNeverReachesTheWire() async throws {
        let origin = ScriptedOrigin(answering: ok(""))
        defer { origin.stop() }
        try await withRig { rig in
            let bad: [FetchOrder] = [
                order(origin.base + "/", fields: ["X": "a\r\nY: b"]),
                order(origin.base + "/", secretFields: ["X": "secret\nY: b"]),
                order(origin.base + "/", fields: ["X": "a\u{0}b"]),
                order(origin.base + "/", fields: ["X: y\r\nZ": "a"]),
                order(origin.base + "/", fields: ["": "a"]),
                order(origin.base + "/", method: Method("GET / HTTP/1.1\r\nX:")),
                order(origin.base + "/", method: Method("CONNECT")),
            ]
            for order in bad {
                let error = await rig.failure(order)
                #expect(error?.stage == .send)
                #expect(error?.message.contains("secret") == false)
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aHundredAtOnceAreAllAnsweredEachWithItsOwn() async throws {
        let origin = ScriptedOrigin { request in [.send(ok(String(request.target.dropFirst())))] }
        defer { origin.stop() }
        try await withRig(FetchSettings(maxTransfers: 32), time: ManualTime()) { rig in
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let response = try await rig.fetcher.fetch(order(origin.base + "/\(number)"))
                        return response.body.lossyText == "\(number)"
                    }
                }
                for try await right in group { #expect(right) }
            }
            #expect(origin.requests.count == 100)
            #expect(rig.count(FetchCounters.requests, "new") <= 8)
            #expect(rig.count(FetchCounters.active) == 0)
            #expect(rig.count(FetchCounters.waiting) == 0)
        }
    }

    @Test func beyondTheQueueAFetchIsOverloadedAndNothingIsSent() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("late"))] }
        defer { origin.stop() }
        try await withRig(FetchSettings(maxTransfers: 1, maxQueue: 1), time: ManualTime()) { rig in
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask { await rig.outcome(order(origin.base + "/")) }
                }
                // Two exchanges are held. The first one to end is the one that was turned away.
                let first = await group.next()
                guard case .failure(let error)? = first else {
                    Issue.record("nobody was turned away")
                    return gate.open()
                }
                #expect(error.stage == .overloaded)
                gate.open()
                for await outcome in group { #expect((try? outcome.get())?.body.lossyText == "late") }
            }
            #expect(origin.requests.count == 2)
            #expect(rig.count(FetchCounters.fetches, "overloaded") == 1)
        }
    }

    @Test func aBusyOriginDoesNotHoldUpAnother() async throws {
        let gate = Gate()
        let slow = ScriptedOrigin { _ in [.await(gate), .send(ok("slow"))] }
        let quick = ScriptedOrigin(answering: ok("quick"))
        defer {
            slow.stop()
            quick.stop()
        }
        let settings = FetchSettings(maxTransfers: 2, standard: ExchangeLimits(maxConnections: 1))
        try await withRig(settings, time: ManualTime()) { rig in
            async let first = rig.outcome(order(slow.base + "/1"))
            async let second = rig.outcome(order(slow.base + "/2"))
            let third = await rig.outcome(order(quick.base + "/"))
            #expect((try? third.get())?.body.lossyText == "quick")
            gate.open()
            #expect((try? await first.get())?.body.lossyText == "slow")
            #expect((try? await second.get())?.body.lossyText == "slow")
        }
    }
}
