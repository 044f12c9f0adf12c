// Which parts of results a client wants: a choice of members, the API's own record beside each result, and what
// happened to records without a result. None of these costs a call, and no client gets what another client wanted.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ShapeScenarios {
    private func withMarket(_ body: (RunningLarder, Market) async throws -> Void) async throws {
        let market = Market()
        defer { market.origin.stop() }
        try await withLarder(market.configuration()) { try await body($0, market) }
    }

    private func results(_ answer: WireResponse) throws -> [JSONValue] {
        try #require(answer.status == 200, "\(answer)")
        return try answer.json()["results"].map { Array($0.elements) } ?? []
    }

    private func names(_ result: JSONValue) -> [String] { result.members.map(\.name) }

    private static let question = "/v1/search?q=fire&source=itunes"

    @Test func aChoiceOfMembersIsCutFromTheStoredAnswer() async throws {
        try await withMarket { larder, market async throws in
            let whole = try await larder.get(Self.question)
            let cut = try await larder.get("\(Self.question)&fields=kind,title")
            #expect(cut["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(cut)")
            #expect(try results(cut).map(names) == Array(repeating: ["id", "kind", "title"], count: 3))
            #expect(try results(cut).map { $0["id"]?.string } == results(whole).map { $0["id"]?.string })
            #expect(try cut.json()["query"]?["fields"]?.elements.compactMap(\.string) == ["id", "kind", "title"])
            #expect(cut["ETag"] != whole["ETag"])
            // Each client gets from memory what it asked for, however the parameter is spelt.
            for _ in 0..<2 {
                #expect(try await larder.get("\(Self.question)&fields=Title,kind,title").body == cut.body)
                #expect(try await larder.get("\(Self.question)&fields=kind,title").body == cut.body)
                #expect(try await larder.get(Self.question).body == whole.body)
            }
            let typed = try await larder.get("/v1/itunes/search?term=fire&fields=price")
            #expect(try results(typed).allSatisfy { names($0) == ["id", "price"] })
            #expect(market.calls("itunes") <= 2, "a cut costs no call")
        }
    }

    @Test func aListOfRepeatedNamesIsTheListWithCommas() async throws {
        try await withMarket { larder, market async throws in
            let whole = try await larder.get("/v1/search?q=fire&source=itunes,dnd5e&fields=title,kind&include=source")
            let calls = market.origin.requests.count
            let repeated = try await larder.get(
                "/v1/search?source=itunes&q=fire&fields=title&include=source&source=dnd5e&fields=kind&include=source")
            #expect(whole.status == 200 && repeated.body == whole.body, "\(repeated)")
            #expect(market.origin.requests.count == calls, "it is the same question")
            let local = try await larder.get("/v1/local?q=fire&source=itunes&source=dnd5e&kind=song&kind=monster")
            #expect(local.status == 200, "\(local)")
        }
    }

    @Test func whatIsNotShownStillSettlesTheOrder() async throws {
        try await withMarket { larder, _ async throws in
            let all = "/v1/search?q=fire&source=itunes,newsapi,dnd5e&sort=name"
            let whole = try await larder.get(all)
            let cut = try await larder.get("\(all)&fields=provider")
            #expect(try results(cut).map { $0["id"]?.string } == results(whole).map { $0["id"]?.string })
            #expect(try results(cut).allSatisfy { names($0) == ["id", "provider"] })
            #expect(cut["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(cut)")
        }
    }

    @Test func theAPIsOwnRecordComesFromWhatIsStored() async throws {
        try await withMarket { larder, market async throws in
            let whole = try await larder.get(Self.question)
            let calls = market.origin.requests.count
            let answer = try await larder.get("\(Self.question)&include=source")
            #expect(market.origin.requests.count == calls, "the stored raw answer has it")
            let first = try #require(try results(answer).first)
            #expect(first["source"]?["trackName"]?.string == "zebra fire" && first["title"]?.string == "zebra fire")
            #expect(first["source"]?["wrapperType"]?.string == "track")
            #expect(try answer.json()["query"]?["include"]?.elements.compactMap(\.string) == ["source"])
            let chosen = try await larder.get("\(Self.question)&include=source&fields=title")
            #expect(try results(chosen).allSatisfy { names($0) == ["id", "title", "source"] })
            for _ in 0..<2 {
                #expect(try await larder.get(Self.question).body == whole.body)
                #expect(try await larder.get("\(Self.question)&include=source").body == answer.body)
            }
            let local = try await larder.get("/v1/local?q=zebra&fields=title")
            #expect(try results(local).map(names) == [["id", "title", "local"]])
            let found = try await larder.get("/v1/local?q=zebra")
            #expect(try results(found).allSatisfy { $0["source"] == nil && $0["provider"] != nil })
        }
    }

    @Test func noKeyComesOutWithARecord() async throws {
        try await withMarket { larder, market async throws in
            let echoes = #""debug":"apiKey=a-long-key&x","more":["a%2Dlong%2Dkey"]"#
            let article = #"{"title":"Fire","url":"https://a.example/1",\#(echoes)}"#
            market.set("newsapi", .send(ok(#"{"status":"ok","totalResults":1,"articles":[\#(article)]}"#)))
            let answer = try await larder.get("/v1/search?q=fire&source=newsapi&include=source")
            let source = try #require(try results(answer).first?["source"])
            #expect(source["url"]?.string == "https://a.example/1")
            #expect(
                source["debug"]?.string == "apiKey=(hidden)&x" && source["more"]?.raw.lossyText == #"["(hidden)"]"#)
            #expect(!answer.body.lossyText.contains("long-key"))
        }
    }

    @Test(arguments: [
        ("/v1/search?q=fire&include=sources", "include", "invalidParameter"),
        ("/v1/search?q=fire&include=", "include", "invalidParameter"),
        ("/v1/search?q=fire&fields=title,,url", "fields", "invalidParameter"),
        ("/v1/search?q=fire&fields=source", "fields", "invalidParameter"),
        ("/v1/search?q=fire&fields=title&fields=b", "fields", "invalidParameter"),
        ("/v1/search?q=fire&limit=1&limit=2", "limit", "repeatedParameter"),
        ("/v1/itunes/search?term=fire&fields=nothing", "fields", "invalidParameter"),
        ("/v1/itunes/search?term=fire&media=music&media=music", "media", "repeatedParameter"),
        ("/v1/itunes/search?term=fire&fieldz=title", "fieldz", "unknownParameter"),
        ("/v1/local?q=fire&include=source", "include", "unknownParameter"),
    ])
    func aWrongChoiceIsRefusedWithWhatIsAllowed(_ target: String, _ parameter: String, _ code: String) async throws {
        try await withMarket { larder, market async throws in
            let answer = try await larder.get(target)
            let problem = try answer.json()
            #expect(answer.status == 400 && problem["code"]?.string == code, "\(answer)")
            #expect(problem["parameter"]?.string == parameter)
            let allowed = problem["allowed"]?.elements.compactMap(\.string) ?? []
            #expect(code == "repeatedParameter" || !allowed.isEmpty)
            if target.contains("fieldz") { #expect(allowed.contains("fields") && allowed.contains("term")) }
            if target.hasSuffix("fields=source") {
                #expect(problem["detail"]?.string?.hasSuffix("comes with include=source.") == true, "\(problem)")
            }
            #expect(market.origin.requests.isEmpty)
        }
    }

    @Test func thatAllWereDroppedIsToldFromThatNoneWereFound() async throws {
        try await withMarket { larder, market async throws in
            let removed = #"{"title":"[Removed]","description":"[Removed]","url":"https://removed.com"}"#
            market.set("newsapi", .send(ok(#"{"status":"ok","totalResults":2,"articles":[\#(removed),\#(removed)]}"#)))
            for _ in 0..<2 {
                let answer = try await larder.get("/v1/search?q=fire&source=newsapi").json()
                #expect(answer["state"]?.string == "allDropped" && answer["count"]?.integer == 0)
                let source = try #require(answer["sources"]?.elements.first { _ in true })
                #expect(source["state"]?.string == "allDropped" && source["dropped"]?.integer == 2)
                #expect(source["droppedReasons"]?.raw.lossyText == #"{"removed":2}"#)
            }
            let both = try await larder.get("/v1/search?q=fire&source=newsapi,itunes").json()
            #expect(both["state"]?.string == "results")
            market.set("newsapi", .send(ok(#"{"status":"ok","totalResults":0,"articles":[]}"#)))
            let none = try await larder.get("/v1/search?q=water&source=newsapi").json()
            #expect(none["state"]?.string == "noResults")
            #expect(none["sources"]?.elements.first { _ in true }?["dropped"] == nil)
        }
    }
}
