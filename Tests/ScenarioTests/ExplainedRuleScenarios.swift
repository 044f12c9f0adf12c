// What `/v1/explain/{request-id}` tells in addition to the rule that found an answer: limits of the API, removals,
// cookies, and how the answer was cut for its client.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ExplainedRuleScenarios {
    private func configuration(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\"\(more) } }"
    }

    /// The only source in an answer's explanation.
    private func source(_ answer: WireResponse, _ larder: RunningLarder) async throws -> JSONValue {
        let id = try #require(answer["X-Request-Id"])
        let value = try await larder.get("/v1/explain/\(id)").json()
        return try #require(value["sources"]?.elements.first { _ in true })
    }

    private func sentences(_ source: JSONValue) -> String {
        (source["explanation"]?.elements.compactMap(\.string) ?? []).joined(separator: "\n")
    }

    private func further(_ source: JSONValue) -> [String] {
        source["further"]?.elements.compactMap { $0["name"]?.string } ?? []
    }

    /// Expects that the explanation of the last request names these further rules.
    private func expect(
        _ rules: [String], of fields: String, settings: String = "", _ requests: [[(String, String)]]
    ) async throws {
        let origin = ScriptedOrigin(answering: ok("0123456789", fields: fields))
        defer { origin.stop() }
        try await withLarder(configuration(origin, settings)) { larder in
            var last: [String] = []
            for request in requests {
                last = further(try await source(try await larder.send("GET", "/raw/api/a", fields: request), larder))
            }
            #expect(last == rules)
        }
    }

    @Test func whatTheAPIAllowsIsToldOfARequestThatUsedACall() async throws {
        let origin = ScriptedOrigin(
            answering: ok("x", fields: "RateLimit-Policy: \"default\";q=10;w=60\r\nRateLimit: \"default\";r=5;t=60\r\n")
        )
        defer { origin.stop() }
        try await withLarder(configuration(origin, ", rate: off")) { larder in
            _ = try await larder.send("POST", "/raw/api/a", body: "x")
            let part = try await source(try await larder.send("POST", "/raw/api/a", body: "x"), larder)
            let text = sentences(part)
            #expect(text.contains("The API itself allows 5 more calls until "), "\(text)")
            #expect(!text.contains("are not limited"), "\(text)")
            let credit = part["limiter"]?["credits"]?.elements.first { _ in true }
            #expect(credit?["remaining"]?.integer == 5 && credit?["limit"]?.integer == 10)
        }
    }

    @Test func aRefusalByTheAPIsOwnLimitTellsOfIt() async throws {
        let origin = ScriptedOrigin(answering: ok("x", fields: "RateLimit: \"default\";r=0;t=60\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin, ", rate: off")) { larder in
            _ = try await larder.get("/raw/api/a")
            let refused = try await larder.get("/raw/api/b")
            #expect(refused.status == 429, "\(refused)")
            let text = sentences(try await source(refused, larder))
            #expect(text.contains("The API itself allows 0 more calls until "), "\(text)")
        }
    }

    @Test func anAnswerThatIsNotStoredHasNoLifetime() async throws {
        let origin = ScriptedOrigin(
            answering: ok(
                "x",
                fields:
                    "Cache-Control: max-age=3600\r\nContent-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:\r\n"
            ))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let part = try await source(try await larder.get("/raw/api/a"), larder)
            #expect(part["stored"]?.bool == false)
            #expect(part["freshUntil"] == nil && part["ttl"] == nil && part["staleUntil"] == nil)
        }
    }

    @Test func aHitInMemoryTellsWhatItsEntryTells() async throws {
        let origin = ScriptedOrigin(
            answering: ok(
                "x",
                fields:
                    "Cache-Control: max-age=3600\r\nDeprecation: @1577836800\r\nSunset: Fri, 31 Dec 2100 23:59:59 GMT\r\n"
            ))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let miss = try await source(try await larder.get("/raw/api/a"), larder)
            let answer = try await larder.get("/raw/api/a")
            let hit = try await source(answer, larder)
            let text = sentences(hit)
            #expect(text.contains("It was answered from memory."), "\(text)")
            #expect(text.contains("The upstream deprecated this resource at 2020-01-01T00:00:00Z."), "\(text)")
            #expect(text.contains("This resource will be removed at 2100-12-31T23:59:59Z."), "\(text)")
            #expect(hit["freshUntil"]?.string == miss["freshUntil"]?.string)
        }
    }

    @Test func aRequestThatMayHaveChangedSomethingTellsOfTheRemoval() async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/gone" ? [.reset] : [.send(ok("x", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let done = try await source(try await larder.send("POST", "/raw/api/a", body: "x"), larder)
            #expect(further(done) == ["invalidated"])
            let lost = try await source(try await larder.send("POST", "/raw/api/gone", body: "x"), larder)
            #expect(further(lost) == ["invalidated"])
            #expect(lost["class"]?.string != nil)
        }
    }

    @Test(arguments: [("\"a\"", "headUpdate"), ("\"b\"", "headInvalidate")])
    func aHeadTellsWhatItDidToTheStoredAnswer(_ tag: String, _ rule: String) async throws {
        let origin = ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=600\r\nETag: \(request.method == "HEAD" ? tag : "\"a\"")\r\n"
            return [
                .send(
                    request.method == "HEAD"
                        ? "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 1\r\n\r\n" : ok("x", fields: fields))
            ]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            let answer = try await larder.send("HEAD", "/raw/api/a", fields: [("Cache-Control", "no-cache")])
            #expect(further(try await source(answer, larder)) == [rule])
        }
    }

    @Test(
        arguments: [
            ("public, max-age=600", "", ["cookiesLeftOut"]), ("max-age=600", ", cookies: drop", ["cookiesLeftOut"]),
            ("max-age=600", ", cookies: keep", ["cookiesStored"]), ("max-age=600", "", []),
        ])
    func whatBecameOfACookieIsTold(_ control: String, _ settings: String, _ rules: [String]) async throws {
        try await expect(
            rules, of: "Cache-Control: \(control)\r\nSet-Cookie: a=b\r\n", settings: settings, [[]])
    }

    @Test func thatTheCookiesOfARequestWereLeftOutIsTold() async throws {
        try await expect(
            ["requestCookies"], of: "Cache-Control: max-age=600\r\n",
            settings: ", forwardCookies: true, personalCookies: false", [[("Cookie", "a=b")]])
    }

    @Test(
        arguments: [
            ("Cache-Control: no-store\r\nLarder-Cache-Control: max-age=600\r\n", "targeted"),
            ("Cache-Control: no-store, must-understand, max-age=600\r\n", "mustUnderstand"),
        ])
    func whatMadeNoStoreNotCountIsTold(_ fields: String, _ rule: String) async throws {
        try await expect([rule], of: fields, [[]])
    }

    @Test(
        arguments: [
            ([("Range", "bytes=0-1")], ["range"]), ([("Range", "bytes=50-")], ["range"]),
            ([("If-None-Match", "\"a\"")], ["conditional"]),
            ([("Range", "bytes=0-1"), ("If-Range", "\"b\""), ("Cache-Control", "max-age=300")], ["ifRange"]),
            ([("Range", "bytes=0-1"), ("Cache-Control", "max-age=300")], ["range"]), ([("Accept", "*/*")], []),
        ] as [([(String, String)], [String])])
    func howAStoredAnswerWasCutForItsClientIsTold(_ request: [(String, String)], _ rules: [String]) async throws {
        try await expect(rules, of: "Cache-Control: max-age=600\r\nETag: \"a\"\r\n", [[], request])
    }

    @Test func aVariantThatWasSelectedByTheRequestIsTold() async throws {
        let request = [("X-Who", "anna"), ("Cache-Control", "max-age=300")]
        try await expect(
            ["variantMatch"], of: "Cache-Control: max-age=600\r\nVary: X-Who\r\n", [request, request])
    }
}
