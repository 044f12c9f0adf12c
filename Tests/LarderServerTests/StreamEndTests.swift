import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

/// How a streamed response ends when its client, a time limit or the server itself ends it.
@Suite struct StreamEndTests {
    @Test func aClientThatLeavesWhileNothingComesIsNoticed() async throws {
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }) { test in
            let client = try RawClient(test.address)
            client.send(get)
            try await eventually { tape.readers == 1 && test.count(ServerCounters.requests, "miss") == 1 }
            Syscall.closeWithReset(dup2Away(client.descriptor))
            try await eventually { tape.readers == 0 && test.count(ServerCounters.cuts, "left") == 1 }
        }
    }

    /// Moves the socket to another descriptor, and leaves /dev/null under the client's descriptor.
    func dup2Away(_ descriptor: Int32) -> Int32 {
        let moved = dup(descriptor)
        let nothing = Glibc.open("/dev/null", O_RDONLY)
        dup2(nothing, descriptor)
        close(nothing)
        return moved
    }

    @Test func aClientThatLeavesWhileBytesWaitIsNoticed() async throws {
        let reader = MadeReader.pattern(10_000, of: 262_144)
        try await withServer(handler: streaming { reader }) { test in
            var client: WireClient? = try wire(test)
            try client?.send(get)
            _ = try client?.receiveHead()
            client = nil
            try await eventually { reader.abandoned.current == 1 && test.count(ServerCounters.cuts, "left") == 1 }
            #expect(reader.asked.current < 10_000)
        }
    }

    @Test func endingOnesOwnSideWhileAStreamRunsIsNotLeaving() async throws {
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            client.finishSending()
            append("late", to: tape)
            #expect(try client.receiveLine() == "4")
            tape.finish()
            #expect(try String(decoding: client.receiveRest(), as: UTF8.self) == "late\r\n0\r\n\r\n")
        }
    }

    @Test func aClientThatTakesNothingIsCutAndItsReaderLetGo() async throws {
        let clock = ManualTime()
        let reader = MadeReader.pattern(10_000, of: 262_144)
        try await withServer(handler: streaming { reader }, clock: clock) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            try await eventually {
                await test.advance(.seconds(8))
                return reader.abandoned.current == 1
            }
            #expect(test.count(ServerCounters.timeouts, "write") == 1)
        }
    }

    /// The wait for the next piece is the server's time. The client's time to take a piece begins when the piece is
    /// there.
    @Test func aStreamMayRestWithoutBeingCut() async throws {
        let clock = ManualTime()
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }, clock: clock) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            await test.advance(.seconds(600))
            append("late", to: tape)
            #expect(try client.receiveLine() == "4")
            await test.advance(.seconds(600))
            tape.finish()
            #expect(try client.receiveRest(upTo: "0\r\n\r\n"))
        }
    }

    @Test func drainingLetsAStreamEnd() async throws {
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(60)) }
            try await eventually { (try? Socket.connect(to: test.address)).map { Syscall.close($0) } == nil }
            append("end", to: tape)
            tape.finish()
            #expect(try String(decoding: client.receiveRest(), as: UTF8.self) == "3\r\nend\r\n0\r\n\r\n")
            await drained.value
        }
    }

    @Test func drainingCutsAStreamAtItsDeadline() async throws {
        let clock = ManualTime()
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }, clock: clock) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            let server = test.server
            let drained = Task.detached { await server.drain(deadline: .seconds(5)) }
            try await eventually {
                await test.advance(.seconds(6))
                return test.server.connectionCount == 0
            }
            await drained.value
            #expect(tape.readers == 0)
            #expect(try client.isClosed())
        }
    }

    /// A response whose length only the end of the connection tells.
    private func oldPut(_ test: TestServer) throws -> RawClient {
        let client = try RawClient(test.address)
        client.send("PUT /up HTTP/1.0\r\nContent-Length: 100000\r\n\r\npart")
        var seen = Bytes()
        while !seen.lossyText.hasSuffix("part") {
            guard case .bytes(let count) = client.transfer(into: &seen), count > 0 else { break }
        }
        return client
    }

    private static let mirror = Answering(streamsBelow: "/") { request in
        guard let upload = request.upload else { return ServerResponse(status: 500) }
        return ServerResponse(status: 200, body: .stream(upload.reader, length: nil))
    }

    @Test func whenAnUploadStopsItsUndelimitedAnswerEndsByAReset() async throws {
        try await withServer(handler: Self.mirror, clock: ManualTime()) { test in
            let client = try oldPut(test)
            try await eventually {
                await test.advance(.seconds(4))
                return test.count(ServerCounters.timeouts, "body") == 1
            }
            #expect(client.end() == .failed(ECONNRESET))
        }
    }

    @Test func whenAnUploadDripsItsUndelimitedAnswerEndsByAReset() async throws {
        try await withServer(handler: Self.mirror, clock: ManualTime()) { test in
            let client = try oldPut(test)
            for _ in 0..<60 where test.count(ServerCounters.slow, "upload") == 0 {
                client.send("x")
                try client.awaitDelivery()
                await test.advance(.zero)
                await test.advance(.seconds(4))
            }
            #expect(test.count(ServerCounters.slow, "upload") == 1)
            #expect(client.end() == .failed(ECONNRESET))
        }
    }

    @Test func anUndelimitedAnswerThatIsNotTakenEndsByAReset() async throws {
        let reader = MadeReader.pattern(10_000, of: 262_144)
        try await withServer(handler: streaming { reader }, clock: ManualTime()) { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.0\r\n\r\n")
            try await eventually {
                await test.advance(.seconds(8))
                return test.count(ServerCounters.timeouts, "write") == 1
            }
            #expect(client.end() == .failed(ECONNRESET))
        }
    }
}
