// Questions, results and errors of Open Library, exactly as they are told.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct OpenLibraryPinTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
    private let provider = SpecProvider(.openLibrary)

    private func answer(_ body: String) -> UpstreamResponse {
        UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    /// What the plan of a work makes of its record.
    private func made(_ work: Endpoint, _ record: String) throws -> NormalisedAnswer {
        var plan = try #require(work.plan)
        _ = try plan.next([], signer)
        guard case .done(let answer) = try plan.next([.answered(answer(record))], signer) else { throw Unfinished() }
        return answer
    }

    private struct Unfinished: Error {}

    private static let fields =
        "author_key%2Cauthor_name%2Ccover_i%2Cedition_count%2Cfirst_publish_year%2Ckey%2Clanguage%2Csubject%2Csubtitle%2Ctitle"

    @Test(arguments: [
        (["search"], "q=a%20%20bcd", #"{"q":"a bcd","limit":50,"sort":"relevance"}"#, "&limit=50&q=a%20bcd", ""),
        (
            ["search"], "title=abc&author=DEF&limit=7&page=3&sort=NAME",
            #"{"title":"abc","author":"DEF","limit":7,"page":3,"sort":"name"}"#, "&limit=7&page=3&title=abc",
            "author=DEF&"
        ),
        (["search"], "q=abc&page=1&limit=100", #"{"q":"abc","limit":100,"sort":"relevance"}"#, "&q=abc", ""),
    ])
    func aSearchIsAskedSo(
        _ path: [String], _ query: String, _ told: String, _ behind: String, _ before: String
    ) throws {
        let endpoint = try provider.endpoint(path: path, query: QueryParameters(parsing: query))
        #expect(endpoint.query.lossyText == told)
        #expect(endpoint.upstream.target == "/search.json?\(before)fields=\(Self.fields)\(behind)")
        #expect(provider.endpointName(for: endpoint.upstream) == "search")
        #expect(provider.canonical(endpoint.upstream) == endpoint.upstream)
    }

    @Test(arguments: [
        (SearchRequest(term: " abc  d "), #"{"q":"abc d","limit":50,"sort":"relevance"}"#),
        (
            SearchRequest(term: "abc", category: "books", limit: 500, sort: .date, country: "de"),
            #"{"q":"abc","limit":100,"sort":"date"}"#
        ),
    ])
    func aSearchOfAllSourcesAsksSo(_ request: SearchRequest, _ told: String) throws {
        #expect(try provider.search(request).query.lossyText == told)
    }

    @Test(
        arguments: [
            (["search"], "q=ab", "termLength", "q", "Open Library: a search needs a term of at least 3 characters."),
            (["search"], "limit=5", "missingParameter", "q", "A search for books needs one of: q, title, author."),
            (["search"], "q=abc&limit=0", "invalidParameter", "limit", #""limit" is not a number between 1 and 100."#),
            (["search"], "q=abc&x=1", "unknownParameter", "x", #"This route has no parameter "x"."#),
            (["works", "7"], "", "invalidParameter", "id", "The id of a book must be like OL45804W."),
            (["works", "OL1W"], "q=1", "unknownParameter", "q", #"This route has no parameter "q"."#),
            (["x"], "", "noSuchRoute", nil, "There is no route /v1/books/x. /openapi.json lists all routes."),
        ] as [([String], String, String, String?, String)])
    func anErrorIsToldSo(
        _ path: [String], _ query: String, _ code: String, _ parameter: String?, _ detail: String
    ) throws {
        let error = try #require(throws: ClientFacingError.self) {
            try provider.endpoint(path: path, query: QueryParameters(parsing: query))
        }
        #expect(error.code == code && error.parameter == parameter && error.detail == detail, "\(error)")
    }

    @Test(arguments: [
        (SearchRequest(term: "ab"), "Open Library: a search needs a term of at least 3 characters."),
        (SearchRequest(term: " "), "A search needs a term."),
        (SearchRequest(term: "abc", category: "films"), "Open Library has no such category."),
    ])
    func anErrorOfASearchOfAllSourcesIsToldSo(_ request: SearchRequest, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try provider.search(request) }
        #expect(error.detail == detail)
    }

    @Test(arguments: [
        ("/search.json", "search"), ("/works/OL1W.json", "work"), ("/works/OL1W", "other"), ("/x", "other"),
        ("/works/a/b.json", "other"), ("/works/.json", "other"), ("/works/%zz.json", "other"),
    ])
    func aPathBelongsToAQuestion(_ path: String, _ name: String) {
        #expect(provider.endpointName(for: UpstreamRequest(path: path)) == name)
    }

    @Test(arguments: [
        (200, "search", "{}", Classification.broken("The answer has no list of books.")),
        (200, "search", "<html>", .broken("The answer is HTML or XML instead of JSON.")),
        (200, "work", "{}", .broken("The record has no key.")),
        (404, "search", #"{"error":"notfound"}"#, .broken("Open Library answered 404 for a list that exists.")),
        (404, "work", "{}", .broken("Open Library answered 404, but not in the form of this API.")),
        (422, "search", #"{"error":"Too  short"}"#, .invalidRequest("Too short")),
        (403, "work", "", .refused("Open Library answered 403.")),
    ])
    func anAnswerIsJudgedSo(_ status: Int, _ endpoint: String, _ body: String, _ meaning: Classification) {
        var answer = answer(body)
        answer.status = status
        #expect(provider.classify(answer, endpoint: endpoint) == meaning)
    }

    /// A parameter of a route is none of the API's queries.
    @Test func aRawRequestIsNotRespelt() {
        let request = UpstreamRequest(path: "/x.json", query: "id=abc&limit=100")
        #expect(provider.canonical(request).query == "id=abc")
    }

    @Test func noRecordMakesALinkToAnotherHost() throws {
        let work = try provider.endpoint(path: ["works", "ol1w"], query: QueryParameters())
        let told = try made(work, #"{"key":"@evil.example/x","title":"A"}"#)
        #expect(try JSON.parse(told.results).elements.map { $0["url"]?.string } == ["https://openlibrary.org/works/x"])
    }

    @Test func aBookOfASearchIsToldSo() throws {
        let docs = #"""
            {"numFound":3,"docs":[{"key":"/works/OL1W","title":"  The   Lantern ","author_name":["B","", 7,"C"],
            "author_key":["OL2A","OL3A"],"first_publish_year":1931,"first_publish_date":"May 1931","edition_count":7,
            "cover_i":5,"language":["eng","ger"],"subject":["A","B","C","D","E","F","G","H","I","J","K","L","M"],
            "description":"One.\n\nTwo."}]}
            """#
        let search = try provider.endpoint(path: ["search"], query: QueryParameters(parsing: "q=abc"))
        let told = try search.normalise(answer(docs), signer)
        #expect(told.totalUpstream == 3)
        #expect(
            told.results.lossyText == #"""
                [{"id":"openlibrary:book:OL1W","provider":"openlibrary","kind":"book","title":"The Lantern",\#
                "creator":"B, 7, C","summary":"One.\n\nTwo.","url":"https://openlibrary.org/works/OL1W",\#
                "genres":["A","B","C","D","E","F","G","H","I","J","K","L"],"artwork":{"small":"/v1/artwork/AQtvcGVub\#
                GlicmFyeWh0dHBzOi8vY292ZXJzLm9wZW5saWJyYXJ5Lm9yZy9iL2lkLzUtTS5qcGdglhzbmnGdgvx-j1JlgtEp",\#
                "large":"/v1/artwork/AQtvcGVubGlicmFyeWh0dHBzOi8vY292ZXJzLm9wZW5saWJyYXJ5Lm9yZy9iL2lkLzUtTC5qcGfE4c\#
                AA3f7kCPaesPs9_l2M","original":"https://covers.openlibrary.org/b/id/5-L.jpg"},"attributes":{\#
                "authors":["B","7","C"],"authorKeys":["OL2A","OL3A"],"firstPublished":"May 1931","year":1931,\#
                "editions":7,"languages":["eng","ger"]}}]
                """#)
    }

    @Test func aBookOfItsOwnRecordIsToldSo() throws {
        let record = #"""
            {"key":"/works/OL1W","title":"A","description":{"type":"/type/text","value":"X <b>y</b>"},"covers":[-1],
            "subjects":["S"],"authors":[{"author":{"key":"/authors/OL9A"}},{"type":"x"}]}
            """#
        let work = try provider.endpoint(path: ["works", "ol1w"], query: QueryParameters())
        #expect(work.query.lossyText == #"{"id":"OL1W"}"#)
        #expect(
            try made(work, record).results.lossyText == #"""
                [{"id":"openlibrary:book:OL1W","provider":"openlibrary","kind":"book","title":"A","summary":"X y",\#
                "url":"https://openlibrary.org/works/OL1W","genres":["S"],"attributes":{"authorKeys":["OL9A"]}}]
                """#)
    }
}
