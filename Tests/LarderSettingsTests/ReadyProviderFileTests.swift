// The ready files of config/providers.d, against samples in the shape of their APIs, and the examples of the page about
// descriptions.
import Foundation
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct ReadyProviderFileTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func read(_ path: String) throws -> Bytes {
        Bytes(try Data(contentsOf: root.appending(path: path)))
    }

    private func load(_ name: String, _ text: Bytes) throws -> ProviderSettings {
        let settings = try SettingsLoader().load(
            text: nil, named: "", environment: plainEnvironment,
            providerFiles: [ProviderFile(path: "\(name).yaml", provider: name, text: text)])
        return try #require(settings.providers[name])
    }

    private func provider(_ settings: ProviderSettings) throws -> SpecProvider {
        guard case .described(let description) = settings.kind else { throw NotDescribed() }
        return SpecProvider(description, baseURL: settings.baseURL, keyIn: settings.keyIn)
    }

    private struct NotDescribed: Error {}

    /// One ready file: the request of a search, and what its sample gives.
    struct Expected: Sendable, CustomTestStringConvertible {
        var name: String
        var target: String
        var results: Int
        var dropped = 0
        var sample: String?
        var first: [String: String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Expected(
            name: "wikipedia", target: "/w/rest.php/v1/search/page?limit=5&q=lantern", results: 2,
            first: [
                "id": "wikipedia:article:9001", "url": "https://en.wikipedia.org/wiki/Paper_lantern",
                "summary": "Lantern made of thin paper",
            ]),
        Expected(
            name: "openmeteo", target: "/v1/search?count=5&name=lantern", results: 2,
            first: ["title": "Lanternstadt", "creator": "Germany", "summary": "Brandenburg, Germany"]),
        Expected(
            name: "github", target: "/search/repositories?per_page=5&q=lantern", results: 2,
            first: ["id": "github:repository:example/lantern", "publishedAt": "2024-04-30T08:30:00Z"]),
        Expected(
            name: "musicbrainz", target: "/ws/2/artist?fmt=json&limit=5&query=lantern", results: 2,
            first: ["title": "The Lanterns", "summary": "band of the stand-in"]),
        Expected(
            name: "crossref", target: "/works?query=lantern&rows=5", results: 1, dropped: 1,
            first: ["title": "On lanterns", "summary": "Lanterns are bright.", "publishedAt": "2021-03-04T05:06:07Z"]),
        Expected(
            name: "wikidata",
            target: "/w/api.php?action=wbsearchentities&format=json&language=en&limit=5&search=lantern&type=item",
            results: 2, first: ["title": "lantern", "url": "https://www.wikidata.org/wiki/Q900001"]),
        Expected(
            name: "stackexchange",
            target: "/2.3/search/advanced?order=desc&pagesize=5&q=lantern&site=stackoverflow&sort=relevance",
            results: 1,
            first: [
                "title": "How to fold a \"lantern\"?", "creator": "Ines & Max", "publishedAt": "2020-01-01T00:00:00Z",
            ]),
        Expected(
            name: "arxiv", target: "/api/query?max_results=5&search_query=lantern", results: 2, sample: "arxiv.xml",
            first: [
                "id": "arxiv:paper:2401.90001v2", "title": "On the light of paper lanterns",
                "creator": "Ines Brandt, Max Adler", "publishedAt": "2024-01-05T18:00:00Z",
                "url": "http://arxiv.org/abs/2401.90001v2",
            ]),
        Expected(
            name: "anilist", target: "/", results: 2,
            first: [
                "title": "Forest of Lanterns", "summary": "A girl follows a light.\n\nIt leads her home.",
                "url": "https://anilist.co/anime/900001",
            ]),
        Expected(
            name: "gutenberg", target: "/books?search=lantern", results: 1,
            first: ["creator": "Brandt, Ines", "url": "https://www.gutenberg.org/ebooks/800001"]),
    ])
    func aReadyFileReadsAnswersOfItsAPI(_ expected: Expected) throws {
        let settings = try load(expected.name, try Self.read("config/providers.d/\(expected.name).yaml"))
        #expect(!settings.enabled, "its user enables it")
        #expect(settings.rate != nil)
        let provider = try provider(settings)
        let endpoint = try provider.search(SearchRequest(term: "lantern", limit: 5))
        #expect(endpoint.upstream.target == expected.target)
        let answer = UpstreamResponse(
            status: 200,
            body: try Self.read("config/providers.d/samples/\(expected.sample ?? "\(expected.name).json")"),
            requestTime: WallTime(seconds: 1000), responseTime: WallTime(seconds: 1000))
        #expect(provider.classify(answer, endpoint: endpoint.name) == .data)
        let made = try endpoint.normalise(answer, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(made.count == expected.results && made.dropped == expected.dropped)
        let first = try #require(try JSON.parse(made.results).elements.first { _ in true })
        for (name, value) in expected.first { #expect(first[name]?.string == value, "\(name)") }
    }

    /// The request that a question becomes, if its parameter `kind` is described so.
    private func target(_ parameter: String, _ query: String) throws -> String {
        let text = """
            baseURL: https://library.example
            questions:
              books:
                path: /find
                parameters: { kind: { \(parameter) } }
                list: $.docs
                result: { id: $.key, title: $.title, url: "{$.base}/{$.key}" }
            """
        let provider = try provider(try load("library", Bytes(text: text)))
        return try provider.endpoint(path: ["books"], query: QueryParameters(parsing: query)).upstream.target
    }

    @Test(arguments: [
        ("words: [a, b], list: true, meaning: { a: A, b: B }", "kind=a,b", "/find?kind=A%2CB"),
        ("words: [a, b, c], meaning: { a: A }", "kind=b", "/find?kind=b"),
        ("flag: true, meaning: { yes: TRUE, no: FALSE }", "kind=yes", "/find?kind=TRUE"),
        ("flag: true, meaning: { yes: isOpen, no: any }", "kind=true", "/find?kind=isOpen"),
        ("flag: true, meaning: { yes: 'True', no: 'False' }", "kind=no", "/find?kind=False"),
    ])
    func aMeaningIsSentAsItIsWritten(_ parameter: String, _ query: String, _ target: String) throws {
        #expect(try self.target(parameter, query) == target)
    }

    @Test func everyReadyFileIsTried() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "config/providers.d").path())
        #expect(names.filter { $0.hasSuffix(".yaml") }.count == 10)
    }

    @Test func theExamplesOfThePageAreRight() throws {
        let page = String(decoding: try Self.read("Docs/your-own-api.md"), as: UTF8.self)
        let examples = page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(examples.count == 3)
        for example in examples { #expect(try load("library", Bytes(text: example)).baseURL.hasPrefix("https")) }
    }

    @Test func theFirstExampleOfThePageReadsItsAnswer() throws {
        let page = String(decoding: try Self.read("Docs/your-own-api.md"), as: UTF8.self)
        func block(_ mark: String) throws -> String {
            let parts = page.components(separatedBy: "```\(mark)\n")
            return try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        }
        let provider = try provider(try load("library", Bytes(text: try block("yaml"))))
        let endpoint = try provider.endpoint(path: ["find"], query: QueryParameters(parsing: "q=lantern"))
        let answer = UpstreamResponse(
            status: 200, body: Bytes(text: try block("json")), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
        let made = try endpoint.normalise(answer, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(endpoint.upstream.target == "/find?query=lantern&rows=20")
        #expect(try JSON.parse(made.results).elements.first { _ in true }?["creator"]?.string == "Ann, Bob")
    }

    /// Every change that the page lists exists, and every change that exists is listed.
    @Test func thePageListsAllKeysOfADescription() throws {
        let page = String(decoding: try Self.read("Docs/your-own-api.md"), as: UTF8.self)
        for key in ProviderDescription.keys { #expect(page.contains("`\(key)`"), "\(key)") }
    }
}
