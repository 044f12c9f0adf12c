// The request fields by which an API tells its callers or its forms apart: which of them reach it, and which are part
// of the cache key.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct KeyFieldScenarios {
    /// An origin that counts its answers and says which fields it got.
    private static func origin() -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", fields: "Cache-Control: max-age=600\r\n"))]
        }
    }

    private static func ttl(_ origin: ScriptedOrigin, _ more: String = "") -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\", semantics: ttl, ttl: 600s\(more) } }"
    }

    @Test(arguments: [
        ("X-Api-Key", "a"), ("Private-Token", "a"), ("Accept", "text/csv"), ("Accept-Language", "de"),
        ("X-Tenant", "a"),
    ])
    func underTTLAFieldThatTellsAnswersApartGoesUpstreamAndIntoTheKey(_ name: String, _ value: String) async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.ttl(origin, ", keyFields: [x-tenant]")) { larder in
            for (turn, fields) in [[(name, value)], [(name, "other")], []].enumerated() {
                for _ in 0..<3 {
                    let answer = try await larder.send("GET", "/raw/api/a", fields: fields)
                    #expect(answer.text == "answer \(turn + 1)", "\(answer)")
                }
            }
            #expect(origin.requests.map { $0.field(name) } == [value, "other", name == "Accept" ? "*/*" : nil])
        }
    }

    @Test func underTTLAnyOtherFieldOfAReadStaysHere() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.ttl(origin)) { larder in
            for tenant in ["a", "b"] {
                let answer = try await larder.get("/raw/api/a", ("X-Tenant", tenant))
                #expect(answer.text == "answer 1", "\(answer)")
            }
            #expect(origin.requests.map { $0.field("X-Tenant") } == [nil])
        }
    }

    @Test func acceptingAnythingIsTheSameAsNoPreference() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        try await withLarder(Self.ttl(origin)) { larder in
            for fields in [[], [("Accept", "*/*")]] {
                let answer = try await larder.send("GET", "/raw/api/a", fields: fields)
                #expect(answer.text == "answer 1", "\(answer)")
            }
        }
    }

    @Test func aPurgeOfTheURLRemovesTheAnswersToEveryCaller() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let token = "open-sesame-0123456789"
        let settings =
            "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }\nadmin: { token: \(token) }"
        try await withLarder(settings) { larder in
            for key in ["a", "b"] { _ = try await larder.get("/raw/api/a", ("X-Api-Key", key)) }
            let purged = try await larder.send(
                "DELETE", "/v1/cache?url=/raw/api/a", fields: [("Authorization", "Bearer \(token)")])
            #expect(purged.status == 200, "\(purged)")
            for key in ["a", "b"] {
                let answer = try await larder.get("/raw/api/a", ("X-Api-Key", key))
                #expect(answer["Cache-Status"]?.hasPrefix("larder; fwd=uri-miss") == true, "\(answer)")
            }
        }
    }

    @Test func theExplanationNamesTheFieldsAndNotTheirValues() async throws {
        let origin = Self.origin()
        defer { origin.stop() }
        let token = "0123456789abcdef0123456789abcdef"
        let settings =
            "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }\nadmin: { token: \(token) }"
        try await withLarder(settings) { larder in
            let answer = try await larder.get("/raw/api/a", ("X-Api-Key", "open-sesame-0123456789"))
            let id = try #require(answer["X-Request-Id"])
            let told = try await larder.get("/v1/explain/\(id)", ("Authorization", "Bearer \(token)"))
            #expect(told.text.contains("X-Api-Key") && !told.text.contains("open-sesame"), "\(told)")
        }
    }
}
