// Samples in the form of the iTunes Search API, as from the store of the United States.
import LarderCore

struct ITunesSamples: SampleAPI {
    let name = "itunes"
    let paths = ["/search", "/lookup"]
    let fields: HeaderFields = [
        "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "max-age=86400",
        "Content-Disposition": "attachment; filename=1.txt", "Vary": "Accept-Encoding",
        "Access-Control-Allow-Origin": "*",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.defaults = ["country": "us", "media": "all"]
        return rule
    }

    var questions: [SampleQuestion] {
        [
            .search("jack johnson", ("source", "itunes")),
            .search("notes", ("source", "itunes"), ("category", "software"), ("sort", "price")),
        ]
    }

    var recordedQuestions: [SampleQuestion] {
        [
            .search("Jose James", ("source", "itunes"), ("category", "music")),
            .search("Doodle Jump", ("source", "itunes"), ("category", "software")),
        ]
    }

    /// Sort orders that the API does not document are left out.
    func route(of recording: RecordedRequest, key: String?) -> String? {
        var items = recording.items
        items.removeAll { $0.hasPrefix("sort=") || recording.path == "/lookup" && $0.hasPrefix("media=") }
        return "/v1/itunes\(recording.path)?\(items.joined(separator: "&"))"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        switch request.path {
        case "/search": search(request.parameters)
        case "/lookup": lookup(request.parameters)
        default: .text(404, "Not Found")
        }
    }

    func isPicture(member: String, _ text: String) -> Bool { member.hasPrefix("artworkUrl") }

    func nothing(at path: String) -> SampleAnswer {
        path == "/search" || path == "/lookup" ? list([], "US") : .text(404, "Not Found")
    }

    /// A list in the API's layout, with blank lines before and after it.
    private func list(_ items: [Item], _ country: String) -> SampleAnswer {
        let isBritish = country.uppercased() == "GB"
        let records = items.map { item in
            var writer = JSONWriter()
            writer.object {
                $0.members(of: item.record, replacing: isBritish ? ["currency": "GBP", "country": "GBR"] : [:])
            }
            return writer.bytes
        }
        var body = Bytes(text: "\n\n\n{\n \"resultCount\":\(records.count),\n \"results\": [\n")
        body += records.joined(separator: Bytes(text: ", \n"))
        body += Bytes(text: "]\n}\n\n\n")
        return SampleAnswer(fields: fields, body: body)
    }

    private func search(_ parameters: QueryParameters) -> SampleAnswer {
        let country = parameters["country"] ?? "US"
        guard country.utf8.count == 2 else { return invalid("country") }
        let entity = parameters["entity"]
        let media = parameters["media"].flatMap { $0 == "all" ? nil : $0 }
        if let entity, !Self.items.contains(where: { $0.entities.contains(entity) }),
            !Self.otherEntities.contains(entity)
        {
            return invalid("resultEntity")
        }
        let found = Self.items.filter { item in
            guard SampleText.matches(item.words, parameters["term"] ?? "") else { return false }
            if let entity { return item.entities.contains(entity) }
            // Without an entity, a search returns tracks but no albums.
            return item.kind != "collection" && (media == nil || item.media == media)
        }
        let offset = parameters["offset"].flatMap { Int($0) } ?? 0
        let limit = parameters["limit"].flatMap { Int($0) } ?? 50
        return list(Array(found.dropFirst(max(0, offset)).prefix(min(max(limit, 1), 200))), country)
    }

    private func lookup(_ parameters: QueryParameters) -> SampleAnswer {
        let ids = (parameters["id"] ?? "").split(separator: ",").map { Int($0) }
        if ids.contains(nil) { return invalid("itunesId") }
        let wanted = Set(ids.compactMap { $0 })
        var found = Self.items.filter { wanted.contains($0.id) }
        // With an entity, the record itself comes first and its children follow.
        if let entity = parameters["entity"] {
            found += Self.items.filter { item in
                !wanted.contains(item.id) && item.entities.contains(entity) && !wanted.isDisjoint(with: item.parents)
            }
        }
        return list(found, parameters["country"] ?? "US")
    }

    private func invalid(_ key: String) -> SampleAnswer {
        json(status: 400) { $0.member("errorMessage", "Invalid value(s) for key(s): [\(key)]") }
    }

    /// Entities that the API has but that have no sample.
    private static let otherEntities = [
        "movieArtist", "podcastAuthor", "podcastEpisode", "musicArtist", "musicVideo", "mix", "audiobookAuthor",
        "shortFilmArtist", "shortFilm", "tvEpisode", "tvSeason", "macSoftware", "tvSoftware", "allArtist",
    ]

    private static let items = SampleFile("ITunes/items").records().map { Item(record: $0) }

    /// One record of the sample store.
    private struct Item: Sendable {
        let record: JSONValue

        /// Albums and audiobooks have no kind; their wrapper type is used instead.
        var kind: String { record["kind"]?.string ?? record["wrapperType"]?.string ?? "" }
        var id: Int { record["trackId"]?.integer ?? record["collectionId"]?.integer ?? 0 }
        /// The ids of the record's collection and artist.
        var parents: [Int] { ["collectionId", "artistId"].compactMap { record[$0]?.integer } }

        var words: String {
            ["trackName", "artistName", "collectionName", "primaryGenreName", "description"]
                .compactMap { record[$0]?.string }.joined(separator: " ")
        }

        /// The entities of the API that return this kind.
        var entities: [String] {
            switch kind {
            case "song": ["song", "musicTrack", "allTrack"]
            case "collection": ["album"]
            case "feature-movie": ["movie", "allTrack"]
            case "software": ["software", "iPadSoftware"]
            default: [kind]
            }
        }

        var media: String { ["song", "collection"].contains(kind) ? "music" : entities[0] }
    }
}
