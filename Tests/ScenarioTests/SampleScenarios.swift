// The built-in samples through the whole daemon: the steps of a person in the demo, every route of the demo, and what
// each parameter becomes upstream.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct SampleScenarios {
    /// A daemon in front of a stand-in.
    private func withSamples(
        _ source: OriginSource = .samples, _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let origin = try OriginServer(source: source, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        let news = origin.baseURL(for: "hackernews")
        let settings = """
            search: { deadline: 120s }
            providers:
              itunes: { baseURL: "\(origin.baseURL(for: "itunes"))", rate: off, quota: off }
              newsapi: { baseURL: "\(origin.baseURL(for: "newsapi"))", rate: off, quota: off, key: any-will-do }
              dnd5e: { baseURL: "\(origin.baseURL(for: "dnd5e"))", rate: off, quota: off }
              jokes: { baseURL: "\(origin.baseURL(for: "jokes"))", rate: off, quota: off }
              hackernews: { baseURL: "\(news)", searchURL: "\(news)", rate: off, quota: off }
              tmdb: { baseURL: "\(origin.baseURL(for: "tmdb"))", enabled: false }
            """
        try await withLarder(settings) { larder in try await body(larder, origin) }
    }

    private func results(_ larder: RunningLarder, _ target: String) async throws -> [JSONValue] {
        let answer = try await larder.get(target)
        #expect(answer.status == 200, "\(target): \(answer)")
        let envelope = try answer.json()
        let results = Array(try #require(envelope["results"]).elements)
        #expect(envelope["count"]?.integer == results.count)
        return results
    }

    private func titles(_ larder: RunningLarder, _ target: String) async throws -> [String] {
        try await results(larder, target).compactMap { $0["title"]?.string }
    }

    /// The query of the last call to the stand-in.
    private func lastQuestion(_ origin: OriginServer, _ prefix: String) throws -> QueryParameters {
        try QueryParameters(parsing: origin.log(of: prefix).last?.query ?? "")
    }

    // MARK: iTunes

    @Test(
        arguments: [
            ("all", ["podcast", "software", "software"], nil, nil),
            ("music", ["song", "song", "song"], "music", nil),
            ("software", ["software", "software"], "software", nil),
            ("ebooks", ["ebook", "ebook"], nil, "ebook"),
        ] as [(String, [String], String?, String?)])
    func eachCategoryBringsItsKinds(
        _ category: String, _ kinds: [String], _ media: String?, _ entity: String?
    ) async throws {
        try await withSamples { larder, origin in
            let term = ["music": "bach", "ebooks": "alice"][category] ?? "notes"
            for route in ["itunes/search?term=\(term)", "search?q=\(term)&source=itunes"] {
                let found = try await results(larder, "/v1/\(route)&category=\(category)")
                #expect(found.compactMap { $0["kind"]?.string }.sorted() == kinds)
            }
            let question = try lastQuestion(origin, "/itunes/search")
            #expect(question["media"] == media)
            #expect(question["entity"] == entity)
            #expect(origin.requests(to: "/itunes/search") == 1, "both routes ask the same question")
        }
    }

    /// The table in the API's documentation.
    static let entities: [(String, [String])] = [
        ("movie", ["movieArtist", "movie"]), ("podcast", ["podcastAuthor", "podcast"]),
        ("music", ["musicArtist", "musicTrack", "album", "musicVideo", "mix", "song"]),
        ("musicVideo", ["musicArtist", "musicVideo"]), ("audiobook", ["audiobookAuthor", "audiobook"]),
        ("shortFilm", ["shortFilmArtist", "shortFilm"]), ("tvShow", ["tvEpisode", "tvSeason"]),
        ("software", ["software", "iPadSoftware", "macSoftware"]), ("ebook", ["ebook"]),
        (
            "all",
            ["movie", "album", "allArtist", "podcast", "musicVideo", "mix", "audiobook", "tvSeason", "allTrack"]
        ),
    ]

    @Test(arguments: entities)
    func everyMediaAndEntityOfTheAPIIsAskedFor(_ media: String, _ entities: [String]) async throws {
        try await withSamples { larder, origin in
            for entity in entities {
                _ = try await results(larder, "/v1/itunes/search?term=alice&media=\(media)&entity=\(entity)")
                let question = try lastQuestion(origin, "/itunes/search")
                #expect(question["entity"] == entity)
                // "all" means the same as no media. The media of ebooks is reported broken, but its entity works.
                #expect(question["media"] == (media == "all" || media == "ebook" ? nil : media))
            }
            #expect(origin.requests(to: "/itunes/search") == entities.count)
            let foreign = media == "ebook" ? "song" : "ebook"
            let refused = try await larder.get("/v1/itunes/search?term=alice&media=\(media)&entity=\(foreign)")
            #expect(refused.status == 400, "\(refused)")
            #expect(try refused.json()["parameter"]?.string == "entity")
            #expect(try refused.json()["allowed"]?.elements.contains { $0.string == entities[0] } == true)
        }
    }

    @Test func theOtherParametersOfASearchArrive() async throws {
        try await withSamples { larder, origin in
            let target = "/v1/itunes/search?q=jack&limit=200&country=gb&lang=ja-JP&explicit=no"
            let found = try await results(larder, target)
            #expect(found.count == 16)
            #expect(found.allSatisfy { $0["price"]?["currency"]?.string == "GBP" })
            let question = try lastQuestion(origin, "/itunes/search")
            #expect(question["limit"] == "200")
            #expect(question["country"] == "GB")
            #expect(question["lang"] == "ja_jp")
            #expect(question["explicit"] == "No")
            #expect(try await results(larder, "/v1/itunes/search?q=jack&limit=3").count == 3)
            for (wrong, name) in [
                ("limit=0", "limit"), ("limit=201", "limit"), ("limit=500", "limit"), ("limit=ten", "limit"),
                ("country=england", "country"), ("lang=klingon", "lang"), ("explicit=maybe", "explicit"),
                ("sort=size", "sort"), ("category=cars", "category"), ("colour=red", "colour"),
            ] {
                let refused = try await larder.get("/v1/itunes/search?q=jack&\(wrong)")
                #expect(refused.status == 400, "\(refused)")
                #expect(try refused.json()["parameter"]?.string == name, "\(refused)")
            }
            #expect(origin.requests(to: "/itunes/search") == 2)
        }
    }

    @Test func pricesAndDatesAreSorted() async throws {
        try await withSamples { larder, origin in
            let byPrice = try await results(larder, "/v1/itunes/search?q=notes&category=software&sort=price")
            let prices = byPrice.map { $0["price"]?["amount"]?.numberText }
            #expect(prices == ["0", "4.99"])
            let byDate = try await results(larder, "/v1/itunes/search?q=notes&sort=date")
            let dates = byDate.compactMap { $0["publishedAt"]?.string }
            #expect(dates.count == 3)
            #expect(dates == dates.sorted(by: >))
            #expect(try await titles(larder, "/v1/itunes/search?q=notes&sort=relevance").count == 3)
            #expect(origin.requests(to: "/itunes/search") == 2, "an order is Larder's own: it costs no call")
        }
    }

    @Test(arguments: [
        ("en_us", ["9 Lives", "10 Years", "Äpfel", "apple", "Éclair", "Eclipse", "zebra", "Zoo"]),
        // In Swedish, Ä is a separate letter after Z.
        ("sv_se", ["9 Lives", "10 Years", "apple", "Éclair", "Eclipse", "zebra", "Zoo", "Äpfel"]),
    ])
    func namesAreInTheOrderThatPeopleExpect(_ language: String, _ expected: [String]) async throws {
        let names = ["zebra", "Éclair", "apple", "Zoo", "Eclipse", "Äpfel", "10 Years", "9 Lives"]
        let source = OriginSource.custom { request in
            guard request.path == "/itunes/search" else { return nil }
            let records = names.enumerated().map { number, name in
                #"{"wrapperType":"track","kind":"song","trackId":\#(number + 1),"trackName":"\#(name)"}"#
            }
            let body = #"{"resultCount":\#(records.count),"results":[\#(records.joined(separator: ","))]}"#
            return OriginAnswer(fields: ["Content-Type": "text/javascript; charset=utf-8"], body: Bytes(text: body))
        }
        try await withSamples(source) { larder, _ in
            let sorted = try await titles(larder, "/v1/itunes/search?q=x&sort=name&lang=\(language)")
            #expect(sorted == expected)
            let unsorted = try await titles(larder, "/v1/itunes/search?q=x&lang=\(language)")
            #expect(unsorted == names)
        }
    }

    @Test func aLookUpFindsRecordsAndWhatBelongsToThem() async throws {
        try await withSamples { larder, origin in
            let album = try await results(larder, "/v1/itunes/lookup?id=1440857780")
            #expect(album.compactMap { $0["id"]?.string } == ["itunes:album:1440857780"])
            let songs = try await results(larder, "/v1/itunes/lookup?id=1440857780&entity=song")
            #expect(songs.count == 11)
            #expect(songs.dropFirst().allSatisfy { $0["kind"]?.string == "song" })
            let sorted = try await titles(larder, "/v1/itunes/lookup?id=1440857780&entity=song&sort=name")
            #expect(sorted.first == "Banana Pancakes")
            #expect(try await results(larder, "/v1/itunes/lookup?id=1").isEmpty)
            for wrong in ["", "?id=", "?id=abc", "?isbn=123", "?id=1&isbn=9780316069359", "?name=x"] {
                #expect(try await larder.get("/v1/itunes/lookup\(wrong)").status == 400)
            }
            #expect(origin.requests(to: "/itunes/lookup") == 3)
        }
    }

    // MARK: NewsAPI

    @Test func headlinesAndArticlesAndSourcesAreHad() async throws {
        try await withSamples { larder, origin in
            let headlines = try await larder.get("/v1/news/headlines?country=us").json()
            #expect(headlines["count"]?.integer == 6)
            let source = try #require(headlines["sources"]?.elements.first { _ in true })
            #expect(source["dropped"]?.integer == 1, "the withdrawn article is counted")
            #expect(source["total"]?.integer == 7)
            #expect(try await results(larder, "/v1/news/headlines?category=science").count == 1)
            #expect(try await results(larder, "/v1/news/headlines?sources=sample-tech").count == 2)
            #expect(try await results(larder, "/v1/news/headlines?q=octopus").count == 1)
            #expect(try await results(larder, "/v1/news/headlines?country=fr").isEmpty)

            let everything =
                "q=cache&qInTitle=cache&searchIn=title,content&sources=sample-tech&domains=example.com"
                + "&excludeDomains=example.org&from=2026-11-01&to=2026-11-20T12:00:00&language=en&sortBy=popularity"
                + "&limit=50&page=2"
            _ = try await results(larder, "/v1/news/everything?\(everything)")
            let question = try lastQuestion(origin, "/newsapi/v2/everything")
            for item in try QueryParameters(parsing: everything).items {
                let name = item.name == "limit" ? "pageSize" : item.name
                #expect(question[name] == item.value, "\(name)")
            }

            #expect(try await results(larder, "/v1/news/sources").count == 6)
            #expect(
                try await titles(larder, "/v1/news/sources?name=SAMPLE&sort=name")
                    == ["Sample Science", "Sample Sports", "Sample Tech", "The Morning Sample"])
            #expect(try await titles(larder, "/v1/news/sources?name=spécimen") == ["Le Spécimen"])
            #expect(origin.requests(to: "/newsapi/v2/sources") == 1, "a filter by name is Larder's own")
            #expect(try await titles(larder, "/v1/news/sources?country=gb&category=science") == ["Sample Science"])
            #expect(try await titles(larder, "/v1/news/sources?language=de") == ["Beispiel-Zeitung"])
            for wrong in [
                "headlines", "headlines?country=usa", "everything", "everything?q=a&from=soon", "sources?x=1",
            ] {
                #expect(try await larder.get("/v1/news/\(wrong)").status == 400)
            }
        }
    }

    // MARK: D&D

    @Test(arguments: [
        ("monsters", 7, "DRAGON", ["Adult Red Dragon", "Red Dragon Wyrmling", "Young Green Dragon"], "goblin"),
        ("equipment", 6, "o", ["Longsword", "Plate Armor", "Rope, hempen (50 feet)", "Torch"], "longsword"),
        ("spells", 5, "fire", ["Fire Bolt", "Fireball"], "misty-step"),
    ])
    func aCollectionHasAListASearchByNameAndRecords(
        _ collection: String, _ count: Int, _ name: String, _ named: [String], _ index: String
    ) async throws {
        try await withSamples { larder, origin in
            let list = "/v1/dnd/\(collection)"
            #expect(try await results(larder, list).count == count)
            #expect(try await titles(larder, "\(list)?name=\(name)") == named)
            #expect(try await titles(larder, "\(list)?name=nothing-like-it").isEmpty)
            #expect(origin.requests(to: "/dnd5e/") == 1, "a name is searched in the list at hand")

            let record = try #require(try await results(larder, "\(list)/\(index)").first)
            #expect(record["id"]?.string?.hasSuffix(":\(index)") == true)
            #expect((record["price"]?["currency"]?.string == "gp") == (collection == "equipment"))
            #expect((record["artwork"] != nil) == (collection == "monsters"))

            for round in 1...2 {
                let unknown = try await larder.get("\(list)/tarrasque-junior")
                #expect(unknown.status == 404, "\(unknown)")
                #expect(unknown["Content-Type"] == "application/problem+json")
                #expect(try unknown.json()["class"]?.string == "notFound")
                #expect(unknown["Cache-Status"]?.contains(round == 1 ? "fwd=uri-miss" : "hit") == true, "\(unknown)")
            }
            #expect(origin.requests(to: "/dnd5e/") == 3, "an absence is remembered")
            #expect(try await larder.get("\(list)/No%20Index").status == 400)
            #expect(try await larder.get("/raw/dnd5e/api/2014/\(collection)/\(index)").status == 200)
        }
    }

    @Test(arguments: [
        ("classes", ["Bard", "Wizard"]), ("conditions", ["Blinded"]), ("rules?edition=2014", ["Adventuring"]),
        ("species", ["Dwarf"]), ("classes/wizard", ["Wizard"]), ("species/dwarf?edition=2024", ["Dwarf"]),
    ])
    func theOtherCollectionsOfBothEditionsAreHadToo(_ route: String, _ named: [String]) async throws {
        try await withSamples { larder, _ async throws in
            #expect(try await titles(larder, "/v1/dnd/\(route)") == named)
        }
    }

    @Test func theRestOfTheRulesIsHadRaw() async throws {
        try await withSamples { larder, _ in
            #expect(try await larder.get("/v1/dnd/dragons").status == 404)
            #expect(try await larder.get("/raw/dnd5e/api/2014/levels").status == 404)
            let direct = OriginSamples.answer("dnd5e", path: "/api/2014/spells", query: "level=2&lang=en")
            let raw = try await larder.get("/raw/dnd5e/api/2014/spells?level=2")
            #expect(raw.status == 200 && raw.body == direct.body)
        }
    }

    // MARK: Several sources at once

    @Test func oneSearchOverAllSourcesInterleavesThem() async throws {
        try await withSamples { larder, origin in
            let answer = try await larder.get("/v1/search?q=a&sort=name")
            #expect(answer.status == 200, "\(answer)")
            let envelope = try answer.json()
            let sources = Array(try #require(envelope["sources"]).elements)
            #expect(sources.compactMap { $0["provider"]?.string } == ["itunes", "newsapi", "dnd5e", "hackernews"])
            let counts = sources.compactMap { $0["count"]?.integer }
            #expect(counts.allSatisfy { $0 > 0 })
            #expect(envelope["count"]?.integer == counts.reduce(0, +))
            #expect(envelope["results"]?.count == counts.reduce(0, +))

            origin.script("/newsapi", Array(repeating: .status(500), count: 4))
            let partial = try await larder.get("/v1/search?q=b&source=news,dnd")
            #expect(partial.status == 200, "\(partial)")
            #expect(try partial.json()["state"]?.string == "partial")
            let news = try #require(partial.json()["sources"]?.elements.first { $0["provider"]?.string == "newsapi" })
            #expect(news["state"]?.string == "failed")
            #expect(news["error"]?["class"]?.string == "broken")
        }
    }
}
