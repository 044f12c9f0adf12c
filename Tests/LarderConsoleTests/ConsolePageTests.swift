// The other pages without a browser, and rules that hold for all pages.
import LarderCore
import Testing

@testable import LarderConsole

struct ConsolePageTests {
    private func answer(_ text: String) throws -> ConsoleAnswer { .answer(try JSON.parse(Bytes(text: text))) }

    private static let all: [String] = [
        SearchPage.render(SearchQuestion(QueryParameters()), sources: [], runs: false, answer: .none),
        NowPage.render(QueryParameters(), providers: [], answer: .none),
        OverTimePage.render(.hour, now: WallTime(seconds: 4000), answer: .none), ProvidersPage.render(answer: .none),
        StorePage.render(QueryParameters(), providers: [], answer: .none),
    ]

    @Test func noPageHasAScriptOrAStyleOfItsOwn() {
        for page in Self.all {
            #expect(
                page.components(of: "<script").count == 2 && page.contains("<script type=\"module\" src=\"/console/"))
            #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="))
        }
    }

    @Test func everyPageHasItsLandmarksAndOneHeading() {
        for page in Self.all {
            for piece in ["<header", "<nav aria-label=\"Views\">", "<main id=\"main\"", "<footer", "lang=\"en\""] {
                #expect(page.components(of: piece).count == 2, "\(piece)")
            }
            #expect(page.components(of: "<h1").count == 2)
            #expect(page.components(of: "aria-current=\"page\"").count == 2)
            #expect(page.contains("<p id=\"lost\" role=\"alert\" hidden>"))
        }
    }

    @Test func aRequestIsShownWithItsOutcomeInWords() throws {
        let text = NowPage.render(
            QueryParameters(), providers: [],
            answer: try answer(
                #"""
                {"requests":[{"id":"0-1f","at":"2026-11-21T18:00:00.125Z","method":"GET","target":"/v1/search?q=…",
                 "status":200,"milliseconds":1.5,"client":"127.0.0.1","provider":"itunes","outcome":"hit"}]}
                """#))
        #expect(text.contains(">2026-11-21 18:00:00 UTC</time>"))
        #expect(text.contains(#"href="/v1/explain/0-1f">GET /v1/search?q=…</a>"#))
        #expect(text.contains(#"<abbr class="term pill hit" title="A stored answer that is still fresh"#))
        #expect(text.contains("1.5 ms"))
    }

    @Test(arguments: [
        ("none", 502, "pill bad", "failed"), ("hit", 500, "pill bad", "hit"), ("hit", 404, "pill warn", "hit"),
        ("none", 400, "pill warn", "refused"), ("hit", 200, "pill hit", "hit"),
    ])
    func anErrorHasAnOutcomeAndIsNeverGreen(
        _ outcome: String, _ status: Int, _ style: String, _ word: String
    ) throws {
        let text = NowPage.render(
            QueryParameters(), providers: [],
            answer: try answer("{\"requests\":[{\"status\":\(status),\"outcome\":\"\(outcome)\"}]}"))
        #expect(text.contains("<abbr class=\"term \(style)\"") && text.contains(">\(word)</abbr>"), "\(text)")
    }

    @Test func aTargetOfARequestIsNoMarkup() throws {
        let text = NowPage.render(
            QueryParameters(), providers: [],
            answer: try answer(
                #"{"requests":[{"id":"\"><b>","method":"<i>","target":"/<script>","outcome":"\"x","client":"<u>"}]}"#))
        for piece in ["<i>", "/<script>", "<u>", "\"><b>", "\"x\""] { #expect(!text.contains(piece), "\(piece)") }
    }

    @Test func filtersKeepWhatWasAskedFor() throws {
        let query = try QueryParameters(parsing: "provider=itunes&outcome=miss&path=%22x")
        let text = NowPage.render(
            query, providers: [ProviderName("itunes", "iTunes Search"), ProviderName("dnd5e", "D&D")], answer: .none)
        #expect(
            text.contains(#"<option value="itunes" selected>"#) && text.contains(#"<option value="miss" selected>"#))
        #expect(text.contains(#"value="&quot;x""#))
    }

    @Test(arguments: [("", false), ("own=1", true)])
    func theConsolesOwnRequestsAreShownOnlyWhenAskedFor(_ query: String, _ isShown: Bool) throws {
        let answer = try JSON.parse(
            Bytes(
                text:
                    #"{"requests":[{"id":"1","method":"GET","target":"/v1/searches/7","route":"searches","status":200}]}"#
            ))
        let text = try NowPage.render(QueryParameters(parsing: query), providers: [], answer: .answer(answer))
        #expect(text.contains("/v1/searches/7") == isShown)
    }

    @Test func aProviderTellsItsStateItsBudgetAndItsLastError() throws {
        let text = ProvidersPage.render(
            answer: try answer(
                #"""
                {"version":"1","providers":[{"name":"itunes","title":"iTunes","state":"suspended","reachability":"unreachable",
                 "suspendedUntil":"2026-11-21T18:00:00Z","lastFailure":"2026-11-21T17:00:00Z",
                 "lastFailureDetail":"no answer <in> time","budget":{"rate":{"limit":20,"remaining":3}}}]}
                """#))
        #expect(text.contains("pill bad") && text.contains(">suspended</abbr>"))
        #expect(text.contains("no answer &lt;in&gt; time"))
        #expect(text.contains(#"<meter min="0" max="20" value="3" aria-label="rate: 3 of 20 left">"#))
    }

    @Test(arguments: [("ready", false, "pill bad"), ("ready", true, "pill good"), ("notConfigured", true, "pill warn")])
    func onlyAProviderThatAnswersIsGreen(_ state: String, _ isReachable: Bool, _ style: String) throws {
        let text = ProvidersPage.render(
            answer: try answer("{\"providers\":[{\"state\":\"\(state)\",\"reachable\":\(isReachable)}]}"))
        #expect(text.contains("<abbr class=\"term \(style)\""), "\(text)")
    }

    @Test(arguments: ["editor", "other", "larder"])
    func callsByToolAreToldIfToolsAreToldApart(_ tool: String) throws {
        let text = ProvidersPage.render(
            answer: try answer(
                """
                {"providers":[{"name":"itunes","state":"ready","tools":[{"tool":"\(tool)","calls":41,"refused":7}]}]}
                """))
        let row = #"<td data-name="Tool">editor</td><td data-name="Calls" class="number">41</td>"#
        #expect(text.contains(row) == (tool == "editor"), "\(text)")
        #expect(text.contains("Calls by tool") == (tool == "editor"))
    }

    @Test(arguments: [0, 2048])
    func tunnelsAndRunsAreToldIfThereWereAny(_ bytes: Int) throws {
        let run = #"{"process":4711,"since":"2026-11-21T18:00:00Z","requests":12,"hits":10}"#
        let text = ProvidersPage.render(
            answer: try answer(
                """
                {"proxy":{"tunnels":0,"tunnelBytes":\(bytes),"refused":0,"runs":[\(bytes > 0 ? run : "")]}}
                """))
        #expect(text.contains(#"id="proxy" class="panel" aria-labelledby="proxy-title" hidden"#) == (bytes == 0))
        #expect(text.contains(#"<td data-name="Process" class="number">4711</td>"#) == (bytes > 0), "\(text)")
        #expect(text.contains("<dd>2 KiB</dd>") == (bytes > 0))
    }

    @Test func sumsAreToldWithoutPlots() throws {
        let text = OverTimePage.render(
            .hour, now: WallTime(seconds: 4000),
            answer: try answer(
                #"""
                {"points":[{"at":"1970-01-01T00:05:00Z","requests":{"hit":9}},{"requests":{"hit":2,"miss":1},"upstream":{"itunes":1},"errors":1,"bytes":2048},
                 {"requests":{"hit":4}}],"saved":{"itunes":12}}
                """#))
        #expect(text.contains("<dt>Requests</dt><dd>7</dd>") && text.contains("<dd>2 KiB</dd>"))
        #expect(text.contains(#"<th scope="row">itunes</th><td class="number">12</td>"#))
    }

    @Test func anEntryIsShownByItsLabel() throws {
        let text = StorePage.render(
            QueryParameters(), providers: [],
            answer: try answer(
                #"{"entries":[{"provider":"itunes","kind":"raw","label":"https://a/?q=<b>","bytes":1536,"uses":4}]}"#))
        #expect(text.contains("https://a/?q=&lt;b&gt;") && text.contains("1536 B") || text.contains("1.5 KiB"))
    }

    @Test func headersLeadToTheOrdersOfTheStore() throws {
        let query = try QueryParameters(parsing: "order=recentlyUsed&provider=itunes")
        let text = StorePage.render(query, providers: [], answer: .none)
        #expect(text.contains(#"href="/store?order=largest&amp;provider=itunes""#), "\(text)")
        #expect(text.contains(#"aria-sort="descending"><a href="/store?order=recentlyUsed"#))
        #expect(text.components(of: "aria-sort").count == 2)
    }

    @Test(arguments: [(nil, "1h"), ("month", "30d"), ("7d", "7d"), ("x", "1h")])
    func theRangeIsThatOfTheAddress(_ span: String?, _ range: String) {
        #expect(HistoryRange(span).rawValue == range)
    }

    @Test func aProblemIsSaid() {
        #expect(StorePage.render(QueryParameters(), providers: [], answer: .problem("<none>")).contains("&lt;none&gt;"))
    }

    @Test func theTokenIsInNoPageAndInNoStorageButThatOfItsTab() {
        for file in ConsoleFile.names.compactMap(ConsoleFile.named) where file.name.hasSuffix(".js") {
            let text = String(decoding: file.body, as: UTF8.self)
            #expect(!text.contains("sessionStorage") || file.name == "token.js", "\(file.name)")
            #expect(!text.contains("cookie"))
            // The last searches are kept, and the file that keeps them knows no token.
            let keeps = text.contains("localStorage") || text.contains("./kept.js")
            #expect(!keeps || !text.contains("./token.js"), "\(file.name)")
            #expect(!text.contains("localStorage") || file.name == "kept.js", "\(file.name)")
        }
    }
}

extension String {
    func components(of separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
