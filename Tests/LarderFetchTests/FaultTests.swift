import CLinux
import Glibc
import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Synchronization
import Testing

@Suite struct FaultTests {
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n",
        "",
    ])
    func anAnswerCutOffIsNone(bytes: String) async throws {
        let origin = ScriptedOrigin { _ in [.send(bytes), .close] }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/secret?key=1"))
            #expect(error?.stage == .receive)
            #expect(error?.origin == origin.base)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: BadHead.all)
    func aHeadThatTwoReadersCouldReadDifferentlyIsBrokenAndItsConnectionNotUsedAgain(_ head: BadHead) async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/bad" ? [.send(head.bytes + "\r\n12345")] : [.send(ok("good"))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/bad", mayRetry: true))
            #expect(error?.stage == .malformed, "curl \(error?.curlCode ?? 0)")
            #expect(await rig.text(order(origin.base + "/good")) == "good")
            #expect(origin.requests.map(\.connection) == [0, 1])
        }
    }

    @Test(arguments: [
        "zz\r\nabc\r\n0\r\n\r\n", "\r\nabc\r\n", "fffffffffffffffffff\r\nabc", "-5\r\nabcde\r\n", "3\r\nabcXX0\r\n",
    ])
    func aChunkThatCannotBeReadIsBroken(chunks: String) async throws {
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks), .hold]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/", mayRetry: true))
            #expect(error?.stage == .malformed, "curl \(error?.curlCode ?? 0)")
            #expect(error?.message.contains("chunks") == true)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [1, 3000])
    func aHeadThatIsTooLargeIsBroken(lines: Int) async throws {
        // One line of 200 KB, or many short lines. libcurl has a separate limit for each.
        let line = "X-Long: " + String(repeating: "a", count: lines == 1 ? 200_000 : 120) + "\r\n"
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines) + "Content-Length: 0\r\n\r\n"
        let origin = ScriptedOrigin { _ in [.send(head), .hold] }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/", mayRetry: true))
            #expect(error?.stage == .malformed, "curl \(error?.curlCode ?? 0): \(error?.message ?? "")")
            #expect(error?.message.contains("head") == true)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatFollowsAWholeAnswerUnaskedEndsTheConnection() async throws {
        let origin = ScriptedOrigin { request in
            [.send(ok("one") + (request.connection == 0 ? ok("forged") : ""))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.text(order(origin.base + "/1")) == "one")
            #expect(await rig.text(order(origin.base + "/2")) == "one")
            #expect(origin.requests.map(\.connection) == [0, 1])
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func aBodyBeyondTheLimitIsBrokenOff(head: String) async throws {
        let isChunked = head.contains("chunked")
        let piece =
            Bytes((isChunked ? "64\r\n" : "").utf8) + Bytes(repeating: 0x61, count: 100)
            + Bytes((isChunked ? "\r\n" : "").utf8)
        let origin = ScriptedOrigin { _ in [.send(head), .flood(piece)] }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order(origin.base + "/", maxBody: 1000))
            #expect(error?.stage == .tooLarge)
            // A Content-Length above the limit is rejected before the body is read.
            #expect((rig.count(FetchCounters.receivedBytes) == 0) == head.contains("1001"))
        }
    }

    @Test func aBodyOfExactlyTheLimitIsTaken() async throws {
        let origin = ScriptedOrigin(answering: ok(String(repeating: "a", count: 1000)))
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.text(order(origin.base + "/", maxBody: 1000)).utf8.count == 1000)
        }
    }

    @Test func aHeadWithoutEndIsRefused() async throws {
        let origin = ScriptedOrigin { _ in
            [.send("HTTP/1.1 200 OK\r\n"), .flood(Bytes("X-Filler: \(String(repeating: "a", count: 1000))\r\n".utf8))]
        }
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.failure(order(origin.base + "/"))?.stage == .malformed)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func theDeadlineEndsAnExchangeAtAnyPoint(bytes: String) async throws {
        let reached = Atomic(false)
        let origin = ScriptedOrigin { _ in
            [.send(bytes), .call { reached.store(true, ordering: .releasing) }, .hold]
        }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(time: time) { rig in
            async let pending = rig.failure(order(origin.base + "/", deadline: .seconds(20), mayRetry: true))
            try await eventually { reached.load(ordering: .acquiring) }
            time.advance(by: .milliseconds(19_999))
            await rig.turn()
            #expect(rig.count(FetchCounters.fetches, "timedOut") == 0)
            time.advance(by: .milliseconds(1))
            await rig.turn()
            let error = await pending
            #expect(error?.stage == .timedOut)
            #expect(error?.message == "No whole answer came within 20s.")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func withoutTimeNothingIsSent() async throws {
        let origin = ScriptedOrigin(answering: ok("x"))
        defer { origin.stop() }
        try await withRig { rig in
            #expect(await rig.failure(order(origin.base + "/", deadline: .zero))?.stage == .timedOut)
            #expect(origin.connections == 0)
        }
    }

    @Test func whoWaitsForItsTurnAsksNothingOfTheOrigin() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(FetchSettings(maxTransfers: 1), time: time) { rig in
            async let first = rig.failure(order(origin.base + "/1", deadline: .seconds(60)))
            // The second request starts only now, because the first of the two to arrive gets the place.
            try await eventually { origin.requests.count == 1 }
            async let second = rig.failure(order(origin.base + "/2", deadline: .seconds(1)))
            try await eventually { rig.count(FetchCounters.waiting) == 1 && origin.requests.count == 1 }
            time.advance(by: .seconds(60))
            rig.loop.post {}
            #expect(await first?.stage == .timedOut)
            // The second request waited for a place and was never sent, so the origin is not to blame.
            #expect(await second?.stage == .overloaded)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func cancellingTheTaskClosesTheConnection() async throws {
        let reached = Atomic(false)
        let left = Atomic(false)
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
                .call { reached.store(true, ordering: .releasing) }, .hold,
                .call { left.store(true, ordering: .releasing) },
            ]
        }
        defer { origin.stop() }
        try await withRig { rig in
            let task = Task { await rig.failure(order(origin.base + "/", mayRetry: true)) }
            try await eventually { reached.load(ordering: .acquiring) }
            task.cancel()
            #expect(await task.value?.stage == .cancelled)
            try await eventually { left.load(ordering: .acquiring) }
            #expect(rig.count(FetchCounters.active) == 0)
        }
    }

    @Test func aTaskCancelledBeforehandSendsNothing() async throws {
        let origin = ScriptedOrigin(answering: ok("x"))
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<50 {
                let gate = Gate()
                let task = Task {
                    await gate.pass()
                    return await rig.failure(order(origin.base + "/"))
                }
                task.cancel()
                gate.open()
                #expect(await task.value?.stage == .cancelled)
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func cancellingAtAnyMomentGivesOneOutcome() async throws {
        let origin = ScriptedOrigin(answering: ok("x"))
        defer { origin.stop() }
        try await withRig { rig in
            for spins in 0..<200 {
                let task = Task { await rig.outcome(order(origin.base + "/")) }
                for _ in 0..<spins { await Task.yield() }
                task.cancel()
                switch await task.value {
                case .success(let response): #expect(response.body.lossyText == "x")
                case .failure(let error): #expect(error.stage == .cancelled)
                }
            }
            #expect(rig.count(FetchCounters.active) == 0)
        }
    }

    @Test func shutdownCancelsWhatRunsAndRefusesWhatComes() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await withRig(FetchSettings(maxTransfers: 2), time: ManualTime()) { rig in
            let tasks = (0..<4).map { number in Task { await rig.failure(order(origin.base + "/\(number)")) } }
            try await eventually { origin.requests.count == 2 && rig.count(FetchCounters.waiting) == 2 }
            await rig.fetcher.shutdown()
            for task in tasks { #expect(await task.value?.stage == .cancelled) }
            #expect(await rig.failure(order(origin.base + "/"))?.stage == .cancelled)
        }
    }

    @Test func aClosedPortIsAFaultOfConnecting() async throws {
        let closed = LoopbackPort()
        try await withRig { rig in
            let error = await rig.failure(order("http://127.0.0.1:\(closed.number)/", mayRetry: true))
            #expect(error?.stage == .connect)
            #expect(error?.curlCode == 7)
        }
        withExtendedLifetime(closed) {}
    }

    @Test func aNameThatDoesNotExistIsAFaultOfResolving() async throws {
        try await withRig { rig in
            let error = await rig.failure(order("http://\(impossibleName)/path?key=secret"))
            #expect(error?.stage == .resolve)
            #expect(error?.origin == "http://\(impossibleName)")
        }
    }

    @Test func aPlainServerBehindHTTPSIsAFaultOfTLS() async throws {
        let origin = ScriptedOrigin(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _ in [.close] }
        defer { origin.stop() }
        try await withRig { rig in
            let error = await rig.failure(order("https://127.0.0.1:\(origin.port)/"))
            #expect(error?.stage == .secure)
        }
    }

    @Test func aMissingFileOfAuthoritiesIsAFaultOfTLS() async throws {
        let origin = ScriptedOrigin(greeting: "x") { _ in [.close] }
        defer { origin.stop() }
        try await withRig(FetchSettings(caFile: "/nonexistent/ca.pem")) { rig in
            #expect(await rig.failure(order("https://127.0.0.1:\(origin.port)/"))?.stage == .secure)
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/", "http://user:word@127.0.0.1/",
        "http://user@127.0.0.1/", "/relative", "", "http://", "127.0.0.1", "http://a b/", "http://127.0.0.1:99999/",
        "http://127.0.0.1/\u{0}", "http://127.0.0.1/\n", "javascript:alert(1)",
    ])
    func aURLThatIsNotFetchedIsForbiddenAndNotRepeated(url: String) async throws {
        try await withRig { rig in
            let error = await rig.failure(order(url))
            #expect(error?.stage == .forbidden)
            #expect(error?.description.contains("word") == false)
        }
    }
}

/// A name that no host can have, because a label has at most 63 octets (RFC 1035 §2.3.4). The resolver refuses it
/// without asking a name server, whose answer may take long or be wrong.
let impossibleName = String(repeating: "n", count: 64)

/// Response heads that libcurl accepts and Larder rejects.
struct BadHead: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: String

    private init(_ name: String, _ bytes: String) {
        testDescription = name
        self.bytes = bytes
    }

    static let all: [BadHead] = [
        BadHead("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n"),
        BadHead("a list of two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5, 3\r\n"),
        BadHead("a length in an interim answer", "HTTP/1.1 103 Early\r\nContent-Length: 5\r\n"),
        BadHead("a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n"),
        BadHead("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n"),
        BadHead("a length with a tail", "HTTP/1.1 200 OK\r\nContent-Length: 5 x\r\n"),
        BadHead("an empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n"),
        BadHead("a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        BadHead("chunks and a length", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
        BadHead("an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: cow\r\n"),
        BadHead("a coded transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"),
        BadHead("chunked twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        BadHead("identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n"),
        BadHead("chunks in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n"),
        BadHead("a folded line", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n"),
        BadHead("a folded first line", "HTTP/1.1 200 OK\r\n X: a\r\nContent-Length: 5\r\n"),
        BadHead("a bare line feed", "HTTP/1.1 200 OK\r\nX: a\nContent-Length: 5\r\n"),
        BadHead("a bare line feed after the status", "HTTP/1.1 200 OK\nContent-Length: 5\r\n"),
        BadHead("a bare carriage return", "HTTP/1.1 200 OK\r\nX: a\rY: b\r\nContent-Length: 5\r\n"),
        BadHead("a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n"),
        BadHead("no colon", "HTTP/1.1 200 OK\r\nContent-Length 5\r\n"),
        BadHead("an empty name", "HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 5\r\n"),
        BadHead("a NUL", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 5\r\n"),
        BadHead("a name that is no token", "HTTP/1.1 200 OK\r\nX(y): a\r\nContent-Length: 5\r\n"),
        BadHead("no HTTP at all", "220 mail.example ESMTP\r\n"),
        BadHead("HTTP/2 in the clear", "HTTP/2 200\r\nContent-Length: 5\r\n"),
        BadHead("HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 5\r\n"),
        BadHead("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 5\r\n"),
        BadHead("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n"),
        BadHead("a status beyond 599", "HTTP/1.1 600 OK\r\nContent-Length: 5\r\n"),
        BadHead("a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"),
    ]
}
