// How long a body may be silent: `providers.<name>.idleTimeout` for what an API sends, `server.bodyTimeout` for what a
// client sends.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct IdleScenarios {
    private func configuration(_ origin: ScriptedOrigin, _ more: String) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\", \(more) } }"
    }

    private static func silent(_ type: String, _ gate: Gate) -> [Act] {
        [
            .send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
            .await(gate), .send("2\r\ncd\r\n0\r\n\r\n"),
        ]
    }

    @Test func aSilentBodyIsCutAfterTheProvidersLimitAndAnEventStreamIsNot() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            Self.silent(request.target == "/events" ? "text/event-stream" : "text/plain", gate)
        }
        defer { origin.stop() }
        defer { gate.open() }
        try await withLarder(configuration(origin, "idleTimeout: 200ms")) { larder in
            let (client, begun) = try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/api/events", "GET", "Accept: text/event-stream\r\n"))
                _ = try client.receiveHead()
                _ = try client.receiveLine()
                return (client, try client.receiveLine())
            }
            #expect(begun == "ab")
            // Two other bodies reach their limit in the meantime, one after the other.
            for path in ["/one", "/two"] {
                let rest = try await larder.talk { client in
                    try client.send(ServerScenarios.request("/raw/api\(path)"))
                    return try client.receiveRest()
                }
                #expect(rest.lossyText.hasSuffix("ab\r\n"), "\(rest.lossyText)")
            }
            gate.open()
            let rest = try await onOwnThread { [client] in try client.receiveLine() + client.receiveLine() }
            #expect(rest == "2cd")
        }
    }

    @Test func aSilentBodyWithoutALimitArrivesWhole() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in Self.silent("text/plain", gate) }
        defer { origin.stop() }
        defer { gate.open() }
        try await withLarder(configuration(origin, "idleTimeout: 0s")) { larder in
            async let answer = larder.get("/raw/api/a")
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            gate.open()
            #expect(try await answer.text == "abcd")
        }
    }

    /// The head must come within 300 ms, a piece of the body within a minute.
    @Test func anUploadMayPauseForLongerThanAHead() async throws {
        let origin = ServerScenarios.bodies()
        defer { origin.stop() }
        let configuration = ServerScenarios.passthrough(origin, "server: { headTimeout: 300ms, bodyTimeout: 1min }")
        try await withLarder(configuration) { larder in
            let upload = try await larder.talk { client in
                try client.send(ServerScenarios.request("/raw/api/a", "POST", "Content-Length: 6\r\n") + "abc")
                return client
            }
            // A head that is as late as the rest of the body ends with 408.
            let late = try await larder.send(bytes: Bytes(text: "GET / HTTP/1.1\r\n"))
            #expect(late.status == 408, "\(late)")
            let answer = try await onOwnThread { [upload] in
                try upload.send("def")
                return try upload.receive()
            }
            #expect(answer.status == 200, "\(answer)")
        }
    }
}
