// The daemon as an HTTP server, seen by a client that sends bytes: order, forms of requests, limits, leaving.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ServerScenarios {
    /// Answers with the request's target, so a mix-up shows.
    static func echo() -> ScriptedOrigin {
        ScriptedOrigin { request in
            [.send(ok("asked \(request.target)", fields: "Cache-Control: max-age=600\r\n"))]
        }
    }

    static func passthrough(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }\n\(more)"
    }

    static func request(_ target: String, _ method: String = "GET", _ fields: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    @Test(arguments: ["64 MiB", "0 B"])
    func pipelinedHitsAndMissesAreAnsweredInOrder(_ memory: String) async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        let configuration = Self.passthrough(origin, "cache: { memorySize: \"\(memory)\" }")
        try await withLarder(configuration) { larder in
            // Even numbers are stored and in memory. Odd numbers are not known yet.
            for number in stride(from: 0, to: 60, by: 2) {
                for _ in 0..<2 { _ = try await larder.get("/raw/api/\(number)") }
            }
            let answers = try await larder.talk { client in
                try client.send((0..<60).map { Self.request("/raw/api/\($0)") }.joined())
                return try (0..<60).map { _ in try client.receive() }
            }
            #expect(answers.map(\.text) == (0..<60).map { "asked /\($0)" })
            #expect(Set(answers.compactMap { $0["X-Request-Id"] }).count == 60)
            #expect(origin.requests.count == 60)
        }
    }

    @Test func aBadRequestInAPipelineIsToldBehindTheGoodOnes() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            let (answers, isClosed) = try await larder.talk { client in
                try client.send(
                    Self.request("/raw/api/a") + Self.request("/v1/search?q=") + Self.request("/raw/api/b")
                        + "nonsense\r\n\r\n" + Self.request("/raw/api/c"))
                return (try (0..<4).map { _ in try client.receive() }, try client.isClosed())
            }
            #expect(answers.map(\.status) == [200, 400, 200, 400])
            #expect(answers[2].text == "asked /b")
            #expect(isClosed)
            #expect(origin.requests.map(\.target) == ["/a", "/b"])
        }
    }

    @Test func aRequestMayComeByteByByte() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin, "server: { headTimeout: 120s }")) { larder in
            let answers = try await larder.talk { client in
                for byte in Bytes(text: Self.request("/raw/api/a") + Self.request("/raw/api/b")) {
                    try client.send([byte])
                }
                return [try client.receive(), try client.receive()]
            }
            #expect(answers.map(\.text) == ["asked /a", "asked /b"])
        }
    }

    @Test func headHasTheFieldsOfGetAndNoBody() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            for target in [
                "/raw/api/a", "/healthz", "/metrics", "/v1/status", "/", "/openapi.json", "/v1/search", "/no",
            ] {
                // If the target is stored, the answer comes from a miss, from a row, and from memory in turn. A body
                // after HEAD would break the following response.
                let answers = try await larder.talk { client in
                    var answers: [WireResponse] = []
                    for _ in 0..<3 {
                        try client.send(Self.request(target, "HEAD") + Self.request(target))
                        answers.append(try client.receive(toHead: true))
                        answers.append(try client.receive())
                    }
                    return answers
                }
                for pair in stride(from: 0, to: 6, by: 2) {
                    let (head, get) = (answers[pair], answers[pair + 1])
                    #expect(head.status == get.status, "\(target)")
                    #expect(head["Content-Type"] == get["Content-Type"], "\(target)")
                    // Ids, counts and clocks differ in length. Constant bodies must not.
                    if target == "/raw/api/a" || target == "/" || target == "/openapi.json" {
                        #expect(head["Content-Length"] == String(get.body.count), "\(target)")
                        #expect(head["ETag"] == get["ETag"], "\(target)")
                    } else {
                        #expect(head["Content-Length"] != nil, "\(target)")
                    }
                }
            }
            // If nothing stored answers a HEAD request, it is sent upstream as HEAD, because no client wants its body.
            #expect(origin.requests.map { $0.head.prefix(4) } == ["HEAD", "GET "])
        }
    }

    @Test func anOldClientIsServedAndItsConnectionEnds() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            for turn in 0..<3 {
                let (answer, isClosed) = try await larder.talk { client in
                    try client.send("GET /raw/api/a HTTP/1.0\r\n\r\n")
                    return (try client.receive(), try client.isClosed())
                }
                #expect(answer.text == "asked /a", "\(turn)")
                #expect(answer["Content-Length"] == "8")
                #expect(answer["Transfer-Encoding"] == nil)
                #expect(isClosed)
                let kept = try await larder.talk { client in
                    try (0..<2).map { _ in
                        try client.send("GET /raw/api/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                        return try client.receive()
                    }
                }
                for answer in kept {
                    #expect(answer.text == "asked /a")
                    #expect(answer["Connection"]?.lowercased() == "keep-alive", "\(turn): \(answer)")
                }
            }
        }
    }

    @Test func theConnectionEndsWhenTheClientSaysSo() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            for turn in 0..<3 {
                let (answer, isClosed) = try await larder.talk { client in
                    try client.send(Self.request("/raw/api/a", "GET", "Connection: close\r\n"))
                    return (try client.receive(), try client.isClosed())
                }
                #expect(answer["Connection"] == "close", "\(turn): \(answer)")
                #expect(isClosed, "\(turn)")
            }
        }
    }

    static func bodies() -> ScriptedOrigin {
        ScriptedOrigin { request in [.send(ok("got \(request.body.lossyText)"))] }
    }

    @Test func whoExpectsContinueIsToldToGoOn() async throws {
        let origin = Self.bodies()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            let (interim, answer) = try await larder.talk { client in
                try client.send(Self.request("/raw/api/a", "POST", "Expect: 100-continue\r\nContent-Length: 5\r\n"))
                let interim = try client.receiveHead()
                try client.send("hello")
                return (interim, try client.receive())
            }
            #expect(interim.statusLine == "HTTP/1.1 100 Continue")
            #expect(answer.text == "got hello", "\(answer)")
            // The client's expectation is passed to the upstream (RFC 9110 §10.1.1).
            #expect(origin.requests.first?.field("Expect") == "100-continue")
            let refused = try await larder.talk { client in
                let fields = "Expect: 100-continue\r\nContent-Length: 99999999\r\n"
                try client.send(Self.request("/v1/providers/api/resume", "POST", fields))
                return try client.receiveHead()
            }
            #expect(refused.status == 413, "told before the body is sent: \(refused)")
        }
    }

    @Test func aChunkedBodyArrivesWhole() async throws {
        let origin = Self.bodies()
        defer { origin.stop() }
        try await withLarder(Self.passthrough(origin)) { larder in
            let answers = try await larder.talk { client in
                try client.send(
                    Self.request("/raw/api/a", "POST", "Transfer-Encoding: chunked\r\n")
                        + "5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n" + Self.request("/raw/api/b")
                )
                return [try client.receive(), try client.receive()]
            }
            #expect(answers.map(\.text) == ["got hello world", "got "])
            // The body's length is not known when it is forwarded.
            #expect(origin.requests.first?.field("Content-Length") == nil, "\(origin.requests)")
            #expect(origin.requests.first?.field("Transfer-Encoding") == "chunked")
            for broken in ["z\r\nhello\r\n", "5\r\nhelloXX", "-5\r\nhello\r\n"] {
                let answer = try await larder.send(
                    bytes: Bytes(text: Self.request("/raw/api/a", "POST", "Transfer-Encoding: chunked\r\n") + broken))
                try BadInputScenarios.expectProblem(answer, 400, broken)
            }
            // The upstream saw only the heads of bodies that never came whole.
            #expect(!origin.requests.contains { $0.body.lossyText.contains("helloXX") })
        }
    }

    @Test func aBodyThatNobodyAskedForDoesNotBecomeTheNextRequest() async throws {
        try await withLarder { larder in
            let answers = try await larder.talk { client in
                let smuggled = Self.request("/metrics")
                try client.send(
                    Self.request("/healthz", "GET", "Content-Length: \(smuggled.utf8.count)\r\n") + smuggled
                        + Self.request("/readyz"))
                return [try client.receive(), try client.receive()]
            }
            #expect(answers.map(\.text) == ["ok\n", "ready\n"])
        }
    }

    @Test func aUnixSocketServesTheSame() async throws {
        let origin = Self.echo()
        defer { origin.stop() }
        let place = TemporaryDirectory()
        let listen = [#""127.0.0.1:0""#, "\"unix:\(place.path)/larder.sock\""]
        try await withLarder(Self.passthrough(origin), listen: listen) { larder in
            #expect(larder.addresses[1] == "unix:\(place.path)/larder.sock")
            for turn in 0..<3 {
                let answer = try await larder.get("/raw/api/a", at: larder.addresses[1])
                #expect(answer.text == "asked /a", "\(turn)")
                let same = try await larder.get("/raw/api/a")
                #expect(same["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(turn): \(same)")
            }
            #expect(origin.requests.count == 1)
        }
        #expect(place.entries.isEmpty, "the socket's file outlives the daemon: \(place.entries)")
    }
}
