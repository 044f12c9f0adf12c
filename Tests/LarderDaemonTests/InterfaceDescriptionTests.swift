// `/openapi.json` names every route of the providers exactly once.
import LarderCore
import LarderProviders
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderSettings

@Suite struct InterfaceDescriptionTests {
    private func paths() throws -> [String] {
        let document = try JSON.parse(InterfaceDescription.document())
        return document["paths"]?.members.map(\.name) ?? []
    }

    @Test func noTwoPathsDifferInTheNamesOfTheirParametersAlone() throws {
        // OpenAPI 3.1 §4.8.8.1: paths that differ only in parameter names are identical and invalid.
        let shapes = try paths().map { path in
            path.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }.joined(separator: "/")
        }
        #expect(Set(shapes).count == shapes.count)
    }

    @Test func theRoutesOfJokesAndFilmsAreThoseThatAreAnswered() throws {
        let paths = try paths()
        for path in [
            "/v1/jokes/random", "/v1/jokes/search", "/v1/jokes/categories", "/v1/jokes/{id}", "/v1/tmdb/search/{kind}",
            "/v1/tmdb/{kind}/popular", "/v1/tmdb/trending/{kind}/{span}", "/v1/tmdb/{kind}/{id}",
            "/v1/tmdb/configuration", "/v1/tmdb/genres/{kind}", "/v1/local",
        ] {
            #expect(paths.contains(path), "\(path)")
        }
        let samples = ["kind": "movie", "span": "week", "id": "12", "collection": "monsters", "index": "rat"]
        for provider in ProviderRegistry.builtIn where ["jokes", "tmdb", "dnd5e"].contains(provider.about.name) {
            for endpoint in provider.about.endpoints {
                let path = endpoint.route.split(separator: "/").map { segment in
                    segment.hasPrefix("{") ? samples[String(segment.dropFirst().dropLast())] ?? "" : String(segment)
                }
                let query = endpoint.name == "search" ? "q=some+words" : ""
                let asked = try provider.endpoint(path: path, query: QueryParameters(parsing: query))
                #expect(asked.name == endpoint.name, "\(endpoint.route)")
            }
        }
    }

    @Test func theDocumentListsTheseOperationsInThisOrder() throws {
        let operations = try JSON.parse(InterfaceDescription.document())["paths"]?.members.flatMap { path in
            path.value.members.map { "\($0.name) \(path.name)" }
        }
        var expected = [
            "get /v1/search", "get /v1/local", "get /v1/searches/{id}", "delete /v1/searches/{id}",
            "get /v1/searches/{id}/events",
        ]
        for about in ProviderRegistry.builtIn.map(\.about) {
            expected += about.endpoints.map { "get /v1/\(about.routePrefix)/\($0.route)" }
        }
        expected += [
            "get /v1/imgur/oauth/start", "get /v1/imgur/oauth/callback", "post /v1/imgur/oauth/tokens",
            "get /v1/imgur/account", "delete /v1/imgur/account",
            "get /v1/artwork/{handle}", "get /raw/{provider}/{path}", "post /mcp", "get /v1/status", "get /v1/fleet",
            "get /v1/settings",
            "get /v1/history",
            "get /v1/entries", "get /v1/entries/{key}", "get /v1/events",
            "get /v1/explain/{request}", "get /v1/requests", "get /v1/requests/events", "delete /v1/cache",
            "post /v1/providers/{name}/suspend", "post /v1/providers/{name}/resume", "post /v1/console/links",
            "post /v1/console/tokens",
            "post /v1/imgur/images", "delete /v1/imgur/images/{deletehash}", "put /v1/uploads/{id}/content",
            "get /v1/uploads/{id}", "delete /v1/uploads/{id}", "get /v1/uploads/{id}/events",
            "post /v1/uploads/{id}/pause", "post /v1/uploads/{id}/resume", "get /healthz", "get /readyz",
            "get /metrics",
        ]
        #expect(operations == expected)
    }

    @Test(arguments: [("bbc", true), ("a b", true), ("a,b", false), (",", false), (" ", false), ("", false)])
    func anItemOfAListIsDescribedAsWhatIsTaken(_ item: String, _ isTaken: Bool) throws {
        let document = try JSON.parse(InterfaceDescription.document())
        let parameters = document["paths"]?["/v1/news/headlines"]?["get"]?["parameters"]?.elements.map { $0 } ?? []
        let sources = try #require(parameters.first { $0["name"]?.string == "sources" })
        let pattern = try #require(sources["schema"]?["items"]?["pattern"]?.string)
        #expect(try (Regex(pattern).wholeMatch(in: item) != nil) == isTaken)
    }

    @Test func whatNeedsAuthorityIsSaidToNeedIt() throws {
        let paths = try JSON.parse(InterfaceDescription.document())["paths"]
        let told = paths?.members.flatMap { path in
            path.value.members.filter { $0.value["summary"]?.string?.hasSuffix("; needs authority.") ?? false }
                .map { "\($0.name) \(path.name)" }
        }
        #expect(
            told == [
                "get /v1/imgur/oauth/start", "delete /v1/imgur/account", "get /v1/settings", "get /v1/entries/{key}",
                "delete /v1/cache", "post /v1/providers/{name}/suspend", "post /v1/providers/{name}/resume",
                "post /v1/console/links", "post /v1/imgur/images", "delete /v1/imgur/images/{deletehash}",
                "put /v1/uploads/{id}/content", "get /v1/uploads/{id}", "delete /v1/uploads/{id}",
                "get /v1/uploads/{id}/events", "post /v1/uploads/{id}/pause", "post /v1/uploads/{id}/resume",
            ])
    }

    @Test func everyRouteWithResultsTellsWhatCanBeWantedOfThem() throws {
        let document = try JSON.parse(InterfaceDescription.document())
        func allowed(_ path: String, _ name: String) -> [String]? {
            // The parameter is a list separated by commas.
            document["paths"]?[path]?["get"]?["parameters"]?.elements.first { $0["name"]?.string == name }?["schema"]?[
                "items"]?["enum"]?.elements.compactMap(\.string)
        }
        for path in ["/v1/search", "/v1/itunes/search", "/v1/dnd/{collection}/{index}", "/v1/hackernews/top"] {
            #expect(allowed(path, "include") == ["source"], "\(path)")
            #expect(allowed(path, "fields") == ResultProjection.names, "\(path)")
        }
        #expect(allowed("/v1/local", "fields") == ResultProjection.names)
        #expect(allowed("/v1/local", "include") == nil)
    }

    @Test func everyReasonOfADroppedRecordIsDescribed() throws {
        let schemas = try #require(try JSON.parse(InterfaceDescription.document())["components"]?["schemas"])
        let source = try #require(schemas["Source"]?["properties"])
        let reasons = source["droppedReasons"]?["properties"]
        for reason in DropReason.allCases {
            #expect(reasons?[reason.rawValue]?["description"]?.string == "Records \(reason.phrase).")
        }
        let states = schemas["Envelope"]?["properties"]?["state"]?["enum"]?.elements.compactMap(\.string) ?? []
        #expect(Set(states) == Set(LiveSearch.State.allCases.map(\.rawValue)))
    }

    @Test func whoAnswersWithResultsAnswersWithAnEnvelope() throws {
        let paths = try JSON.parse(InterfaceDescription.document())["paths"]
        func schema(_ path: String) -> String? {
            paths?[path]?["get"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]?["$ref"]?.string
        }
        #expect(schema("/v1/search") == "#/components/schemas/Envelope")
        #expect(schema("/v1/local") == "#/components/schemas/LocalEnvelope")
        #expect(schema("/v1/status") == "#/components/schemas/Status")
    }

    @Test func thePageForProvidersNamesEveryReason() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try #require(
            try ConfigurationFile.read("/\(root)/Docs/writing-a-provider.md", limit: 1 << 20).strictText)
        for reason in DropReason.allCases {
            #expect(page.contains("| `\(reason.rawValue)` | \(reason.phrase) |"), "\(reason)")
        }
    }
}
