// Providers that the configuration adds. With `rfc` semantics the origin decides what is kept (RFC 9111). With `ttl`
// semantics the configuration decides.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PassthroughScenarios {
    private func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\"\(more) } }"
    }

    /// Answers each request with its own number.
    private func counting(_ fields: String, status: String = "200 OK") -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", status: status, fields: fields))]
        }
    }

    @Test func maxAgeIsObeyedToTheSecond() async throws {
        let origin = counting("Cache-Control: max-age=60\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            let first = try await larder.get("/raw/api/a")
            #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(first)")
            time.advance(by: .seconds(59))
            for _ in 0..<2 {
                let hit = try await larder.get("/raw/api/a")
                #expect(hit.text == "answer 1")
                #expect(hit["Age"] == "59")
                #expect(hit["Cache-Status"] == "larder; hit; ttl=1", "\(hit)")
            }
            time.advance(by: .seconds(1))
            let stale = try await larder.get("/raw/api/a")
            #expect(stale["Cache-Status"]?.contains("ttl=1") != true, "\(stale)")
            try await larder.eventually("the refresh is there") {
                try await larder.get("/raw/api/a").text == "answer 2"
            }
            #expect(origin.requests.count == 2)
            #expect(try await larder.get("/raw/api/a?x=1").text == "answer 3", "another query, another resource")
        }
    }

    @Test func mustRevalidateForbidsWhatIsStale() async throws {
        let origin = counting("Cache-Control: max-age=60, must-revalidate\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            _ = try await larder.get("/raw/api/a")
            time.advance(by: .seconds(61))
            let next = try await larder.get("/raw/api/a")
            #expect(next.text == "answer 2", "\(next)")
        }
    }

    @Test func theAgeOnTheWayCountsAgainstTheLifetime() async throws {
        let origin = counting("Cache-Control: max-age=60, must-revalidate\r\nAge: 50\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            let first = try await larder.get("/raw/api/a")
            #expect(first["Age"] == "50", "\(first)")
            time.advance(by: .seconds(9))
            let hit = try await larder.get("/raw/api/a")
            #expect(hit.text == "answer 1")
            #expect(hit["Age"] == "59")
            #expect(hit["Cache-Status"] == "larder; hit; ttl=1", "\(hit)")
            time.advance(by: .seconds(2))
            #expect(try await larder.get("/raw/api/a").text == "answer 2")
        }
    }

    @Test(arguments: [
        "Cache-Control: no-store\r\n", "Cache-Control: private, max-age=600\r\n",
        "Cache-Control: max-age=600\r\nSet-Cookie: a=b\r\n", "Cache-Control: max-age=600\r\nVary: X-Who\r\n",
        "Cache-Control: max-age=600\r\nVary: *\r\n", "Cache-Control: max-age=600\r\nVary: Accept-Encoding, X-Who\r\n",
        "",
    ])
    func whatMayNotBeStoredIsNotSharedEither(_ fields: String) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let who = request.field("X-Who") ?? "nobody"
            return [.await(gate), .send(ok("for \(who)", fields: fields))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            async let anna = larder.get("/raw/api/a", ("X-Who", "anna"))
            async let bert = larder.get("/raw/api/a", ("X-Who", "bert"))
            try await larder.eventually("one of them asks") { origin.requests.count >= 1 }
            gate.open()
            let answers = [try await anna, try await bert]
            #expect(answers.map(\.text) == ["for anna", "for bert"], "one got the other's answer")
            #expect(origin.requests.count == 2)
            let third = try await larder.get("/raw/api/a", ("X-Who", "cleo"))
            #expect(third.text == "for cleo")
            // An answer that names its selecting fields is kept for requests with the same fields (RFC 9111 §4.1).
            let isVariant = fields.contains("X-Who")
            let status = isVariant ? "fwd=vary-miss; fwd-status=200; stored" : "fwd=uri-miss; fwd-status=200"
            #expect(third["Cache-Status"] == "larder; \(status)", "\(third)")
            if fields.contains("Set-Cookie") { #expect(third["Set-Cookie"] == "a=b; Path=/raw/api/", "\(third)") }
            #expect(origin.requests.count == 3)
        }
    }

    @Test func clientsThatMayNotShareDoNotQueueForEachOther() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let acts: [Act] = [.send(ok("late", fields: "Cache-Control: no-store\r\n"))]
            return request.field("X-Who") == nil ? acts : [.await(gate)] + acts
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            async let slow = larder.get("/raw/api/a", ("X-Who", "slow"))
            try await larder.eventually("the slow one asks") { origin.requests.count == 2 }
            #expect(try await larder.get("/raw/api/a").text == "late")
            gate.open()
            #expect(try await slow.text == "late")
        }
    }

    @Test func aNotFoundIsKeptAsLongAsItSays() async throws {
        let origin = counting("Cache-Control: max-age=60, must-revalidate\r\n", status: "404 Not Found")
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            for _ in 0..<2 {
                let answer = try await larder.get("/raw/api/a")
                #expect(answer.statusLine == "HTTP/1.1 404 Not Found")
                #expect(answer.text == "answer 1", "\(answer)")
            }
            time.advance(by: .seconds(61))
            #expect(try await larder.get("/raw/api/a").text == "answer 2")
        }
    }

    @Test func redirectsArePassedOnAndNotFollowed() async throws {
        let origin = counting("Location: /b\r\n", status: "302 Found")
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.status == 302, "\(answer)")
            #expect(answer["Location"] == "/raw/api/b")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func ourOwnRulesOverrideNoStoreWhereTheyAreChosen() async throws {
        let origin = counting("Cache-Control: no-store, private\r\nPragma: no-cache\r\nExpires: 0\r\n")
        defer { origin.stop() }
        let time = ManualTime()
        let settings = configuration(origin, ", semantics: ttl, ttl: 60s") + "\ncache: { jitter: 0 }"
        try await withLarder(settings, time: time) { larder in
            _ = try await larder.get("/raw/api/a")
            time.advance(by: .seconds(59))
            for _ in 0..<2 {
                let hit = try await larder.get("/raw/api/a")
                #expect(hit.text == "answer 1", "\(hit)")
                #expect(hit["Cache-Status"] == "larder; hit; ttl=1", "\(hit)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aBoundListenerIsTheProvidersRoot() async throws {
        let origin = ScriptedOrigin { request in
            [.send(ok("\(request.head.prefix { $0 != "\r\n" })", fields: "Cache-Control: max-age=60\r\n"))]
        }
        defer { origin.stop() }
        let listen = [#""127.0.0.1:0""#, #"{ address: "127.0.0.1:0", provider: api }"#]
        try await withLarder(configuration(origin), listen: listen) { larder in
            let bound = larder.addresses[1]
            for target in ["/a/b?c=d", "/", "/healthz", "/metrics", "/v1/status", "/raw/api/a"] {
                let answer = try await larder.get(target, at: bound)
                #expect(answer.text == "GET \(target) HTTP/1.1", "\(answer)")
            }
            let calls = origin.requests.count
            let shared = try await larder.get("/raw/api/a/b?c=d")
            #expect(shared["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(shared)")
            let post = try await larder.send("POST", "/x", body: "y", to: bound)
            #expect(post.text == "POST /x HTTP/1.1")
            #expect(origin.requests.count == calls + 1)
            #expect(try await larder.get("/healthz").text != "GET /healthz HTTP/1.1", "the other listener's own route")
        }
    }

    @Test func theClientsConditionsAreAnsweredHereAndNotForwarded() async throws {
        let origin = counting("Cache-Control: max-age=60\r\nETag: \"one\"\r\n")
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let first = try await larder.get("/raw/api/a", ("If-None-Match", "\"one\""), ("Range", "bytes=0-1"))
            #expect(first.status == 304, "\(first)")
            #expect(origin.requests.first?.field("If-None-Match") == nil)
            #expect(origin.requests.first?.field("Range") == nil)
            let part = try await larder.get("/raw/api/a", ("Range", "bytes=0-5"))
            #expect(part.status == 206, "\(part)")
            #expect(part.text == "answer")
            #expect(part["Content-Range"] == "bytes 0-5/8")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatTheClientSaysReachesAPassthroughUpstreamButNotWhatIsOfTheConnection() async throws {
        let origin = counting("Cache-Control: max-age=60\r\n")
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get(
                "/raw/api/a", ("X-Mine", "1"), ("User-Agent", "tool/1"), ("Connection", "close, X-Hop"), ("X-Hop", "2"),
                ("TE", "trailers"), ("Accept", "text/plain"))
            let request = try #require(origin.requests.first)
            #expect(request.field("X-Mine") == "1")
            #expect(request.field("User-Agent") == "tool/1")
            #expect(request.field("Accept") == "text/plain")
            #expect(request.field("X-Hop") == nil, "\(request.head)")
            #expect(request.field("TE") == nil, "\(request.head)")
            #expect(request.field("Host") == "127.0.0.1:\(origin.port)")
        }
    }
}
