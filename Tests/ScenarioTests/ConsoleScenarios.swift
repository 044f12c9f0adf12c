// How the console is served: its fields and its files. A link from any site leads to the console, but only its own
// links and the person's own navigation make it search.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ConsoleScenarios {
    static let pages = ["/", "/now", "/over-time", "/providers", "/store"]

    private func get(_ larder: RunningLarder, _ target: String, site: String) async throws -> WireResponse {
        let fields =
            site.isEmpty
            ? "" : "Sec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
        return try await larder.send(bytes: Bytes(text: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"))
    }

    @Test func aLinkFromElsewhereFillsTheFieldInAndWaits() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for (site, searches) in [("same-origin", true), ("none", true), ("cross-site", false), ("", false)] {
                for target in ["/?q=a", "/?q=a&plain=0"] {
                    let page = try await get(larder, target, site: site)
                    #expect(page.status == 200, "\(site): \(page)")
                    #expect(page["Vary"] == "Sec-Fetch-Site, Sec-Purpose, Purpose")
                    #expect(page.text.contains(#"data-search="runs""#) == searches, "\(site)")
                    #expect(page.text.contains(#"data-search="waits""#) != searches, "\(site)")
                }
            }
            for site in ["cross-site", ""] {
                let page = try await get(larder, "/?q=a&plain=1", site: site)
                #expect(page.text.contains("Not searched yet"), "\(site)")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aBrowserIsToldOnAPageThatNothingIsHereAndWhereToGo() async throws {
        try await withLarder { larder in
            let accepts = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
            let page = try await larder.get("/serach/R&amp;B", accepts)
            #expect(page.status == 404)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page["Cache-Control"] == "no-store")
            #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
            #expect(page.text.contains("<a href=\"/\">"))
            #expect(page.text.contains("/serach/R&amp;amp;B"), "\(page)")
            // A program gets the problem in JSON, and so does a browser at the routes of an interface.
            #expect(try await larder.get("/serach")["Content-Type"] == "application/problem+json")
            let route = try await larder.get("/v1/explain/0-ffffff", accepts)
            #expect(route["Content-Type"] == "application/problem+json")
        }
    }

    @Test(arguments: ["Sec-Purpose: prefetch;prerender", "Purpose: prefetch"])
    func whatIsLoadedBeforeAnybodyPressedEnterWaits(_ purpose: String) async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let page = try await get(larder, "/?q=a&plain=1", site: "none\r\n\(purpose)")
            #expect(page.text.contains("Not searched yet"))
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func withoutAScriptItsOwnFormIsAnsweredInThePage() async throws {
        let origin = ScriptedOrigin(answering: CacheScenarios.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let page = try await get(larder, "/?q=jack&plain=1", site: "same-origin")
            #expect(page.text.contains("Upside Down"), "\(page)")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func everyPageMayLoadAndRunOnlyWhatIsOfThisOrigin() async throws {
        try await withLarder { larder in
            for path in Self.pages + ["/console/console.css", "/console/search.js", "/opensearch.xml"] {
                let answer = try await larder.get(path)
                #expect(answer.status == 200, "\(answer)")
                let policy = answer["Content-Security-Policy"] ?? ""
                for directive in [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
                    "base-uri 'none'", "require-trusted-types-for 'script'",
                ] { #expect(policy.contains(directive), "\(path)") }
                #expect(!policy.contains("unsafe"))
                #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Cache-Control"] == "no-cache")
            }
        }
    }

    @Test func aFileThatIsKnownIsNotSentAgain() async throws {
        try await withLarder { larder in
            let first = try await larder.get("/console/search.js")
            let tag = try #require(first["ETag"])
            let again = try await larder.get("/console/search.js", ("If-None-Match", tag))
            #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag, "\(again)")
            let other = try await larder.get("/console/search.js", ("If-None-Match", "\"other\""))
            #expect(other.status == 200 && other.body == first.body)
        }
    }

    @Test func aFileThatIsNotThereIsNotFound() async throws {
        try await withLarder { larder in
            for name in ["nope.js", "..%2fPackage.swift", "%2e%2e"] {
                let answer = try await larder.get("/console/\(name)")
                #expect(answer.status == 404, "\(name): \(answer)")
            }
        }
    }

    @Test func theSearchEngineOfTheDescriptionIsTheHostThatWasAsked() async throws {
        try await withLarder { larder in
            let answer = try await larder.send(
                bytes: Bytes(text: "GET /opensearch.xml HTTP/1.1\r\nHost: app.localhost:8787\r\n\r\n"))
            #expect(answer["Content-Type"] == "application/opensearchdescription+xml")
            #expect(answer.text.contains("http://app.localhost:8787/?q={searchTerms}"))
        }
    }
}
