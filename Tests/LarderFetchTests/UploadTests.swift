import LarderCore
import LarderFetch
import LarderTestSupport
import Synchronization
import Testing

@Suite struct UploadTests {
    @Test(arguments: [0, 1, 65_536, 5_000_001])
    func aBodyOfKnownLengthArrivesExactly(count: Int) async throws {
        let origin = RawOrigin()
        let reader = PatternReader(count)
        try await withRig { rig in
            async let served = origin.serve { connection -> (head: String, body: Bytes) in
                let head = connection.head() ?? ""
                let body = connection.take(count)
                connection.say(ok("thanks"))
                return (head, body)
            }
            let stream = try await rig.open(
                order(origin.base + "/up", method: .put, fields: ["Content-Type": "a/b"]),
                upload: Upload(reader: reader, length: Int64(count), expectsContinue: false))
            #expect(stream.head.status == 200)
            #expect(await text(stream.body) == "thanks")
            let seen = try await served
            #expect(seen.head.hasPrefix("PUT /up HTTP/1.1\r\n"))
            #expect(seen.head.contains("\r\nContent-Length: \(count)"))
            #expect(seen.head.contains("\r\nContent-Type: a/b"))
            #expect(!seen.head.contains("Expect") && !seen.head.contains("Transfer-Encoding"))
            #expect(seen.body == pattern(count))
        }
        #expect(reader.isAbandoned)
    }

    @Test func aBodyOfUnknownLengthGoesInChunks() async throws {
        let origin = RawOrigin()
        try await withRig { rig in
            async let served = origin.serve { connection -> (head: String, body: Bytes, isWhole: Bool) in
                let head = connection.head() ?? ""
                let (body, isWhole) = connection.chunked()
                connection.say(ok("thanks"))
                return (head, body, isWhole)
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: PatternReader(3_000_000), length: nil, expectsContinue: false))
            #expect(await text(stream.body) == "thanks")
            let seen = try await served
            #expect(seen.head.hasPrefix("POST / HTTP/1.1\r\n"))
            #expect(seen.head.contains("\r\nTransfer-Encoding: chunked"))
            #expect(!seen.head.contains("Expect") && !seen.head.contains("Content-Length"))
            #expect(seen.isWhole && seen.body == pattern(3_000_000))
        }
    }

    @Test func theBodyWaitsForTheHundred() async throws {
        let origin = RawOrigin()
        let reader = PatternReader(100_000)
        // The clock stands still: a server that answers slowly must not count as silent.
        try await withRig(time: ManualTime()) { rig in
            async let served = origin.serve { connection -> (head: String, asked: Int, body: Bytes) in
                let head = connection.head() ?? ""
                let asked = reader.asked
                connection.say("HTTP/1.1 100 Continue\r\n\r\n")
                let body = connection.take(100_000)
                connection.say(ok("thanks"))
                return (head, asked, body)
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: reader, length: 100_000, expectsContinue: true))
            #expect(await text(stream.body) == "thanks")
            #expect(stream.head.interim.isEmpty)
            let seen = try await served
            #expect(seen.head.contains("\r\nExpect: 100-continue"))
            #expect(seen.asked == 0)
            #expect(seen.body == pattern(100_000))
        }
    }

    @Test func anUpstreamThatSaysNothingGetsTheBodyAfterASecond() async throws {
        let origin = RawOrigin()
        let reader = PatternReader(1000)
        let time = ManualTime()
        try await withRig(time: time) { rig in
            let arrived = Atomic(false)
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                arrived.store(true, ordering: .releasing)
                let body = connection.take(1000)
                connection.say(ok("thanks"))
                return body
            }
            async let opened = rig.opened(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: reader, length: 1000, expectsContinue: true))
            try await eventually { arrived.load(ordering: .acquiring) }
            for _ in 0..<100 { await rig.turn() }
            time.advance(by: .milliseconds(999))
            await rig.turn()
            #expect(reader.asked == 0)
            time.advance(by: .milliseconds(1))
            await rig.turn()
            #expect(try await served == pattern(1000))
            let stream = try await opened.get()
            #expect(await text(stream.body) == "thanks")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 417 No\r\nContent-Length: 4\r\n\r\nnope", "HTTP/1.1 413 No\r\nConnection: close\r\n\r\nnope",
        "HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnope",
        "HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnope\r\n0\r\n\r\n",
    ])
    func aRefusalInsteadOfTheHundredSparesTheBody(answer: String) async throws {
        let origin = RawOrigin()
        let reader = PatternReader(1000)
        // The clock stands still: a server that answers slowly must not count as silent.
        try await withRig(time: ManualTime()) { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                connection.say(answer)
                connection.endSending()
                return connection.rest()
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: reader, length: 1000, expectsContinue: true))
            #expect([401, 413, 417].contains(stream.head.status))
            #expect(await text(stream.body) == "nope")
            #expect(try await served == [])
            #expect(reader.asked == 0 && reader.isAbandoned)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 413 No\r\nContent-Length: 4\r\n\r\nnope", "HTTP/1.1 413 No\r\nConnection: close\r\n\r\nnope",
    ])
    func anEarlyErrorEndsAnUploadWhoseSenderIsStillSlow(answer: String) async throws {
        let origin = RawOrigin()
        let reader = StuckReader()
        try await withRig { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                let first = connection.take(5)
                connection.say(answer)
                connection.endSending()
                return first + connection.rest()
            }
            let stream = try await rig.open(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: reader, length: nil, expectsContinue: false))
            #expect(stream.head.status == 413)
            #expect(await text(stream.body) == "nope")
            let seen = try await served
            #expect(!seen.lossyText.contains("0\r\n\r\n"))
            #expect(reader.isAbandoned)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["", "HTTP/1.1 200 O"])
    func anUpstreamThatClosesBeforeItsAnswerIsNotWaitedForWithASlowSender(answer: String) async throws {
        let origin = RawOrigin()
        let reader = StuckReader()
        try await withRig { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                // Reads all the bytes, chunk and line ends included. The close is then an end and not a reset.
                let first = connection.take(10)
                if !answer.isEmpty { connection.say(answer) }
                connection.endSending()
                return first + connection.rest()
            }
            let outcome = await rig.opened(
                order(origin.base + "/", method: .post, mayRetry: true),
                upload: Upload(reader: reader, length: nil, expectsContinue: false))
            guard case .failure(let error) = outcome else {
                Issue.record("answered")
                return
            }
            #expect(error.stage == .receive, "\(error)")
            let seen = try await served
            #expect(seen == Bytes("5\r\nhello\r\n".utf8))
            #expect(reader.isAbandoned)
        }
    }

    @Test(arguments: [nil, 100_000] as [Int64?])
    func aReaderThatFailsNeverLetsTheUpstreamSeeACleanEnd(length: Int64?) async throws {
        let origin = RawOrigin()
        try await withRig { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                return connection.rest()
            }
            let outcome = await rig.opened(
                order(origin.base + "/", method: .post, mayRetry: true),
                upload: Upload(
                    reader: PatternReader(100_000, failsAt: 50_000), length: length, expectsContinue: false))
            guard case .failure(let error) = outcome else {
                Issue.record("answered")
                return
            }
            #expect(error.stage == .cancelled)
            let seen = try await served
            #expect(seen.count < 60_000)
            #expect(!seen.lossyText.hasSuffix("0\r\n\r\n"))
        }
    }

    /// The body is longer than what is collected before the transfer, so a wrong length is found during the transfer.
    @Test(arguments: [Int64(99_999), 100_001])
    func aBodyOfAnotherLengthThanSaidIsNotPassedOnAsWhole(length: Int64) async throws {
        let origin = RawOrigin()
        try await withRig { rig in
            async let served = origin.serve { connection -> Bytes in
                _ = connection.head()
                return connection.rest()
            }
            let outcome = await rig.opened(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: PatternReader(100_000), length: length, expectsContinue: false))
            guard case .failure = outcome else {
                Issue.record("answered")
                return
            }
            let seen = try await served
            #expect(seen.count < length)
        }
    }

    @Test(arguments: [Int64(999), 1001])
    func aShortBodyOfAnotherLengthThanSaidIsNotSentAtAll(length: Int64) async throws {
        let origin = ScriptedOrigin(answering: ok("x"))
        defer { origin.stop() }
        try await withRig { rig in
            let outcome = await rig.opened(
                order(origin.base + "/", method: .post),
                upload: Upload(reader: PatternReader(1000), length: length, expectsContinue: false))
            guard case .failure = outcome else {
                Issue.record("answered")
                return
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func anUploadHasAConnectionOfItsOwnAndIsNotSentTwice() async throws {
        let origin = ScriptedOrigin { request in request.target == "/ok" ? [.send(ok("x"))] : [.reset] }
        defer { origin.stop() }
        try await withRig { rig in
            _ = try await rig.open(order(origin.base + "/ok"))
            let outcome = await rig.opened(
                order(origin.base + "/", method: .put, mayRetry: true),
                upload: Upload(reader: PatternReader(10), length: 10, expectsContinue: false))
            guard case .failure(let error) = outcome else {
                Issue.record("answered")
                return
            }
            #expect(error.stage == .receive)
            #expect(origin.requests.map(\.connection) == [0, 1])
        }
    }

    @Test func theConnectionOfAnUploadIsNotKept() async throws {
        let origin = ScriptedOrigin { _ in [.send(ok("x"))] }
        defer { origin.stop() }
        try await withRig { rig in
            let stream = try await rig.open(
                order(origin.base + "/", method: .put),
                upload: Upload(reader: PatternReader(10), length: 10, expectsContinue: false))
            #expect(await text(stream.body) == "x")
            for _ in 0..<2 { _ = try await rig.open(order(origin.base + "/")) }
            #expect(origin.requests.map(\.connection) == [0, 1, 1])
        }
    }

    @Test func aSlowSenderIsNotTheUpstreamsFault() async throws {
        let origin = RawOrigin()
        let reader = StuckReader()
        let time = ManualTime()
        try await withRig(time: time) { rig in
            async let served = origin.serve { connection -> Bool in
                _ = connection.head()
                let (_, isWhole) = connection.chunked()
                connection.say(ok("thanks"))
                return isWhole
            }
            async let opened = rig.opened(
                order(origin.base + "/", method: .post, deadline: .seconds(5)),
                upload: Upload(reader: reader, length: nil, expectsContinue: false))
            try await eventually { reader.isWaiting }
            for _ in 0..<10 {
                time.advance(by: .seconds(4))
                await rig.turn()
            }
            reader.end()
            #expect(try await served)
            let stream = try await opened.get()
            #expect(await text(stream.body) == "thanks")
        }
    }
}

/// Gives five bytes and then nothing, until it is told to end or is abandoned.
final class StuckReader: BodyReader {
    private struct State {
        var hasGiven = false
        var isAbandoned = false
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }
    private let state = LarderCore.Lock(State())

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    var isWaiting: Bool { state.withLock { $0.waiter != nil } }

    func next() async throws(BodyFailure) -> Bytes? {
        let isFirst = state.withLock { state in
            defer { state.hasGiven = true }
            return !state.hasGiven
        }
        if isFirst { return Bytes("hello".utf8) }
        await handover { waiter in
            let isDue = state.withLock { state in
                if state.isAbandoned || state.hasEnded { return true }
                state.waiter = waiter
                return false
            }
            if isDue { waiter.resume() }
        }
        if isAbandoned { throw BodyFailure("Nobody reads it any more.") }
        return nil
    }

    func end() { wake { $0.hasEnded = true } }
    func abandon() { wake { $0.isAbandoned = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
