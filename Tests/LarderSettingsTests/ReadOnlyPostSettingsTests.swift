// POST endpoints that are declared to read only.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct ReadOnlyPostSettingsTests {
    private func read(_ text: String) throws -> [ReadOnlyPost]? {
        try load("providers: { api: { kind: passthrough, baseURL: \"https://a\", readOnlyPosts: \(text) } }\n")
            .providers["api"]?.readOnlyPosts
    }

    @Test func aListOrOneEndpointIsTaken() throws {
        let graphql = ReadOnlyPost(path: "/graphql", ttl: .seconds(60), kind: .graphql)
        #expect(try read("[{ path: /graphql, ttl: 1min, kind: graphql }]") == [graphql])
        #expect(try read("{ kind: graphql, ttl: 60s, path: /graphql }") == [graphql])
        let search = ReadOnlyPost(path: "/*/_search", ttl: .seconds(5), kind: .any)
        #expect(
            try read("[{ path: /graphql, ttl: 1min, kind: graphql }, { path: \"/*/_search\", ttl: 5s, kind: any }]")
                == [graphql, search])
        #expect(try read("[]") == [])
        let flag = try load(
            "providers: { api: { kind: passthrough, baseURL: \"https://a\" } }\n",
            flags: [("providers.api.readOnlyPosts", "[{ path: /graphql, ttl: 1min, kind: graphql }]")])
        #expect(flag.providers["api"]?.readOnlyPosts == [graphql])
    }

    @Test(arguments: [
        ("/graphql", "must be a mapping such as { path: /graphql, ttl: 1min, kind: graphql }"),
        ("[{ path: /g, ttl: 1s }]", "missing here: kind"), ("[{ kind: any }]", "missing here: path, ttl"),
        ("[{ path: /g, ttl: 1s, kind: rest }]", "kind \"rest\" is not one of graphql, any"),
        ("[{ path: /g, ttl: 1s, kind: graphq }]", "did you mean \"graphql\""),
        ("[{ path: /g, ttl: 0s, kind: any }]", "ttl must be between 1s and 365d"),
        ("[{ path: /g, ttl: soon, kind: any }]", "ttl: "),
        ("[{ path: g, ttl: 1s, kind: any }]", "must begin with \"/\""),
        ("[{ path: \"/g?x\", ttl: 1s, kind: any }]", "have no query"),
        ("[{ path: \"/a/%2e%2e/g\", ttl: 1s, kind: any }]", "segment of dots"),
        ("[{ path: \"/a%zz\", ttl: 1s, kind: any }]", "wrong percent-encoding"),
        ("[{ path: \"/a*\", ttl: 1s, kind: any }]", "* stands for a whole segment"),
        ("[{ path: /g, ttl: 1s, kind: any, method: POST }]", "no \"method\""),
        ("[{ path: /g, ttl: 1s, kind: any, kind: any }]", "set twice"),
        ("[{ path: /g, ttl: 1s, kind: any }, { path: /g, ttl: 2s, kind: any }]", "/g is declared twice"),
    ])
    func aMistakeIsToldWithWhatIsAllowed(_ text: String, _ message: String) {
        let found = findings(
            "providers: { api: { kind: passthrough, baseURL: \"https://a\", readOnlyPosts: \(text) } }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func itIsForProvidersOfOnesOwnThatFollowTheStandard() {
        let post = "readOnlyPosts: [{ path: /g, ttl: 1s, kind: any }]"
        for text in [
            "itunes: { \(post) }", "a: { kind: passthrough, baseURL: \"https://a\", semantics: ttl, \(post) }",
        ] {
            let found = findings("providers: { \(text) }\n")
            #expect(found.count == 1 && found.first?.contains("has no effect") == true, "\(found)")
        }
    }
}
