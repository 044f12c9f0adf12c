// What the fields that are sent with every request mean for keys.
import LarderCore
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct RequestFieldKeyTests {
    private func provider(_ fields: String) throws -> ConfiguredProvider {
        let settings = try load(
            "providers: { api: { kind: passthrough, baseURL: \"https://api.example\", requestFields: \(fields) } }\n")
        return try #require(ProviderSet(settings).named("api"))
    }

    private func request(_ provider: ConfiguredProvider, _ fields: HeaderFields) throws -> PassRequest {
        let way = WayOut(mount: "", provider: provider, path: "/s", query: nil, clientPath: "/s")
        return try PassRequest(
            ClientRequest(
                method: .get, query: nil, fields: fields, isVersion10: false, content: nil, isDeclared: false),
            way)
    }

    @Test func anotherValueIsAnotherKeyAndScope() throws {
        let all = try ["{}", "{ X: a }", "{ X: b }", "{ Y: a }", "{ X: a, Y: a }"].map(provider)
        #expect(Set(all.map { $0.rawKey(UpstreamRequest(path: "/s")) }).count == all.count)
        #expect(Set(all.map(\.sharedScope)).count == all.count)
    }

    @Test func theOrderInWhichTheyAreWrittenIsNoOtherKey() throws {
        let (one, other) = (try provider("{ X: a, Y: b }"), try provider("{ Y: b, X: a }"))
        #expect(one.rawKey(UpstreamRequest(path: "/s")) == other.rawKey(UpstreamRequest(path: "/s")))
    }

    @Test func aClientsOwnValueChangesNothing() throws {
        let provider = try provider("{ Prefer: return=minimal, Accept: text/csv }")
        let plain = try request(provider, [:])
        let own = try request(provider, ["prefer": "x", "Accept": "text/html", "Accept-Language": "de"])
        #expect(own.primary == plain.primary && own.isKeyedPlainly)
        #expect(own.forwarded.all("Prefer") == ["return=minimal"] && own.forwarded.all("Accept") == ["text/csv"])
        #expect(own.forwarded.all("Accept-Language") == ["de"])
    }
}
