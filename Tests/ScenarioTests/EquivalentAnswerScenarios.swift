// Stored answers that also answer requests with another URL or other fields: how this is reported, and when it ends.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct EquivalentAnswerScenarios {
    private static let token = "a-token-of-some-length"
    private static let authority = ("Authorization", "Bearer \(token)")

    private func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        """
        admin: { token: \(Self.token) }
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", rate: off, quota: off\(more) } }
        """
    }

    private func rule(_ answer: WireResponse, _ larder: RunningLarder) async throws -> String? {
        let told = try await larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")").json()
        return told["sources"]?.elements.first { _ in true }?["rule"]?["name"]?.string
    }

    @Test func anAnswerToAnotherQueryIsExplainedAndGoesWithItsEntry() async throws {
        let fields = "Cache-Control: max-age=600\r\nNo-Vary-Search: params=(\"utm\")\r\n"
        let origin = ScriptedOrigin { request in [.send(ok("for \(request.target)", fields: fields))] }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder async throws in
            #expect(try await larder.get("/raw/api/a?x=1&utm=1").text == "for /a?x=1&utm=1")
            for turn in 1...3 {
                let other = try await larder.get("/raw/api/a?utm=2&x=1")
                #expect(other.text == "for /a?x=1&utm=1", "\(turn)")
                #expect(try await rule(other, larder) == "searchVariance", "\(turn)")
            }
            #expect(
                try await larder.counter("larder_no_vary_search_total", "provider=\"api\",result=\"answered\"") == 3)
            let purge = try await larder.send(
                "DELETE", "/v1/cache?url=\(PercentCoding.encode("/raw/api/a?x=1&utm=1"))", fields: [Self.authority])
            #expect(purge.status == 200, "\(purge)")
            #expect(try await larder.get("/raw/api/a?utm=2&x=1").text == "for /a?utm=2&x=1")
            // The next request finds the answer under the other URL's entry.
            #expect(try await larder.get("/raw/api/a?x=1&utm=1").text == "for /a?utm=2&x=1")
        }
    }

    @Test func aPurgeOfAURLTakesWhatAnswersItFromUnderAnotherQuery() async throws {
        let fields = "Cache-Control: max-age=600\r\nNo-Vary-Search: params=(\"y\")\r\n"
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", fields: fields))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder async throws in
            func purge(_ target: String) async throws -> JSONValue {
                let url = PercentCoding.encode(target)
                return try await larder.send("DELETE", "/v1/cache?url=\(url)", fields: [Self.authority]).json()
            }
            #expect(try await larder.get("/raw/api/a?x=1").text == "answer 1")
            #expect(try await larder.get("/raw/api/a?x=2").text == "answer 2")
            #expect(try await larder.get("/raw/api/a?x=1&y=2").text == "answer 1")
            #expect(try await purge("/raw/api/a?y=2&x=1")["purged"]?.integer == 1)
            #expect(try await larder.get("/raw/api/a?x=1&y=2").text == "answer 3")
            #expect(try await larder.get("/raw/api/a?x=2").text == "answer 2")
            // The answer was received before the purge. It therefore answers only its own query.
            #expect(try await purge("/raw/api/a?x=2&y=2")["purged"]?.integer == 0)
        }
    }

    @Test func anAnswerOfAnEarlierRunAnswersItsOwnQueryOnly() async throws {
        let fields = "Cache-Control: max-age=600\r\nNo-Vary-Search: params=(\"y\")\r\n"
        let origin = ScriptedOrigin { request in [.send(ok("for \(request.target)", fields: fields))] }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(configuration(origin), directory: directory) { larder async throws in
            #expect(try await larder.get("/raw/api/a?x=1").text == "for /a?x=1")
            #expect(try await larder.get("/raw/api/a?x=1&y=1").text == "for /a?x=1")
            // The PUT is for another path, but nobody knows which queries it affects.
            #expect(try await larder.send("PUT", "/raw/api/b", body: "x").status == 200)
            try await larder.awaitCommits()
        }
        try await withLarder(configuration(origin), directory: directory) { larder async throws in
            #expect(try await larder.get("/raw/api/a?x=1").text == "for /a?x=1")
            #expect(origin.requests.count == 2)
            #expect(try await larder.get("/raw/api/a?x=1&y=2").text == "for /a?x=1&y=2")
            #expect(try await larder.get("/raw/api/a?x=1&y=3").text == "for /a?x=1&y=2")
        }
    }

    @Test func aRefusedFieldIsCountedOnceHoweverOftenItsAnswerIsRead() async throws {
        let long = "No-Vary-Search: params=(\"\(String(repeating: "x", count: 5000))\")\r\n"
        let origin = ScriptedOrigin { _ in [.send(ok("a", fields: "Cache-Control: max-age=600\r\n\(long)"))] }
        defer { origin.stop() }
        try await withLarder("cache: { memorySize: 0 }\n" + configuration(origin)) { larder async throws in
            for _ in 1...4 {
                // Memory and its readers leave requests with Cache-Control to the look-up.
                let answer = try await larder.get("/raw/api/a", ("Cache-Control", "max-age=300"))
                #expect(answer.text == "a")
            }
            #expect(origin.requests.count == 1)
            #expect(try await larder.counter("larder_no_vary_search_total", "provider=\"api\",result=\"refused\"") == 1)
        }
    }

    @Test(arguments: [("any", #"?_httpMethod=DELETE"#, ""), ("any", "", "_method=DELETE"), ("graphql", "?op=x", "")])
    func aPOSTThatMayAskForSomethingElseIsPassedOn(_ kind: String, _ query: String, _ form: String) async throws {
        let origin = ScriptedOrigin { _ in [.send(ok(#"{"data":{}}"#))] }
        defer { origin.stop() }
        let post = ", readOnlyPosts: [{ path: /s, ttl: 1h, kind: \(kind) }]"
        try await withLarder(configuration(origin, post)) { larder async throws in
            let type = form.isEmpty ? "application/json" : "application/x-www-form-urlencoded"
            for number in 1...2 {
                let answer = try await larder.send(
                    "POST", "/raw/api/s\(query)", fields: [("Content-Type", type)],
                    body: form.isEmpty ? #"{"query":"{ a }"}"# : form)
                #expect(answer["Cache-Status"]?.contains("fwd=method") == true, "\(answer)")
                #expect(origin.requests.count == number)
            }
        }
    }

    @Test(arguments: [("/raw/api/b", true), ("/raw/api/a?x=1", false)])
    func aChangeOfAnotherURLEndsReuseByLanguageOnlyAtItsOwnPath(_ changed: String, _ isReused: Bool) async throws {
        let fields = "Cache-Control: max-age=600\r\nVary: Accept-Language\r\nContent-Language: de\r\n"
        let origin = ScriptedOrigin(answering: ok("ja", fields: fields))
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder async throws in
            _ = try await larder.get("/raw/api/a", ("Accept-Language", "fr"))
            time.advance(by: .seconds(1))
            #expect(try await larder.send("PUT", changed, body: "x").status == 200)
            let calls = origin.requests.count
            let other = try await larder.get("/raw/api/a", ("Accept-Language", "de, fr;q=0.3"))
            #expect(other.text == "ja" && origin.requests.count == calls + (isReused ? 0 : 1), "\(other)")
        }
    }

    @Test func anAnswerInTheBestLanguageIsExplained() async throws {
        let fields = "Cache-Control: max-age=600\r\nVary: Accept-Language\r\nContent-Language: de\r\n"
        let origin = ScriptedOrigin(answering: ok("ja", fields: fields))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder async throws in
            _ = try await larder.get("/raw/api/a", ("Accept-Language", "fr"))
            let other = try await larder.get("/raw/api/a", ("Accept-Language", "de, fr;q=0.3"))
            #expect(other.text == "ja" && origin.requests.count == 1)
            #expect(try await rule(other, larder) == "bestLanguage")
        }
    }

    @Test func twoQuestionsWithContentAreNoVariantsOfEachOther() async throws {
        let origin = ScriptedOrigin { request in [.send(ok("for \(request.body.lossyText)"))] }
        defer { origin.stop() }
        let post = ", readOnlyPosts: [{ path: /s, ttl: 1h, kind: any }]"
        try await withLarder(configuration(origin, post)) { larder in
            for body in ["one", "two"] {
                for _ in 1...2 {
                    let answer = try await larder.send("POST", "/raw/api/s", body: body)
                    #expect(answer.text == "for \(body)")
                }
            }
            #expect(origin.requests.count == 2)
            let entries = try await larder.get("/v1/entries?provider=api", Self.authority).json()["entries"]
            let labels = entries?.elements.compactMap { $0["label"]?.string } ?? []
            #expect(Set(labels).count == 2 && labels.allSatisfy { $0.contains("/s (3 bytes, ") }, "\(labels)")
            for entry in entries?.elements.map({ $0 }) ?? [] {
                let detail = try await larder.get("/v1/entries/\(entry["key"]?.string ?? "")", Self.authority).json()
                for name in ["parents", "children", "variants"] { #expect(detail[name]?.count == 0, "\(name)") }
            }
            let redacted = try await larder.get("/v1/entries?provider=api").text
            #expect(!redacted.contains("bytes, "), "\(redacted)")
        }
    }

    @Test func aGzippedAnswerWithErrorsIsNotStored() async throws {
        let coded = try ContentCoding.gzip(Bytes(text: #"{"data":{},"errors":["no"]}"#))
        let good = try ContentCoding.gzip(Bytes(text: #"{"data":{}}"#))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: "
        let origin = ScriptedOrigin { request in
            let body = request.body.lossyText.contains("bad") ? coded : good
            return [.send(head + "\(body.count)\r\n\r\n"), .sendBytes(body)]
        }
        defer { origin.stop() }
        let post = ", readOnlyPosts: [{ path: /g, ttl: 1h, kind: graphql }]"
        try await withLarder(configuration(origin, post)) { larder in
            for (query, calls) in [("bad", 2), ("good", 3)] {
                for _ in 1...2 {
                    let answer = try await larder.send(
                        "POST", "/raw/api/g",
                        fields: [("Content-Type", "application/json"), ("Accept-Encoding", "gzip")],
                        body: #"{"query":"{ \#(query) }"}"#)
                    #expect(answer.status == 200)
                }
                #expect(origin.requests.count == calls, "\(query)")
            }
        }
    }

    @Test func aClientThatLeavesAForwardedRequestIsNoFailureOfTheProvider() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(ok("late"))] }
        defer { origin.stop() }
        defer { gate.open() }
        try await withLarder(configuration(origin)) { larder in
            var client: WireClient? = try await larder.talk(to: larder.address) { client in
                try client.send("POST /raw/api/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
                return client
            }
            try await larder.eventually("the request is under way") { client != nil && origin.requests.count == 1 }
            // The client leaves.
            client?.resetAtEnd()
            client = nil
            try await larder.eventually("the request has ended") {
                try await larder.counter("larder_requests_total", "route=\"raw\",status=\"4xx\"") == 1
            }
            #expect(try await larder.counter("larder_cache_total", "provider=\"api\",outcome=\"none\"") == 0)
        }
    }
}
