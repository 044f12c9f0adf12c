// Fields that Larder sends with every request to an API.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RequestFieldScenarios {
    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { _ in
            [.send(ok("answer", fields: "Cache-Control: max-age=600\r\nVary: Accept, X-Api-Version\r\n"))]
        }
    }

    private static func settings(_ origin: ScriptedOrigin, _ more: String) -> String {
        let fields = "{ Accept: text/csv, X-Api-Version: 2, User-Agent: mine/1 }"
        return "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\", requestFields: \(fields)\(more) } }"
    }

    @Test(arguments: ["", ", semantics: ttl, ttl: 1h"])
    func clientsShareAnAnswerWhateverTheySendThere(_ more: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, more)) { larder async throws in
            for fields in [[], [("Accept", "text/html")], [("x-api-version", "9"), ("User-Agent", "other/1")]] {
                #expect(try await larder.send("GET", "/raw/api/a", fields: fields).text == "answer")
            }
            #expect(origin.requests.count == 1)
            for (name, value) in [("Accept", "text/csv"), ("X-Api-Version", "2"), ("User-Agent", "mine/1")] {
                #expect(origin.requests.first?.field(name) == value)
            }
        }
    }

    @Test func whatIsPassedOnHasThemToo() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.settings(origin, "")) { larder async throws in
            _ = try await larder.send("POST", "/raw/api/a", fields: [("X-Api-Version", "9")], body: "x")
            #expect(origin.requests.map { $0.field("X-Api-Version") } == ["2"])
        }
    }

    @Test func aBuiltInAPIGetsThem() async throws {
        let origin = ScriptedOrigin(answering: ok("{\"count\":0,\"results\":[]}"))
        defer { origin.stop() }
        let settings = "providers: { dnd5e: { baseURL: \"\(origin.base)\", requestFields: { User-Agent: mine/1 } } }"
        try await withLarder(settings) { larder async throws in
            _ = try await larder.get("/raw/dnd5e/api/2014/monsters")
            #expect(origin.requests.map { $0.field("User-Agent") } == ["mine/1"])
        }
    }
}
