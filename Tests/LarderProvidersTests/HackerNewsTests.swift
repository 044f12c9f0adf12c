// Hacker News by value: its questions, the responses of its two APIs, and how its plans go through a discussion.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct HackerNewsTests {
    private let provider = SpecProvider(.hackerNews)

    private func target(_ route: String) throws -> String { try endpoint("hackernews/\(route)").upstream.target }

    // MARK: Questions

    @Test(arguments: [
        ("search?q=Larder+%20cache", "/api/v1/search?query=Larder%20cache"),
        ("search?q=a&limit=20&page=1", "/api/v1/search?query=a"),
        ("search?q=a&limit=50&page=3", "/api/v1/search?hitsPerPage=50&page=2&query=a"),
        ("search?q=a&sort=date", "/api/v1/search_by_date?query=a"),
        ("recent?tags=comment", "/api/v1/search_by_date?tags=comment"), ("recent", "/api/v1/search_by_date"),
        ("search?tags=STORY,author_Pg", "/api/v1/search?tags=author_Pg%2Cstory"),
        ("search?tags=(poll,story,poll),%20show_hn", "/api/v1/search?tags=%28poll%2Cstory%29%2Cshow_hn"),
        ("search?tags=(story)", "/api/v1/search?tags=story"),
        (
            "search?numericFilters=created_at_i%3E1,created_at_i%3C=9",
            "/api/v1/search?numericFilters=created_at_i%3C%3D9%2Ccreated_at_i%3E1"
        ),
        // The API now refuses this filter. The provider applies it to all results that can be reached.
        ("search?q=a&numericFilters=points%3E=100&limit=5&page=2", "/api/v1/search?hitsPerPage=1000&query=a"),
        ("user/jl", "/v0/user/jl.json"), ("item/8863", "/v0/item/8863.json"), ("top", "/v0/topstories.json"),
        ("job?limit=5&page=2", "/v0/jobstories.json"),
    ])
    func aQuestionBecomesItsRequest(_ route: String, _ expected: String) throws {
        #expect(try target(route) == expected)
        let request = try endpoint("hackernews/\(route)").upstream
        #expect(provider.canonical(request) == request)
        #expect(provider.endpointName(for: request) == (try endpoint("hackernews/\(route)").name))
    }

    @Test func spellingsOfOneQuestionAreOneKeyAndDifferentOnesAreNot() throws {
        func key(_ route: String) throws -> CacheKey {
            try endpoint("hackernews/\(route)").key(normaliserVersion: 1)
        }
        #expect(try key("search?tags=story,(poll,job)") == key("search?tags=%28job,poll%29,%20story"))
        #expect(
            try key("search?numericFilters=points%3E1,num_comments%3E2")
                == key("search?numericFilters=num_comments%20%3E%202,points%3E1"))
        #expect(try key("top") == key("top?limit=30&page=1&sort=relevance"))
        #expect(try key("item/1?depth=0") == key("item/1?depth=0&limit=7"))
        let different = [
            "top", "new", "top?limit=29", "top?page=2", "top?sort=date", "item/1", "item/1?depth=2", "item/1?limit=5",
            "item/2", "user/pg", "user/PG", "search?q=a", "search?q=a&page=2", "search?q=a&tags=story", "recent?q=a",
            "search?q=a&sort=name", "search?q=a&numericFilters=points%3E1", "search?q=a&numericFilters=points%3E=1",
        ]
        #expect(Set(try different.map(key)).count == different.count)
    }

    @Test(arguments: [
        ("top?limit=0", "limit"), ("top?limit=501", "limit"), ("top?page=0", "page"), ("top?sort=price", "sort"),
        ("top?depth=1", "depth"), ("item/x", "id"), ("item/0", "id"), ("item/08", "id"), ("item/1?depth=11", "depth"),
        ("user/a%20b", "id"), ("user/a.json", "id"), ("search", "q"), ("search?q=a&query=b", "query"),
        ("search?tags=stories", "tags"), ("search?tags=(story", "tags"), ("search?tags=author_", "tags"),
        ("search?numericFilters=karma%3E1", "numericFilters"), ("search?numericFilters=points", "numericFilters"),
        ("search?q=a&limit=100&page=11", "page"), ("recent?sort=name", "sort"),
    ])
    func aWrongQuestionIsRefusedAndNamed(_ route: String, _ parameter: String) {
        #expect(refusal("hackernews/\(route)")?.parameter == parameter)
    }

    @Test func whatIsNoRouteIsSaidSo() {
        for route in ["", "topstories", "top/1", "item", "user", "user/a/b", "search/x"] {
            #expect(refusal("hackernews/\(route)")?.status == 404, "\(route)")
        }
    }

    @Test func aSharedSearchAsksForStoriesUnlessToldOtherwise() throws {
        func target(_ request: SearchRequest) throws -> String { try provider.search(request).upstream.target }
        #expect(try target(SearchRequest(term: " a  b ")) == "/api/v1/search?query=a%20b&tags=story")
        #expect(
            try target(SearchRequest(term: "a", category: "comments", limit: 500, sort: .date))
                == "/api/v1/search_by_date?hitsPerPage=200&query=a&tags=comment")
        #expect(throws: ClientFacingError.self) { try target(SearchRequest(term: "a", category: "cars")) }
        for category in provider.about.categories {
            #expect(throws: Never.self) { try target(SearchRequest(term: "a", category: category)) }
        }
    }

    @Test func aPathSaysWhichHostARequestIsFor() throws {
        let about = provider.about
        func url(_ path: String, _ base: String) -> String {
            about.url(base: base, request: UpstreamRequest(path: path))
        }
        #expect(about.isSearch(path: "/api/v1/search") && !about.isSearch(path: "/v0/item/1.json"))
        #expect(!about.isSearch(path: "/api/v10/search"))
        #expect(url("/v0/item/1.json", "https://h/v0") == "https://h/v0/item/1.json")
        #expect(url("/v0/item/1.json", "https://h") == "https://h/v0/item/1.json")
        #expect(url("/api/v1/search", "https://s/api/v1/") == "https://s/api/v1/search")
        #expect(url("/api/v1/search", "https://s/x") == "https://s/x/api/v1/search")
    }

    // MARK: Answers

    @Test(arguments: [
        ("item", 200, "null", "notFound"), ("user", 200, " null\n", "notFound"), ("item", 200, #"{"id":1}"#, "data"),
        ("item", 200, "[]", "broken"), ("item", 200, "<html>", "broken"), ("item", 200, "", "broken"),
        ("top", 200, "[1,2]", "data"), ("top", 200, "[]", "empty"), ("top", 200, "null", "broken"),
        ("top", 401, #"{"error":"Permission denied"}"#, "invalidRequest"), ("top", 403, "<html>", "refused"),
        ("top", 429, "", "limited"), ("top", 503, "", "broken"), ("item", 404, "Not Found", "broken"),
        ("item", 404, #"{"error":"404 Not Found"}"#, "broken"), ("search", 404, #"{"message":"m"}"#, "broken"),
        ("other", 404, #"{"status":404,"error":"Not Found"}"#, "notFound"), ("other", 404, "Not Found", "broken"),
        ("item", 200, "42", "broken"), ("item", 200, #"{"id":"x"}"#, "broken"), ("user", 200, #"{"id":1}"#, "broken"),
        ("user", 200, #"{"id":"jl"}"#, "data"), ("top", 200, #"[{"id":1}]"#, "broken"),
        ("search", 200, #"{"hits":[1]}"#, "broken"),
        ("search", 200, #"{"hits":[]}"#, "empty"), ("search", 200, #"{"hits":[{}]}"#, "data"),
        ("recent", 200, #"{"hits":[],"nbHits":0,"message":"you can only fetch the 1000 hits"}"#, "invalidRequest"),
        ("search", 200, #"{"nbHits":0}"#, "broken"),
        ("search", 400, #"{"code":400,"message":"invalid numeric attribute"}"#, "invalidRequest"),
        ("other", 200, "12345", "data"), ("other", 200, "<html>", "broken"),
    ])
    func anAnswerIsClassified(_ endpoint: String, _ status: Int, _ body: String, _ word: String) {
        let now = WallTime(seconds: 0)
        let response = UpstreamResponse(status: status, body: Bytes(text: body), requestTime: now, responseTime: now)
        #expect(provider.classify(response, endpoint: endpoint).word == word)
    }

    private func results(_ answer: NormalisedAnswer) throws -> [JSONValue] {
        Array(try JSON.parse(answer.results).elements)
    }

    @Test func aPostIsTheSameResultWhicheverApiToldOfIt() throws {
        let (list, _) = try walk(try #require(try endpoint("hackernews/top").plan)) { call in
            call.role == .subject
                ? answered("[8863]")
                : answered(
                    #"""
                    {"by":"dhouston","descendants":71,"id":8863,"score":111,"time":1175714200,
                    "title":"My YC app: Dropbox &#x2D; Throw away your USB drive","type":"story",
                    "url":"http://www.getdropbox.com/u/2/screencast.html"}
                    """#)
        }
        let now = WallTime(seconds: 0)
        let hits = UpstreamResponse(
            status: 200,
            body: Bytes(
                text: #"""
                    {"hits":[{"created_at":"2007-04-04T19:16:40.000Z","author":"dhouston","points":111,"num_comments":71,
                    "title":"My YC app: Dropbox &#x2D; Throw away your USB drive","story_id":8863,"comment_text":null,
                    "url":"http://www.getdropbox.com/u/2/screencast.html","created_at_i":1175714200,
                    "relevancy_score":902,"_tags":["story","author_dhouston"],"objectID":"8863"}],"nbHits":1}
                    """#), requestTime: now, responseTime: now)
        let search = try endpoint("hackernews/search?q=a").normalise(hits, ArtworkSigner(key: Bytes(count: 32)))
        let one = try #require(try results(list).first)
        // Only a search returns the tags that the story is found by.
        let found = try #require(try results(search).first)
        #expect(found["attributes"]?["tags"]?.elements.compactMap(\.string) == ["story", "author_dhouston"])
        let tags = #","tags":["story","author_dhouston"]"#
        #expect(one.raw.lossyText == found.raw.lossyText.replacing(tags, with: ""))
        #expect(one["id"]?.string == "hackernews:story:8863")
        #expect(one["title"]?.string == "My YC app: Dropbox - Throw away your USB drive")
        #expect(one["collection"]?.string == "getdropbox.com")
        #expect(one["publishedAt"]?.string == "2007-04-04T19:16:40Z")
        #expect(one["attributes"]?["points"]?.integer == 111)
        #expect(one["attributes"]?["comments"]?.integer == 71)
    }

    @Test func markupInACommentIsGoneAndWhatItEncodedIsText() throws {
        let text = "It&#x27;s <i>good</i>.<p>See <a href=\\\"javascript:alert(1)\\\">this</a> &lt;script&gt;"
        let (answer, _) = try walk(try #require(try endpoint("hackernews/item/5?depth=0").plan)) { _ in
            answered(#"{"by":"a","id":5,"parent":4,"text":"\#(text)","time":1,"type":"comment","url":"javascript:x"}"#)
        }
        let comment = try #require(try results(answer).first)
        #expect(comment["summary"]?.string == "It's good.\nSee this <script>")
        #expect(comment["url"]?.string == "https://news.ycombinator.com/item?id=5")
        #expect(comment["title"]?.string == "It's good. See this <script>")
        #expect(!answer.results.lossyText.contains("javascript"))
    }

    @Test func linksAndLayoutOfATextAreKept() throws {
        let link =
            #"<a href=\"https:&#x2F;&#x2F;a.example&#x2F;a&#x2F;long&#x2F;path\">https:&#x2F;&#x2F;a.example&#x2F;a...</a>"#
        let (answer, _) = try walk(try #require(try endpoint("hackernews/item/5?depth=0").plan)) { _ in
            answered(
                #"{"by":"a","id":5,"kids":[7,6],"text":"\#(link):<p><pre><code>  a\n    b</code></pre>","time":1,"type":"comment"}"#
            )
        }
        let comment = try #require(try results(answer).first)
        #expect(comment["summary"]?.string == "https://a.example/a/long/path:\n  a\n    b")
        #expect(comment["attributes"]?["links"]?.elements.compactMap(\.string) == ["https://a.example/a/long/path"])
        #expect(comment["attributes"]?["kids"]?.elements.compactMap(\.integer) == [7, 6])
    }

    @Test func aListKeepsItsOrderAndCountsWhatIsNoPost() throws {
        let plan = try #require(try endpoint("hackernews/new?limit=4&page=2").plan)
        let (answer, steps) = try walk(plan) { call in
            switch call.request.path {
            case "/v0/newstories.json": answered("[1,2,3,4,5,6,7,8,9]")
            case "/v0/item/5.json": answered(#"{"id":5,"type":"story","title":"five","time":1}"#)
            case "/v0/item/6.json": .absent
            case "/v0/item/7.json": .failed(.timedOut)
            default: answered(#"{"id":8,"type":"story","title":"eight","time":9,"dead":false}"#)
            }
        }
        #expect(steps[1] == (5...8).map { "/v0/item/\($0).json" })
        #expect(try results(answer).compactMap { $0["title"]?.string } == ["five", "eight"])
        #expect(answer.droppedReasons == ["null": 1])
        #expect(answer.totalUpstream == 9)
        let (beyond, only) = try walk(try #require(try endpoint("hackernews/new?page=9").plan)) { _ in answered("[1]") }
        #expect(beyond.count == 0 && only.count == 1)
    }

    // MARK: Discussions

    /// A post of type comment below `parent`, with its kids.
    private func comment(_ id: Int, _ kids: [Int], _ more: String = "") -> CallOutcome {
        answered(#"{"by":"u","id":\#(id),"kids":\#(kids),"text":"c\#(id)","time":1,"type":"comment"\#(more)}"#)
    }

    private func discuss(_ query: String) throws -> (NormalisedAnswer, [[String]]) {
        try walk(try #require(try endpoint("hackernews/item/1?\(query)").plan)) { call in
            switch call.request.path.split(separator: "/").last?.prefix(while: \.isNumber) {
            case "1":
                answered(#"{"id":1,"type":"story","title":"root","descendants":9,"kids":[10,20,30,40],"time":1}"#)
            case "10": comment(10, [11, 12])
            case "20": comment(20, [21], #","deleted":true"#)
            case "30": .absent
            case "11": comment(11, [111])
            case let id?: comment(Int(id) ?? 0, [])
            case nil: .absent
            }
        }
    }

    @Test func aDiscussionIsReadLevelByLevelAndToldAsItIsRead() throws {
        let (answer, steps) = try discuss("depth=3")
        #expect(steps.map(\.count) == [1, 4, 3, 1])
        let told = try results(answer)
        #expect(told.compactMap { $0["title"]?.string } == ["root", "c10", "c11", "c111", "c12", "c21", "c40"])
        #expect(told.map { $0["attributes"]?["depth"]?.integer } == [nil, 1, 2, 3, 2, 2, 1])
        #expect(told.dropFirst().allSatisfy { $0["collection"]?.string == "root" })
        #expect(answer.droppedReasons == ["deleted": 1, "null": 1])
        #expect(answer.totalUpstream == 10)
    }

    @Test func depthAndNumberOfCommentsAreBounded() throws {
        #expect(try discuss("depth=0").1.map(\.count) == [1])
        #expect(try discuss("").1.map(\.count) == [1, 4])
        #expect(try discuss("depth=10&limit=5").1.map(\.count) == [1, 4, 1])
        // A walk also ends if an item names itself as its own comment.
        let (_, steps) = try walk(try #require(try endpoint("hackernews/item/7?depth=10&limit=500").plan)) { _ in
            comment(7, [7, 7, 7])
        }
        #expect(steps.count <= 11 && steps.map(\.count).reduce(0, +) == 501)
    }

    @Test func aPollComesWithItsAnswers() throws {
        let (answer, _) = try walk(try #require(try endpoint("hackernews/item/1").plan)) { call in
            call.role == .subject
                ? answered(#"{"id":1,"type":"poll","title":"Which?","parts":[2],"kids":[3],"time":1}"#)
                : call.request.path.contains("/2.")
                    ? answered(#"{"id":2,"type":"pollopt","poll":1,"score":5,"text":"This one","time":1}"#)
                    : comment(3, [])
        }
        #expect(
            try results(answer).compactMap { $0["id"]?.string } == [
                "hackernews:poll:1", "hackernews:pollOption:2", "hackernews:comment:3",
            ])
    }

    @Test(arguments: [
        ("1799999990", false), ("1700000000", true), ("0", true), ("-1", false), ("-9223372036854775808", false),
        ("9223372036854775807", false), ("\"x\"", false),
    ])
    func onlyATimeOfThisCalendarMakesAPostOld(_ figure: String, _ isOld: Bool) throws {
        let lifetime = try #require(provider.contentLifetime(of: "item"))
        let now = WallTime(seconds: 1_800_000_000)
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: #"{"id":1,"type":"story","time":\#(figure)}"#), requestTime: now,
            responseTime: now)
        #expect((lifetime(response) != nil) == isOld)
    }

    @Test func filtersOnPointsAndCommentsAreAppliedToAllThatCanBeReached() throws {
        let hits = (1...30).map { number in
            """
            {"objectID":"\(number)","title":"t\(number)","points":\(number * 10),"num_comments":\(30 - number),\
            "_tags":["story"],"created_at_i":\(number)}
            """
        }
        let now = WallTime(seconds: 0)
        let response = UpstreamResponse(
            status: 200, body: Bytes(text: "{\"hits\":[\(hits.joined(separator: ","))],\"nbHits\":30}"),
            requestTime: now, responseTime: now)
        func titles(_ query: String) throws -> [String] {
            let endpoint = try endpoint("hackernews/search?q=t&\(query)")
            return try results(endpoint.normalise(response, ArtworkSigner(key: Bytes(count: 32))))
                .compactMap { $0["title"]?.string }
        }
        #expect(try titles("numericFilters=points%3E=280") == ["t28", "t29", "t30"])
        #expect(try titles("numericFilters=points%3C=100,num_comments%3C22") == ["t9", "t10"])
        #expect(try titles("numericFilters=num_comments=5") == ["t25"])
        #expect(try titles("numericFilters=points%3E0&limit=4&page=3") == ["t9", "t10", "t11", "t12"])
        #expect(try titles("numericFilters=points%3E9999").isEmpty)
    }
}

extension [UInt8] {
    fileprivate init(count: Int) { self.init(repeating: 7, count: count) }
}
