// Questions, results and errors of both joke APIs, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct JokesPinTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
    private let jokes: any Provider = SpecProvider(.jokes)
    private let icndb: any Provider = SpecProvider(.jokes).speaking("icndb")

    private func provider(_ dialect: String) -> any Provider { dialect == "icndb" ? icndb : jokes }

    private func answer(_ body: String, _ status: Int = 200) -> UpstreamResponse {
        UpstreamResponse(
            status: status, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    private func endpoint(_ dialect: String, _ route: String) throws -> Endpoint {
        let parts = route.split(separator: "?", maxSplits: 1).map(String.init)
        return try provider(dialect).endpoint(
            path: parts[0].split(separator: "/").map(String.init),
            query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
    }

    @Test(arguments: [
        ("chucknorris", "random", #"{"explicit":true,"limit":1}"#, "/jokes/random"),
        (
            "chucknorris", "random?category=Dev,animal&category=dev&explicit=no&limit=3",
            #"{"category":"animal,dev","explicit":false,"limit":3}"#, "/jokes/random?category=animal%2Cdev"
        ),
        (
            "chucknorris", "search?q=Two++WORDS", #"{"q":"two words","explicit":true,"sort":"relevance"}"#,
            "/jokes/search?query=two%20words"
        ),
        (
            "chucknorris", "search?query=abc&category=DEV&explicit=false&limit=9&sort=date",
            #"{"q":"abc","category":"dev","explicit":false,"limit":9,"sort":"date"}"#, "/jokes/search?query=abc"
        ),
        ("chucknorris", "categories", "{}", "/jokes/categories"),
        ("chucknorris", "a-B_9", #"{"id":"a-B_9"}"#, "/jokes/a-B_9"),
        ("icndb", "random", #"{"explicit":true,"limit":1}"#, "/jokes/random"),
        (
            "icndb", "random?category=b,a&explicit=no&limit=3", #"{"category":"a,b","explicit":false,"limit":3}"#,
            "/jokes/random?exclude=%5Bexplicit%5D&limitTo=%5Ba%2Cb%5D"
        ),
        ("icndb", "search?q=ABC&limit=3", #"{"q":"abc","explicit":true,"limit":3,"sort":"relevance"}"#, "/jokes"),
        ("icndb", "categories", "{}", "/categories"), ("icndb", "17", #"{"id":"17"}"#, "/jokes/17"),
    ])
    func aQuestionIsAskedSo(_ dialect: String, _ route: String, _ told: String, _ target: String) throws {
        let endpoint = try endpoint(dialect, route)
        let provider = provider(dialect)
        #expect(endpoint.query.lossyText == told)
        #expect(endpoint.upstream.target == target)
        #expect(provider.endpointName(for: endpoint.upstream) == endpoint.name)
        #expect(provider.canonical(endpoint.upstream) == endpoint.upstream)
        let told = try JSON.parse(endpoint.query).members.map {
            "\($0.name)=\($0.value.string ?? $0.value.raw.lossyText)"
        }
        #expect(endpoint.parameters.map { "\($0.name)=\($0.value ?? "")" } == told + ["dialect=\(dialect)"])
    }

    @Test(arguments: [
        (SearchRequest(term: " Abc  d "), #"{"q":"abc d","explicit":true,"sort":"relevance"}"#),
        (
            SearchRequest(term: "abc", category: "jokes", limit: 7, sort: .date, country: "de", explicit: false),
            #"{"q":"abc","explicit":false,"limit":7,"sort":"date"}"#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) throws {
        #expect(try jokes.search(request).query.lossyText == told)
    }

    private static let long = String(repeating: "a", count: 121)

    @Test(arguments: [
        (SearchRequest(term: " "), "A search needs a term."),
        (SearchRequest(term: "ab"), "The text must have 3 to 120 characters."),
        (SearchRequest(term: long), "The text must have 3 to 120 characters."),
        (SearchRequest(term: "abc", category: "films"), "There is no such category of jokes here."),
    ])
    func anErrorOfASearchOfAllSourcesIsToldSo(_ request: SearchRequest, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try jokes.search(request) }
        #expect(error.detail == detail)
    }

    @Test(
        arguments: [
            ("chucknorris", "search", "missingParameter q", "A search for jokes needs a text: q=…"),
            ("chucknorris", "search?q=ab", "termLength q", "The text must have 3 to 120 characters."),
            ("chucknorris", "search?query=\(long)", "termLength q", "The text must have 3 to 120 characters."),
            (
                "chucknorris", "search?q=abc&query=abc", "invalidParameter query conflict",
                #""query" is another name of "q": give one of them."#
            ),
            (
                "chucknorris", "search?q=abc&category=a,b", "invalidParameter category",
                #""category" has more than 1 parts."#
            ),
            (
                "chucknorris", "random?category=a,b,c,d,e,f", "invalidParameter category",
                #""category" has more than 5 parts."#
            ),
            (
                "chucknorris", "random?category=d%20e", "invalidParameter category",
                #""d e" is not a category; /v1/jokes/categories lists them."#
            ),
            ("chucknorris", "random?limit=11", "invalidParameter limit", #""limit" is not a number between 1 and 10."#),
            (
                "chucknorris", "search?q=abc&sort=price", "invalidParameter sort",
                #""sort" is not one of the allowed words."#
            ),
            ("chucknorris", "categories?q=a", "unknownParameter q", #"This route has no parameter "q"."#),
            (
                "chucknorris", "a.b", "invalidParameter id",
                "The id of a joke must be letters, digits, - and _, as in a joke's id."
            ),
            ("chucknorris", "a/b", "noSuchRoute ", "There is no route /v1/jokes/a/b. /openapi.json lists all routes."),
            ("icndb", "a7", "invalidParameter id", "The id of a joke must be a number."),
        ])
    func anErrorIsToldSo(_ dialect: String, _ route: String, _ code: String, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try endpoint(dialect, route) }
        let conflict = error.isConflict ? " conflict" : ""
        #expect("\(error.code) \(error.parameter ?? "")\(conflict)" == code)
        #expect(error.detail == detail)
    }

    @Test(arguments: [
        ("chucknorris", "/jokes/random", "random"), ("chucknorris", "/jokes/random/3", "other"),
        ("chucknorris", "/jokes/search", "search"), ("chucknorris", "/jokes/a", "joke"),
        ("chucknorris", "/jokes/categories", "categories"), ("chucknorris", "/jokes", "other"),
        ("chucknorris", "/jokes/count", "joke"), ("chucknorris", "/x/y", "other"),
        ("icndb", "/jokes/random/3", "random"),
        ("icndb", "/jokes/count", "other"), ("icndb", "/jokes", "search"), ("icndb", "/jokes/5", "joke"),
        ("icndb", "/categories", "categories"), ("icndb", "/x", "other"),
    ])
    func aPathBelongsToAQuestion(_ dialect: String, _ path: String, _ name: String) {
        #expect(provider(dialect).endpointName(for: UpstreamRequest(path: path)) == name)
    }

    @Test(
        arguments: [
            ("chucknorris", 200, "random", #"{"id":"a","value":" "}"#, .broken("The answer has no record of jokes.")),
            ("chucknorris", 200, "random", #"{"a":1}"#, .broken("The answer has no record of jokes.")),
            ("chucknorris", 200, "search", #"{"result":[1]}"#, .broken("The answer's list has no jokes.")),
            ("chucknorris", 200, "search", #"{"result":[{"id":"a"}]}"#, .data),
            ("chucknorris", 200, "search", #"{"result":{}}"#, .broken("The answer has no list of jokes.")),
            ("chucknorris", 200, "categories", "{}", .broken("The answer has no list of categories.")),
            ("chucknorris", 200, "categories", "[1]", .broken("The answer's list has no categories.")),
            ("chucknorris", 200, "joke", "<html>", .broken("The answer is HTML or XML instead of JSON.")),
            ("chucknorris", 404, "search", "", .broken("The joke service answered 404 for a list that exists.")),
            (
                "chucknorris", 404, "joke", "{}",
                .broken("The joke service answered 404, but not in the form of this API.")
            ),
            ("chucknorris", 410, "joke", #"{"status":410,"error":"Gone"}"#, .notFound),
            ("chucknorris", 400, "search", #"{"message":"a  b"}"#, .invalidRequest("a b")),
            ("chucknorris", 422, "search", #"{"error":"c"}"#, .invalidRequest("c")),
            ("chucknorris", 403, "search", #"{"error":"c"}"#, .refused("The joke service answered 403.")),
            ("chucknorris", 500, "search", #"{"error":"c"}"#, .broken("The joke service answered 500.")),
            ("icndb", 200, "joke", #"{"type":"NoSuchQuoteException","value":"x"}"#, .notFound),
            ("icndb", 200, "search", #"{"type":"NoSuchQuoteException","value":"x"}"#, .broken("x")),
            ("icndb", 200, "search", #"{"type":"NoSuchCategoryException","value":"x"}"#, .notFound),
            ("icndb", 200, "joke", #"{"type":"NullPointerException"}"#, .broken("NullPointerException")),
            ("icndb", 200, "categories", #"{"type":"success","value":[]}"#, .empty),
            (
                "icndb", 404, "joke", #"{"status":404,"error":"x"}"#,
                .broken("The joke service answered 404, but not in the form of this API.")
            ),
        ] as [(String, Int, String, String, Classification)])
    func anAnswerIsJudgedSo(
        _ dialect: String, _ status: Int, _ endpoint: String, _ body: String, _ meaning: Classification
    ) {
        #expect(provider(dialect).classify(answer(body, status), endpoint: endpoint) == meaning)
    }

    private static let found = #"""
        {"total":9,"result":[{"id":"a","value":"A &amp; <b>","categories":["explicit","dev"],\#
        "created_at":"2020-01-05 13:42:21.795084","updated_at":"2020-05-22 06:02:41.792421","url":"https://x/a"},\#
        {"id":7,"joke":"B","category":["dev"],"created_at":"2020-01-05 13:42:21","updated_at":"2020-01-05 13:42:21"},\#
        {"id":"c","value":"C","categories":[],"updated_at":"soon","url":"javascript:x"},{"id":"d"},3]}
        """#
    private static let a = #"""
        {"id":"jokes:joke:a","provider":"jokes","kind":"joke","title":"A & <b>","summary":"A & <b>",\#
        "url":"https://x/a","genres":["explicit","dev"],"publishedAt":"2020-01-05T13:42:21Z",\#
        "attributes":{"explicit":true,"updatedAt":"2020-05-22T06:02:41Z"}}
        """#
    private static let b = #"""
        {"id":"jokes:joke:7","provider":"jokes","kind":"joke","title":"B","summary":"B","genres":["dev"],\#
        "publishedAt":"2020-01-05T13:42:21Z"}
        """#
    private static let c = #"""
        {"id":"jokes:joke:c","provider":"jokes","kind":"joke","title":"C","summary":"C"}
        """#

    @Test(arguments: [
        ("search?q=abc", [a, b, c]), ("search?q=abc&explicit=no", [b, c]), ("search?q=abc&category=dev", [a, b]),
        ("search?q=abc&limit=1&sort=name", [a]), ("random", [a, b, c]),
    ])
    func aListOfJokesIsToldSo(_ route: String, _ results: [String]) throws {
        let told = try endpoint("chucknorris", route).normalise(answer(Self.found), signer)
        #expect(told.results.lossyText == "[\(results.joined(separator: ","))]")
        #expect(told.totalUpstream == 9)
    }

    @Test func aJokeWithoutTextIsCounted() throws {
        let told = try endpoint("chucknorris", "search?q=abc").normalise(answer(Self.found), signer)
        #expect(told.droppedReasons == ["id or text": 2])
    }

    @Test func aCategoryIsToldSo() throws {
        let told = try endpoint("chucknorris", "categories").normalise(answer(#"["dev"," ",7]"#), signer)
        #expect(
            told.results.lossyText == #"""
                [{"id":"jokes:jokeCategory:dev","provider":"jokes","kind":"jokeCategory","title":"dev"}]
                """#)
        #expect(told.droppedReasons == ["name": 2] && told.totalUpstream == 3)
    }

    @Test func aJokeOfTheDeadMakeIsInItsWholeList() throws {
        let wider = try #require(try endpoint("icndb", "7").wider().first)
        #expect(wider.request.target == "/jokes")
        let list = #"{"type":"success","value":[{"id":7,"joke":"a"},{"id":8,"joke":"b"}]}"#
        #expect(try wider.read(answer(list), signer)?.count == 1)
        #expect(try wider.read(answer(#"{"type":"success","value":[]}"#), signer) == nil)
        #expect(try endpoint("chucknorris", "7").wider().isEmpty)
    }

    @Test func onlySuitableJokesAreDrawn() throws {
        let drawn = try endpoint("chucknorris", "random?explicit=no&limit=4")
        #expect(drawn.draws == 4)
        #expect(drawn.fits(Bytes(text: #"{"id":"a","value":"b","categories":["dev"]}"#)))
        #expect(!drawn.fits(Bytes(text: #"{"id":"a","value":"b","categories":["explicit"]}"#)))
        #expect(!drawn.fits(Bytes(text: #"{"type":"success","value":{"id":1,"joke":"b","categories":["explicit"]}}"#)))
        #expect(try endpoint("chucknorris", "random").fits(Bytes(text: #"{"id":"a","categories":["explicit"]}"#)))
    }

    @Test func eachAPIsPoolIsRefilledInItsOwnWay() throws {
        guard
            case .pooled(let one) = jokes.constancy(of: UpstreamRequest(path: "/jokes/random", query: "category=dev")),
            case .pooled(let ten) = icndb.constancy(of: UpstreamRequest(path: "/jokes/random"))
        else { return #expect(Bool(false), "no pools") }
        #expect(one.refill.target == "/jokes/random?category=dev" && one.perCall == 1 && one.pause == .seconds(10))
        #expect(ten.refill.target == "/jokes/random/10" && ten.perCall == 10 && ten.least == 4 && ten.most == 40)
    }

    @Test(arguments: [
        ("search?q=abc", "{}", "The answer has no list of jokes."),
        ("categories", "{}", "The answer has no list of categories."),
    ])
    func whatCannotBeReadIsAnError(_ route: String, _ body: String, _ message: String) throws {
        let error = try #require(throws: NormaliseError.self) {
            try endpoint("chucknorris", route).normalise(answer(body), signer)
        }
        #expect(error.message == message)
    }

    @Test func itsOneCategoryIsJokes() {
        #expect(jokes.kinds(of: nil) == ["joke"] && jokes.kinds(of: "jokes") == ["joke"] && jokes.kinds(of: "x") == nil)
    }
}
