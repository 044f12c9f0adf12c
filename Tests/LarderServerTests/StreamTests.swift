import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

@Suite struct StreamTests {
    @Test func headAndPiecesGoOutAsTheyCome() async throws {
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }) { test in
            let client = try wire(test)
            try client.send(get)
            let head = try client.receiveHead()
            #expect(head.status == 200)
            #expect(head["Transfer-Encoding"] == "chunked")
            #expect(head["Content-Length"] == nil)
            append("first", to: tape)
            #expect(try client.receiveLine() == "5")
            #expect(try client.receiveLine() == "first")
            append("and the second", to: tape)
            #expect(try client.receiveLine() == "e")
            #expect(try client.receiveLine() == "and the second")
            tape.finish()
            #expect(try client.receiveLine() == "0")
            #expect(try client.receiveLine().isEmpty)
            try await eventually { tape.readers == 0 }
            try client.send("GET /whole HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().text == "whole")
        }
    }

    @Test(arguments: [true, false])
    func sixtyFourMegabytesArriveByteForByte(isLengthKnown: Bool) async throws {
        let (pieces, size) = (256, 262_144)
        let length = isLengthKnown ? Int64(pieces * size) : nil
        let reader = MadeReader.pattern(pieces, of: size)
        try await withServer(handler: streaming({ reader }, length: length)) { test in
            let client = try wire(test)
            try client.send(get)
            let response = try client.receive()
            #expect(response["Content-Length"] == length.map(String.init))
            #expect(same(response.body, MadeReader.patternBytes(pieces, of: size)))
            try client.send("GET /whole HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().text == "whole")
            #expect(reader.asked.current == pieces + 1)
            try await eventually { test.log.all.contains { $0.contains("bytes=\(pieces * size) ") } }
        }
    }

    @Test func aSlowClientIsAskedForNoMoreThanItTakes() async throws {
        let (pieces, size) = (256, 262_144)
        let reader = MadeReader.pattern(pieces, of: size)
        try await withServer(handler: streaming({ reader }, length: Int64(pieces * size)), clock: ManualTime()) {
            test in
            let client = try wire(test)
            try client.send(get)
            #expect(try client.receiveHead().status == 200)
            // The kernel's buffers take some pieces. Then no further piece is asked for, however many turns pass.
            var before = -1
            try await eventually {
                before = reader.asked.current
                for _ in 0..<50 { await test.advance(.zero) }
                return before > 1 && before == reader.asked.current
            }
            #expect(before < pieces / 3)
            #expect(same(try client.take(pieces * size), MadeReader.patternBytes(pieces, of: size)))
        }
    }

    @Test func aReaderThatFailsCutsTheConnectionWithoutALastChunk() async throws {
        let reader = MadeReader(failsAt: 1) { _ in Bytes(text: "part") }
        try await withServer(handler: streaming { reader }) { test in
            let client = try wire(test)
            try client.send(get + get)
            #expect(try client.receiveHead().status == 200)
            #expect(try String(decoding: client.receiveRest(), as: UTF8.self) == "4\r\npart\r\n")
            // The reader is abandoned last.
            try await eventually { reader.abandoned.current == 1 }
            #expect(test.count(ServerCounters.cuts, "failed") == 1)
            #expect(test.log.all.contains { $0.contains("cut: failed") && $0.contains("bytes=4 ") })
        }
    }

    @Test(arguments: [(3, "wrongLength"), (5, "wrongLength")])
    func aBodyOfAnotherLengthThanSaidIsCut(length: Int64, cause: String) async throws {
        let reader = MadeReader { $0 == 0 ? Bytes(text: "part") : nil }
        try await withServer(handler: streaming({ reader }, length: length)) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(throws: WireError.self) { try client.receive() }
            try await eventually { test.count(ServerCounters.cuts, cause) == 1 }
        }
    }

    @Test func pipelinedRequestsBehindAStreamAreServedInOrder() async throws {
        try await withServer(handler: streaming { MadeReader { $0 < 3 ? Bytes(text: "piece \($0) ") : nil } }) { test in
            let client = try wire(test)
            try client.send(get + "GET /whole HTTP/1.1\r\nHost: localhost\r\n\r\n" + get)
            #expect(try client.receive().text == "piece 0 piece 1 piece 2 ")
            #expect(try client.receive().text == "whole")
            #expect(try client.receive().text == "piece 0 piece 1 piece 2 ")
        }
    }

    @Test func memoryHitsBeforeAndBehindAStreamKeepTheirPlaces() async throws {
        let clock = ManualTime()
        let ready = StubReady(["/hit": Bytes(text: "hit")], now: clock.wall())
        let handler = streaming { MadeReader { $0 < 40 ? Bytes(repeating: 0x61, count: 50_000) : nil } }
        try await withServer(ready: ready, handler: handler, clock: clock) { test in
            let client = try wire(test)
            let hit = "GET /hit HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send(hit + get + hit + hit + get + hit)
            for expected in [3, 2_000_000, 3, 3, 2_000_000, 3] {
                #expect(try client.receive().body.count == expected)
            }
        }
    }

    @Test func piecesOfAnySizeArriveWholeAndInOrder() async throws {
        var course = Course(state: 11)
        let pieces = (0..<3000).map { number in
            Bytes(repeating: UInt8(truncatingIfNeeded: number), count: Int.random(in: 1...3000, using: &course))
        }
        let handler = streaming { MadeReader { $0 < pieces.count ? pieces[$0] : nil } }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(get)
            #expect(same(try client.receive().body, Bytes(pieces.joined())))
        }
    }

    @Test func aUnixSocketStreamsAsWell() async throws {
        try await withDirectory { directory in
            let address = try Address("unix:\(directory)/larder.sock")
            let tape = BodyTape()
            try await withServer(
                listeners: [ListenerSpec(address: address, number: 1)], handler: streaming { tape.reader()! }
            ) { test in
                var client: WireClient? = try WireClient(address.description)
                try client?.send(get)
                #expect(try client?.receiveHead().status == 200)
                append("one", to: tape)
                #expect(try client?.receiveLine() == "3")
                client = nil
                try await eventually { tape.readers == 0 }
                await test.server.stopAccepting()
            }
        }
    }

    @Test func aClientOfTheOldVersionReadsUntilTheEnd() async throws {
        try await withServer(handler: streaming { MadeReader { $0 < 3 ? Bytes(text: "\($0)") : nil } }) { test in
            let client = try wire(test)
            try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let response = try client.receive()
            #expect(response["Transfer-Encoding"] == nil)
            #expect(response["Connection"] == "close")
            #expect(response.text == "012")
        }
    }

    @Test func aClientOfTheOldVersionStaysWhereTheLengthIsKnown() async throws {
        try await withServer(
            handler: streaming({ MadeReader { $0 < 3 ? Bytes(text: "\($0)") : nil } }, length: 3)
        ) { test in
            let client = try wire(test)
            for _ in 0..<2 {
                try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let response = try client.receive()
                #expect(response["Connection"] == "keep-alive")
                #expect(response.text == "012")
            }
        }
    }

    /// A plain close would tell the client that the body is complete.
    @Test func aFailureReachesAClientOfTheOldVersionAsAReset() async throws {
        let tape = BodyTape()
        try await withServer(handler: streaming { tape.reader()! }) { test in
            let client = try RawClient(test.address)
            client.send("GET / HTTP/1.0\r\n\r\n")
            append("part", to: tape)
            try await eventually { tape.readers == 1 }
            var seen = Bytes()
            var buffer = Bytes(repeating: 0, count: 4096)
            func receive() -> Transfer {
                buffer.withUnsafeMutableBytes { Syscall.receive(client.descriptor, into: $0) }
            }
            while !seen.lossyText.hasSuffix("part") {
                guard case .bytes(let count) = receive() else { break }
                seen += buffer[..<count]
            }
            tape.fail(BodyFailure("broken"))
            #expect(receive() == .failed(ECONNRESET))
        }
    }

    @Test func headAsksForNoBodyAndTellsItsLength() async throws {
        let reader = MadeReader { _ in Bytes(text: "body") }
        try await withServer(handler: streaming({ reader }, length: 4)) { test in
            let client = try wire(test)
            for _ in 0..<2 {
                try client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.receive(toHead: true)["Content-Length"] == "4")
            }
            #expect(reader.asked.current == 0)
            #expect(reader.abandoned.current == 2)
        }
        try await withServer(handler: streaming { reader }) { test in
            let client = try wire(test)
            try client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive(toHead: true)["Content-Length"] == nil)
        }
    }

    @Test(arguments: [204, 304])
    func statusesWithoutABodyAskForNone(status: Int) async throws {
        let reader = MadeReader { _ in Bytes(text: "body") }
        try await withServer(handler: streaming({ reader }, length: 4, status: status)) { test in
            let client = try wire(test)
            try client.send(get + "GET /whole HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().status == status)
            #expect(try client.receive().text == "whole")
            #expect(reader.asked.current == 0)
            #expect(reader.abandoned.current == 1)
        }
    }

    @Test func interimAnswersComeBeforeTheFinalOneAndToNoOldClient() async throws {
        let hints = InterimHead(
            status: 103, fields: ["Link": "</a>", "link": "</b>", "Content-Length": "3", "X\r\nY": "z"])
        let handler = streaming(
            { MadeReader { $0 == 0 ? Bytes(text: "x") : nil } }, length: 1,
            interim: [InterimHead(status: 100, fields: [:]), hints, InterimHead(status: 101, fields: [:])])
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(get)
            let interim = try client.receiveHead()
            #expect(interim.status == 103)
            #expect(interim.fields.map(\.name) == ["Link", "link"])
            let final = try client.receiveHead()
            #expect(final.status == 200)
            let old = try wire(test)
            try old.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try old.receiveHead().status == 200)
        }
    }

    @Test func aStoredHeadGoesOutInOrderAndSpelling() async throws {
        let long = String(repeating: "v", count: 64 * 1024)
        let lines: [HeaderField] = [
            HeaderField("x-Second", "2"), HeaderField("Set-Cookie", "a=1"), HeaderField("X-UNKNOWN", "\u{E9}"),
            HeaderField("set-cookie", "b=2"), HeaderField("X-Long", long), HeaderField("Set-Cookie", "c=3"),
            HeaderField("X-Empty", ""),
        ]
        try await withServer(
            handler: Answering { _ in
                ServerResponse(status: 299, reason: "Quite So", fields: HeaderFields(lines), body: .bytes([1]))
            }
        ) { test in
            let client = try wire(test)
            try client.send(get)
            let response = try client.receive()
            #expect(response.statusLine == "HTTP/1.1 299 Quite So")
            let names = response.fields.map(\.name)
            #expect(Array(names.prefix(lines.count)) == lines.map(\.name))
            #expect(response["Set-Cookie"] == "a=1, b=2, c=3")
            #expect(response["X-Long"] == long)
        }
    }
}
