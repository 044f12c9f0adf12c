// `/openapi.json` names every route that providers have, each once.
import LarderCore
import LarderProviders
import Testing

@testable import LarderDaemon

@Suite struct InterfaceDescriptionTests {
    private func paths() throws -> [String] {
        let document = try JSON.parse(InterfaceDescription.document())
        return document["paths"]?.members.map(\.name) ?? []
    }

    @Test func noTwoPathsDifferInTheNamesOfTheirParametersAlone() throws {
        // OpenAPI 3.1 §4.8.8.1: such paths are identical and invalid.
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
}
