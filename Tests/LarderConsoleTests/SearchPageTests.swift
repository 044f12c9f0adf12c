// The search page without a browser: what it asks, what it shows, and that the text of a response stays text.
import LarderCore
import Testing

@testable import LarderConsole

struct SearchPageTests {
    private func question(_ query: String) throws -> SearchQuestion {
        SearchQuestion(try QueryParameters(parsing: query))
    }

    private func page(_ query: String, _ answer: String? = nil, runs: Bool = false) throws -> String {
        SearchPage.render(
            try question(query), sources: [], runs: runs,
            answer: try answer.map { .answer(try JSON.parse(Bytes(text: $0))) } ?? .none)
    }

    @Test(arguments: [
        ("q=a+b", "/v1/search?q=a%20b"), ("q=a&sort=relevance", "/v1/search?q=a"),
        ("q=a&source=itunes&sort=date&kind=song&page=2", "/v1/search?q=a&source=itunes&sort=date"),
        ("q=a&where=stored", "/v1/local?q=a&limit=200"), ("q=+a+", "/v1/search?q=a"),
        ("q=a%26limit%3D9", "/v1/search?q=a%26limit%3D9"),
    ])
    func theAddressSaysWhatIsAsked(_ query: String, _ target: String) throws {
        #expect(try question(query).target == target)
    }

    @Test(arguments: [(true, "runs"), (false, "waits")])
    func theScriptSearchesByItselfOnlyWhereThePageSaysSo(_ runs: Bool, _ word: String) throws {
        #expect(try page("q=a", runs: runs).contains("data-search=\"\(word)\""))
        let script = String(decoding: ConsoleFile.named("search.js")?.body ?? [], as: UTF8.self)
        #expect(script.contains(#"document.documentElement.dataset.search === "runs""#))
    }

    @Test func aTermThatIsMarkupStaysText() throws {
        let text = try page("q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
        #expect(!text.contains("<script>alert"))
        #expect(text.contains(#"value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;""#))
    }

    @Test func whatAnAnswerHoldsIsNoMarkupAndNoScript() throws {
        let text = try page(
            "q=a",
            #"""
            {"sources":[{"provider":"<b>","state":"failed","error":{"detail":"<i>"}}],"results":[
             {"id":"1","provider":"x","kind":"<u>","title":"<img src=x>","creator":"\"><s>","summary":"<p onclick=a>",
              "url":"javascript:alert(1)","artwork":{"small":"https://elsewhere.example/a.png"}}]}
            """#)
        for piece in ["<b>", "<i>", "<u>", "<s>", "<img src=x>", "<p onclick", "javascript:", "elsewhere.example"] {
            #expect(!text.contains(piece) || piece == "<b>" && !text.contains("<b><"), "\(piece)")
        }
        #expect(text.contains("&lt;img src=x&gt;"))
    }

    @Test func aResultIsShownWithItsLinkPictureAndFacts() throws {
        let text = try page(
            "q=a",
            #"""
            {"results":[{"id":"1","provider":"itunes","kind":"song","title":"Upside Down","creator":"Jack",
             "price":{"amount":1.29,"currency":"USD"},"publishedAt":"2005-03-01T12:00:00Z",
             "url":"https://music.example/1","artwork":{"small":"/v1/artwork/AQ"}}]}
            """#)
        #expect(text.contains(#"<a href="https://music.example/1" rel="noreferrer noopener">Upside Down</a>"#))
        #expect(text.contains(#"src="/v1/artwork/AQ""#))
        #expect(text.contains("Jack · 1.29 USD · 2005-03-01"))
        #expect(text.contains("1 result<"))
    }

    @Test func tabsNarrowAndKeepTheQuestion() throws {
        let answer = #"""
            {"results":[{"id":"1","provider":"a","kind":"song","title":"One"},
             {"id":"2","provider":"b","kind":"film","title":"Two"}]}
            """#
        let text = try page("q=x&kind=film&plain=1", answer)
        #expect(text.contains("Two") && !text.contains("<h2>One"))
        #expect(text.contains(#"href="/?q=x&amp;kind=song&amp;plain=1""#))
    }

    @Test func manyResultsComeInPages() throws {
        let results = (1...60).map { #"{"id":"\#($0)","provider":"a","kind":"song","title":"Song \#($0)."}"# }
        let answer = "{\"results\":[\(results.joined(separator: ","))]}"
        let second = try page("q=x&page=2", answer)
        #expect(second.contains("Song 25.") && second.contains("Song 48."))
        #expect(!second.contains("Song 24.") && !second.contains("Song 49."))
        #expect(second.contains(#"href="/?q=x&amp;page=3""#))
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "99999999999999999999", "0", "x"])
    func anyNumberOfAPageIsAnswered(number: String) throws {
        let answer = #"{"results":[{"id":"1","provider":"a","kind":"song","title":"One"}]}"#
        #expect(try page("q=x&page=\(number)", answer).contains("<h1"))
    }

    @Test func aFailureIsSaidInWords() throws {
        let text = SearchPage.render(
            try question("q=a"), sources: [], runs: true, answer: .problem("No source can be asked."))
        #expect(text.contains(#"class="bad" role="status">No source can be asked."#))
        #expect(text.contains(#"<a href="/?q=a&amp;where=stored">Show stored results</a>"#))
    }

    @Test func theStartShowsTheSourcesWithWhatTheyLack() throws {
        let sources = try JSON.parse(
            Bytes(text: #"[{"name":"tmdb","state":"notConfigured","missing":"set providers.tmdb.key"}]"#))
        let text = SearchPage.render(
            try question(""), sources: Array(sources.elements), runs: true, answer: .none)
        #expect(text.contains(">not configured</abbr>") && text.contains("set providers.tmdb.key"))
        #expect(text.contains(#"<a href="/?q=fireball">fireball</a>"#))
    }

    @Test func theDescriptionForBrowsersNamesThisHost() {
        let text = OpenSearch.description(host: "localhost:8787")
        #expect(text.contains(#"template="http://localhost:8787/?q={searchTerms}""#))
        #expect(!OpenSearch.description(host: "a\"><x").contains("<x"))
    }
}
