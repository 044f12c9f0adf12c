import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

/// Request bodies that arrive damaged, too slowly or not at all.
@Suite struct UploadFailureTests {
    @Test func leavingInTheMiddleFailsTheReaderAndCancelsTheHandler() async throws {
        let (failed, cancelled) = (CounterCell(), CounterCell())
        let handler = Answering(streamsBelow: "/") { request in
            do { _ = try await readAll(request.upload) } catch { failed.add() }
            if Task.isCancelled { cancelled.add() }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { test in
            var client: WireClient? = try wire(test)
            try client?.send(put("Content-Length: 10\r\n") + "abc")
            try await eventually { test.count(ServerCounters.open) == 1 }
            client = nil
            try await eventually { failed.current == 1 && cancelled.current == 1 }
            let half = try wire(test)
            try half.send(put("Transfer-Encoding: chunked\r\n") + "5\r\nab")
            half.finishSending()
            try await eventually { failed.current == 2 && cancelled.current == 2 }
            let refusal = try half.receive()
            #expect(refusal.status == 400 && refusal["Connection"] == "close", "\(refusal)")
            #expect(try refusal.json()["code"]?.string == "incompleteBody", "\(refusal)")
            #expect(try half.isClosed())
        }
    }

    @Test(arguments: [nil, "/"])
    func aBodyThatTheEndOfInputCutsIsRefusedAfterTheAnswersBefore(streamsBelow: String?) async throws {
        let handler = Answering(streamsBelow: streamsBelow) { request in
            if let upload = request.upload { _ = try? await readAll(upload) }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 1\r\n") + "a" + put("Content-Length: 10\r\n") + "abc")
            client.finishSending()
            #expect(try client.receive().status == 200)
            #expect(try client.receive().status == 400)
            #expect(try client.isClosed())
        }
    }

    @Test(arguments: [
        ("g\r\n", 400), ("5\r\nhelloX", 400), ("5\nhello", 400), ("5\r\nhello\r\n0\r\n folded\r\n", 400),
        ("00000000000000001\r\n", 400), ("FFFFFFFFFFFFFFFF\r\n", 413),
        ("1;" + String(repeating: "a", count: 9000) + "\r\n", 431),
        ("0\r\nX: " + String(repeating: "a", count: 9000) + "\r\n\r\n", 431),
    ])
    func aMalformedChunkIsAnErrorAndTheEnd(rest: String, status: Int) async throws {
        let failed = CounterCell()
        let handler = Answering(streamsBelow: "/") { request in
            do { _ = try await readAll(request.upload) } catch { failed.add() }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Transfer-Encoding: chunked\r\n") + rest)
            let response = try client.receive()
            #expect(response.status == status)
            #expect(response["Connection"] == "close")
            client.finishSending()
            #expect(try client.isClosed())
            try await eventually { failed.current == 1 }
        }
    }

    @Test func aMalformedChunkIsAnErrorAlsoWhereTheHandlerReadsNothing() async throws {
        let handler = Answering(streamsBelow: "/") { _ in ServerResponse(status: 200) }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Transfer-Encoding: chunked\r\n") + "what\r\n")
            #expect(try client.receive().status == 400)
            client.finishSending()
            #expect(try client.isClosed())
        }
    }

    @Test func aMalformedChunkAfterTheAnswerBeganCutsIt() async throws {
        let handler = Answering(streamsBelow: "/") { request in
            ServerResponse(status: 200, body: .stream(request.upload!.reader, length: nil))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(put("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n")
            #expect(try client.receiveHead().status == 200)
            #expect(try client.receiveLine() == "3")
            #expect(try client.receiveLine() == "abc")
            try client.send("what\r\n")
            #expect(try client.isClosed())
        }
    }

    @Test func aBodyThatStopsComingIs408() async throws {
        let clock = ManualTime()
        let failed = CounterCell()
        let handler = Answering(streamsBelow: "/") { request in
            do { _ = try await readAll(request.upload) } catch { failed.add() }
            return ServerResponse(status: 200)
        }
        // The rate of so few bytes must not end it first.
        let limits = ServerLimits(minimumRate: MinimumRate(bytesPerSecond: 0))
        try await withServer(handler: handler, settings: ServerSettings(limits: limits), clock: clock) { test in
            let client = try wire(test)
            try client.send(put("Expect: 100-continue\r\nContent-Length: 10\r\n"))
            #expect(try client.receiveHead().status == 100)
            await test.advance(.seconds(29))
            try client.send("abc")
            try client.awaitDelivery()
            for _ in 0..<5 { await test.advance(.zero) }
            await test.advance(.seconds(29))
            #expect(!client.hasInput)
            await test.advance(.seconds(2))
            #expect(try client.receive().status == 408)
            try await eventually { failed.current == 1 }
            #expect(test.count(ServerCounters.timeouts, "body") == 1)
        }
    }

    /// A handler that does not ask for the body has its own deadlines. The client is not to blame.
    @Test func aBodyThatNobodyAsksForIsNotTimed() async throws {
        let clock = ManualTime()
        let gate = Gate()
        let handler = Answering(streamsBelow: "/") { request in
            await gate.pass()
            return ServerResponse(status: 200, body: .bytes((try? await readAll(request.upload)) ?? []))
        }
        try await withServer(handler: handler, clock: clock) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 4\r\n"))
            try await eventually { gate.arrived.current == 1 }
            await test.advance(.seconds(600))
            try client.send("body")
            gate.open()
            #expect(try client.receive().text == "body")
        }
    }

    /// The reader wants bytes again a moment before the connection learns of it. The checks in between must not count
    /// the time in which the reader wanted nothing.
    @Test func timeInWhichNothingWasWantedIsNotTheClients() async throws {
        let clock = ManualTime()
        let (resting, entered, goesOn) = (Lock<(any RestingBodyReader)?>(nil), CounterCell(), CounterCell())
        let handler = Answering(streamsBelow: "/") { request in
            let reader = request.upload!.reader as! any RestingBodyReader
            var body = (try? await reader.next()) ?? []
            reader.rest()
            resting.withLock { $0 = reader }
            while let piece = try? await reader.next() { body += piece }
            return ServerResponse(status: 200, body: .bytes(body))
        }
        try await withServer(handler: handler, clock: clock) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 4\r\n") + "bo")
            try await eventually { resting.withLock { $0 != nil } }
            for _ in 0..<20 { await test.advance(.seconds(1)) }
            // The loop is held up while the reader goes on. The loop's check of the connection is due before its mail.
            test.loops[0].post {
                entered.add()
                while goesOn.current == 0 { sched_yield() }
            }
            try await eventually { entered.current == 1 }
            clock.advance(by: .seconds(2))
            resting.withLock { $0 }?.goOn()
            goesOn.add()
            await test.advance(.zero)
            try client.send("dy")
            let answer = try client.receive()
            #expect(answer.status == 200 && answer.text == "body", "\(answer)")
        }
    }

    @Test func aLengthThatCannotBeHeldIsRefused() async throws {
        try await withServer(handler: upEcho) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 99999999999999999999999999\r\n"))
            #expect(try client.receive().status == 413)
        }
    }
}
