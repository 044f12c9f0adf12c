// A 200 response with another record than the one that the request names is broken, for every API.
import Foundation
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct RecordCheckTests {
    private static let providers: [String: any Provider] = [
        "itunes": SpecProvider(.iTunes), "dnd5e": SpecProvider(.dnd), "tmdb": SpecProvider(.tmdb),
        "hackernews": SpecProvider(.hackerNews),
        "imgur": SpecProvider(.imgur),
        "jokes": SpecProvider(.jokes), "icndb": SpecProvider(.jokes).speaking("icndb"),
    ]

    private func word(_ name: String, _ target: String, _ body: Bytes, _ method: Method = .get) throws -> String {
        let provider = try #require(Self.providers[name])
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = UpstreamRequest(method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil)
        let now = WallTime(seconds: 0)
        let response = UpstreamResponse(
            status: 200, fields: ["Content-Type": "application/json"], body: body, requestTime: now, responseTime: now)
        return provider.classify(response, endpoint: provider.endpointName(for: request), of: request).word
    }

    @Test(arguments: [
        ("dnd5e", "/api/2014/monsters/goblin", #"{"index":"hobgoblin"}"#),
        ("tmdb", "/3/movie/550", #"{"id":551}"#), ("tmdb", "/3/person/5?language=de", #"{"id":50}"#),
        ("hackernews", "/v0/item/8863.json", #"{"id":8862,"type":"story"}"#),
        ("hackernews", "/v0/user/jl.json", #"{"id":"JL"}"#),
        ("imgur", "/3/image/mOqejNf", #"{"data":{"id":"moqejnf"},"success":true,"status":200}"#),
        ("imgur", "/3/gallery/album/abcde", #"{"data":{"id":"abcdf"},"success":true,"status":200}"#),
        ("jokes", "/jokes/abc", #"{"id":"ABC","value":"t"}"#),
        ("icndb", "/jokes/7", #"{"type":"success","value":{"id":8,"joke":"t"}}"#),
        ("itunes", "/lookup?id=7", #"{"resultCount":1,"results":[{"trackId":8,"artistId":9,"trackCount":7}]}"#),
        ("itunes", "/gb/lookup?id=7,8", #"{"resultCount":1,"results":[{"artistId":9}]}"#),
        ("itunes", "/lookup?bundleId=a.b", #"{"resultCount":1,"results":[{"trackId":8,"bundleId":"a.c"}]}"#),
    ])
    func anotherRecordIsBroken(_ name: String, _ target: String, _ body: String) throws {
        #expect(try word(name, target, Bytes(text: body)) == "broken")
    }

    @Test(arguments: [
        ("dnd5e", "/api/2014/monsters/goblin", #"{"index":"goblin"}"#),
        ("dnd5e", "/api/2014/monsters/Gob%6Cin/", #"{"index":"goblin"}"#),
        ("tmdb", "/3/movie/550", #"{"id":550}"#), ("tmdb", "/3/movie/latest", #"{"id":550}"#),
        ("hackernews", "/v0/item/8863.json?print=pretty", #"{"id":8863}"#),
        ("hackernews", "/v0/user/jl.json", #"{"id":"jl"}"#),
        ("imgur", "/3/gallery/r/aww/mOqejNf", #"{"data":{"id":"mOqejNf"},"success":true,"status":200}"#),
        ("jokes", "/jokes/abc", #"{"id":"abc","value":"t"}"#), ("jokes", "/jokes/random", #"{"id":"x","value":"t"}"#),
        ("icndb", "/jokes/7", #"{"type":"success","value":{"id":7,"joke":"t"}}"#),
        ("itunes", "/lookup?id=7,8", #"{"resultCount":1,"results":[{"collectionId":8}]}"#),
        ("itunes", "/lookup?entity=song&id=7", #"{"resultCount":1,"results":[{"trackId":1},{"artistId":7}]}"#),
        ("itunes", "/lookup?bundleId=A.b", #"{"resultCount":1,"results":[{"trackId":8,"bundleId":"a.B"}]}"#),
        ("itunes", "/lookup?id=1,%202", #"{"resultCount":1,"results":[{"collectionId":2}]}"#),
        ("itunes", "/lookup?upc=7", #"{"resultCount":1,"results":[{"collectionId":8}]}"#),
        ("itunes", "/search?term=a&id=7", #"{"resultCount":1,"results":[{"trackId":8}]}"#),
    ])
    func theRecordThatIsNamedIsData(_ name: String, _ target: String, _ body: String) throws {
        #expect(try word(name, target, Bytes(text: body)) == "data")
    }

    @Test func theAnswerToAnotherMethodNeedNotBeTheRecord() throws {
        let body = Bytes(text: #"{"data":{"id":"x"},"success":true,"status":200}"#)
        #expect(try word("imgur", "/3/image/deletehash", body, .post) == "data")
    }

    /// The requests of the recordings, if they are known.
    private static let recorded: [(api: String, target: String, file: String)] = {
        guard let data = try? Data(contentsOf: Recording.folder.appendingPathComponent("index.json")),
            let root = try? JSON.parse(Bytes(data))
        else { return [] }
        return root.elements.compactMap { entry in
            guard let api = entry["api"]?.string, providers[api] != nil, (entry["status"]?.integer ?? 200) == 200,
                entry["results"]?.integer != 0, let file = entry["file"]?.string,
                let target = entry["request"]?.string?.split(separator: " ").dropFirst().first,
                entry["request"]?.string?.hasPrefix("GET /") == true, !target.contains("{")
            else { return nil }
            return (api, String(target), file)
        }
    }()

    @Test(arguments: recorded.map(\.file))
    func everyRecordedAnswerHoldsTheRecordThatWasAskedFor(_ file: String) throws {
        let found = try #require(Self.recorded.first { $0.file == file })
        #expect(try word(found.api, found.target, Recording.body(file)) == "data", "\(found.target)")
    }
}

@Suite struct MissingListTests {
    private static let providers: [String: any Provider] = [
        "newsapi": SpecProvider(.newsAPI), "dnd5e": SpecProvider(.dnd), "tmdb": SpecProvider(.tmdb),
        "imgur": SpecProvider(.imgur),
        "jokes": SpecProvider(.jokes),
        "hackernews": SpecProvider(.hackerNews), "itunes": SpecProvider(.iTunes),
    ]
    private static let bodies = [
        "dnd5e": "Not Found", "tmdb": #"{"success":false,"status_code":34,"status_message":"m"}"#,
        "newsapi": #"{"status":"error","code":"somethingNew","message":"m"}"#,
        "jokes": #"{"status":404,"error":"Not Found","message":"m"}"#,
        "imgur": #"{"data":{"error":"Not found"},"success":false,"status":404}"#,
        "hackernews": #"{"status":404,"error":"Not Found"}"#, "itunes": "Not Found",
    ]

    private func word(_ name: String, _ path: String, _ status: Int) throws -> String {
        let provider = try #require(Self.providers[name])
        let now = WallTime(seconds: 0)
        let body = try Bytes(text: #require(Self.bodies[name]))
        let response = UpstreamResponse(status: status, body: body, requestTime: now, responseTime: now)
        let request = UpstreamRequest(path: path)
        return provider.classify(response, endpoint: provider.endpointName(for: request), of: request).word
    }

    @Test(arguments: [
        ("dnd5e", "/api/2014/monsters"), ("dnd5e", "/api/2024/species"), ("tmdb", "/3/search/multi"),
        ("tmdb", "/3/movie/popular"), ("tmdb", "/3/trending/all/day"), ("tmdb", "/3/genre/tv/list"),
        ("tmdb", "/3/configuration"), ("newsapi", "/v2/everything"), ("newsapi", "/v2/sources"),
        ("jokes", "/jokes/search"), ("jokes", "/jokes/categories"), ("imgur", "/3/gallery/search/time/all/0"),
        ("imgur", "/3/gallery/hot/viral/0"), ("imgur", "/3/tags"), ("imgur", "/3/credits"),
        ("hackernews", "/v0/topstories.json"), ("hackernews", "/api/v1/search"), ("itunes", "/search"),
        ("itunes", "/lookup"),
    ])
    func aListThatTheAPIHasIsNeverAbsent(_ name: String, _ path: String) throws {
        #expect(try word(name, path, 404) == "broken")
    }

    @Test(arguments: [
        ("dnd5e", "/api/2014/monsters/nobody"), ("dnd5e", "/api/2014/dragons"), ("dnd5e", "/api/2024/spells"),
        ("tmdb", "/3/movie/5"),
        ("tmdb", "/3/search/cars"), ("tmdb", "/3/trending/cars/day"), ("jokes", "/jokes/nobody"),
        ("jokes", "/jokes/random"), ("imgur", "/3/image/nobody"), ("imgur", "/3/gallery/t/nobody/viral/day/0"),
    ])
    func whatARequestNamesMayBeAbsent(_ name: String, _ path: String) throws {
        #expect(try word(name, path, 404) == "notFound")
    }
}
