// Open Library: its answers classified, its books as results, its questions, and its samples.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct OpenLibraryTests {
    private let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))
    private let provider = SpecProvider(.openLibrary)

    private func answer(_ status: Int, _ body: String) -> UpstreamResponse {
        UpstreamResponse(
            status: status, body: Bytes(text: body), requestTime: WallTime(seconds: 1000),
            responseTime: WallTime(seconds: 1000))
    }

    private func endpoint(_ path: [String], _ query: String = "") throws -> Endpoint {
        try provider.endpoint(path: path, query: QueryParameters(parsing: query))
    }

    private func results(_ endpoint: Endpoint, _ body: String) throws -> [JSONValue] {
        guard var plan = endpoint.plan else {
            return Array(try JSON.parse(endpoint.normalise(answer(200, body), signer).results).elements)
        }
        _ = try plan.next([], signer)
        guard case .done(let made) = try plan.next([.answered(answer(200, body))], signer) else { return [] }
        return Array(try JSON.parse(made.results).elements)
    }

    private static func merged(into other: String) -> String {
        #"{"key":"/works/OL1W","type":{"key":"/type/redirect"},"location":"\#(other)"}"#
    }

    @Test func aMergedWorkIsTheOneThatItWasMergedInto() throws {
        var plan = try #require(try endpoint(["works", "OL1W"]).plan)
        _ = try plan.next([], signer)
        let step = try plan.next([.answered(answer(200, Self.merged(into: "/works/OL2W")))], signer)
        guard case .fetch(let calls) = step else { throw ClientFacingError.missing("id", "no further call") }
        #expect(calls.map(\.request.path) == ["/works/OL2W.json"] && calls.map(\.role) == [.subject])
        let other = answer(200, #"{"key":"/works/OL2W","title":"A"}"#)
        guard case .done(let made) = try plan.next([.answered(other)], signer) else { return }
        #expect(try JSON.parse(made.results).elements.map { $0["id"]?.string } == ["openlibrary:book:OL2W"])
    }

    @Test func worksThatAreMergedInACircleEnd() throws {
        var plan = try #require(try endpoint(["works", "OL1W"]).plan)
        _ = try plan.next([], signer)
        #expect(throws: NormaliseError.self) {
            for _ in 0..<10 { _ = try plan.next([.answered(answer(200, Self.merged(into: "/works/OL1W")))], signer) }
        }
    }

    @Test(arguments: ["/authors/OL2A", "//evil.example/works/OL2W", "/works/OL2W/../x", ""])
    func aMergedWorkLeadsToAWorkOnly(_ place: String) throws {
        var plan = try #require(try endpoint(["works", "OL1W"]).plan)
        _ = try plan.next([], signer)
        #expect(throws: NormaliseError.self) {
            try plan.next([.answered(answer(200, Self.merged(into: place)))], signer)
        }
    }

    @Test(arguments: [
        (200, "search", #"{"numFound":0,"docs":[]}"#, "empty"), (200, "search", #"{"docs":[{}]}"#, "data"),
        (200, "search", #"{"docs":[7]}"#, "broken"), (200, "search", "{}", "broken"),
        (200, "search", "<html>", "broken"), (200, "search", "", "broken"),
        (422, "search", #"{"error":"Query too short, must be at least 3 characters"}"#, "invalidRequest"),
        (200, "work", #"{"key":"/works/OL1W"}"#, "data"), (200, "work", "{}", "broken"),
        (200, "work", #"{"key":"/works/OL1W","type":{"key":"/type/delete"}}"#, "notFound"),
        (200, "work", #"{"key":"/works/OL1W","type":{"key":"/type/redirect"}}"#, "data"),
        (404, "work", #"{"error":"notfound","key":"/works/OL9W"}"#, "notFound"), (404, "work", "", "broken"),
        (404, "work", #"{"error":"no route"}"#, "broken"), (404, "search", #"{"error":"notfound"}"#, "broken"),
        (403, "search", "<html>", "refused"), (429, "search", "", "limited"), (500, "search", "<html>", "broken"),
        (200, "other", "anything", "data"),
    ])
    func anAnswerIsClassified(_ status: Int, _ endpoint: String, _ body: String, _ word: String) {
        #expect(provider.classify(answer(status, body), endpoint: endpoint).word == word)
    }

    @Test func anotherRecordThanTheOneAskedForIsBroken() throws {
        let request = try endpoint(["works", "OL1W"]).upstream
        let found = provider.classify(answer(200, #"{"key":"/works/OL2W"}"#), endpoint: "work", of: request)
        #expect(found.word == "broken")
    }

    @Test func aBookIsToldWithItsAuthorsYearAndCover() throws {
        let body = #"""
            {"numFound":2,"docs":[{"key":"/works/OL1W","title":"A","author_name":["B","C"],"author_key":["OL2A"],
            "first_publish_year":1931,"edition_count":7,"cover_i":5,"language":["eng"],"subject":["D"]}]}
            """#
        let book = try #require(try results(endpoint(["search"], "q=abc"), body).first)
        #expect(book["id"]?.string == "openlibrary:book:OL1W")
        #expect(book["creator"]?.string == "B, C")
        #expect(book["url"]?.string == "https://openlibrary.org/works/OL1W")
        #expect(book["artwork"]?["original"]?.string == "https://covers.openlibrary.org/b/id/5-L.jpg")
        #expect(book["attributes"]?["year"]?.integer == 1931)
    }

    @Test(arguments: [#""A  text""#, #"{"type":"/type/text","value":"A  text"}"#])
    func aRecordsTextComesInTwoShapes(_ text: String) throws {
        let body = #"{"key":"/works/OL1W","title":"A","description":\#(text),"covers":[-1,5]}"#
        let book = try #require(try results(endpoint(["works", "OL1W"]), body).first)
        #expect(book["summary"]?.string == "A text")
        #expect(book["artwork"]?["original"]?.string == "https://covers.openlibrary.org/b/id/5-L.jpg")
    }

    @Test func recordsWithoutIdOrTitleAreCounted() throws {
        let body = #"{"docs":[{"title":"A"},{"key":"/works/OL1W"},7,{"key":"/works/OL2W","title":"B"}]}"#
        let answer = try endpoint(["search"], "q=abc").normalise(answer(200, body), signer)
        #expect(answer.count == 1)
        #expect(answer.dropped == 3)
    }

    @Test func spellingsOfOneQuestionAreOneRequest() throws {
        let one = try endpoint(["search"], "q=the%20%20lantern&limit=50")
        let other = try endpoint(["search"], "limit=50&q=+the+lantern+")
        #expect(one.upstream == other.upstream)
        #expect(one.key(normaliserVersion: 1) == other.key(normaliserVersion: 1))
        #expect(provider.canonical(one.upstream) == one.upstream)
    }

    @Test(arguments: ["q=ab", "limit=5", "q=abc&limit=0", "q=abc&page=0", "q=abc&colour=red"])
    func whatTheAPIWouldRefuseIsRefused(_ query: String) throws {
        #expect(throws: ClientFacingError.self) { try endpoint(["search"], query) }
    }

    @Test(arguments: ["OL1", "1W", "OLxW", "../OL1W"])
    func anIdHasOneForm(_ id: String) throws {
        #expect(throws: ClientFacingError.self) { try endpoint(["works", id]) }
    }

    @Test func theSamplesAnswerItsOwnQuestions() throws {
        let samples = try #require(provider.samples().first)
        let question = try endpoint(["search"], "q=lantern")
        let query = try QueryParameters(parsing: question.upstream.query ?? "")
        let sample = samples.answer(SampleRequest(path: question.upstream.path, parameters: query))
        #expect(provider.classify(answer(sample.status, sample.body.lossyText), endpoint: "search").word == "data")
        #expect(try results(question, sample.body.lossyText).count == 2)
    }

    @Test(arguments: ["ol1w", "OL1W", "Ol1w"])
    func anIdIsReadInAnyLetterCaseAndDescribedSo(_ id: String) throws {
        #expect(try endpoint(["works", id]).upstream.path == "/works/OL1W.json")
        let capture = try #require(provider.about.endpoints.first { $0.name == "work" }?.captures.first)
        guard case .pattern(let pattern) = capture.form else { throw ClientFacingError.missing("id", "no pattern") }
        #expect(TextPattern(pattern).matches(id))
    }

    @Test func aSubtitleIsPartOfTheTitle() throws {
        let body = #"{"docs":[{"key":"/works/OL1W","title":"Arcanum Unbounded","subtitle":"The Cosmere Collection"}]}"#
        let question = try endpoint(["search"], "q=arcanum")
        #expect(try results(question, body).first?["title"]?.string == "Arcanum Unbounded: The Cosmere Collection")
        #expect(question.upstream.query?.contains("subtitle") == true)
    }

    @Test func booksAreSortedByTheirYears() throws {
        let books = [1931, nil, 2004, 31].enumerated().map { place, year in
            #"{"key":"/works/OL\#(place)W","title":"T"\#(year.map { ",\"first_publish_year\":\($0)" } ?? "")}"#
        }
        let body = "{\"docs\":[\(books.joined(separator: ","))]}"
        let sorted = try results(endpoint(["search"], "q=abc&sort=date"), body)
        #expect(sorted.map { $0["attributes"]?["year"]?.integer } == [2004, 1931, 31, nil])
        // The results of several sources are merged by the same order.
        let merged = try ResultOrder.merge(
            sorted.reversed().map { Bytes(text: "[") + $0.raw + Bytes(text: "]") }, by: .date)
        #expect(try JSON.parse(merged).elements.map { $0["attributes"]?["year"]?.integer } == [2004, 1931, 31, nil])
    }
}
