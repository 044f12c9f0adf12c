import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

/// Reads the whole body, and checks the size of each piece.
func readAll(_ upload: Upload?) async throws -> Bytes {
    var all = Bytes()
    while let piece = try await upload?.reader.next() {
        #expect(!piece.isEmpty && piece.count <= 256 * 1024)
        all += piece
    }
    return all
}

/// Streams bodies below "/up" and answers with what was read.
let upEcho = Answering(streamsBelow: "/up") { request in
    do {
        let text =
            "\(request.upload.map { "\($0.length ?? -1) \($0.expectsContinue)" } ?? "none") "
            + (try await readAll(request.upload)).lossyText + request.body.lossyText
        return ServerResponse(status: 200, body: .bytes(Bytes(text: text)), outcome: .miss)
    } catch {
        return ServerResponse(status: 500)
    }
}

func put(_ fields: String) -> String { put("/up", fields) }

func put(_ target: String, _ fields: String) -> String {
    "PUT \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
}

@Suite struct UploadTests {
    @Test func aBodyIsReadWhileTheHandlerWorks() async throws {
        try await withServer(handler: upEcho) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 5\r\n") + "hel")
            try client.send(
                "lo" + put("Transfer-Encoding: chunked\r\n") + "3;x=\"y\"\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n")
            try client.send(put("Content-Length: 0\r\n") + put("/other", "Content-Length: 2\r\n") + "ok")
            #expect(try client.receive().text == "5 false hello")
            #expect(try client.receive().text == "-1 false abcde")
            #expect(try client.receive().text == "none ")
            // A route that does not stream gets its body whole.
            #expect(try client.receive().text == "none ok")
        }
    }

    private static func chunked(_ body: Bytes, _ size: Int) -> Bytes {
        var out = Bytes()
        out.reserveCapacity(body.count + body.count / size * 16 + 64)
        var start = 0
        while start < body.count {
            let end = min(start + size, body.count)
            out += Bytes(text: String(end - start, radix: 16) + "\r\n")
            out += body[start..<end]
            out += [13, 10]
            start = end
        }
        return out + Bytes(text: "0\r\n\r\n")
    }

    @Test(arguments: [true, false])
    func sixtyFourMegabytesArriveByteForByte(isLengthKnown: Bool) async throws {
        let body = MadeReader.patternBytes(256, of: 262_144)
        let handler = Answering(streamsBelow: "/") { request in
            let isSame = (try? await readAll(request.upload)).map { same($0, body) } ?? false
            return ServerResponse(status: 200, body: .bytes(Bytes(text: isSame ? "same" : "other")))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            if isLengthKnown {
                try client.send(put("Content-Length: \(body.count)\r\n"))
                try client.send(body)
            } else {
                try client.send(put("Transfer-Encoding: chunked\r\n"))
                try client.send(Self.chunked(body, 100_003))
            }
            #expect(try client.receive().text == "same")
            try client.send(put("Content-Length: 1\r\n") + "x")
            #expect(try client.receive().text == "other")
        }
    }

    @Test func nothingIsReadThatNobodyAsksFor() async throws {
        let gate = Gate()
        let body = Bytes(repeating: 0x61, count: 64 << 20)
        let handler = Answering(streamsBelow: "/") { request in
            var count = 0
            while let piece = try? await request.upload?.reader.next() {
                if count == 0 { await gate.pass() }
                count += piece.count
            }
            return ServerResponse(status: 200, body: .bytes(Bytes(text: "\(count)")))
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            let sent = CounterCell()
            let sender = startThread {
                try? client.send(put("Content-Length: \(body.count)\r\n"))
                for part in 0..<64 {
                    try? client.send(Bytes(body[(part << 20)..<(part + 1) << 20]))
                    sent.add()
                }
            }
            // The kernel's buffers take some bytes. Then the client is blocked.
            try await eventually {
                let before = sent.current
                for _ in 0..<200 { await test.advance(.zero) }
                return gate.arrived.current == 1 && before == sent.current
            }
            #expect(sent.current < 32)
            gate.open()
            sender.join()
            #expect(try client.receive().text == "\(body.count)")
        }
    }

    // MARK: Expect

    @Test func aWaitingClientIsToldToContinueWhenThePieceIsAskedForAndOnce() async throws {
        let gate = Gate()
        let handler = Answering(streamsBelow: "/") { request in
            await gate.pass()
            let body = (try? await readAll(request.upload)) ?? []
            return ServerResponse(status: 200, body: .bytes(body))
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(put("Expect: 100-continue\r\nContent-Length: 4\r\n"))
            try await eventually { gate.arrived.current == 1 }
            for _ in 0..<20 { await test.advance(.zero) }
            #expect(!client.hasInput)
            gate.open()
            #expect(try client.receiveHead().status == 100)
            try client.send("bo")
            for _ in 0..<20 { await test.advance(.zero) }
            try client.send("dy")
            let final = try client.receiveHead()
            #expect(final.status == 200)
            #expect(final["Connection"] == nil)
            #expect(try client.take(4) == Bytes(text: "body"))
        }
    }

    @Test func anAnswerWithoutTheBodyIsNeverPrecededByContinue() async throws {
        let handler = Answering(streamsBelow: "/") { request in
            ServerResponse(status: 403, body: .bytes(Bytes(text: "no")))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Expect: 100-continue\r\nContent-Length: 4\r\n"))
            let final = try client.receiveHead()
            #expect(final.status == 403)
            #expect(final["Connection"] == "close")
            #expect(try client.take(2) == Bytes(text: "no"))
            client.finishSending()
            #expect(try client.isClosed())
        }
    }

    @Test func aClientThatDoesNotWaitIsServedToo() async throws {
        try await withServer(handler: upEcho) { test in
            let client = try wire(test)
            try client.send(put("Expect: 100-continue\r\nContent-Length: 4\r\n") + "body")
            #expect(try client.receiveHead().status == 200)
            let old = try wire(test)
            try old.send("PUT /up HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            try old.send("body")
            #expect(try old.receiveHead().status == 200)
            #expect(try old.receiveRest() == Bytes(text: "4 false body"))
        }
    }

    @Test func whoAsksForTheBodyAfterTheAnswerBeganGetsNone() async throws {
        let failed = CounterCell()
        let handler = Answering(streamsBelow: "/") { request in
            let reader = MadeReader { number in
                guard number == 1 else { return number == 0 ? Bytes(text: "early") : nil }
                do { _ = try await request.upload?.reader.next() } catch { failed.add() }
                return Bytes(text: "late")
            }
            return ServerResponse(status: 200, body: .stream(reader, length: nil))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Expect: 100-continue\r\nContent-Length: 4\r\n"))
            let response = try client.receive()
            #expect(response.status == 200)
            #expect(response.text == "earlylate")
            #expect(failed.current == 1)
            client.finishSending()
            #expect(try client.isClosed())
        }
    }

    // MARK: Early answers

    @Test(arguments: ["Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"])
    func theConnectionStaysWhereAnUnreadBodyIsThereAlready(rest: String) async throws {
        let handler = Answering(streamsBelow: "/") { _ in ServerResponse(status: 200, body: .bytes([0x79])) }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            for _ in 0..<3 {
                try client.send("PUT / HTTP/1.1\r\nHost: localhost\r\n\(rest)")
                let response = try client.receive()
                #expect(response.text == "y")
                #expect(response["Connection"] == nil)
            }
        }
    }

    @Test func anAnswerBeforeTheBodyEndsTheConnectionAndArrives() async throws {
        let readers = Lock<[any BodyReader]>([])
        let handler = Answering(streamsBelow: "/") { request in
            _ = try? await request.upload?.reader.next()
            readers.withLock { $0 += [request.upload!.reader] }
            return ServerResponse(status: 409, body: .bytes(Bytes(text: "enough")))
        }
        // The clock stands still: the server waits for the rest of the body for as long as the client needs.
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 3000000\r\n") + String(repeating: "a", count: 1000))
            let response = try client.receive()
            #expect(response.status == 409)
            #expect(response["Connection"] == "close")
            #expect(response.text == "enough")
            // Bytes that still come are discarded, because a reset would overtake the response.
            try client.send(Bytes(repeating: 0x61, count: 1_000_000))
            client.finishSending()
            #expect(try client.isClosed())
            let reader = try #require(readers.withLock { $0.first })
            await #expect(throws: BodyFailure.self) { while try await reader.next() != nil {} }
        }
    }

    @Test func answerAndBodyMayGoAtTheSameTime() async throws {
        let handler = Answering(streamsBelow: "/") { request in
            ServerResponse(status: 200, body: .stream(request.upload!.reader, length: request.upload!.length))
        }
        let body = MadeReader.patternBytes(128, of: 262_144)
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: \(body.count)\r\n"))
            let sender = startThread { try? client.send(body) }
            let response = try client.receive()
            sender.join()
            #expect(same(response.body, body))
            #expect(try client.isClosed())
        }
    }

    @Test func aStreamedAnswerBeforeTheBodyArrivesWholeAndIsTheLast() async throws {
        let handler = Answering(streamsBelow: "/") { _ in
            ServerResponse(
                status: 409, body: .stream(MadeReader { $0 < 3 ? Bytes(text: "no \($0) ") : nil }, length: nil))
        }
        // The clock stands still: the server waits for the rest of the body for as long as the client needs.
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 3000000\r\n") + String(repeating: "a", count: 1000))
            let response = try client.receive()
            #expect(response["Connection"] == "close")
            #expect(response.text == "no 0 no 1 no 2 ")
            try client.send(Bytes(repeating: 0x61, count: 1_000_000))
            client.finishSending()
            #expect(try client.isClosed())
        }
    }

    /// Many clients send everything before they read anything. The server must take the body while the response waits
    /// to be written.
    @Test func aClientThatReadsNothingBeforeAllIsSentIsServed() async throws {
        let body = MadeReader.patternBytes(256, of: 262_144)
        let handler = Answering(streamsBelow: "/") { request in
            let upload = request.upload?.reader
            let all = Lock<Bytes>([])
            let isRead = Gate()
            Task {
                while let piece = try? await upload?.next() { all.withLock { $0 += piece } }
                isRead.open()
            }
            // The response is larger than the kernel's buffers. Its end waits for the end of the body.
            let both = MadeReader { number in
                if number < 64 { return Bytes(repeating: 0x61, count: 262_144) }
                guard number == 64 else { return nil }
                await isRead.pass()
                return all.withLock { same($0, body) } ? [0x79] : [0x6E]
            }
            return ServerResponse(status: 200, body: .stream(both, length: nil))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: \(body.count)\r\n"))
            try client.send(body)
            let response = try client.receive()
            #expect(response.body.count == 64 * 262_144 + 1)
            #expect(response.body.last == 0x79)
        }
    }

    @Test func leavingWhileAnswerAndBodyGoAtTheSameTimeEndsBoth() async throws {
        let handler = Answering(streamsBelow: "/") { request in
            ServerResponse(status: 200, body: .stream(request.upload!.reader, length: nil))
        }
        try await withServer(handler: handler) { test in
            var client: WireClient? = try wire(test)
            try client?.send(put("Content-Length: 10\r\n") + "abc")
            #expect(try client?.receiveHead().status == 200)
            #expect(try client?.receiveLine() == "3")
            #expect(try client?.receiveLine() == "abc")
            client = nil
            try await eventually { test.count(ServerCounters.open) == 0 }
            #expect(test.count(ServerCounters.cuts, "failed") + test.count(ServerCounters.cuts, "left") == 1)
        }
    }
}
