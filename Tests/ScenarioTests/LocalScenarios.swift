// Full text over stored results: found without a call, equal to other results, a substitute for a source that is down.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct LocalScenarios {
    private func withMarket(
        time: any TimeSource = SystemTime(), _ body: (RunningLarder, Market) async throws -> Void
    ) async throws {
        let market = Market()
        defer { market.origin.stop() }
        let admin = "admin: { token: a-token-of-some-length }"
        try await withLarder(market.configuration([:], admin), time: time) { try await body($0, market) }
    }

    private func titles(_ answer: WireResponse) throws -> [String] {
        try answer.json()["results"]?.elements.compactMap { $0["title"]?.string } ?? []
    }

    private func source(_ answer: WireResponse, _ name: String) throws -> JSONValue {
        try #require(try answer.json()["sources"]?.elements.first { $0["provider"]?.string == name })
    }

    @Test func whatOneSearchStoredIsFoundByItsWordsWithoutACall() async throws {
        try await withMarket { larder, market async throws in
            let search = try await larder.get("/v1/search?q=fire&source=itunes,newsapi,dnd5e")
            #expect(search.status == 200, "\(search)")
            let calls = market.origin.requests.count
            let answer = try await larder.get("/v1/local?q=arbol+FI")
            #expect(answer.status == 200, "\(answer)")
            #expect(answer["Cache-Control"] == "no-store")
            #expect(answer["Cache-Status"] == "larder; hit; detail=local")
            #expect(try titles(answer) == ["Árbol fire"])
            let found = try #require(try answer.json()["results"]?.elements.first { _ in true })
            let before = try #require(
                try search.json()["results"]?.elements.first { $0["title"]?.string == "Árbol fire" })
            // The result is the same, with one more member.
            for member in before.members { #expect(found[member.name]?.raw == member.value.raw, "\(member.name)") }
            let pieces = found["local"]?["highlights"]?["title"]?.elements.compactMap(\.string)
            #expect(pieces == ["", "Árbol", " ", "fire"])
            #expect(found["local"]?["stale"]?.bool == false)
            #expect(found["local"]?["storedAt"]?.string != nil)
            #expect(market.origin.requests.count == calls)
        }
    }

    @Test func sourcesKindsAndCategoriesNarrowItDown() async throws {
        try await withMarket { larder, _ async throws in
            _ = try await larder.get("/v1/search?q=fire&source=itunes,newsapi,dnd5e")
            let all = try await larder.get("/v1/local?q=fir")
            #expect(try all.json()["total"]?.integer == 5, "\(all.text)")
            let names = try all.json()["sources"]?.elements.compactMap { $0["provider"]?.string }.sorted()
            #expect(names == ["dnd5e", "itunes", "newsapi"])
            #expect(try titles(await larder.get("/v1/local?q=fir&source=dnd")) == ["Fire Giant"])
            #expect(try titles(await larder.get("/v1/local?q=fir&kind=article")) == ["Fireworks"])
            #expect(try titles(await larder.get("/v1/local?q=fir&category=monsters")) == ["Fire Giant"])
            let page = try await larder.get("/v1/local?q=fir&limit=2&offset=4")
            #expect(try page.json()["count"]?.integer == 1)
            #expect(try page.json()["total"]?.integer == 5)
            let none = try await larder.get("/v1/local?q=water")
            #expect(none.status == 200)
            #expect(try none.json()["state"]?.string == "noResults")
        }
    }

    @Test func whatCannotBeAskedIsRefusedByName() async throws {
        try await withMarket { larder, _ async throws in
            let many = Array(repeating: "a", count: 17).joined(separator: "+")
            for (query, parameter) in [
                ("", "q"), ("q=+", "q"), ("q=%22%22", "q"), ("q=*+%3F", "q"), ("q=a%01", "q"), ("q=\(many)", "q"),
                ("q=\(String(repeating: "a", count: 501))", "q"), ("q=a&limit=0", "limit"),
                ("q=a&offset=10001", "offset"), ("q=a&source=nobody", "source"), ("q=a&kind=a%2C", "kind"),
                ("q=a&category=science", "category"), ("q=a&category=music&kind=song", "category"),
                ("q=a&sort=name", "sort"), ("q=a&q=b", "q"),
            ] {
                let answer = try await larder.get("/v1/local?\(query)")
                #expect(answer.status == 400, "\(query) \(answer)")
                if !query.contains("sort") { #expect(try answer.json()["parameter"]?.string == parameter, "\(query)") }
            }
            // No operator of the index's query language has a meaning.
            for query in [
                "title%3Ax", "a+OR+b", "NOT+a", "a*b", "%22a", "a%22", "(a", "a)", "%5Ea", "NEAR(a+b)", "%7Ba%7D:b",
            ] {
                let answer = try await larder.get("/v1/local?q=\(query)")
                #expect(answer.status == 200, "\(query) \(answer)")
            }
        }
    }

    @Test func aSourceThatIsDownIsStoodInForByStoredResultsAndItIsSaid() async throws {
        try await withMarket { larder, market async throws in
            let both = "/v1/search?source=itunes,newsapi&q="
            #expect(try await larder.get(both + "fire").status == 200)
            market.set("itunes", .reset)
            let answer = try await larder.get(both + "apple")
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["state"]?.string == "partial")
            let itunes = try source(answer, "itunes")
            #expect(itunes["state"]?.string == "results")
            #expect(itunes["local"]?.bool == true)
            #expect(itunes["error"]?["class"]?.string == "unreachable")
            let titles = try titles(answer)
            #expect(titles.contains("apple fire") && !titles.contains("zebra fire"))
            #expect(answer["Cache-Control"] == "no-cache")
            #expect(answer["Cache-Status"]?.contains("detail=local") == true, "\(answer)")

            // This holds for one source, too. The answer is not kept in memory, so a recovered source answers at once.
            let alone = try await larder.get("/v1/search?source=itunes&q=zebra")
            #expect(alone.status == 200, "\(alone)")
            #expect(try alone.json()["state"]?.string == "partial")
            #expect(try source(alone, "itunes")["local"]?.bool == true)
            // No stored result has these words. A client may also forbid the substitution.
            #expect(try await larder.get("/v1/search?source=itunes&q=submarine").status == 502)
            #expect(
                try await larder.get("/v1/search?source=itunes&q=zebra", ("Cache-Control", "no-cache")).status >= 500)
            #expect(
                try await larder.get("/v1/search?source=itunes&q=zebra", ("Cache-Control", "only-if-cached")).status
                    == 504)
            // A song is not an app.
            #expect(try await larder.get("/v1/search?source=itunes&q=zebra&category=software").status >= 500)
        }
    }

    @Test func explicitResultsAndOtherCountriesAreLeftOutWhereTheQuestionLeavesThemOut() async throws {
        try await withMarket { larder, market async throws in
            let ask = "/v1/search?source=itunes&q="
            #expect(try await larder.get(ask + "fire").status == 200)
            market.set("itunes", .reset)
            for more in ["&explicit=no", "&country=de", "&lang=ja_jp"] {
                let answer = try await larder.get(ask + "zebra" + more)
                #expect(answer.status >= 500, "\(answer)")
            }
            // Results that were asked for within the same bounds are given.
            #expect(try await larder.get(ask + "zebra&country=us&explicit=yes").status == 200)
        }
        try await withMarket { larder, market async throws in
            let ask = "/v1/search?source=itunes&explicit=no&country=de&q="
            #expect(try await larder.get(ask + "fire").status == 200)
            market.set("itunes", .reset)
            let answer = try await larder.get(ask + "zebra")
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test func aQuestionThatIsRefusedIsNotStoodInFor() async throws {
        try await withMarket { larder, market async throws in
            _ = try await larder.get("/v1/search?source=newsapi&q=fire")
            market.set(
                "newsapi",
                .send(ok(#"{"status":"error","code":"apiKeyInvalid","message":"no"}"#, status: "401 Unauthorized")))
            let answer = try await larder.get("/v1/search?source=newsapi&q=fireworks")
            #expect(answer.status == 502, "\(answer)")
        }
    }

    @Test func whatIsPurgedIsNotFoundAndWhatIsStaleSaysSo() async throws {
        let time = ManualTime()
        try await withMarket(time: time) { larder, _ async throws in
            _ = try await larder.get("/v1/search?q=fire&source=itunes,dnd5e")
            time.advance(by: .seconds(2 * 86_400))
            let stale = try await larder.get("/v1/local?q=zebra")
            let result = try #require(try stale.json()["results"]?.elements.first { _ in true })
            #expect(result["local"]?["stale"]?.bool == true)
            #expect(try source(stale, "itunes")["stale"]?.bool == true)
            let fields = [("Authorization", "Bearer a-token-of-some-length")]
            let purged = try await larder.send("DELETE", "/v1/cache?provider=itunes", fields: fields)
            #expect(purged.status == 200, "\(purged)")
            #expect(try titles(await larder.get("/v1/local?q=zebra")).isEmpty)
            #expect(try titles(await larder.get("/v1/local?q=fire")) == ["Fire Giant"])
        }
    }
}
