// The provider in Docs/writing-a-provider.md does what the page says, and the page shows the code that is compiled.
import Foundation
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@Suite struct ExampleProviderTests {
    private let provider = ExampleProvider()

    private func response(_ status: Int, _ body: String) -> UpstreamResponse {
        let now = WallTime(seconds: 1_700_000_000)
        return UpstreamResponse(status: status, body: Bytes(text: body), requestTime: now, responseTime: now)
    }

    private func trees(_ query: String) throws -> Endpoint {
        try provider.endpoint(path: ["trees"], query: QueryParameters(parsing: query))
    }

    @Test func spellingsOfOneQuestionAreOneKeyAndOneRequest() throws {
        let asked = try trees("name=Red+Gala")
        let respelt = try trees("name=%20red%20%20GALA")
        #expect(asked.upstream.target == "/trees?name=red%20gala")
        #expect(asked.upstream == respelt.upstream)
        #expect(asked.key(normaliserVersion: 1) == respelt.key(normaliserVersion: 1))
        #expect(asked.key(normaliserVersion: 1) != asked.key(normaliserVersion: 2))
        let other = try trees("name=redgala")
        #expect(other.key(normaliserVersion: 1) != asked.key(normaliserVersion: 1))
        #expect(try provider.search(SearchRequest(term: "Red  Gala")).upstream == asked.upstream)
    }

    @Test func aRawRequestMeetsTheTypedOneAndLosesItsCredentials() throws {
        let raw = UpstreamRequest(path: "/trees", query: "name=RED+gala&key=secret")
        #expect(provider.canonical(raw) == (try trees("name=red gala").upstream))
        #expect(provider.canonical(provider.canonical(raw)) == provider.canonical(raw))
        #expect(provider.endpointName(for: raw) == "trees")
    }

    @Test(arguments: ["name=", "", "name=a&name=b", "colour=red&name=a"])
    func aWrongQuestionIsRefusedBeforeAnyCall(_ query: String) {
        #expect(throws: ClientFacingError.self) { try trees(query) }
    }

    @Test(arguments: [
        (200, #"{"trees":[{"id":1,"name":"Gala"}]}"#, "data"), (200, #"{"trees":[]}"#, "empty"),
        (200, "<html>", "broken"), (200, #"{"trees":[{"id":1"#, "broken"), (404, "", "broken"),
        (404, #"{"error":"no such row"}"#, "notFound"), (429, "", "limited"),
        (403, "", "refused"), (400, "", "invalidRequest"), (503, "", "broken"),
    ])
    func anAnswerIsClassifiedBeforeItIsKept(_ status: Int, _ body: String, _ word: String) {
        #expect(provider.classify(response(status, body), endpoint: "trees").word == word)
    }

    @Test func resultsAreCompleteAndWhatIsDroppedIsCounted() throws {
        let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
        let picture = "https://pictures.orchard.example/1.jpg"
        let answer = try trees("name=gala").normalise(
            response(200, #"{"trees":[{"id":1,"name":"Gala","picture":"\#(picture)"},{"id":2},{"name":"Fuji"}]}"#),
            signer)
        #expect(answer.count == 1)
        #expect(answer.dropped == 2)
        let result = try #require(try JSON.parse(answer.results).elements.first { _ in true })
        #expect(result["id"]?.string == "orchard:tree:1")
        #expect(result["title"]?.string == "Gala")
        let handle = try #require(result["artwork"]?["small"]?.string?.split(separator: "/").last)
        let opened = try #require(signer.open(handle))
        #expect(opened.url == picture)
    }

    @Test func thePageQuotesTheSourceAsItIsCompiled() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appending(path: "Sources/LarderTestSupport/ExampleProvider.swift"), encoding: .utf8)
        let page = try String(contentsOf: root.appending(path: "Docs/writing-a-provider.md"), encoding: .utf8)
        var parts = 0
        for part in source.components(separatedBy: "    // example: ").dropFirst() where !part.hasPrefix("end") {
            // Drops the marker's own line and the indentation of this file.
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            let text = lines.map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
                .joined(separator: "\n").trimmingCharacters(in: .newlines)
            #expect(page.contains(text), "the page lacks: \(text.prefix(80))…")
            parts += 1
        }
        #expect(parts == 5)
    }
}
