// What a described API is asked, and what is made of its answers, where that took a new user long to find out.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct DescribedAnswerTests {
    /// An API with one question, or with a second one named `one`, which has the result.
    private func provider(
        _ question: String, _ result: String = "{ id: $.id, title: $.name }", next: String? = nil
    ) throws -> SpecProvider {
        func lines(_ text: String) -> String {
            text.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        }
        let text = """
            title: Shows
            baseURL: https://shows.example
            absence: "@.name == 'Not Found'"
            questions:
              show:
            \(lines(question))
            \(next.map { "  one:\n\(lines($0))" } ?? "")
                result: \(result)
            """
        let settings = try SettingsLoader().load(
            text: nil, named: "", environment: plainEnvironment,
            providerFiles: [ProviderFile(path: "shows.yaml", provider: "shows", text: Bytes(text: text))])
        let own = try #require(settings.providers["shows"])
        guard case .described(let description) = own.kind else { throw NotDescribed() }
        return SpecProvider(description, baseURL: own.baseURL, keyIn: own.keyIn)
    }

    private struct NotDescribed: Error {}

    private func ask(_ provider: SpecProvider, _ path: String, _ query: String = "") throws -> Endpoint {
        try provider.endpoint(
            path: path.split(separator: "/").map(String.init), query: QueryParameters(parsing: query))
    }

    private func answer(_ body: String, status: Int = 200) -> UpstreamResponse {
        UpstreamResponse(
            status: status, body: Bytes(text: body), requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 0))
    }

    private func results(_ endpoint: Endpoint, _ body: String) throws -> JSONValue {
        let made = try endpoint.normalise(answer(body), ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        return try JSON.parse(made.results)
    }

    @Test func whatStandsInTheRouteAndNotInThePathIsSent() throws {
        let shows = try provider(
            "route: imdb/{imdb}\npath: /lookup\nparameters: { imdb: { sent: code, pattern: '^t[0-9]+$' } }")
        #expect(try ask(shows, "imdb/t17").upstream.target == "/lookup?code=t17")
        let (one, other) = (try ask(shows, "imdb/t17"), try ask(shows, "imdb/t18"))
        #expect(one.parameters != other.parameters)
    }

    @Test(arguments: [
        (
            "route: 'shows/{id}'\npath: '/shows/{id}'\nparameters: { id: { number: 1..999 } }", "$.id", "{id}",
            "shows/139", ""
        ),
        ("path: /lookup\nparameters: { imdb: { sent: code } }", "$.code", "{imdb}", "show", "imdb=T17"),
        (
            "path: /lookup\nparameters: { at: { text: true } }", "$.url", "https://shows.example/x/{at}", "show",
            "at=a b"
        ),
    ])
    func anIdentityMayBeANumberAParameterOfTheQueryOrAURL(
        _ question: String, _ path: String, _ name: String, _ asked: String, _ query: String
    ) throws {
        let shows = try provider(question + "\nidentity: { path: \(path), is: \"\(name)\" }")
        let endpoint = try ask(shows, asked, query)
        let check = try #require(shows.recordCheck(for: endpoint.upstream, endpoint: endpoint.name))
        let right = #"{"id":139,"name":"a","code":"t17","url":"https://shows.example/x/a b"}"#
        let other = #"{"id":140,"name":"a","code":"t18","url":"https://shows.example/x/b"}"#
        #expect(check(try JSON.parse(Bytes(text: right))))
        #expect(!check(try JSON.parse(Bytes(text: other))))
        #expect(shows.classify(answer(right), endpoint: endpoint.name) == .data)
    }

    @Test func questionsOfOnePathAreCheckedEachByItsOwnIdentity() throws {
        let shows = try provider(
            "path: /find\nparameters: { q: { term: true } }\nlist: $\nresult: { kind: show, id: $.id, title: $.name }",
            next: "path: /find\nparameters: { id: { required: true } }\nidentity: { path: $.id, is: '{id}' }")
        let one = try ask(shows, "one", "id=7")
        let check = try #require(shows.recordCheck(for: one.upstream, endpoint: one.name))
        let (seven, eight) = (try JSON.parse(Bytes(text: #"{"id":7}"#)), try JSON.parse(Bytes(text: #"{"id":8}"#)))
        #expect(check(seven) && !check(eight))
        let list = try ask(shows, "show", "q=a")
        #expect(shows.recordCheck(for: list.upstream, endpoint: list.name) == nil)
    }

    @Test func theRecordMayBeAMemberOfEachElement() throws {
        let shows = try provider("path: /search\nparameters: { q: { term: true } }\nlist: '$[*].show'")
        let list = #"[{"score":1,"show":{"id":1,"name":"One"}},{"score":1},{"show":{"id":2,"name":"Two"}}]"#
        let endpoint = try ask(shows, "show", "q=a")
        #expect(shows.classify(answer(list), endpoint: "show") == .data)
        #expect(try results(endpoint, list).elements.map { $0["title"]?.string } == ["One", "Two"])
        #expect(shows.classify(answer("[]"), endpoint: "show") == .empty)
    }

    @Test func noMoreResultsAreGivenThanAskedForThoughTheAPIGivesMore() throws {
        let shows = try provider("path: /search\nparameters: { q: { term: true }, limit: { number: 1..50 } }\nlist: $")
        let list = #"[{"id":1,"name":"One"},{"id":2,"name":"Two"},{"id":3,"name":"Three"}]"#
        #expect(try results(try ask(shows, "show", "q=a&limit=2"), list).count == 2)
    }

    @Test func anAnswerHasAMostOfResults() throws {
        let shows = try provider("path: /search\nparameters: { q: { term: true } }\nlist: $")
        let list = Array(repeating: #"{"id":1,"name":"One"}"#, count: 10_001).joined(separator: ",")
        let found = try ask(shows, "show", "q=a").normalise(
            answer("[\(list)]"), ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(found.count == 10_000 && found.totalUpstream == 10_001)
    }

    @Test func aNegativeTotalIsNone() throws {
        let shows = try provider("path: /search\nparameters: { q: { term: true } }\nlist: $.shows\ntotal: $.found")
        let found = try ask(shows, "show", "q=a").normalise(
            answer(#"{"found":-1,"shows":[{"id":1,"name":"One"}]}"#),
            ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(found.totalUpstream == nil)
    }

    @Test func aResultHasAMostOfBytes() throws {
        let shows = try provider("path: /search\nparameters: { q: { term: true } }\nlist: $")
        let long = String(repeating: "a", count: 5 << 20)
        let list = #"[{"id":1,"name":"One"},{"id":2,"name":"\#(long)"},{"id":3,"name":"Two"}]"#
        let found = try ask(shows, "show", "q=a").normalise(
            answer(list), ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(found.count == 2 && found.droppedReasons == ["size": 1])
        #expect(try JSON.parse(found.results).elements.map { $0["title"]?.string } == ["One", "Two"])
    }

    @Test func aRecordThatIsNotThereIsNoAnswer() throws {
        let shows = try provider("path: /one\nrecord: $.product")
        #expect(
            shows.classify(answer(#"{"id":1,"name":"One"}"#), endpoint: "show")
                == .broken("The answer has no record of show."))
        #expect(throws: NormaliseError.self) { try results(try ask(shows, "show"), #"{"id":1,"name":"One"}"#) }
    }

    @Test func anAbsenceIsBelievedWithStatus200AndForAListOfSomethingNamed() throws {
        let absent = #"{"name":"Not Found"}"#
        let one = try provider("route: 'shows/{id}'\npath: '/shows/{id}'\nparameters: { id: { text: true } }")
        #expect(one.classify(answer(absent), endpoint: "show") == .notFound)
        let list = try provider("route: 'shows/{id}'\npath: '/shows/{id}'\nparameters: { id: { text: true } }\nlist: $")
        #expect(list.classify(answer(absent, status: 404), endpoint: "show") == .notFound)
        let search = try provider("path: /search\nparameters: { q: { term: true } }\nlist: $")
        #expect(search.classify(answer(absent, status: 404), endpoint: "show") != .notFound)
    }

    @Test func eachSizeOfAPictureMayHaveARule() throws {
        let shows = try provider(
            "path: /one", "{ id: $.id, title: $.name, image: { small: $.s, original: $.o } }")
        let body = #"{"id":1,"name":"One","s":"//i.example/small one.png","o":"https://i.example/o.png"}"#
        let artwork = try results(try ask(shows, "show"), body).elements.first { _ in true }?["artwork"]
        #expect(artwork?["original"]?.string == "https://i.example/o.png")
        #expect(artwork?["small"]?.string != artwork?["large"]?.string)
    }
}
