// Questions that are asked by POST, with JSON or GraphQL, and feeds, as a description says.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct DescribedPostTests {
    private func load(_ text: String) throws -> Settings {
        try SettingsLoader().load(
            text: nil, named: "", environment: plainEnvironment,
            providerFiles: [ProviderFile(path: "films.yaml", provider: "films", text: Bytes(text: text))])
    }

    private func provider(_ text: String) throws -> SpecProvider {
        let own = try #require(try load(text).providers["films"])
        guard case .described(let description) = own.kind else { throw NotDescribed() }
        return SpecProvider(description, baseURL: own.baseURL, keyIn: own.keyIn)
    }

    private struct NotDescribed: Error {}

    private func question(_ lines: String) -> String {
        """
        baseURL: https://films.example
        questions:
          films:
            path: /graphql
            parameters:
              q: { sent: text, term: true }
              limit: { sent: first, number: 1..50, default: 20 }
              tags: { list: true }
              strict: { flag: true }
            \(lines)
            list: $.data.films
            result: { id: $.id, title: $.name }
        """
    }

    private func ask(_ text: String, _ query: String) throws -> UpstreamRequest {
        try provider(text).endpoint(path: ["films"], query: QueryParameters(parsing: query)).upstream
    }

    private func body(_ request: UpstreamRequest) -> String { String(decoding: request.body ?? [], as: UTF8.self) }

    private static let graphQL = "graphql: \"query ($text: String) { films(text: $text) { id name } }\""

    @Test func aGraphQLQuestionHasItsParametersAsVariablesInTheirForms() throws {
        let request = try ask(question(Self.graphQL), "q=a \"b&limit=5&tags=x,y&strict=yes")
        #expect(request.method == .post && request.target == "/graphql" && request.isReadOnly)
        #expect(request.fields.first("Content-Type") == "application/json")
        #expect(
            body(request)
                == #"{"query":"query ($text: String) { films(text: $text) { id name } }","variables":"#
                + #"{"text":"a \"b","first":5,"tags":["x","y"],"strict":true}}"#)
    }

    @Test func aVariableWithoutAValueIsLeftOut() throws {
        #expect(body(try ask(question(Self.graphQL), "q=a")).hasSuffix(#""variables":{"text":"a","first":20}}"#))
    }

    @Test func aMappingBecomesJSONWithTheParametersInTheirPlaces() throws {
        let text = question(
            """
            post:
                  query: "{q}"
                  filter: { words: ["{tags}", fixed], strict: "{strict}", size: 3, text: "3" }
                  label: "find {q} now"
            """)
        let request = try ask(text, "q=a{limit}b&limit=5")
        #expect(
            body(request)
                == #"{"query":"a{limit}b","filter":{"words":["fixed"],"size":3,"text":"3"},"label":"find a{limit}b now"}"#
        )
        #expect(request.target == "/graphql?first=5", "what is not in the content is sent in the query")
    }

    @Test(arguments: [
        ("post: { a: \"{qq}\" }", "{qq} is not a parameter of this question; did you mean {q}?"),
        ("post: text", "must be a mapping, which becomes the JSON that is sent"),
        (graphQL + "\n    post: { a: b }", "has no meaning beside graphql"),
        ("format: xml", "\"xml\" is not one of json, feed"),
    ])
    func aMistakeIsTold(_ lines: String, _ message: String) {
        let error = #expect(throws: (any Error).self) { try load(question(lines)) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(error.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        (#"{"data":{"films":[{"id":"1","name":"a"}]}}"#, "data"), (#"{"data":{"films":[]}}"#, "empty"),
        (#"{"errors":[{"message":"no such field"}]}"#, "invalidRequest"),
        (#"{"data":{"films":[{"id":"1","name":"a"}]},"errors":"late"}"#, "broken"),
        (#"{"data":{"films":[{"id":"1","name":"a"}]},"errors":[]}"#, "data"),
        (#"{"data":null,"errors":[{"message":"no such field"}]}"#, "invalidRequest"),
        (#"{"data":{"films":[{"id":"1","name":"a"}]},"errors":[{"message":"late"}]}"#, "broken"),
    ])
    func errorsOfGraphQLAreNoData(_ body: String, _ word: String) throws {
        let answer = UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
        #expect(try provider(question(Self.graphQL)).classify(answer, endpoint: "films").word == word)
    }

    @Test func aFeedNeedsOnlyItsPath() throws {
        let films = try provider("title: News\nbaseURL: https://news.example\nfeed: /all.rss?lang=en\n")
        let all = try films.endpoint(path: ["items"], query: QueryParameters())
        #expect(all.upstream.target == "/all.rss?lang=en")
        let wanted = try films.search(SearchRequest(term: "Wicks lamp"))
        #expect(wanted.upstream == all.upstream, "one answer serves every search")
        let body = """
            <rss><channel><item><guid>1</guid><title>Lamps</title><description>of &lt;b&gt;wicks&lt;/b&gt;</description></item>
            <item><guid>2</guid><title>Other</title></item></channel></rss>
            """
        let answer = UpstreamResponse(
            status: 200, body: Bytes(text: body), requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
        #expect(films.classify(answer, endpoint: "items") == .data)
        let made = try wanted.normalise(answer, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        let results = try JSON.parse(made.results)
        #expect(results.elements.map { $0["summary"]?.string } == ["of wicks"])
    }

    @Test func allItemsOfAFeedAreCountedThoughNotAllAreGiven() throws {
        let films = try provider("baseURL: https://news.example\nfeed: /all.json\n")
        let items = (0..<10_001).map { "{\"id\":\"\($0)\",\"title\":\"a\"}" }.joined(separator: ",")
        let answer = UpstreamResponse(
            status: 200, body: Bytes(text: "{\"items\":[\(items)]}"), requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 0))
        let made = try films.endpoint(path: ["items"], query: QueryParameters()).normalise(
            answer, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
        #expect(made.totalUpstream == 10_001)
    }

    @Test func aPageInPlaceOfAFeedIsBroken() throws {
        let films = try provider("baseURL: https://news.example\nfeed: /all.rss\n")
        let answer = UpstreamResponse(
            status: 200, body: Bytes(text: "<html><title>Sign in</title></html>"), requestTime: WallTime(seconds: 0),
            responseTime: WallTime(seconds: 0))
        guard case .broken(let why) = films.classify(answer, endpoint: "items") else { throw NotDescribed() }
        #expect(why.contains("its root is <html>"), "\(why)")
    }

    @Test(arguments: ["https://other.example/x", "all.rss", "/a/{q}", "/all.rss?api_key=s3cret"])
    func thePathOfAFeedIsAPath(_ path: String) {
        #expect(throws: (any Error).self) { try load("baseURL: https://news.example\nfeed: \"\(path)\"\n") }
    }
}
