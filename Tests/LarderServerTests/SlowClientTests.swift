import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderTestSupport
import Testing

/// A client that paces a transfer must keep a minimum rate. Single bytes would satisfy every limit on the time between
/// two bytes.
@Suite struct SlowClientTests {
    /// Sends one piece every four seconds until the server responds.
    private func drip(_ client: WireClient, _ test: TestServer, _ piece: String, most: Int = 60) async throws {
        for _ in 0..<most where !client.hasInput {
            try client.send(piece)
            try client.awaitDelivery()
            await test.advance(.zero)
            await test.advance(.seconds(4))
        }
    }

    /// The limit is that of a body. A head must arrive within 10 s.
    @Test func aBodyMayPauseForLongerThanAHead() async throws {
        try await withServer(clock: ManualTime()) { test in
            let client = try RawClient(test.address)
            client.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nabc")
            for rest in ["d", "ef"] {
                try client.awaitDelivery()
                await test.advance(.zero)
                await test.advance(.seconds(12))
                client.send(rest)
            }
            #expect(try client.response().text == "PUT / - abcdef")
        }
    }

    @Test(arguments: [nil, "/"])
    func aDrippingUploadIs408(streamsBelow: String?) async throws {
        let failed = CounterCell()
        let handler = Answering(streamsBelow: streamsBelow) { request in
            do { _ = try await readAll(request.upload) } catch { failed.add() }
            return ServerResponse(status: 200)
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(put("Transfer-Encoding: chunked\r\n"))
            try await drip(client, test, "1\r\na\r\n")
            let answer = try client.receive()
            #expect(answer.status == 408)
            #expect(try answer.json()["code"]?.string == "bodyTooSlow")
            #expect(test.count(ServerCounters.slow, "upload") == 1)
            #expect(test.count(ServerCounters.timeouts, "body") == 0)
            if streamsBelow != nil { try await eventually { failed.current == 1 } }
        }
    }

    @Test func anUploadAtTheRateIsTaken() async throws {
        let handler = Answering(streamsBelow: "/") { request in
            ServerResponse(
                status: 200, body: .bytes(Bytes(text: "\((try? await readAll(request.upload))?.count ?? -1)")))
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(put("Content-Length: 100000\r\n"))
            try await drip(client, test, String(repeating: "a", count: 1000), most: 100)
            #expect(try client.receive().text == "100000")
            #expect(test.count(ServerCounters.slow, "upload") == 0)
        }
    }

    @Test func anUploadThatLarderDoesNotReadIsNotSlow() async throws {
        let gate = Gate()
        let handler = Answering(streamsBelow: "/") { request in
            var body = (try? await request.upload?.reader.next()) ?? []
            await gate.pass()
            body += (try? await readAll(request.upload)) ?? []
            return ServerResponse(status: 200, body: .bytes(body))
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            // The body exceeds what is read ahead. The server reads no more until the handler goes on.
            let length = 512 * 1024
            try client.send(put("Content-Length: \(length + 1)\r\n"))
            try client.send(Bytes(repeating: 0x61, count: length))
            try await eventually {
                await test.advance(.zero)
                return gate.arrived.current == 1
            }
            for _ in 0..<100 { await test.advance(.seconds(9)) }
            #expect(!client.hasInput)
            gate.open()
            try client.send("b")
            #expect(try client.receive().body.count == length + 1)
        }
    }

    /// A client with a small window that reads a little now and then, always within `writeTimeout`.
    @Test func aReaderThatSipsIsCut() async throws {
        let body = Bytes(repeating: 0x61, count: 64 << 20)
        let limits = ServerLimits(writeTimeout: .seconds(86_400))
        try await withServer(
            handler: Answering { _ in ServerResponse(status: 200, body: .bytes(body)) },
            settings: ServerSettings(limits: limits), clock: ManualTime()
        ) { test in
            let client = try wire(test)
            try client.send(get)
            try await eventually { test.count(ServerCounters.requests, "none") == 1 }
            var taken = 0
            for _ in 0..<60 where test.count(ServerCounters.slow, "answer") == 0 {
                taken += try client.take(16).count
                await test.advance(.seconds(4))
            }
            #expect(test.count(ServerCounters.slow, "answer") == 1)
            #expect(test.count(ServerCounters.timeouts, "write") == 0)
            try await eventually { test.count(ServerCounters.open) == 0 }
            let rest = try client.receiveRest()
            #expect(taken + rest.count < body.count)
        }
    }

    @Test func aStreamThatHasNothingToSayIsNotSlow() async throws {
        let gate = Gate()
        let handler = streaming {
            MadeReader { number in
                if number == 1 { await gate.pass() }
                return number < 2 ? Bytes(text: "event \(number)\n") : nil
            }
        }
        try await withServer(handler: handler, clock: ManualTime()) { test in
            let client = try wire(test)
            try client.send(get)
            try await eventually { gate.arrived.current == 1 }
            for _ in 0..<100 { await test.advance(.seconds(60)) }
            gate.open()
            #expect(try client.receive().text == "event 0\nevent 1\n")
            #expect(test.count(ServerCounters.slow, "answer") == 0)
        }
    }
}
