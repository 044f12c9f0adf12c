import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Synchronization
import Testing

@Suite struct StreamTests {
    @Test func theHeadComesBeforeTheBody() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 203 Fine\r\nContent-Length: 8\r\nX: y\r\n\r\n"), .await(gate), .send("abcd"),
                .send("efgh"),
            ]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/p?q"))
            #expect(stream.head.status == 203)
            #expect(stream.head.reason == "Fine")
            #expect(stream.head.fields.first("x") == "y")
            #expect(stream.head.length == 8)
            #expect(stream.head.url == origin.base + "/p?q")
            #expect(!stream.head.isVersion10)
            #expect(!stream.body.hasEnded && stream.body.count == 0)
            gate.open()
            #expect(await text(stream.body) == "abcdefgh")
            #expect(stream.body.whole == Bytes("abcdefgh".utf8))
            try await eventually { rig.count(FetchCounters.fetches, "answered") == 1 }
            // The connection was kept.
            _ = try await rig.open(order(origin.base + "/"))
            #expect(origin.requests.map(\.connection) == [0, 0])
        }
    }

    @Test(arguments: [
        (ok("small"), "small", Int64(5)), (ok(""), "", 0),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nsmall\r\n0\r\nX: y\r\n\r\n", "small", -1),
        ("HTTP/1.1 204 No\r\n\r\n", "", 0), ("HTTP/1.1 304 No\r\nContent-Length: 7\r\n\r\n", "", 0),
    ])
    func aBodyThatComesWithItsHeadIsWholeOnReturn(answer: String, body: String, length: Int64) async throws {
        let origin = ScriptedOrigin(answering: answer)
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<3 {
                let stream = try await rig.open(order(origin.base + "/"))
                #expect(stream.body.whole == Bytes(body.utf8))
                #expect(stream.head.length == (length < 0 ? nil : length))
                #expect(!stream.head.fields.contains("X"))
                stream.cancel()
            }
            #expect(rig.count(FetchCounters.fetches, "answered") == 3)
            #expect(origin.requests.map(\.connection) == [0, 0, 0])
        }
    }

    @Test func headAnswersHaveNoBody() async throws {
        let origin = ScriptedOrigin(answering: "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/", method: .head))
            #expect(stream.head.length == 0)
            #expect(stream.head.fields.first("Content-Length") == "99999999")
            #expect(stream.body.whole == [])
        }
    }

    @Test func anOldAnswerEndsWithItsConnection() async throws {
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.0 200 OK\r\n\r\nold"), .close] }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/"))
            #expect(stream.head.isVersion10)
            #expect(stream.head.length == nil)
            #expect(await text(stream.body) == "old")
        }
    }

    @Test func interimHeadsAreHandedOutWithTheFinalOne() async throws {
        let origin = ScriptedOrigin(
            answering: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
                + "HTTP/1.1 102 Processing\r\n\r\n" + ok("late"))
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/"))
            #expect(stream.head.interim.map(\.status) == [103, 102])
            #expect(stream.head.interim.first?.fields == ["Link": "</a>"])
            #expect(stream.head.status == 200)
            #expect(await text(stream.body) == "late")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nbody",
        "HTTP/1.1 200\r\nX: \u{E9}\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 64 * 1024))\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\n\(String(repeating: "X: a\r\n", count: 511))Content-Length: 4\r\n\r\nbody",
    ])
    func whatIsOddButLegalPasses(answer: String) async throws {
        let origin = ScriptedOrigin(answering: answer)
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<2 {
                let stream = try await rig.open(order(origin.base + "/"))
                #expect(stream.head.fields.all("Content-Length") == ["4"])
                #expect(await text(stream.body) == "body")
            }
            #expect(origin.requests.map(\.connection) == [0, 0])
        }
    }

    @Test(arguments: [true, false])
    func aLargeBodyPassesExactlyThroughASmallWindow(isChunked: Bool) async throws {
        let piece = 1 << 16
        let pieces = 64 << 4
        let total = pieces * piece
        let origin = RawOrigin()
        try await withRig { rig in
            async let served = origin.serve { connection -> Bool in
                guard connection.head() != nil else { return false }
                connection.say(
                    "HTTP/1.1 200 OK\r\n"
                        + (isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(total)") + "\r\n\r\n")
                for index in 0..<pieces {
                    if isChunked { connection.say("10000\r\n") }
                    guard connection.say(pattern(piece, at: index * piece)) else { return false }
                    if isChunked { connection.say("\r\n") }
                }
                if isChunked { connection.say("0\r\n\r\n") }
                return true
            }
            let stream = try await rig.open(order(origin.base + "/", maxBody: 1 << 30))
            let slow = try #require(stream.body.reader())
            let quick = try #require(stream.body.reader())
            let most = Atomic(0)
            async let first = readAll(slow) {
                for _ in 0..<5 { await Task.yield() }
            }
            async let second = readAll(quick) {
                most.store(max(most.load(ordering: .relaxed), stream.body.held), ordering: .relaxed)
            }
            #expect(await first == Passed(count: total))
            #expect(await second == Passed(count: total))
            #expect(try await served)
            #expect(stream.body.failure == nil && stream.body.hasEnded)
            // The bound is the window plus what one write may add.
            #expect(most.load(ordering: .relaxed) <= (1 << 20) + (1 << 16))
        }
    }

    @Test func aFullTapeStopsItsOriginAndReadingLetsItGoOn() async throws {
        let origin = RawOrigin()
        let total = 64 << 20
        try await withRig(FetchSettings(streamWindow: 1 << 18)) { rig in
            let sent = Atomic(0)
            async let served = origin.serve { connection in
                _ = connection.head()
                connection.say("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
                while sent.load(ordering: .relaxed) < total,
                    connection.say(pattern(1 << 16, at: sent.load(ordering: .relaxed)))
                {
                    sent.wrappingAdd(1 << 16, ordering: .relaxed)
                }
            }
            let stream = try await rig.open(order(origin.base + "/", maxBody: 1 << 30))
            let reader = try #require(stream.body.reader())
            try await eventually { stream.body.count >= 1 << 18 }
            // Many turns later nothing more has been taken.
            for _ in 0..<2000 { await rig.turn() }
            #expect(stream.body.count <= (1 << 18) + (1 << 16))
            #expect(sent.load(ordering: .relaxed) < total)
            #expect(await readAll(reader) == Passed(count: total))
            try await served
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n",
    ])
    func aBodyThatIsCutOffNeverEndsCleanly(bytes: String) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            [.send(bytes)] + (request.target == "/late" ? [.await(gate)] : []) + [.close]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/late"))
            let reader = try #require(stream.body.reader())
            #expect(try await reader.next() == Bytes("half".utf8))
            gate.open()
            await #expect(throws: BodyFailure.self) { _ = try await reader.next() }
            #expect(stream.body.failure != nil && stream.body.whole == nil)
            // The response is cut off at once. Whether the head was handed out or not, it is not a whole response.
            switch await rig.opened(order(origin.base + "/")) {
            case .success(let stream): #expect(await text(stream.body).hasPrefix("half! "))
            case .failure(let error): #expect(error.stage == .receive || error.stage == .malformed)
            }
            #expect(rig.count(FetchCounters.fetches, "answered") == 0)
        }
    }

    @Test func whenNobodyReadsAnyMoreTheConnectionIsClosed() async throws {
        let left = Atomic(0)
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold,
                .call { left.wrappingAdd(1, ordering: .releasing) },
            ]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/1"))
            let (one, two) = (try #require(stream.body.reader()), try #require(stream.body.reader()))
            #expect(try await one.next() == Bytes("half".utf8))
            one.abandon()
            await rig.turn()
            #expect(left.load(ordering: .acquiring) == 0 && !stream.body.hasEnded)
            two.abandon()
            try await eventually { left.load(ordering: .acquiring) == 1 }
            try await eventually { stream.body.failure != nil }

            let other = try await rig.open(order(origin.base + "/2"))
            other.cancel()
            other.cancel()
            try await eventually { left.load(ordering: .acquiring) == 2 }
            #expect(await text(other.body) == "half! Nobody waits for it any more.")
            #expect(rig.count(FetchCounters.active) == 0)
        }
    }

    @Test func theDeadlineEndsWithTheHeadAndThenTheStallLimitCounts() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), .await(gate), .send("cd"), .hold]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let stream = try await rig.open(order(origin.base + "/", deadline: .seconds(5)), stall: .seconds(30))
            let reader = try #require(stream.body.reader())
            #expect(try await reader.next() == Bytes("ab".utf8))
            time.advance(by: .seconds(29))
            await rig.turn()
            gate.open()
            #expect(try await reader.next() == Bytes("cd".utf8))
            time.advance(by: .milliseconds(29_999))
            await rig.turn()
            #expect(!stream.body.hasEnded)
            time.advance(by: .milliseconds(1))
            await rig.turn()
            #expect(stream.body.failure?.reason == "Nothing came for 30s.")
            #expect(rig.count(FetchCounters.fetches, "timedOut") == 1)
        }
    }

    /// Nil permits any silence. An event stream is silent while nothing happens, whatever the limit is.
    @Test(arguments: [("text/event-stream", Duration.seconds(1)), ("text/plain", nil)] as [(String, Duration?)])
    func aBodyWhoseSilenceHasNoLimitIsNotGivenUp(_ type: String, _ stall: Duration?) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 4\r\n\r\nab"), .await(gate),
                .send("cd"),
            ]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let stream = try await rig.open(order(origin.base + "/"), stall: stall)
            let reader = try #require(stream.body.reader())
            #expect(try await reader.next() == Bytes("ab".utf8))
            for _ in 0..<5 {
                time.advance(by: .seconds(600))
                await rig.turn()
            }
            #expect(!stream.body.hasEnded)
            gate.open()
            #expect(try await reader.next() == Bytes("cd".utf8))
        }
    }

    @Test func whileTheTapeIsFullNoTimeCountsAgainstTheOrigin() async throws {
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n"),
                .sendBytes(pattern(4_000_000)),
            ]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(FetchSettings(streamWindow: 1 << 16), time: time) { rig in
            let stream = try await rig.open(order(origin.base + "/", maxBody: 1 << 30), stall: .seconds(1))
            let reader = try #require(stream.body.reader())
            try await eventually { stream.body.count >= 1 << 16 }
            for _ in 0..<10 {
                time.advance(by: .seconds(10))
                await rig.turn()
            }
            #expect(await readAll(reader) == Passed(count: 4_000_000))

            // Without a reader the transfer is abandoned in the end.
            let other = try await rig.open(order(origin.base + "/", maxBody: 1 << 30), stall: .seconds(1))
            try await eventually { other.body.count >= 1 << 16 }
            for _ in 0..<5 {
                time.advance(by: .seconds(1))
                await rig.turn()
            }
            #expect(other.body.failure?.reason == "Nobody reads the answer.")
        }
    }

    @Test func theLimitOfABodyHolds() async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/told"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\n\r\n"), .flood(Bytes(repeating: 0x61, count: 100))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            guard case .failure(let error) = await rig.opened(order(origin.base + "/told", maxBody: 1000)) else {
                Issue.record("taken")
                return
            }
            #expect(error.stage == .tooLarge)
            switch await rig.opened(order(origin.base + "/", maxBody: 1000)) {
            case .success(let stream):
                try await eventually { stream.body.hasEnded }
                #expect(stream.body.failure != nil && stream.body.count <= 1000)
            case .failure(let error): #expect(error.stage == .tooLarge)
            }
            #expect(rig.count(FetchCounters.fetches, "tooLarge") == 2)
        }
    }

    @Test func redirectsAreFollowedBeforeTheHead() async throws {
        let origin = ScriptedOrigin { request in
            switch request.target {
            case "/a": [.send(ok("moved", status: "302 Found", fields: "Location: /b\r\n"))]
            case "/b": [.send("HTTP/1.1 307 Go\r\nLocation: /c\r\nContent-Length: 90000000\r\n\r\nnever all of it")]
            default: [.send(ok("there"))]
            }
        }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(
                order(origin.base + "/a", maxBody: 1 << 30, maxRedirects: 3, permits: { _ in .configured }))
            #expect(stream.head.redirects == 2)
            #expect(stream.head.url == origin.base + "/c")
            #expect(await text(stream.body) == "there")
            // The fetcher reads a small body to keep the connection, and abandons a large one.
            #expect(origin.requests.map(\.connection) == [0, 0, 1])
            let plain = try await rig.open(order(origin.base + "/a"))
            #expect(plain.head.status == 302)
            #expect(await text(plain.body) == "moved")
        }
    }

    @Test func theSecondTryComesBeforeTheHead() async throws {
        let count = LarderCore.Lock(0)
        let origin = ScriptedOrigin { _ in
            count.withLock {
                $0 += 1; return $0
            } == 1 ? [.send("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy")] : [.send(ok("second"))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/", mayRetry: true))
            #expect(stream.head.status == 200)
            #expect(await text(stream.body) == "second")
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: BadHead.all)
    func aHeadThatTwoReadersCouldReadDifferentlyIsNotHandedOut(_ head: BadHead) async throws {
        let origin = ScriptedOrigin(answering: head.bytes + "\r\n12345")
        defer { origin.stop() }
        try await withRig { rig in
            guard case .failure(let error) = await rig.opened(order(origin.base + "/")) else {
                Issue.record("handed out")
                return
            }
            #expect(error.stage == .malformed)
        }
    }

    @Test func shutdownFailsWhatIsUnderWay() async throws {
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(order(origin.base + "/"))
            await rig.fetcher.shutdown()
            #expect(stream.body.failure?.reason == "The fetcher has been shut down.")
            guard case .failure(let error) = await rig.opened(order(origin.base + "/")) else {
                Issue.record("opened")
                return
            }
            #expect(error.stage == .cancelled)
        }
    }
}
