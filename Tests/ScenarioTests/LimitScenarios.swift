// Limits of time and number: slow, idle and many clients cost the others nothing and leave nothing behind.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@Suite struct LimitScenarios {
    @Test func aSlowHeadIsEndedWithAnAnswer() async throws {
        try await withLarder("server: { headTimeout: 200ms, idleTimeout: 60s }") { larder in
            let (answer, isClosed) = try await larder.talk { client in
                try client.send("GET /healthz HTTP/1.1\r\nHost: local")
                return (try client.receive(), try client.isClosed())
            }
            try BadInputScenarios.expectProblem(answer, 408, "slow head")
            #expect(isClosed)
        }
    }

    @Test func dripsDoNotKeepAHeadAlive() async throws {
        try await withLarder("server: { headTimeout: 300ms, idleTimeout: 60s }") { larder in
            let status = try await larder.talk { client in
                try client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ")
                // Each byte alone comes in time. All of them together do not.
                for _ in 0..<2000 {
                    guard (try? client.send("a")) != nil else { break }
                    if client.hasInput(within: 5) { break }
                }
                return try client.receiveHead().status
            }
            #expect(status == 408)
        }
    }

    @Test func aBodyThatStopsComingIsEndedWithAnAnswer() async throws {
        let origin = ServerScenarios.bodies()
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin, "server: { bodyTimeout: 200ms }")) { larder in
            let answer = try await larder.send(
                bytes: Bytes(text: ServerScenarios.request("/raw/api/a", "POST", "Content-Length: 10\r\n") + "abc"))
            try BadInputScenarios.expectProblem(answer, 408, "slow body")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        try await withLarder("server: { loops: 1 }") { larder in
            let silent = try await larder.talk { $0 }
            let served = try await larder.talk { client in
                try client.send(ServerScenarios.request("/healthz"))
                _ = try client.receive()
                return client
            }
            // Not before: a slow machine could need longer for the request.
            await larder.reload("server: { loops: 1, idleTimeout: 2s, headTimeout: 60s }")
            #expect(try await onOwnThread { try silent.isClosed() }, "one that never asked")
            #expect(try await onOwnThread { try served.isClosed() }, "one that asked once")
        }
    }

    @Test func aLongAnswerIsNoIdleness() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("at last"))] }
        defer { origin.stop() }
        func configuration(_ limits: String) -> String {
            ServerScenarios.passthrough(origin, "server: { loops: 1\(limits) }\nfetch: { deadline: 120s }")
        }
        try await withLarder(configuration("")) { larder in
            async let slow = larder.get("/raw/api/a")
            try await larder.eventually("the origin is asked") { origin.requests.count == 1 }
            // The limits are short only now: a slow machine could need longer for the request.
            await larder.reload(configuration(", idleTimeout: 2s, headTimeout: 2s, writeTimeout: 2s"))
            // An idle connection of another client times out in the meantime, twice.
            for _ in 0..<2 {
                let idle = try await larder.talk { $0 }
                #expect(try await onOwnThread { try idle.isClosed() })
            }
            gate.open()
            let answer = try await slow
            #expect(answer.text == "at last", "\(answer)")
        }
    }

    @Test func connectionsBeyondTheLimitWaitForTheirTurn() async throws {
        // Neither connection may be closed in favour of another while the test takes its time, perhaps under a
        // sanitizer. Each therefore has a request with its handler.
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("at last"))] }
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin, "server: { maxConnections: 2 }")) { larder in
            let (cameEarly, third) = try await onOwnThread { [address = larder.address] () -> (Bool, WireResponse) in
                func begin(_ number: Int) throws -> WireClient {
                    let client = try WireClient(address)
                    try client.send(ServerScenarios.request("/raw/api/\(number)"))
                    try blockUntil("the origin is asked") { origin.requests.count >= number }
                    return client
                }
                var first: WireClient? = try begin(1)
                let second = try begin(2)
                let third = try WireClient(address)
                try third.send(ServerScenarios.request("/healthz"))
                let cameEarly = third.hasInput(within: 200)
                first?.resetAtEnd()
                first = nil
                let answer = try third.receive()
                gate.open()
                _ = try second.receive()
                return (cameEarly, answer)
            }
            #expect(!cameEarly)
            #expect(third.status == 200)
        }
    }

    @Test func aClientThatLeavesMidAnswerLeavesNothingBehind() async throws {
        let large = Bytes(repeating: 0x61, count: 8 << 20)
        let origin = ScriptedOrigin { _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: \(large.count)\r\n\r\n"
            return [.send(head), .sendBytes(large)]
        }
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            for _ in 0..<10 {
                // The client takes only the first bytes. It leaves while the rest is on the way.
                let status = try await larder.talk { client in
                    try client.send(ServerScenarios.request("/raw/api/a"))
                    return try client.receiveHead().status
                }
                #expect(status == 200)
            }
            let whole = try await larder.get("/raw/api/a")
            #expect(whole.body == large, "\(whole.body.count) bytes")
            #expect(origin.requests.count == 1)
            try await larder.eventually("the connections are closed") { try OpenSockets.count(at: larder.address) <= 1 }
        }
    }

    @Test func tenThousandRequestsLeaveNoDescriptorBehind() async throws {
        let origin = ServerScenarios.echo()
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            let address = larder.address
            try await withThrowingTaskGroup(of: Int.self) { group in
                for connection in 0..<64 {
                    group.addTask {
                        try await onOwnThread {
                            let client = try WireClient(address)
                            var answered = 0
                            for round in 0..<16 {
                                // Ten requests in a row: hits, sometimes a miss, an error or a route of the daemon
                                // itself.
                                let targets = (0..<10).map { place in
                                    switch place {
                                    case 3: "/raw/api/\(connection)-\(round)"
                                    case 5: "/v1/search?q="
                                    case 7: "/healthz"
                                    default: "/raw/api/\(place)"
                                    }
                                }
                                try client.send(targets.map { ServerScenarios.request($0) }.joined())
                                for target in targets {
                                    let answer = try client.receive()
                                    let isRight =
                                        target.hasPrefix("/raw/api")
                                        ? answer.text == "asked \(target.dropFirst(8))"
                                        : answer.status == (target == "/healthz" ? 200 : 400)
                                    if isRight { answered += 1 } else { throw WireError("\(target): \(answer)") }
                                }
                            }
                            return answered
                        }
                    }
                }
                var answered = 0
                for try await count in group { answered += count }
                #expect(answered == 64 * 160)
            }
            // The client's ends are closed. An end of the daemon's that is still open would be lost.
            try await larder.eventually("the connections are closed") { try OpenSockets.count(at: larder.address) <= 1 }
            #expect(try await larder.get("/healthz").status == 200)
        }
    }
}

/// Counts the connections at a listening port as the kernel lists them, without those that only wait for their last
/// packets. The descriptors of the whole process would include what other tests open in the meantime.
enum OpenSockets {
    static func count(at address: String) throws -> Int {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw WireError("no port in \(address)")
        }
        let table = try readFile("/proc/net/tcp")
        let hex = String(port, radix: 16, uppercase: true)
        let place = ":" + String(repeating: "0", count: 4 - hex.count) + hex
        return table.lossyText.split(separator: "\n").dropFirst().count { line in
            let columns = line.split(separator: " ")
            // 06 is TIME_WAIT and 0A LISTEN (include/net/tcp_states.h).
            return columns.count > 3 && columns[1].hasSuffix(place) && columns[3] != "06" && columns[3] != "0A"
        }
    }
}
