// Both kinds of joke API: their responses classified, their recordings kept whole, their pools.
import LarderCore
@testable import LarderProviders
import Testing

@Suite struct JokesTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    private func answer(_ status: Int, _ body: String, _ fields: HeaderFields = [:]) -> UpstreamResponse {
        UpstreamResponse(
            status: status, fields: fields, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    private func endpoint(_ provider: any Provider, _ path: [String], _ query: String = "") throws -> Endpoint {
        try provider.endpoint(path: path, query: QueryParameters(parsing: query))
    }

    @Test(arguments: [
        (200, "random", #"{"id":"a","value":"b"}"#, "data"), (200, "random", #"{"id":"a","value":""}"#, "broken"),
        (200, "random", "<html>", "broken"), (200, "random", "[]", "broken"), (200, "random", "", "broken"),
        (200, "search", #"{"total":0,"result":[]}"#, "empty"), (200, "search", #"{"total":0}"#, "broken"),
        (200, "search", #"{"total":1,"result":[{"id":"a","value":"b"}]}"#, "data"),
        (200, "categories", #"["a"]"#, "data"), (200, "categories", "[]", "empty"), (200, "categories", "{}", "broken"),
        (404, "joke", #"{"status":404,"error":"Not Found","message":"m"}"#, "notFound"),
        (404, "random", #"{"status":404,"error":"Not Found"}"#, "notFound"), (404, "joke", "", "broken"),
        (404, "joke", #"{"error":"no such host"}"#, "broken"), (200, "search", #"{"result":[1]}"#, "broken"),
        (200, "categories", "[1,2]", "broken"),
        (400, "search", #"{"message":"m"}"#, "invalidRequest"), (429, "random", "", "limited"),
        (403, "random", "<html>", "refused"), (520, "random", "<html>", "broken"), (503, "random", "", "broken"),
        (302, "random", "", "broken"), (200, "other", "anything", "data"),
        (200, "random", #"{"type":"success","value":{"id":1,"joke":"b"}}"#, "data"),
    ])
    func theLivingMakeSaysItByStatus(_ status: Int, _ endpoint: String, _ body: String, _ word: String) {
        #expect(SpecProvider(.jokes).classify(answer(status, body), endpoint: endpoint).word == word)
    }

    @Test(arguments: [
        ("random", #"{"type":"success","value":{"id":1,"joke":"b"}}"#, "data"),
        ("random", #"{"type":"success","value":[{"id":1,"joke":"b"}]}"#, "data"),
        ("random", #"{"type":"success","value":[]}"#, "empty"), ("random", #"{"type":"success","value":7}"#, "broken"),
        ("joke", #"{"type":"NoSuchQuoteException","value":"No quote with id=7."}"#, "notFound"),
        ("random", #"{"type":"NoSuchCategoryException","value":"x"}"#, "notFound"),
        ("random", #"{"type":"NullPointerException","value":"x"}"#, "broken"),
        ("categories", #"{"type":"success","value":["nerdy"]}"#, "data"),
        ("search", #"{"type":"success","value":[{"id":1,"joke":"b"}]}"#, "data"),
    ])
    func theDeadMakeSaysItByTypeUnderStatus200(_ endpoint: String, _ body: String, _ word: String) {
        #expect(SpecProvider(.jokes).speaking("icndb").classify(answer(200, body), endpoint: endpoint).word == word)
    }

    @Test(arguments: Recording.all.filter { $0.api == "chucknorris" || $0.api == "icndb" })
    func recordingIsClassifiedAndKeptWhole(_ recording: Recording) throws {
        let provider = SpecProvider(.jokes).speaking(recording.api)
        let response = try recording.response()
        let path: [String] =
            recording.file.contains("categories")
            ? ["categories"] : recording.file.contains("search") ? ["search"] : ["random"]
        if recording.status == 400 {
            return #expect(
                provider.classify(response, endpoint: "search")
                    == .invalidRequest("search.query: size must be between 3 and 120"))
        }
        #expect(provider.classify(response, endpoint: path[0]) == .data)
        let endpoint = try endpoint(provider, path, path == ["search"] ? "q=abc" : "")
        let answer = try endpoint.normalise(response, signer)
        try expectWhole(answer, from: recording.count ?? 1, provider: "jokes", signer: signer)
        #expect(answer.dropped == 0)
        #expect(!answer.results.lossyText.contains("&quot;"), "character references are decoded")
    }

    @Test func aJokeIsReadInEveryShape() throws {
        let search = try endpoint(SpecProvider(.jokes), ["search"], "q=abc")
        let old = #"""
            {"total":3,"result":[{"category":null,"id":"a","value":"x &amp;lt; <b>y</b> \u0026 z"},
            {"categories":["explicit"],"id":"b","value":"w","created_at":"2020-01-05 13:42:21.795084",
            "updated_at":"2020-05-22 06:02:41.792421","url":"javascript:x"},{"id":"c"}]}
            """#
        let found = try search.normalise(answer(200, old), signer)
        #expect(found.count == 2 && found.droppedReasons == ["id or text": 1] && found.totalUpstream == 3)
        let results = Array(try JSON.parse(found.results).elements)
        #expect(results[0]["title"]?.string == "x &lt; <b>y</b> & z", "references are decoded once, and tags are text")
        #expect(results[0]["genres"] == nil && results[1]["url"] == nil)
        #expect(results[1]["publishedAt"]?.string == "2020-01-05T13:42:21Z")
        #expect(results[1]["attributes"]?["updatedAt"]?.string == "2020-05-22T06:02:41Z")
        #expect(results[1]["attributes"]?["explicit"]?.bool == true)
        let clean = try endpoint(SpecProvider(.jokes), ["search"], "q=abc&explicit=no").normalise(
            answer(200, old), signer)
        #expect(clean.count == 1 && clean.dropped == 1)

        let long = String(repeating: "word ", count: 40)
        let one = try endpoint(SpecProvider(.jokes), ["some-id"]).normalise(
            answer(200, #"{"id":"a","value":"\#(long)"}"#), signer)
        let joke = try #require(JSON.parse(one.results).elements.first { _ in true })
        #expect(joke["title"]?.string?.hasSuffix("word…") == true && joke["title"]?.string?.count ?? 0 <= 100)
        #expect(joke["summary"]?.string?.count == 199)
    }

    @Test func theDeadMakeIsSearchedInItsWholeList() throws {
        let icndb = SpecProvider(.jokes).speaking("icndb")
        let search = try endpoint(icndb, ["search"], "q=Two+WORDS")
        #expect(search.upstream.target == "/jokes")
        let body = #"""
            {"type":"success","value":[{"id":1,"joke":"has two words","categories":[]},{"id":2,"joke":"two other words"}]}
            """#
        let found = try search.normalise(answer(200, body), signer)
        #expect(found.count == 1 && found.dropped == 0)
        #expect(try JSON.parse(found.results).elements.first { _ in true }?["id"]?.string == "jokes:joke:1")
        let random = try endpoint(icndb, ["random"], "category=nerdy&explicit=no")
        #expect(random.upstream.target == "/jokes/random?exclude=%5Bexplicit%5D&limitTo=%5Bnerdy%5D")
        #expect(try endpoint(icndb, ["7"]).upstream.target == "/jokes/7")
        #expect(throws: ClientFacingError.self) { try endpoint(icndb, ["seven"]) }
        for (path, name) in [
            ("/jokes", "search"), ("/jokes/random/3", "random"), ("/jokes/count", "other"),
            ("/categories", "categories"),
            ("/jokes/7", "joke"), ("/x", "other"),
        ] {
            #expect(icndb.endpointName(for: UpstreamRequest(path: path)) == name)
        }
        // The same question in another dialect is another entry.
        #expect(
            try endpoint(icndb, ["categories"]).key(normaliserVersion: 1)
                != endpoint(SpecProvider(.jokes), ["categories"]).key(normaliserVersion: 1))
    }

    @Test(arguments: [
        ("chucknorris", "/jokes/random", nil as String?, "pooled"),
        ("chucknorris", "/jokes/random", "category=dev", "pooled"),
        ("chucknorris", "/jokes/random", "name=Ada", "fleeting"),
        ("chucknorris", "/jokes/random", "category=%ZZ", "fleeting"),
        ("chucknorris", "/jokes/search", "query=abc", "constant"), ("chucknorris", "/jokes/abc", nil, "constant"),
        ("icndb", "/jokes/random", "limitTo=%5Bnerdy%5D", "pooled"),
        ("icndb", "/jokes/random", "firstName=A", "fleeting"),
        ("icndb", "/jokes/random/3", nil, "fleeting"), ("icndb", "/jokes", nil, "constant"),
    ])
    func onlyWhatManyMayShareComesFromAPool(
        _ dialect: String, _ path: String, _ query: String?, _ word: String
    ) {
        let kind =
            switch SpecProvider(.jokes).speaking(dialect).constancy(of: UpstreamRequest(path: path, query: query)) {
            case .constant: "constant"
            case .fleeting: "fleeting"
            case .pooled: "pooled"
            }
        #expect(kind == word)
    }

    @Test func aRefillsAnswerIsCutIntoAnswers() throws {
        guard case .pooled(let one) = SpecProvider(.jokes).constancy(of: UpstreamRequest(path: "/jokes/random")),
            case .pooled(let ten) = SpecProvider(.jokes).speaking("icndb").constancy(
                of: UpstreamRequest(path: "/jokes/random"))
        else {
            Issue.record("no pool")
            return
        }
        #expect(one.refill.path == "/jokes/random" && ten.refill.path == "/jokes/random/10")
        let body = "{ \"id\": \"a\",\n \"value\": \"b\" }"
        #expect(one.answers(answer(200, body)) == [PooledAnswer(id: "a", body: Bytes(text: body))])
        let both = ten.answers(answer(200, #"{"type":"success","value":[{"id":1,"joke":"b"},{"id":2,"joke":"c"},{}]}"#))
        #expect(both.map(\.id) == ["1", "2"])
        #expect(both.last?.body == Bytes(text: #"{"type":"success","value":{"id":2,"joke":"c"}}"#))
        #expect(one.answers(answer(200, "<html>")).isEmpty)
    }

    @Test func aNameThatStrangersOwnIsNeverAskedFor() {
        for host in ["icndb.com", "api.icndb.com", "API.ICNDB.COM."] { #expect(TakenOverHosts.contains(host)) }
        #expect(!TakenOverHosts.contains("notindb.com") && !TakenOverHosts.contains("myicndb.com"))
        #expect(TakenOverHosts.contains(url: "http://api.icndb.com/jokes/random"))
        #expect(!TakenOverHosts.contains(url: "https://api.chucknorris.io/icndb.com"))
        let hosts = ImageHosts(rules: [.any])
        #expect(hosts.permits("https://www.icndb.com/a.png") == nil)
        #expect(hosts.permits("https://www.example.com/a.png") != nil)
    }
}
