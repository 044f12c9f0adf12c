// `/v1/entries`: the stored entries, as far as the client may see them, and purges by the same marks.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct EntriesScenarios {
    private static let token = PurgeScenarios.token
    private static let authority = ("Authorization", "Bearer \(token)")
    private static let search = "/v1/itunes/search?q=jack+johnson"
    private static let plain = "/raw/api/plain?secret=value&n=1"
    private static let text = String(repeating: "Grüße. ", count: 1000)

    /// The iTunes API and a configured API that sends texts, coded texts and pictures.
    private func withStock(
        time: any TimeSource = ManualTime(), _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let coded = try ContentCoding.gzip(Bytes(text: Self.text))
        let origin = ScriptedOrigin { request in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Type: "
            switch request.target.prefix(while: { $0 != "?" }) {
            case "/api/coded":
                let fields = "text/plain\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
                return [.sendBytes(Bytes(text: head + fields) + coded)]
            case "/api/picture": return [.send(head + "image/png\r\nContent-Length: 4\r\n\r\n\u{1}PNG")]
            case "/api/plain": return [.send(head + "text/plain\r\nContent-Length: 5\r\n\r\nplain")]
            default: return [.send(CacheScenarios.song)]
            }
        }
        defer { origin.stop() }
        let configuration =
            BasicScenarios.itunes(origin, "  api: { kind: passthrough, baseURL: \"\(origin.base)/api\" }")
            + "\nadmin: { token: \(Self.token) }"
        try await withLarder(configuration, time: time) { larder async throws in
            for target in [Self.search, Self.plain] { #expect(try await larder.get(target).status == 200) }
            try await body(larder, origin)
        }
    }

    private func entries(_ larder: RunningLarder, _ query: String = "") async throws -> [JSONValue] {
        let answer = try await larder.get("/v1/entries?\(query)", Self.authority)
        #expect(answer.status == 200, "\(answer)")
        return try answer.json()["entries"]?.elements.map { $0 } ?? []
    }

    private func purge(_ larder: RunningLarder, _ query: String) async throws -> WireResponse {
        try await larder.send("DELETE", "/v1/cache?\(query)", fields: [Self.authority])
    }

    @Test func withAuthorityLabelsAreWholeAndKeysAreTold() async throws {
        try await withStock { larder, origin async throws in
            let answer = try await larder.get("/v1/entries", Self.authority)
            #expect(answer["Cache-Control"] == "no-store")
            #expect(try answer.json()["redacted"]?.bool == false)
            let found = try await entries(larder)
            #expect(found.map { $0["kind"]?.string } == ["raw", "results", "raw"], "\(answer)")
            #expect(found[0]["label"]?.string == "\(origin.base)/api/plain?secret=value&n=1")
            #expect(found[0]["key"]?.string?.count == 43 && found[0]["provider"]?.string == "api")
            #expect(found[0]["bytes"]?.integer == 5 && found[0]["status"]?.integer == 200)
            #expect(found[0]["receivedAt"]?.string == "2026-01-01T00:00:00Z")
            #expect(found[0]["freshUntil"]?.string == "2026-01-01T00:10:00Z")
        }
    }

    @Test func withoutAuthorityOnlyTheNamesOfParametersAreTold() async throws {
        try await withStock { larder, origin async throws in
            let answer = try await larder.get("/v1/entries")
            #expect(answer.status == 200)
            #expect(try answer.json()["redacted"]?.bool == true)
            let found = try answer.json()["entries"]?.elements.map { $0 } ?? []
            #expect(found.count == 3)
            #expect(found.first?["label"]?.string == "\(origin.base)/api/plain?secret=…&n=…")
            #expect(found.allSatisfy { $0["key"] == nil })
            for secret in ["jack", "value"] { #expect(!answer.text.contains(secret)) }
        }
    }

    @Test func valuesCannotBeTriedOutWithoutAuthority() async throws {
        try await withStock { larder, _ async throws in
            let answer = try await larder.get("/v1/entries?prefix=https%3A%2F%2Fa.example")
            try BadInputScenarios.expectProblem(answer, 401, "prefix")
        }
    }

    @Test func ofAProviderWithTwoBaseURLsOneListIsTold() async throws {
        let paths = ["item/7.json", "api/v1/search?query=a", "item/8.json", "api/v1/search?query=b"]
        let origin = ScriptedOrigin { request in
            let isSearch = request.target.hasPrefix("/search/")
            let body =
                isSearch ? #"{"hits":[],"nbHits":0}"# : #"{"by":"u","id":7,"score":1,"time":1600000000,"type":"story"}"#
            // Each answer is shorter than the one before.
            let place = paths.firstIndex { request.target.hasSuffix($0) } ?? 0
            let padding = String(repeating: " ", count: 100 * (paths.count - place))
            return [.send(ok(body + padding, fields: "Content-Type: application/json\r\n"))]
        }
        defer { origin.stop() }
        let settings = """
            providers: { hackernews: { baseURL: "\(origin.base)", searchURL: "\(origin.base)/search" } }
            admin: { token: \(Self.token) }
            """
        try await withLarder(settings) { larder in
            for path in paths {
                #expect(try await larder.get("/raw/hackernews/\(path)").status == 200, "\(path)")
            }
            let ends = ["item/7.json", "search/api/v1/search?query=a", "item/8.json", "search/api/v1/search?query=b"]
            let labels = ends.map { "\(origin.base)/\($0)" }
            // One base URL is the beginning of the other. Every entry is therefore below the shorter one.
            for (order, expected) in [("largest", labels), ("recentlyUsed", labels.reversed())] {
                let found = try await entries(larder, "prefix=/raw/hackernews&order=\(order)")
                let raw = found.filter { $0["kind"]?.string == "raw" }
                #expect(raw.map { $0["label"]?.string } == expected, "\(order)")
            }
            #expect(try await entries(larder, "prefix=/raw/hackernews&limit=3").count == 3)
        }
    }

    @Test func providersAndPrefixesChoose() async throws {
        try await withStock { larder, origin async throws in
            #expect(try await entries(larder, "provider=api").count == 1)
            #expect(try await entries(larder, "prefix=\(PercentCoding.encode(origin.base + "/search"))").count == 2)
            #expect(try await entries(larder, "prefix=%2Fraw%2Fapi%2F").count == 1)
            #expect(try await entries(larder, "limit=2").count == 2)
        }
    }

    @Test(arguments: [
        ("order=best", "order"), ("limit=0", "limit"), ("limit=201", "limit"), ("kind=raw", "kind"),
        ("provider=bing", "provider"), ("olderThan=1h", "olderThan"), ("prefix=http%3A%2F%2F", "prefix"),
        ("prefix=%2Fraw%2Fbing%2F", "prefix"), ("key=AAAA", "key"),
    ])
    func wrongParametersAreNamed(_ query: String, _ name: String) async throws {
        try await withStock { larder, _ async throws in
            let answer = try await larder.get("/v1/entries?\(query)", Self.authority)
            try BadInputScenarios.expectProblem(answer, 400, query)
            #expect(try answer.json()["parameter"]?.string == name, "\(answer)")
        }
    }

    @Test func oneEntryIsShownWithHeadPreviewAndRelatives() async throws {
        try await withStock { larder, _ async throws in
            let found = try await entries(larder, "provider=itunes").first { $0["kind"]?.string == "raw" }
            let raw = try #require(found?["key"]?.string)
            let answer = try await larder.get("/v1/entries/\(raw)", Self.authority)
            let entry = try answer.json()
            #expect(entry["key"]?.string == raw, "\(answer)")
            #expect(entry["preview"]?["type"]?.string == "text")
            #expect(entry["preview"]?["text"]?.string?.contains("results") == true)
            #expect(entry["preview"]?["truncated"] == nil)
            #expect(
                entry["fields"]?.elements.contains { $0.elements.first { _ in true }?.string == "Content-Type" } == true
            )
            let child = try #require(entry["children"]?.elements.first { _ in true })
            #expect(child["kind"]?.string == "results")
            let results = try await larder.get("/v1/entries/\(child["key"]?.string ?? "")", Self.authority).json()
            #expect(results["parents"]?.elements.first { _ in true }?["key"]?.string == raw)
        }
    }

    @Test func aCodedBodyIsShownDecodedAndAPictureIsNot() async throws {
        try await withStock { larder, _ async throws in
            for target in ["/raw/api/coded", "/raw/api/picture"] {
                #expect(try await larder.get(target, ("Accept-Encoding", "gzip")).status == 200)
            }
            var previews: [String: JSONValue] = [:]
            for entry in try await entries(larder, "provider=api") {
                let detail = try await larder.get("/v1/entries/\(entry["key"]?.string ?? "")", Self.authority).json()
                let name = entry["label"]?.string?.split(separator: "/").last ?? ""
                if detail["status"]?.integer == 200 { previews[String(name)] = detail["preview"] }
            }
            #expect(previews["picture"]?["type"]?.string == "image" && previews["picture"]?["text"] == nil)
            let coded = previews["coded"]
            #expect(coded?["type"]?.string == "text" && coded?["truncated"]?.bool == true)
            #expect(coded?["text"]?.string.map { Self.text.hasPrefix($0) && $0.utf8.count > 4000 } == true)
        }
    }

    @Test func oneEntryNeedsAuthorityAndMustBeThere() async throws {
        try await withStock { larder, _ async throws in
            let none = String(repeating: "A", count: 43)
            try BadInputScenarios.expectProblem(await larder.get("/v1/entries/\(none)"), 401, "no token")
            try BadInputScenarios.expectProblem(
                await larder.get("/v1/entries/\(none)", Self.authority), 404, "no such entry")
            try BadInputScenarios.expectProblem(await larder.get("/v1/entries/x", Self.authority), 400, "no digest")
        }
    }

    // MARK: Purges

    @Test(arguments: [
        ("kind=results", 1), ("prefix=%2Fraw%2Fapi%2F", 1), ("kind=raw&provider=itunes", 2),
        ("olderThan=30s&provider=api", 1), ("olderThan=2h", 0), ("prefix=%2Fraw%2Fapi%2F&kind=artwork", 0),
    ])
    func marksPurgeTogether(_ query: String, _ count: Int) async throws {
        let time = ManualTime()
        try await withStock(time: time) { larder, _ async throws in
            time.advance(by: .seconds(60))
            let answer = try await purge(larder, query)
            #expect(try answer.json()["purged"]?.integer == count, "\(answer)")
            #expect((try answer.json()["reason"] == nil) == (count > 0), "\(answer)")
            #expect(try await entries(larder).count == 3 - count)
        }
    }

    @Test func whatMemoryHoldsIsPurgedToo() async throws {
        try await withStock { larder, origin async throws in
            for _ in 0..<2 { _ = try await larder.get(Self.plain) }
            let calls = origin.requests.count
            #expect(try await purge(larder, "prefix=\(PercentCoding.encode(origin.base + "/api"))").status == 200)
            #expect(try await larder.get(Self.plain).status == 200)
            #expect(origin.requests.count == calls + 1, "it is fetched again")
        }
    }

    @Test(arguments: ["kind=raw&all=1", "prefix=%2Fraw%2Fapi%2F&term=x", "olderThan=1d&key=AAAA"])
    func marksDoNotGoWithOtherSelectors(_ query: String) async throws {
        try await withStock { larder, _ async throws in
            try BadInputScenarios.expectProblem(await purge(larder, query), 400, query)
            #expect(try await entries(larder).count == 3)
        }
    }

    @Test func aPurgeWithAnUnknownParameterRemovesNothing() async throws {
        try await withStock { larder, _ async throws in
            let answer = try await purge(larder, "provider=api&dryRun=1")
            try BadInputScenarios.expectProblem(answer, 400, "dryRun")
            #expect(try answer.json()["parameter"]?.string == "dryRun", "\(answer)")
            #expect(try await entries(larder).count == 3)
        }
    }
}
