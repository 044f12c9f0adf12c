// `/v1/explain/{request-id}`: how an answer was decided, by rule and section, without any client's secrets.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ExplainScenarios {
    private func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
    }

    private static let admin = "admin: { token: a-token-for-tests }\n"
    private static let authority = ("Authorization", "Bearer a-token-for-tests")

    /// The explanation of an answer. This method expects that it holds none of the request's secrets.
    private func explain(
        _ answer: WireResponse, _ larder: RunningLarder, _ fields: (String, String)...
    ) async throws -> JSONValue {
        let id = try #require(answer["X-Request-Id"])
        let response = try await larder.send("GET", "/v1/explain/\(id)", fields: fields)
        #expect(response.status == 200, "\(response)")
        #expect(response["Content-Type"] == "application/json")
        #expect(response["Cache-Control"] == "no-store")
        #expect(!response.text.contains("s3cret"), "\(response)")
        let value = try response.json()
        #expect(value["requestId"]?.string == id)
        #expect(value["status"]?.integer == answer.status, "\(response)")
        return value
    }

    private func sources(_ value: JSONValue) -> [JSONValue] { value["sources"]?.elements.map { $0 } ?? [] }

    /// The only source in the explanation.
    private func source(_ answer: WireResponse, _ larder: RunningLarder) async throws -> JSONValue {
        let sources = sources(try await explain(answer, larder))
        #expect(sources.count == 1)
        return try #require(sources.first)
    }

    private func expectRule(_ value: JSONValue?, _ name: String, _ section: String, _ what: String) {
        #expect(value?["name"]?.string == name, "\(what)")
        #expect(value?["section"]?.string == section, "\(what)")
        #expect(value?["sentence"]?.string?.isEmpty == false, "\(what)")
    }

    @Test func theUpstreamsOwnErrorIsExplainedWhereARawRequestGotIt() async throws {
        let refusal = #"{"status":"error","code":"apiKeyInvalid","message":"Your API key is invalid."}"#
        let origin = ScriptedOrigin(answering: ok(refusal, status: "401 Unauthorized"))
        defer { origin.stop() }
        let settings = "providers: { newsapi: { baseURL: \"\(origin.base)\", key: s3cret, rate: off, quota: off } }"
        try await withLarder(settings) { larder in
            let target = "/raw/newsapi/v2/top-headlines?country=us"
            let answer = try await larder.get(target)
            #expect(answer.status == 401, "\(answer)")
            let part = try await source(answer, larder)
            #expect(part["provider"]?.string == "newsapi")
            #expect(part["outcome"]?.string == "miss")
            #expect(part["upstreamStatus"]?.integer == 401)
            #expect(part["stored"]?.bool == false)
            #expect(part["key"]?["path"]?.string == "/v2/top-headlines")
            #expect(part["class"]?.string == "refused", "\(part.raw.lossyText)")
        }
    }

    @Test(
        arguments: [
            ("personalToken", "Larder", "Authorization", "Basic s3cret", ""),
            ("personalTarget", "Larder", "Accept", "*/*", "?session_id=s3cret"),
        ])
    func aRequestThatABuiltInAPIIsAskedBesideTheCache(
        _ rule: String, _ section: String, _ name: String, _ value: String, _ query: String
    ) async throws {
        let origin = ScriptedOrigin(answering: ok(#"{"id":11,"title":"Lantern"}"#))
        defer { origin.stop() }
        let tmdb = "tmdb: { baseURL: \"\(origin.base)\", key: s3cret-of-ours, rate: 50/h, quota: 99/day }"
        try await withLarder("providers: { \(tmdb) }") { larder in
            let answer = try await larder.get("/raw/tmdb/3/movie/11" + query, (name, value))
            #expect(answer.status == 200, "\(answer)")
            let part = try await source(answer, larder)
            #expect(part["provider"]?.string == "tmdb")
            #expect(part["outcome"]?.string == "bypass")
            #expect(part["forward"]?.string == "bypass")
            #expect(part["upstreamStatus"]?.integer == 200)
            #expect(part["stored"]?.bool == false)
            #expect(part["key"]?["path"]?.string == "/3/movie/11")
            expectRule(part["rule"], rule, section, rule)
            #expect(part["limiter"]?["quotaRemaining"]?.integer == 98)
            let text = part["explanation"]?.elements.compactMap(\.string) ?? []
            #expect(text.first?.contains("without using the cache") == true, "\(text)")
            #expect(text.last?.contains("49 of 50/h and 98 of 99/day") == true, "\(text)")
        }
    }

    @Test(arguments: [true, false])
    func aBypassTellsWhoseKeyWasSent(_ isConfigured: Bool) async throws {
        let origin = ScriptedOrigin(answering: ok(#"{"success":true,"status":200,"data":[]}"#))
        defer { origin.stop() }
        let key = isConfigured ? ", key: s3cret-of-ours" : ""
        try await withLarder("providers: { imgur: { baseURL: \"\(origin.base)\"\(key) } }") { larder in
            let answer = try await larder.get("/raw/imgur/3/account/anna/images", ("Authorization", "Bearer s3cret"))
            #expect(answer.status == 200, "\(answer)")
            #expect(
                origin.requests.last?.field("Authorization")
                    == (isConfigured ? "Client-ID s3cret-of-ours" : "Bearer s3cret"))
            let text = try await source(answer, larder)["explanation"]?.elements.compactMap(\.string) ?? []
            #expect(
                text.first
                    == (isConfigured
                        ? "The request was sent to the upstream with the configured key instead of the client's (bypass), without using the cache."
                        : "The request was sent to the upstream unchanged (bypass), without using the cache."),
                "\(text)")
        }
    }

    @Test func aBypassNamesItsRuleAlsoWhereNothingIsStored() async throws {
        let origin = ScriptedOrigin(answering: ok("mine"))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let answer = try await larder.get("/raw/api/me", ("Authorization", "Bearer s3cret"))
            let part = try await source(answer, larder)
            #expect(part["outcome"]?.string == "bypass", "\(part.raw.lossyText)")
            expectRule(part["rule"], "ownBusiness", "Larder", "the rule of the bypass")
        }
    }

    @Test func aFailureOfABuiltInAPIThatGaveNoAnswer() async throws {
        let gone = ScriptedOrigin(answering: "")
        gone.stop()
        let settings = Self.admin + "providers: { newsapi: { baseURL: \"\(gone.base)\", key: s3cret-of-ours } }"
        try await withLarder(settings) { larder in
            for (field, rule) in [("key-of-a-library", nil), ("Basic s3cret", "personalToken")] {
                let answer = try await larder.get("/raw/newsapi/v2/everything?q=a", ("Authorization", field))
                #expect(answer.status >= 500, "\(answer)")
                let told = sources(try await explain(answer, larder, Self.authority))
                let part = try #require(told.first)
                #expect(told.count == 1)
                #expect(part["provider"]?.string == "newsapi")
                #expect(part["outcome"]?.string == "none")
                #expect(part["class"]?.string == "unreachable", "\(part.raw.lossyText)")
                #expect(part["key"]?["query"]?.string == "q=a")
                #expect(part["rule"]?["name"]?.string == rule)
                #expect(part["detail"]?.string?.isEmpty == false)
            }
        }
    }

    @Test(
        arguments: [
            ("/raw/newsap/v2/everything", "unknownProvider", #"did you mean "newsapi"?"#),
            ("/v1/search?q=a&source=itune", "invalidParameter", #"did you mean "itunes"?"#),
            ("/raw/qqqqqq/v2", "unknownProvider", #"There is no provider "qqqqqq"."#),
        ])
    func aProviderThatDoesNotExist(_ target: String, _ code: String, _ words: String) async throws {
        try await withLarder(Self.admin) { larder in
            let answer = try await larder.get(target)
            let problem = try answer.json()
            #expect(problem["code"]?.string == code, "\(answer)")
            #expect(problem["detail"]?.string?.contains(words) == true, "\(answer)")
            let value = try await explain(answer, larder, Self.authority)
            #expect(sources(value).isEmpty)
            #expect(value["problem"]?["code"]?.string == code)
            #expect(value["problem"]?["detail"]?.string == problem["detail"]?.string)
            #expect(value["problem"]?["allowed"]?.elements.contains { $0.string == "itunes" } == true)
        }
    }

    /// `/v1/requests` and `/v1/explain` have one rule. A page of `browserOrigins` has no authority, whatever it sends.
    @Test func withoutAuthorityNoTermIsTold() async throws {
        let origin = ScriptedOrigin { request in
            request.target.contains("refused")
                ? [.send(ok("no refusedword", status: "400 Bad Request"))] : [.send(CacheScenarios.song)]
        }
        defer { origin.stop() }
        let settings = Self.admin + "browserOrigins: [\"http://localhost:3000\"]\n" + BasicScenarios.itunes(origin)
        try await withLarder(settings) { larder in
            // With authority, the key of a miss and the words of a refusal tell the term.
            for (target, term, isTold) in [
                ("/v1/itunes/search?q=privateword", "privateword", true),
                ("/v1/itunes/search?q=privateword", "privateword", false),
                ("/raw/itunes/search?term=rawword", "rawword", true),
                ("/v1/itunes/search?q=refusedword", "refusedword", false),
                ("/v1/search?q=a&source=notword", "notword", true),
            ] {
                let answer = try await larder.get(target)
                let full = try await explain(answer, larder, Self.authority)
                #expect(full["redacted"]?.bool == false, "\(full.raw.lossyText)")
                if isTold { #expect(full.raw.lossyText.contains(term), "\(full.raw.lossyText)") }
                for fields in [[], [("Origin", "http://localhost:3000"), Self.authority]] as [[(String, String)]] {
                    let id = answer["X-Request-Id"] ?? ""
                    let told = try await larder.send("GET", "/v1/explain/\(id)", fields: fields)
                    #expect(told.status == 200 && !told.text.contains(term), "\(told)")
                    #expect(try told.json()["redacted"]?.bool == true)
                    let seen = try await larder.send("GET", "/v1/requests", fields: fields)
                    #expect(seen.status == 200 && !seen.text.contains(term), "\(seen)")
                }
            }
        }
    }

    @Test func aMissAHitInTheStoreAndOneInMemory() async throws {
        let origin = ScriptedOrigin(answering: ok("page", fields: "Cache-Control: max-age=600\r\nAge: 100\r\n"))
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let target = "/raw/api/a?token=s3cret&s3cret"
        try await withLarder(configuration(origin), directory: directory) { larder in
            let miss = try await source(try await larder.get(target, ("X-Mine", "s3cret")), larder)
            #expect(miss["provider"]?.string == "api")
            #expect(miss["outcome"]?.string == "miss")
            #expect(miss["forward"]?.string == "uri-miss")
            #expect(miss["upstreamStatus"]?.integer == 200)
            #expect(miss["stored"]?.bool == true)
            #expect(miss["key"]?["query"]?.string == "token=…&…")
            expectRule(miss["rule"], "uriMiss", "RFC 9111 §4", "miss")
            expectRule(miss["storing"], "maxAge", "RFC 9111 §5.2.2.1", "miss")
            try await larder.awaitCommits()
        }
        try await withLarder(configuration(origin), directory: directory) { larder in
            for place in ["store", "memory"] {
                let hit = try await larder.get(target)
                #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit)")
                let value = try await explain(hit, larder)
                #expect((value["route"]?.string == "memory") == (place == "memory"), "\(place)")
                let source = try #require(sources(value).first)
                #expect(source["provider"]?.string == "api", "\(place)")
                #expect(source["outcome"]?.string == "hit", "\(place)")
                expectRule(source["rule"], "fresh", "RFC 9111 §4.2", place)
                #expect(source["forward"] == nil, "\(place)")
                #expect(source["upstreamStatus"] == nil, "\(place)")
                #expect(source["key"]?["path"]?.string == "/a", "\(place)")
                // The age and lifetime that the answer stated.
                let age = try #require(source["age"]?.integer)
                let ttl = try #require(source["ttl"]?.integer)
                #expect((100...160).contains(age), "\(place)")
                #expect((439...500).contains(ttl), "\(place)")
                #expect((599...600).contains(age + ttl), "\(place)")
            }
        }
    }

    @Test func aStaleAnswerThatCoversForAFailure() async throws {
        let moods = CacheScenarios.Moods()
        let origin = ScriptedOrigin { _ in moods.current.withLock { $0 } }
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(configuration(origin), time: time) { larder in
            moods.set(ok("page", fields: "Cache-Control: max-age=60, stale-if-error=600\r\n"))
            _ = try await larder.get("/raw/api/a")
            moods.set([.reset])
            time.advance(by: .seconds(100))
            let answer = try await larder.get("/raw/api/a")
            #expect(answer.text == "page", "\(answer)")
            let source = try await source(answer, larder)
            #expect(source["outcome"]?.string == "stale")
            #expect(source["forward"]?.string == "stale")
            expectRule(source["rule"], "staleIfError", "RFC 5861 §4", "stale")
            #expect(source["age"]?.integer == 100)
            #expect(source["ttl"]?.integer == -40)
            #expect(source["class"]?.string == "unreachable")
            let text = source["explanation"]?.elements.compactMap(\.string) ?? []
            #expect(text.first?.contains("stale for 40 s") == true, "\(text)")
        }
    }

    @Test func anotherVariantAndWhatIsPassedBy() async throws {
        let origin = ScriptedOrigin { request in
            let vary = request.target.hasPrefix("/v") ? "Vary: X-Who\r\n" : ""
            return [.send(ok("page", fields: "Cache-Control: max-age=600\r\n" + vary))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/v", ("X-Who", "anna"))
            let other = try await source(try await larder.get("/raw/api/v", ("X-Who", "s3cret")), larder)
            #expect(other["outcome"]?.string == "miss")
            #expect(other["forward"]?.string == "vary-miss")
            expectRule(other["rule"], "variantMiss", "RFC 9111 §4.1", "variant")

            _ = try await larder.get("/raw/api/own")
            let own = try await source(
                try await larder.get("/raw/api/own?k=s3cret", ("Authorization", "Bearer s3cret"), ("Cookie", "s3cret")),
                larder)
            #expect(own["outcome"]?.string == "bypass")
            #expect(own["forward"]?.string == "bypass")
            expectRule(own["storing"], "authorization", "RFC 9111 §3.5", "own")

            let post = try await source(
                try await larder.send("POST", "/raw/api/form?k=s3cret", body: "s3cret"), larder)
            #expect(post["outcome"]?.string == "bypass")
            #expect(post["forward"]?.string == "method")
            #expect(post["stored"]?.bool == false)
            expectRule(post["rule"], "method", "RFC 9111 §3", "post")
        }
    }

    @Test func anErrorIsExplainedToo() async throws {
        // A port on which nobody listens any more.
        let gone = ScriptedOrigin(answering: "")
        gone.stop()
        try await withLarder(configuration(gone)) { larder in
            let answer = try await larder.get("/raw/api/a?k=s3cret")
            #expect(answer.status == 502, "\(answer)")
            let source = try await source(answer, larder)
            #expect(source["provider"]?.string == "api")
            #expect(source["outcome"]?.string == "none")
            #expect(source["class"]?.string == "unreachable")
            #expect(source["detail"]?.string?.isEmpty == false)
        }
    }

    @Test func aMergedSearchHasAPartForEachSource() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let answer = try await larder.get("/v1/search?q=jack+johnson&source=itunes")
            let source = try await source(answer, larder)
            #expect(source["provider"]?.string == "itunes")
            #expect(source["outcome"]?.string == "miss")
            #expect(source["stored"]?.bool == true)
            #expect(source["rule"]?["name"]?.string?.isEmpty == false)
            #expect(source["limiter"]?["suspended"]?.bool == false)
        }
    }

    @Test(arguments: ["16 MiB", "0"])
    func aHitThatALoopAnsweredHasThePathOfItsRequest(_ memory: String) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        let settings = "cache: { memorySize: \(memory), minFree: 0 }\n" + BasicScenarios.itunes(origin)
        try await withLarder(settings) { larder in
            for target in ["/v1/search?q=jack+johnson&source=itunes", "/raw/itunes/search?term=jack+johnson"] {
                try await larder.eventually("a loop answers") {
                    let value = try await explain(try await larder.get(target), larder)
                    #expect(value["path"]?.string == String(target.prefix { $0 != "?" }), "\(value.raw.lossyText)")
                    return ["memory", "store"].contains(value["route"]?.string)
                }
            }
        }
    }

    @Test func whatIsNotKnownOrNoIdIsSaid() async throws {
        try await withLarder { larder in
            let unknown = try await larder.get("/v1/explain/0-ffffff")
            try BadInputScenarios.expectProblem(unknown, 404, "unknown")
            #expect(try unknown.json()["code"]?.string == "unknownRequest")
            for text in ["x", "0-", "-1", "1", "0-2f-3", "%00", "0-2f%20", "99999999999999999999-1"] {
                try BadInputScenarios.expectProblem(try await larder.get("/v1/explain/\(text)"), 400, text)
            }
        }
    }
}
