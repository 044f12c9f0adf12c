// Every recorded response goes through classification and normalisation, and nothing in it may be lost on the way.
import LarderCore
import Testing

@testable import LarderProviders

/// Checks what must hold for every normalised response.
func expectWhole(
    _ answer: NormalisedAnswer, from upstream: Int?, provider: String, signer: ArtworkSigner,
    _ place: SourceLocation = #_sourceLocation
) throws {
    let results = Array(try JSON.parse(answer.results).elements)
    #expect(results.count == answer.count, sourceLocation: place)
    if let upstream {
        #expect(answer.count + answer.dropped == upstream, "\(answer.droppedReasons)", sourceLocation: place)
    }
    #expect(answer.dropped == answer.droppedReasons.values.reduce(0, +), sourceLocation: place)
    for result in results {
        let id = try #require(result["id"]?.string, sourceLocation: place)
        let kind = try #require(result["kind"]?.string, sourceLocation: place)
        #expect(id.hasPrefix("\(provider):\(kind):"), sourceLocation: place)
        #expect(result["provider"]?.string == provider, sourceLocation: place)
        #expect(result["title"]?.string?.isEmpty == false, sourceLocation: place)
        if let price = result["price"] {
            #expect((price["amount"]?.double ?? -1) >= 0, sourceLocation: place)
            #expect(price["currency"]?.string?.isEmpty == false, sourceLocation: place)
        }
        if let date = result["publishedAt"]?.string {
            #expect(date.count == 20 && date.hasSuffix("Z") && date.contains("T"), "\(date)", sourceLocation: place)
        }
        if let artwork = result["artwork"] {
            for size in ["small", "large"] {
                let path = try #require(artwork[size]?.string, sourceLocation: place)
                #expect(path.hasPrefix("/v1/artwork/"), sourceLocation: place)
                let opened = try #require(signer.open(path.dropFirst("/v1/artwork/".count)), sourceLocation: place)
                #expect(opened.provider == provider, sourceLocation: place)
                #expect(opened.url.hasPrefix("http"), sourceLocation: place)
            }
            #expect(artwork["original"]?.string?.hasPrefix("http") == true, sourceLocation: place)
        }
        for member in result.members {
            #expect(!member.value.isNull, "\(member.name) is null", sourceLocation: place)
            #expect(member.value.string != "", "\(member.name) is empty", sourceLocation: place)
        }
    }
}

@Suite struct RecordingsTests {
    let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    @Test(arguments: Recording.all.filter { $0.api == "itunes" })
    func iTunesRecordingIsClassifiedAndKeptWhole(_ recording: Recording) throws {
        let provider = SpecProvider(.iTunes)
        let name = recording.path.contains("lookup") ? "lookup" : "search"
        let response = try recording.response()
        let classification = provider.classify(response, endpoint: name)
        if recording.status == 400 {
            #expect(classification == .invalidRequest("Invalid value(s) for key(s): [resultEntity]"))
            return
        }
        #expect(classification == (recording.count == 0 ? .empty : .data))
        let query = QueryParameters(name == "search" ? [.init("term", "x")] : [.init("id", "1")])
        let answer = try provider.endpoint(path: [name], query: query).normalise(response, signer)
        try expectWhole(answer, from: recording.count, provider: "itunes", signer: signer)
        #expect(answer.dropped == 0, "\(answer.droppedReasons)")

        // Prices, dates and pictures: as many as in the source.
        let upstream = Array(try #require(try JSON.parse(response.body)["results"]).elements)
        let results = Array(try JSON.parse(answer.results).elements)
        for (raw, result) in zip(upstream, results) {
            #expect((raw["releaseDate"]?.string != nil) == (result["publishedAt"] != nil))
            #expect((raw["artworkUrl100"]?.string ?? raw["artworkUrl600"]?.string != nil) == (result["artwork"] != nil))
            let price = (raw["trackPrice"] ?? raw["price"] ?? raw["collectionPrice"]).flatMap { $0.isNull ? nil : $0 }
            if let amount = price?.double, amount >= 0, raw["wrapperType"]?.string != "podcastEpisode" {
                #expect(result["price"]?["amount"]?.double == amount)
                #expect(result["price"]?["currency"]?.string == raw["currency"]?.string)
            }
            #expect(
                (raw["primaryGenreName"]?.string ?? raw["genres"]?.elements.first { _ in true }?.string != nil)
                    == (result["genres"] != nil) || raw["genres"] != nil)
        }
    }

    @Test(arguments: Recording.all.filter { $0.api == "newsapi" })
    func newsRecordingIsClassifiedAndKeptWhole(_ recording: Recording) throws {
        let provider = SpecProvider(.newsAPI)
        let name =
            recording.path.contains("sources") ? "sources" : recording.path.contains("top") ? "headlines" : "everything"
        let response = try recording.response()
        let classification = provider.classify(response, endpoint: name)
        switch recording.status {
        case 400: return #expect(classification.word == "invalidRequest")
        case 401: return #expect(classification.word == "refused")
        case 429: return #expect(classification == .limited(until: nil))
        default: #expect(classification == .data)
        }
        let query = QueryParameters(name == "sources" ? [] : [.init("q", "x")])
        let answer = try provider.endpoint(path: [name], query: query).normalise(response, signer)
        try expectWhole(answer, from: recording.count, provider: "newsapi", signer: signer)
        let raw = try JSON.parse(response.body)
        let removed = (raw["articles"]?.elements.filter { $0["title"]?.string == "[Removed]" } ?? []).count
        let urls = raw["articles"]?.elements.filter { $0["title"]?.string != "[Removed]" }.compactMap {
            $0["url"]?.string
        }
        let repeated = (urls?.count ?? 0) - Set(urls ?? []).count
        #expect(answer.dropped == removed + repeated, "\(answer.droppedReasons)")
        guard name != "sources" else { return }
        let results = Array(try JSON.parse(answer.results).elements)
        #expect(results.allSatisfy { $0["publishedAt"] != nil && $0["url"] != nil })
        #expect(Set(results.compactMap { $0["url"]?.string }).count == results.count)
        #expect(Set(results.compactMap { $0["id"]?.string }).count == results.count)
    }

    @Test(arguments: Recording.all.filter { $0.api == "dnd5e" && !$0.file.contains("details") })
    func dndRecordingIsClassifiedAndKeptWhole(_ recording: Recording) throws {
        let provider = SpecProvider(.dnd)
        let segments = recording.path.split(separator: "/").map(String.init)
        let path = Array(segments.dropFirst(2))
        let endpoint = try provider.endpoint(path: path, query: QueryParameters())
        #expect(endpoint.upstream.target == recording.path + "?lang=en")
        let response = try recording.response()
        #expect(provider.classify(response, endpoint: endpoint.name) == .data)
        let answer = try endpoint.normalise(response, signer)
        try expectWhole(answer, from: recording.count ?? 1, provider: "dnd5e", signer: signer)
        #expect(answer.dropped == 0)
    }

    @Test(arguments: Recording.all.filter { $0.file.contains("details") })
    func everyDnDRecordBecomesOneResult(_ recording: Recording) throws {
        let provider = SpecProvider(.dnd)
        let segments = recording.path.split(separator: "/").map(String.init)
        for member in try JSON.parse(Recording.body(recording.file)).members {
            let endpoint = try provider.endpoint(path: [segments[2], member.name], query: QueryParameters())
            let response = Recording.response(200, member.value.raw, api: "dnd5e")
            #expect(provider.classify(response, endpoint: "details") == .data)
            let answer = try endpoint.normalise(response, signer)
            try expectWhole(answer, from: 1, provider: "dnd5e", signer: signer)
            let result = try #require(JSON.parse(answer.results).elements.first { _ in true })
            #expect(result["id"]?.string?.hasSuffix(":" + member.name) == true)
            if segments[2] == "equipment" {
                #expect(result["price"]?["amount"]?.numberText == member.value["cost"]?["quantity"]?.numberText)
                #expect(result["price"]?["currency"]?.string == member.value["cost"]?["unit"]?.string)
            }
            if segments[2] == "monsters" {
                #expect(result["artwork"] != nil)
                #expect(result["attributes"]?["hitPoints"]?.integer == member.value["hit_points"]?.integer)
            }
            #expect(segments[2] == "equipment" || result["summary"] != nil)
            // Every member with content appears somewhere in the result.
            let told = result["attributes"]?.count ?? 0
            let voids = member.value.members.filter {
                $0.value.isNull || $0.value.string == "" || ($0.value.kind == .array && $0.value.count == 0)
            }
            let names = ["name", "url", "image", "cost", "desc", "updated_at"]
            let moved = member.value.members.filter { member in
                names.contains(member.name) && !voids.contains { $0.name == member.name }
            }
            #expect(told + voids.count + moved.count == member.value.count)
        }
    }
}
