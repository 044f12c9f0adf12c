// The files that list an API's samples, and what an entry of such a file may say.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct SampleAPITests {
    private static let apis = ProviderRegistry.builtIn.flatMap(\.samples)

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

    @Test func everyBuiltInProviderHasSamplesOfEachDialect() {
        #expect(
            Self.apis.map(\.name) == [
                "itunes", "newsapi", "dnd5e", "hackernews", "chucknorris", "icndb", "tmdb", "imgur", "openlibrary",
                "tvmaze",
            ])
    }

    @Test func everyEntryNamesAQuestionOfItsAPI() {
        for api in Self.apis {
            let names = api.spec.questions.map(\.name)
            for entry in api.index.list("answers") where entry["path"] == nil {
                let own = entry.list("question").compactMap(\.string)
                #expect(!own.isEmpty && own.allSatisfy(names.contains), "\(api.name): \(entry.raw.lossyText)")
            }
        }
    }

    @Test func everyQuestionHasAnEntryWithoutACondition() {
        for api in Self.apis {
            let entries = api.index.list("answers").filter { $0["if"] == nil }
            for question in api.spec.questions {
                let has = entries.contains { entry in
                    entry.list("question").contains { $0.string == question.name }
                        || entry["path"]?.string.map { PathTemplate($0).takesAll(of: question.path) } == true
                }
                #expect(has, "\(api.name): \(question.name)")
            }
        }
    }

    @Test func everyConditionAndEveryPathCanBeRead() throws {
        for api in Self.apis {
            for entry in api.index.list("answers") {
                for part in [entry] + entry.list("from") {
                    if let condition = part["if"]?.string { _ = try JSONFilter(condition) }
                    let rules = ["any", "every"].flatMap { part[$0]?.members.flatMap(\.value.all) ?? [] }
                    for path in rules + part.list("words") + part.list("order") {
                        _ = try JSONPath(#require(path.string))
                    }
                }
                for source in entry.list("from") {
                    let place = try #require(source["in"]?.string ?? source.string)
                    let path = "$" + SampleBody.filled(place) { _ in "x" }.drop { $0 != "$" }.dropFirst()
                    _ = try JSONPath(path)
                    let file = place.prefix { $0 != "$" }
                    #expect(file.isEmpty || file.contains("{") || api.has(file: String(file)), "\(api.name): \(file)")
                }
            }
        }
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

    @Test func aRequestWithoutAKeyIsRefusedWhereOneIsNeeded() throws {
        for api in Self.apis {
            let request = SampleRequest(path: "/", parameters: QueryParameters())
            let isNeeded = api.spec.facts.needsKey
            #expect((api.refusal(of: request)?.status == 401) == isNeeded, "\(api.name)")
            var own = request
            own.fields = HeaderFields(api.spec.facts.credentialFieldNames.map { HeaderField($0, "k") })
            #expect(!isNeeded || api.refusal(of: own) == nil)
        }
    }

    @Test func whatNothingMatchesIsAnEmptyListOrAbsent() throws {
        let search = SampleRequest(path: "/search", parameters: try QueryParameters(parsing: "term=x"))
        #expect(try JSON.parse(api("itunes").nothing(search).body)["resultCount"]?.integer == 0)
        let record = SampleRequest(path: "/jokes/x", parameters: QueryParameters())
        #expect(try api("chucknorris").nothing(record).status == 404)
    }
}
