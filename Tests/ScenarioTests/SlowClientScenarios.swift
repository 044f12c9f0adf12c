// Clients that pace a transfer: only such a client itself loses something, and no provider is blamed.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct SlowClientScenarios {
    /// With these limits a few bytes every few milliseconds are never late but always too slow.
    private static let limits = "server: { minimumRate: 16 MiB, rateWindow: 1s }"

    /// Sends one byte again and again, until the connection is answered or closed.
    private func drip(_ client: WireClient) throws -> WireResponse {
        try client.send(
            ServerScenarios.request("/raw/api/up", "PUT", "Transfer-Encoding: chunked\r\n") + "1\r\na\r\n")
        for _ in 0..<100_000 where !client.hasInput(within: 5) {
            guard (try? client.send("1\r\na\r\n")) != nil else { break }
        }
        return try client.receive()
    }

    @Test func aDrippingUploadEndsAs408AndIsNoFaultOfTheUpstreams() async throws {
        let origin = ServerScenarios.bodies()
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin, Self.limits)) { larder in
            // More often than a provider's own failures would need to suspend it.
            for round in 0..<6 {
                let answer = try await larder.talk { try drip($0) }
                try BadInputScenarios.expectProblem(answer, 408, "round \(round)")
                #expect(try answer.json()["code"]?.string == "bodyTooSlow")
            }
            #expect(origin.requests.isEmpty)
            #expect(try await larder.counter("larder_server_slow_clients_total", #"transfer="upload""#) == 6)
            #expect(try await larder.counter("larder_suspensions_total", #"provider="api""#) == 0)
            // The calls were sent, and were given up when their clients left. They count as `cancelled`.
            let calls = try await larder.get("/metrics").text.split(separator: "\n").filter {
                $0.hasPrefix("larder_upstream_calls_total") && $0.contains(#"provider="api""#)
                    && !$0.contains(#"class="cancelled""#)
            }
            #expect(calls.isEmpty, "no call failed: \(calls)")
            let other = try await larder.get("/raw/api/a")
            #expect(other.status == 200, "\(other)")
        }
    }

    @Test func aReaderThatSipsIsCutAndIsNoFaultOfTheUpstreams() async throws {
        let large = Bytes(repeating: 0x61, count: 64 << 20)
        let origin = ScriptedOrigin { request in
            guard request.target == "/large" else { return [.send(ok("small"))] }
            let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(large.count)\r\n\r\n"
            return [.send(head), .sendBytes(large)]
        }
        defer { origin.stop() }
        let limits = "server: { minimumRate: 1 GiB, rateWindow: 1s }"
        try await withLarder(ServerScenarios.passthrough(origin, limits)) { larder in
            let client = try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/api/large"))
                _ = try client.receiveHead()
                return client
            }
            try await larder.eventually("the reader is cut") {
                try await larder.counter("larder_server_slow_clients_total", #"transfer="answer""#) == 1
            }
            let rest = try await onOwnThread { try client.receiveRest() }
            #expect(rest.count < large.count)
            #expect(try await larder.counter("larder_suspensions_total", #"provider="api""#) == 0)
            let other = try await larder.get("/raw/api/a")
            #expect(other.text == "small", "\(other)")
        }
    }

    @Test func aRateOfZeroPermitsAnyPace() async throws {
        let origin = ServerScenarios.bodies()
        defer { origin.stop() }
        let limits = "server: { minimumRate: 0, rateWindow: 1s }"
        try await withLarder(ServerScenarios.passthrough(origin, limits)) { larder in
            let text = try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/api/up", "PUT", "Content-Length: 300\r\n"))
                for _ in 0..<300 where !client.hasInput(within: 5) { try client.send("a") }
                return try client.receive().text
            }
            #expect(text == "got " + String(repeating: "a", count: 300))
        }
    }
}

/// Anything that another reader could take for framing or for another path does not go upstream.
@Suite struct TwoReadingsScenarios {
    @Test func namesThatShadowFramingFieldsAreNotForwarded() async throws {
        let origin = ScriptedOrigin(answering: ok("a"))
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            let fields = [
                ("Content_Length", "100"), ("Transfer_Encoding", "chunked"), ("Keep_Alive", "1"), ("X_Mine", "yes"),
            ]
            let answer = try await larder.send("PUT", "/raw/api/a", fields: fields, body: "hello")
            #expect(answer.status == 200, "\(answer)")
            let seen = try #require(origin.requests.first)
            for name in ["Content_Length", "Transfer_Encoding", "Keep_Alive"] { #expect(seen.field(name) == nil) }
            #expect(seen.field("X_Mine") == "yes")
            #expect(seen.field("Content-Length") == "5")
        }
    }

    @Test(arguments: ["#b", "?x=1#b", "/..;/b", "/..%5cb", "/%2e%2e%3b/b", "|b"])
    func aTargetOfTwoReadingsChangesNothingUpstream(_ end: String) async throws {
        let origin = ScriptedOrigin(answering: ok("a", fields: "Cache-Control: max-age=600\r\n"))
        defer { origin.stop() }
        try await withLarder(ServerScenarios.passthrough(origin)) { larder in
            let put = try await larder.send("PUT", "/raw/api/a\(end)", body: "x")
            try BadInputScenarios.expectProblem(put, 400, end)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func theWholeServersOptionsAreAnsweredHere() async throws {
        try await withLarder { larder in
            let answer = try await larder.send("OPTIONS", "*")
            #expect(answer.status == 204, "\(answer)")
            #expect(answer["Allow"]?.contains("DELETE") == true)
        }
    }
}
