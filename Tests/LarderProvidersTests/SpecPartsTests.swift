// The parts of a provider that is data: patterns, path templates, and rules of fields.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct SpecPartsTests {
    @Test(arguments: [
        ("^OL[0-9]{1,3}W$", "OL1W OL123W", "OL W OLW OL1234W xOL1W OL1Wx"), ("^[A-Za-z_-]{2}$", "ab A- __", "a abc 1a"),
        ("^a?b*c+$", "c abbc bcc", "ab a abcd"), ("^[^0-9]+$", "abc", "a1"), ("^[a-]$", "a -", "b"),
        (#"^\.[\]x]$"#, ".] .x", "ax .y"), ("^[0-9]{13}$", "1234567890123", "123456789012"),
        ("^a*a*a*b$", "b aab", "aac"), ("^a$|^[0-9]b$|^[|]$", "a 3b |", "ab 3 b"),
    ])
    func aPatternMatchesTheWholeValue(_ pattern: String, _ matching: String, _ others: String) throws {
        let pattern = try TextPattern(checking: pattern)
        for text in matching.split(separator: " ") { #expect(pattern.matches(String(text)), "\(text)") }
        for text in others.split(separator: " ") { #expect(!pattern.matches(String(text)), "\(text)") }
        #expect(!pattern.matches(String(repeating: "a", count: 1001)))
    }

    @Test(arguments: [
        "a", "^a", "a$", "^(a)$", "^a|b$", "^a$|b$", "^a$|", "^.$", "^[a$", "^*$", "^a{x}$", "^a{3,1}$", "^a{1$",
        "^\\$", "^a{-1}$",
        "^a{5,}$",
        "^a{,5}$", "^a{1,2,3}$", "^a+?$", #"^\d$"#, #"^[\w]$"#, "^[z-a]$", "^é$", "^a{9999}$",
    ])
    func whatIsNotSupportedIsRefused(_ pattern: String) {
        #expect(throws: JSONPathError.self) { try TextPattern(checking: pattern) }
    }

    /// The length of a value and the number of items bound the time, so a pattern that makes others slow is harmless.
    @Test func noPatternIsSlow() throws {
        let pattern = try TextPattern(checking: "^\(String(repeating: "[a-z]*", count: 20))1$")
        #expect(!pattern.matches(String(repeating: "a", count: 200)))
    }

    @Test(arguments: [
        ("/works/{id}.json", "/works/OL1W.json", "id=OL1W"), ("/a/{x}/{y}", "/a/1/b%20c", "x=1 y=b c"),
        ("/search", "/search", ""), ("/a-{x}-b", "/a-1-b", "x=1"),
    ])
    func aTemplateMakesPathsAndKnowsThem(_ template: String, _ path: String, _ values: String) throws {
        let template = PathTemplate(template)
        let found = try #require(template.values(in: path))
        #expect(found.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ") == values)
        #expect(template.path(found) == path)
    }

    @Test(arguments: [
        "/works", "/works/.json", "/works/a", "/work/a.json", "/works/a.json/b", "/works/%00.json",
        "//works/a.json", "/works/a.json/",
    ])
    func anotherPathIsNone(_ path: String) {
        #expect(PathTemplate("/works/{id}.json").values(in: path) == nil)
    }

    private func texts(_ rule: FieldRule, _ json: String) throws -> [String] {
        rule.texts(of: try JSON.parse(Bytes(text: json)))
    }

    @Test func theFirstPathThatYieldsSomethingIsTaken() throws {
        let rule = FieldRule.first("$.a", "$.b[*]", as: .line)
        #expect(try texts(rule, #"{"a":" x ","b":["y"]}"#) == ["x"])
        #expect(try texts(rule, #"{"a":" ","b":["y",7,true,null,[],{}]}"#) == ["y", "7", "true"])
        #expect(try texts(rule, "{}").isEmpty)
        #expect(try texts(.first("$.a", "$.b"), #"{"a":"","b":"y"}"#) == ["y"])
    }

    @Test func aTemplateYieldsNothingWithoutAllItsParts() throws {
        let rule = FieldRule.template("{$.a}: {$.b}", or: .first("$.a"))
        #expect(try texts(rule, #"{"a":"x","b":"y"}"#) == ["x: y"])
        for other in [#""""#, #"" ""#, "false", "null", "[]"] {
            #expect(try texts(rule, #"{"a":"x","b":\#(other)}"#) == ["x"], "\(other)")
        }
        #expect(try texts(.template("https://h/{$.a}"), "{}").isEmpty)
    }

    @Test func transformsFollowEachOther() throws {
        let json = #"{"a":["/x/1","/x/22","/x/y","/"]}"#
        #expect(try texts(.first("$.a[*]", as: .lastSegment), json) == ["1", "22", "y"])
        #expect(try texts(.first("$.a[*]", as: .lastSegment, .integer(2...99)), json) == ["22"])
        #expect(try texts(.first("$.a[*]", as: .lastSegment, .most(2), .join("+")), json) == ["1+22"])
    }

    @Test func aListOfAnyLengthGivesABoundedNumberOfTexts() throws {
        let json = "[" + Array(repeating: "1", count: 5000).joined(separator: ",") + "]"
        #expect(try texts(.first("$[*]"), json).count == FieldRule.mostTexts)
    }

    // MARK: Questions

    /// An API with a parameter of each kind that is read in a way of its own.
    private static let provider: SpecProvider = {
        let page = ResultSpec(kind: "page", id: .first("$.id"), title: .first("$.title"))
        let answer = AnswerSpec(list: "$.pages", noun: "pages", result: page)
        let search = QuestionSpec(
            name: "search", route: PathTemplate("search"), path: PathTemplate("/find"),
            parameters: [
                .text("term", "The term.", example: "a").or("q").required.term.sent {
                    $0.missing = "Find what?"
                    $0.isAliasFirst = true
                    $0.longestEncoded = 20
                },
                .choice("category", ["all", "books"], "The category.").sent {
                    $0.standsFor = ["all": [:], "books": ["media": "print"]]
                },
                .choice("media", ["film", "print"], "The media.").sent { $0.standsFor = ["print": ["entity": "book"]] },
                .choice("entity", ["short", "long", "book"], "The entity.").sent {
                    $0.wordsBy = .init(parameter: "media", words: ["film": ["short", "long"], "print": ["book"]])
                },
                .limit(1...50, default: 20).or("size").sent { $0.name = "pageSize" },
                .twoLetters("country", "The country.", example: "US").sent { $0.isUpperCase = true },
                .choice("language", ["de", "en"], "The language.").or("lang"),
                .flag("explicit", "Explicit ones.", default: "yes").sent {
                    $0.words = ["yes": "Yes", "no": "No"]
                    $0.apiDefault = "Yes"
                },
                .sort([SortOrder.relevance, .name]).unsent,
                .choice("order", ["best", "newest"], "The order.", default: "newest").sent {
                    $0.defaultBy = .init(parameter: "sort", defaults: ["relevance": "best"])
                },
            ],
            assumed: ["version": "2"],
            rules: [.without("category", others: ["media", "entity"], sentence: "A category is both.")],
            ttl: .seconds(1), summary: "", answer: answer)
        let lookup = QuestionSpec(
            name: "lookup", route: PathTemplate("lookup"), path: PathTemplate("/lookup"),
            otherPaths: [PathTemplate("/{country}/lookup")],
            parameters: [
                QuestionParameter("id", .pattern("^[0-9]{1,4}$"), "Ids.", example: "1").list.upTo(3).sent {
                    $0.ignored = "-"
                    $0.mismatch = "{name}: {value} is no id."
                },
                QuestionParameter("host", .text(), "Hosts.", example: "a.b").list.sent {
                    ($0.check, $0.isLowerCase, $0.order) = (.host, true, .sorted)
                },
                .choice("part", ["a", "b"], "The parts.").list.sent { $0.order = .words },
                .twoLetters("country", "The country.", example: "US"),
            ],
            rules: [
                .oneOf(["id", "host"], blamed: "host", sentence: "Look up id or host."),
                .onlyOne(["id", "host"], sentence: "{first} or {second}."),
            ],
            ttl: .seconds(1), summary: "", answer: answer)
        return SpecProvider(
            ProviderSpec(
                facts: ProviderAbout(
                    name: "pages", routePrefix: "pages", title: "Pages of All", defaultBaseURL: "https://h",
                    endpoints: [], emptyTTL: .seconds(1), negativeTTL: .seconds(1), staleFor: .seconds(1),
                    categories: ["all", "books", "films"], credentialParameters: ["key"],
                    credentialFieldNames: ["X-Key"], terms: ""),
                questions: [search, lookup], search: "search",
                searches: [SearchRow(category: "films", values: ["media": "film"])], shortTitle: "Pages",
                isFormShared: false))
    }()

    private func ask(_ route: String) throws -> Endpoint {
        let parts = route.split(separator: "?").map(String.init)
        return try Self.provider.endpoint(
            path: [parts[0]], query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""))
    }

    @Test(arguments: [
        (
            "search?q=a%20%20b", #""term":"a b","limit":20,"explicit":true,"sort":"relevance","order":"newest"}"#,
            "/find?order=newest&pageSize=20&term=a%20b"
        ),
        (
            "search?term=a&category=Books&size=5&country=de&lang=DE&explicit=no&sort=relevance",
            #""term":"a","entity":"book","limit":5,"country":"DE","language":"de","explicit":false,"#
                + #""sort":"relevance","order":"best"}"#,
            "/find?country=DE&entity=book&explicit=No&language=de&order=best&pageSize=5&term=a"
        ),
        (
            "search?term=a&media=film&entity=long&order=best",
            #""term":"a","media":"film","entity":"long","limit":20,"explicit":true,"sort":"relevance","order":"best"}"#,
            "/find?entity=long&media=film&order=best&pageSize=20&term=a"
        ),
        ("lookup?id=3-1,%202&id=31", #""id":"31,2,31"}"#, "/lookup?id=31%2C2%2C31"),
        (
            "lookup?host=B.example,a.example,b.example&part=b,a", #""host":"a.example,b.example"}"#,
            "/lookup?host=a.example%2Cb.example"
        ),
        ("lookup?id=1&part=b,b", #""id":"1","part":"b"}"#, "/lookup?id=1&part=b"),
    ])
    func aQuestionIsReadSo(_ route: String, _ told: String, _ target: String) throws {
        let endpoint = try ask(route)
        #expect(endpoint.query.lossyText == "{" + told)
        #expect(endpoint.upstream.target == target)
        #expect(Self.provider.canonical(endpoint.upstream) == endpoint.upstream)
    }

    @Test(arguments: [
        ("search", "missingParameter", "term", "Find what?"),
        ("search?term=a&q=b", "invalidParameter", "term", #""term" is another name of "q": give one of them."#),
        (
            "search?q=a&limit=1&size=2", "invalidParameter", "size",
            #""size" is another name of "limit": give one of them."#
        ),
        ("search?q=a&size=0", "invalidParameter", "size", #""size" is not a number between 1 and 50."#),
        (
            "search?q=%C3%A4%C3%A4%C3%A4%C3%A4", "invalidParameter", "q",
            #""q" is longer than 20 characters when percent-encoded."#
        ),
        ("search?q=a&category=books&media=film", "invalidParameter", "category", "A category is both."),
        (
            "search?q=a&media=film&entity=book", "invalidParameter", "entity",
            #""entity" is not one of the allowed words."#
        ),
        ("search?q=a&country=deu", "invalidParameter", "country", #""country" is not a two-letter code."#),
        ("lookup?part=a", "missingParameter", "host", "Look up id or host."),
        ("lookup?id=1&host=a.b", "invalidParameter", "host", "id or host."),
        ("lookup?id=1,x", "invalidParameter", "id", "id: x is no id."),
        ("lookup?id=1,,2", "invalidParameter", "id", #""id" has an empty part."#),
        ("lookup?id=1,2,3,4", "invalidParameter", "id", #""id" has more than 3 parts."#),
        ("lookup?id=1&part=c", "invalidParameter", "part", #""c" is not one of the allowed words."#),
    ])
    func aWrongQuestionIsToldSo(_ route: String, _ code: String, _ parameter: String, _ detail: String) throws {
        let error = try #require(throws: ClientFacingError.self) { try ask(route) }
        #expect(error.code == code && error.parameter == parameter && error.detail == detail, "\(error)")
    }

    @Test(arguments: [
        (SearchRequest(term: " a "), "/find?order=newest&pageSize=20&term=a"),
        (
            SearchRequest(
                term: "a", category: "books", limit: 99, sort: .relevance, country: "de", language: "de-AT",
                explicit: false),
            "/find?country=DE&entity=book&explicit=No&language=de&order=best&pageSize=50&term=a"
        ),
        (SearchRequest(term: "a", category: "films", sort: .price), "/find?media=film&order=newest&pageSize=20&term=a"),
    ])
    func aSearchOfAllSourcesIsFitted(_ search: SearchRequest, _ target: String) throws {
        #expect(try Self.provider.search(search).upstream.target == target)
    }

    @Test func aCategoryThatIsNotThereIsRefusedByTheShortTitle() throws {
        let error = try #require(throws: ClientFacingError.self) {
            try Self.provider.search(SearchRequest(term: "a", category: "x"))
        }
        #expect(error.detail == "Pages has no such category." && error.allowed == ["all", "books", "films"])
    }

    @Test(arguments: [
        ("/find?term=a%20%20b&explicit=YES&version=2&key=secret&country=us", "/find?country=US&term=a%20b"),
        ("/lookup?version=2&id=1&host=A.b", "/lookup?host=a.b&id=1&version=2"), ("/us/lookup?id=1", "/us/lookup?id=1"),
        ("/other?pageSize=20&country=us&explicit=yes&KEY=secret", "/other?country=us&explicit=yes&pageSize=20"),
    ])
    func eachPathHasItsOwnForm(_ target: String, _ canonical: String) {
        let parts = target.split(separator: "?").map(String.init)
        let request = UpstreamRequest(path: parts[0], query: parts[1], fields: ["X-Key": "secret", "A": "b"])
        let found = Self.provider.canonical(request)
        #expect(found.target == canonical && found.fields == ["A": "b"])
    }

    @Test(arguments: [
        ("/lookup", "lookup"), ("/us/lookup", "lookup"), ("/usa/lookup", "other"), ("/us/find", "other"),
    ])
    func aPathWithAPossibleValueIsAQuestions(_ path: String, _ name: String) {
        #expect(Self.provider.endpointName(for: UpstreamRequest(path: path)) == name)
    }

    @Test func refusalsAreListedAsTheRecordsTellThem() {
        #expect(
            Self.provider.about.endpoints.map(\.refusals) == [
                [.conflict, .termLength], [.missingParameter, .conflict],
            ])
    }
}
