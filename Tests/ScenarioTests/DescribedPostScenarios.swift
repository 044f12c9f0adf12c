// Questions that are asked by POST, and feeds, are cached and searched like all others.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite struct DescribedPostScenarios {
    private static func settings(_ origin: ScriptedOrigin) -> String {
        """
        providers:
          films:
            baseURL: "\(origin.base)"
            questions:
              films:
                path: /graphql
                parameters: { q: { sent: text, term: true }, limit: { sent: first, number: 1..50, default: 20 } }
                graphql: "query ($text: String) { films(text: $text) { id name } }"
                list: $.data.films
                result: { id: $.id, title: $.name }
          harbour: { baseURL: "\(origin.base)", feed: /all.rss }
        """
    }

    private static let films = #"{"data":{"films":[{"id":"f1","name":"The Lantern"}]}}"#
    private static let feed = """
        <rss><channel><item><guid>1</guid><title>Lantern lit</title></item><item><guid>2</guid><title>Rain</title></item>\
        </channel></rss>
        """

    private static func answering(_ request: SeenRequest) -> [Act] {
        if request.target == "/all.rss" { return [.send(ok(feed, fields: "Content-Type: application/rss+xml\r\n"))] }
        let isRefused = String(decoding: request.body, as: UTF8.self).contains("refuse me")
        return [.send(ok(isRefused ? #"{"errors":[{"message":"too deep"}]}"# : films))]
    }

    private func withAPIs(_ body: (RunningLarder, ScriptedOrigin) async throws -> Void) async throws {
        let origin = ScriptedOrigin { Self.answering($0) }
        defer { origin.stop() }
        try await withLarder(Self.settings(origin)) { try await body($0, origin) }
    }

    @Test func theSameContentIsAHitAndOtherContentIsNot() async throws {
        try await withAPIs { larder, origin in
            let first = try await larder.get("/v1/films/films?q=lantern")
            #expect(try first.json()["results"]?.elements.first { _ in true }?["id"]?.string == "films:films:f1")
            let again = try await larder.get("/v1/films/films?q=lantern")
            #expect(again["Cache-Status"]?.contains("hit") == true)
            _ = try await larder.get("/v1/films/films?q=lamp")
            #expect(origin.requests.map(\.method) == ["POST", "POST"])
        }
    }

    @Test func aRefusedQueryIsToldAndNotStored() async throws {
        try await withAPIs { larder, origin in
            let refused = try await larder.get("/v1/films/films?q=refuse%20me")
            #expect(refused.status == 400, "\(refused)")
            #expect(try refused.json()["detail"]?.string?.contains("too deep") == true, "\(refused)")
            #expect(origin.requests.count == 1)
            #expect(try await larder.get("/v1/entries").json()["entries"]?.count == 0)
        }
    }

    @Test func aFeedIsSearchedWithOneCall() async throws {
        try await withAPIs { larder, origin in
            let all = try await larder.get("/v1/harbour/items")
            #expect(try all.json()["results"]?.count == 2, "\(all)")
            let found = try await larder.get("/v1/search?q=lantern&source=harbour")
            #expect(try found.json()["results"]?.elements.map { $0["title"]?.string } == ["Lantern lit"], "\(found)")
            #expect(origin.requests.count == 1)
        }
    }
}
