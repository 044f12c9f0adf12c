// What distinguishes two read-only POST requests: a property over many requests.
import LarderCache
import LarderCore
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct ReadOnlyPostKeyTests {
    private static let post = ReadOnlyPost(path: "/s", ttl: .seconds(60), kind: .any)

    private func provider() throws -> ConfiguredProvider {
        let settings = try load("providers: { api: { kind: passthrough, baseURL: \"https://api.example\" } }\n")
        return try #require(ProviderSet(settings).named("api"))
    }

    private func request(
        _ provider: ConfiguredProvider, method: Method = .post, query: String?, type: String?, body: Bytes?
    ) throws -> PassRequest {
        var fields: HeaderFields = ["Host": "localhost"]
        if let type { fields.set("Content-Type", type) }
        let way = WayOut(mount: "", provider: provider, path: "/s", query: query, clientPath: "/s")
        let content = body.map { QueryContent($0, fields: fields, declared: method == .post ? Self.post : nil) }
        return try PassRequest(
            ClientRequest(
                method: method, query: query, fields: fields, isVersion10: false, content: content,
                isDeclared: method == .post), way)
    }

    @Test func anotherBodyTypeOrURLIsAnotherKey() throws {
        struct Asked: Hashable {
            var method: String
            var query: String?
            var type: String?
            var body: Bytes?
        }
        let provider = try provider()
        var random = SystemRandomNumberGenerator()
        var seen: [CacheKey: Asked] = [:]
        for _ in 0..<4000 {
            let method: LarderCore.Method = [.post, .post, .query].randomElement(using: &random) ?? .post
            // The texts are short and have few letters. Neighbours, prefixes and repetitions are therefore frequent.
            let body = Bytes(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 48...50, using: &random) })
            let query = ["a", "a=1", "", nil].randomElement(using: &random) ?? nil
            let type = ["application/json", "text/plain", "", nil].randomElement(using: &random) ?? nil
            let request = try request(provider, method: method, query: query, type: type, body: body)
            let asked = Asked(method: method.name, query: query, type: type ?? "", body: body)
            for key in [request.primary, request.variantKey(Digest(of: [1]))] {
                if let before = seen[key] { #expect(before == asked) }
                seen[key] = asked
            }
            #expect(
                request.target == (try self.request(provider, method: .get, query: query, type: nil, body: nil)).primary
            )
            #expect(request.primary != request.target)
        }
        #expect(seen.count > 1000)
    }

    @Test func whatIsDeclaredReadsAndHasItsLifetime() throws {
        let provider = try provider()
        let declared = try request(provider, query: nil, type: nil, body: [1])
        #expect(declared.isReadOnly && declared.rule.declaredTTL == .seconds(60) && !declared.mayBeConditional)
        let query = try request(provider, method: .query, query: nil, type: nil, body: [1])
        #expect(query.isReadOnly && query.rule.declaredTTL == nil && query.mayBeConditional)
    }
}
