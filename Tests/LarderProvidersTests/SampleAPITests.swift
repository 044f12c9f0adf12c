// What the entries of the samples answer: the records, the page of these, and what stands around them.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct SampleAPITests {
    private static let apis = ProviderRegistry.builtIn.flatMap { $0.samples() }

    private func api(_ name: String) throws -> SampleAPI { try #require(Self.apis.first { $0.name == name }) }

    private func answer(_ name: String, _ target: String, turn: Int = 0) throws -> SampleAnswer {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let parameters = try QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        return try api(name).answer(SampleRequest(path: parts[0], parameters: parameters, turn: turn))
    }

    private func ids(_ name: String, _ target: String, in list: JSONPath, id: String) throws -> [String] {
        let records = list.first(in: try JSON.parse(answer(name, target).body))?.elements.map { $0 } ?? []
        return records.compactMap { $0[id]?.string ?? $0[id]?.numberText }
    }

    // MARK: Records

    @Test func aRecordHasAnyOfTheValuesOfAParameter() throws {
        let found = try ids("newsapi", "/v2/sources?category=sports,science", in: "$.sources", id: "id")
        #expect(found == ["sample-science", "sample-sports"])
    }

    @Test(arguments: [
        ("story,(ask_hn,show_hn)", ["1000002", "1000003"]), ("(ask_hn,show_hn),author_alan", ["1000003"]),
        ("story,comment", []), ("poll", ["1000009"]),
    ])
    func aRecordHasEveryValueAndOneOfThoseBetweenParentheses(_ tags: String, _ expected: [String]) throws {
        let found = try ids("hackernews", "/api/v1/search?tags=\(tags)", in: "$.hits", id: "objectID")
        #expect(found == expected)
    }

    @Test func aTermSelectsByAllItsWords() throws {
        func keys(_ term: String) throws -> [String] {
            try ids("openlibrary", "/search.json?q=\(term)", in: "$.docs", id: "key")
        }
        #expect(try keys("lantern") == ["/works/OL1001W", "/works/OL1002W"])
        #expect(try keys("BRANDT+lantern") == ["/works/OL1001W"])
        #expect(try keys("lantern+octopus") == [])
    }

    @Test func recordsAreChosenAsLarderChoosesThem() throws {
        #expect(
            try ids("dnd5e", "/api/2014/spells?level=2&name=ACID", in: "$.results", id: "index") == ["acid-arrow"])
    }

    @Test func aPageIsAsLongAndBeginsWhereTheQuestionSays() throws {
        let all = try ids("hackernews", "/api/v1/search?tags=story", in: "$.hits", id: "objectID")
        let second = try answer("hackernews", "/api/v1/search?tags=story&hitsPerPage=3&page=1").body
        let root = try JSON.parse(second)
        #expect(root["hits"]?.elements.compactMap { $0["objectID"]?.string } == Array(all.dropFirst(3).prefix(3)))
        #expect(root["nbHits"]?.integer == all.count && root["nbPages"]?.integer == (all.count + 2) / 3)
        #expect(root["page"]?.integer == 1 && root["hitsPerPage"]?.integer == 3)
        #expect(try ids("tvmaze", "/search/shows?q=lantern&page=2", in: "$", id: "score").isEmpty == false)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "x", ""])
    func noPageOverflows(_ page: String) throws {
        for target in ["/v2/sources?page=\(page)", "/v2/everything?q=cache&page=\(page)&pageSize=\(page)"] {
            #expect(try [200, 426].contains(answer("newsapi", target).status))
        }
        #expect(try answer("icndb", "/jokes/random/\(page)").status == 200)
    }

    @Test(arguments: [("0", 0), ("3", 3), ("100", 12), ("9223372036854775807", 12)])
    func asManyRandomRecordsComeAsThePathSays(_ count: String, _ expected: Int) throws {
        #expect(try ids("icndb", "/jokes/random/\(count)", in: "$.value", id: "id").count == expected)
    }

    @Test func aListWithoutRecordsHasNoPages() throws {
        #expect(
            try JSON.parse(answer("hackernews", "/api/v1/search?query=none-like-it").body)["nbPages"]?.integer == 0)
    }

    @Test(arguments: [
        ("", ["LmpA001", "LmpAlb2", "LmpGif3", "LmpAlb4", "OctoP01", "CatsA01"]), ("jpg", ["LmpA001"]),
        ("png", ["CatsA01"]), ("gif", []), ("anigif", ["LmpGif3"]), ("album", ["LmpAlb2", "LmpAlb4"]),
    ])
    func theTypeOfASearchSelectsPosts(_ type: String, _ expected: [String]) throws {
        let target = "/3/gallery/search/time/all/0?q_type=\(type)&q_size_px=med"
        #expect(try ids("imgur", target, in: "$.data", id: "id") == expected)
    }

    @Test func aPostWithAWordThatMustNotMatchIsNotFound() throws {
        let target = "/3/gallery/search/time/all/0?q_all=lantern&q_not=street"
        #expect(try ids("imgur", target, in: "$.data", id: "id") == ["LmpA001", "LmpAlb2", "LmpGif3"])
    }

    @Test(arguments: ["credits", "credits,images", "images,credits"])
    func creditsAreAppendedIfTheyAreAmongTheWordsOfTheRequest(_ words: String) throws {
        func film(_ words: String) throws -> JSONValue {
            try JSON.parse(answer("tmdb", "/3/movie/101?append_to_response=\(words)").body)
        }
        #expect(try film(words)["credits"] != nil)
        #expect(try film("images")["credits"] == nil)
    }

    @Test func theNewestHitComesFirstOnlyInTheListByDate() throws {
        func ids(_ path: String) throws -> [String] {
            try self.ids("hackernews", "/api/v1/\(path)?tags=story", in: "$.hits", id: "objectID")
        }
        #expect(try ids("search").first == "1000001")
        #expect(try ids("search_by_date").first == "1000005")
    }

    // MARK: Refusals

    @Test(arguments: [
        ("tmdb", "/3/movie/popular?page=0", 400, "$.status_message", "Invalid page"),
        ("tmdb", "/3/search/movie?query=x&page=501", 400, "$.status_message", "Invalid page"),
        ("tmdb", "/3/search/movie?query=", 422, "$.errors[0]", "query must be provided"),
        ("chucknorris", "/jokes/search?query=ab", 400, "$.violations['search.query']", "size must be between"),
        ("chucknorris", "/jokes/search", 400, "$.message", "search.query"),
        (
            "chucknorris", "/jokes/search?query=\(String(repeating: "a", count: 121))", 400, "$.error", "Bad Request"
        ),
        ("imgur", "/3/gallery/search/time/all/0?q=", 400, "$.data.error", "A search query is required"),
        ("newsapi", "/v2/top-headlines?sources=a&country=us", 400, "$.code", "parametersIncompatible"),
    ])
    func aRequestIsRefusedAsTheAPIRefusesIt(
        _ name: String, _ target: String, _ status: Int, _ path: String, _ text: String
    ) throws {
        let answer = try answer(name, target)
        #expect(answer.status == status)
        #expect(try JSONPath(path).first(in: JSON.parse(answer.body))?.string?.hasPrefix(text) == true)
    }

    @Test(arguments: [
        ("tmdb", "/3/movie/popular?page=500"), ("chucknorris", "/jokes/search?query=abc"),
        ("chucknorris", "/jokes/search?query=\(String(repeating: "a", count: 120))"),
        ("newsapi", "/v2/everything?q=cache&pageSize=50&page=2"),
    ])
    func aValueAtItsBoundIsAllowed(_ name: String, _ target: String) throws {
        #expect(try answer(name, target).status == 200)
    }

    @Test(arguments: [
        ("newsapi", "/v2/everything?q=cache&end=500", 200),
        ("newsapi", "/v2/everything?q=cache&pageSize=100&page=2&end=1", 426),
        ("itunes", "/search?term=x&entity=song&wrong=entity", 200), ("itunes", "/search?term=x&entity=no&wrong=x", 400),
    ])
    func noValueOfARequestReplacesWhatAConditionIsToldOfIt(_ name: String, _ target: String, _ status: Int) throws {
        #expect(try answer(name, target).status == status)
    }

    @Test func aListThatIsNotDividedHasOnePage() throws {
        #expect(try ids("imgur", "/3/gallery/search/time/all/0?q=lantern", in: "$.data", id: "id").count == 4)
        #expect(try ids("imgur", "/3/gallery/search/time/all/1?q=lantern", in: "$.data", id: "id").isEmpty)
    }

    @Test func theOneRecordIsThatOfThePathInItsExactForm() throws {
        #expect(try JSON.parse(answer("hackernews", "/v0/user/ada.json").body)["karma"]?.integer == 4217)
        #expect(try answer("hackernews", "/v0/user/Ada.json").body.lossyText == "null")
        #expect(try answer("openlibrary", "/works/OL9W.json").status == 404)
        #expect(try answer("dnd5e", "/api/2014/monsters/none") == .text(404, "Not Found"))
    }

    @Test func randomRecordsComeInTurn() throws {
        let first = try answer("chucknorris", "/jokes/random", turn: 0).body
        #expect(try answer("chucknorris", "/jokes/random", turn: 1).body != first)
        #expect(try answer("chucknorris", "/jokes/random?category=none", turn: 0).status == 404)
        #expect(try ids("icndb", "/jokes/random/10", in: "$.value", id: "id").count == 10)
    }

    @Test func aPathThatNamesAListSelectsNoneOrNothing() throws {
        #expect(try answer("tvmaze", "/shows/7002/episodes").body.lossyText == "[]")
        #expect(try answer("tvmaze", "/shows/9/episodes").status == 404)
    }

    // MARK: Bodies

    @Test func membersAreLeftOutAndReplacedAsTheEntrySays() throws {
        let articles = try JSON.parse(answer("newsapi", "/v2/everything?q=octopus").body)["articles"]
        #expect(articles?.elements.allSatisfy { $0["category"] == nil && $0["title"] != nil } == true)
        let genres = try JSON.parse(answer("tmdb", "/3/genre/tv/list?language=de").body)["genres"]
        #expect(genres?.elements.compactMap { $0["name"]?.string } == ["Mystery (de)", "Kids (de)"])
    }

    @Test func aValueOfTheRequestIsNeverReadAsAPartOfTheBody() throws {
        let body = try answer("hackernews", "/api/v1/search?query=%7Brecords%7D%7Btotal%7D").body
        #expect(try JSON.parse(body)["query"]?.string == "{records}{total}")
    }

    @Test(arguments: [
        "/3/search/movie?query='", "/v0/a%5D'b.json", "/shows/7001%27/episodes", "/search?term=x&media='",
    ])
    func aTextThatIsNoPathIsNoReasonToEnd(_ target: String) throws {
        for api in Self.apis { #expect(try answer(api.name, target).status >= 200) }
    }

    // MARK: Demonstrations and recordings

    @Test(arguments: [
        ("/v1/search?q=jack%20johnson&source=itunes", "search jack johnson --source itunes"),
        ("/v1/jokes/random", "get /v1/jokes/random"),
        ("/v1/hackernews/top?limit=9", "get '/v1/hackernews/top?limit=9'"),
    ])
    func aTargetIsTypedSo(_ target: String, _ words: String) {
        #expect(SampleQuestion(target: target).words == words)
    }

    @Test(arguments: [
        (
            "itunes", "/lookup", "country=GB&entity=song&id=696312806&limit=200&sort=trackNumber", nil,
            "/v1/itunes/lookup?id=696312806&entity=song&limit=200&country=GB"
        ),
        ("newsapi", "/v2/top-headlines", "country=us", nil, "/v1/news/headlines?country=us"),
        ("dnd5e", "/api/2014/monsters", "", "aboleth", "/v1/dnd/monsters/aboleth?edition=2014"),
        ("hackernews", "/v0/item", "", "8863", "/v1/hackernews/item/8863?depth=0"),
        ("hackernews", "/v0/topstories.json", "", nil, "/v1/hackernews/top?limit=500"),
        ("chucknorris", "/jokes/search", "", nil, "/v1/jokes/search?q=Chuck"),
        ("tmdb", "/3/movie/22855/images", "api_key=x", nil, nil),
        ("imgur", "/3/account/me/images/count", "", nil, nil),
    ])
    func aRecordingIsAskedForByItsRoute(
        _ name: String, _ path: String, _ query: String, _ key: String?, _ route: String?
    ) throws {
        let recording = RecordedRequest(
            file: "\(name)/a.json", api: name, method: .get, path: path, query: query, status: 200,
            keys: key.map { [$0] } ?? [])
        #expect(try api(name).route(of: recording, key: key) == route)
    }

    @Test(arguments: [
        ("imgur", "/3/gallery", "/v1/imgur/search?q=refused"), ("imgur", "/3/image/abc", "/v1/imgur/image/abc"),
        ("newsapi", "/v2/top-headlines", "/v1/news/headlines?q=refused"),
    ])
    func noStoredAnswerCoversARefusedList(_ name: String, _ path: String, _ route: String) throws {
        let recording = RecordedRequest(
            file: "\(name)/refused.json", api: name, method: .get, path: path, query: "", status: 403, keys: [])
        #expect(try api(name).route(of: recording, key: nil) == route)
    }

    @Test func theEndOfAPageIsNeverAValueOfTheRequest() throws {
        let entry = try JSON.parse(Bytes(text: #"{"if": "@.end > 100"}"#))
        let request = SampleRequest(path: "/", parameters: try QueryParameters(parsing: "end=500"))
        #expect(!AskedSample(entry, nil, [:], request).holds(entry))
    }

    // MARK: Keys

    private func refusal(_ name: String, _ query: QueryParameters, _ fields: HeaderFields) throws -> SampleAnswer? {
        try api(name).refusal(of: SampleRequest(path: "/", parameters: query, fields: fields))
    }

    @Test func aRequestWithoutAKeyIsRefusedWhereOneIsNeeded() throws {
        for api in Self.apis {
            #expect((try refusal(api.name, QueryParameters(), [:])?.status == 401) == api.spec.facts.needsKey)
        }
    }

    @Test(arguments: ["k", "a.b.c"])
    func aKeyWhereLarderSendsItIsAccepted(_ key: String) throws {
        for api in Self.apis {
            let provider = SpecProvider(api.spec)
            let (query, fields) = (provider.credentialQuery(key: key), provider.credentialFields(key: key))
            #expect(try refusal(api.name, query, fields) == nil, "\(api.name)")
        }
    }

    @Test(arguments: [
        ("tmdb", "api_key=a.b.c", ""), ("tmdb", "", "Bearer 0123456789abcdef"), ("tmdb", "", "a.b.c"),
        ("tmdb", "api_key=", "Basic a.b.c"), ("imgur", "", "Client-ID "), ("imgur", "", "Client-ID"),
        ("imgur", "", "Basic YTpi"), ("imgur", "client_id=", "Bearer"), ("newsapi", "apiKey=", "Basic YTpi"),
    ])
    func aKeyInAWrongPlaceIsNone(_ name: String, _ query: String, _ authorization: String) throws {
        let fields: HeaderFields = authorization.isEmpty ? [:] : ["Authorization": authorization]
        #expect(try refusal(name, QueryParameters(parsing: query), fields)?.status == 401)
    }

    @Test(arguments: [
        ("imgur", "client_id=k", ""), ("imgur", "", "Bearer of-an-account"), ("newsapi", "apiKey=k", ""),
        ("newsapi", "", "Bearer k"), ("newsapi", "", "k"),
    ])
    func aKeyInAnotherPlaceOfTheAPIIsAccepted(_ name: String, _ query: String, _ authorization: String) throws {
        let fields: HeaderFields = authorization.isEmpty ? [:] : ["Authorization": authorization]
        #expect(try refusal(name, QueryParameters(parsing: query), fields) == nil)
    }

    // MARK: Without records

    @Test(arguments: [
        ("itunes", "/search?term=x", "$.resultCount", 0), ("newsapi", "/v2/everything?q=octopus", "$.totalResults", 0),
        ("tmdb", "/3/search/movie?query=lantern", "$.total_results", 0), ("tmdb", "/3/movie/101", "$.status_code", 34),
        ("chucknorris", "/jokes/x", "$.status", 404),
    ])
    func whatNothingMatchesIsAnEmptyListOrAbsent(
        _ name: String, _ target: String, _ path: String, _ number: Int
    ) throws {
        let parts = target.split(separator: "?").map(String.init)
        let parameters = try QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        let body = try api(name).nothing(SampleRequest(path: parts[0], parameters: parameters)).body
        #expect(try JSONPath(path).first(in: JSON.parse(body))?.integer == number)
    }

    @Test func aRefusedRequestIsRefusedWithoutRecordsToo() throws {
        let request = SampleRequest(path: "/v2/everything", parameters: QueryParameters())
        #expect(try api("newsapi").nothing(request).status == 400)
    }
}
