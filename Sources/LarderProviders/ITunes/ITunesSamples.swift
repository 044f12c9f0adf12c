// Samples in the shape of the iTunes Search API.
import LarderCore

/// One record of the sample store.
private struct StoreItem: Sendable {
    enum Kind: String { case song, album, movie = "feature-movie", podcast, software, ebook, audiobook }

    var kind: Kind
    var id: Int
    var title: String
    var artist: String
    var artistID: Int
    var collection: String
    var collectionID: Int
    var price: String
    var released: String
    var genre: String
    var summary = ""

    var words: String { "\(title) \(artist) \(collection) \(genre) \(summary)" }

    /// Entities of the API that bring this kind.
    var entities: [String] {
        switch kind {
        case .song: ["song", "musicTrack", "allTrack"]
        case .album: ["album"]
        case .movie: ["movie", "allTrack"]
        case .podcast: ["podcast"]
        case .software: ["software", "iPadSoftware"]
        case .ebook: ["ebook"]
        case .audiobook: ["audiobook"]
        }
    }

    var media: String {
        switch kind {
        case .song, .album: "music"
        case .movie, .podcast, .software, .ebook, .audiobook: entities[0]
        }
    }

    /// Without an entity a search brings tracks, not whole albums.
    var isTrackLike: Bool { kind != .album }
}

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

    /// Orders that the API documents nowhere are left out.
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
        path == "/search" || path == "/lookup" ? list([]) : .text(404, "Not Found")
    }

    /// A list as the API writes it: blank lines before and after.
    private func list(_ records: [Bytes]) -> SampleAnswer {
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
            return item.isTrackLike && (media == nil || item.media == media)
        }
        let offset = parameters["offset"].flatMap { Int($0) } ?? 0
        let limit = parameters["limit"].flatMap { Int($0) } ?? 50
        return list(found.dropFirst(max(0, offset)).prefix(min(max(limit, 1), 200)).map { Self.record($0, country) })
    }

    private func lookup(_ parameters: QueryParameters) -> SampleAnswer {
        let ids = (parameters["id"] ?? "").split(separator: ",").map { Int($0) }
        if ids.contains(nil) { return invalid("itunesId") }
        let wanted = ids.compactMap { $0 }
        var found = Self.items.filter { wanted.contains($0.id) }
        // With an entity the record looked up comes first, its children after.
        if let entity = parameters["entity"] {
            found += Self.items.filter { item in
                !wanted.contains(item.id) && item.entities.contains(entity)
                    && (wanted.contains(item.collectionID) || wanted.contains(item.artistID))
            }
        }
        return list(found.map { Self.record($0, parameters["country"] ?? "US") })
    }

    private func invalid(_ key: String) -> SampleAnswer {
        json(status: 400) { $0.member("errorMessage", "Invalid value(s) for key(s): [\(key)]") }
    }

    /// Entities that the API knows and of which there is no sample.
    private static let otherEntities = [
        "movieArtist", "podcastAuthor", "podcastEpisode", "musicArtist", "musicVideo", "mix", "audiobookAuthor",
        "shortFilmArtist", "shortFilm", "tvEpisode", "tvSeason", "macSoftware", "tvSoftware", "allArtist",
    ]

    private static func record(_ item: StoreItem, _ country: String) -> Bytes {
        let (currency, letters) = country.uppercased() == "GB" ? ("GBP", "GBR") : ("USD", "USA")
        var writer = JSONWriter()
        writer.object { writer in
            if item.kind != .ebook { writer.member("wrapperType", wrapper(item.kind)) }
            if item.kind == .album {
                writer.member("collectionType", "Album")
            } else if item.kind != .audiobook {
                writer.member("kind", item.kind.rawValue)
            }
            writer.member("artistId", item.artistID)
            writer.member("artistName", item.artist)
            let isCollection = item.kind == .album || item.kind == .audiobook
            if !item.collection.isEmpty || isCollection {
                writer.member("collectionId", isCollection ? item.id : item.collectionID)
                writer.member("collectionName", isCollection ? item.title : item.collection)
            }
            let page = "https://music.apple.com/us/sample/\(item.id)?uo=4"
            if isCollection {
                writer.member("collectionViewUrl", page)
            } else {
                writer.member("trackId", item.id)
                writer.member("trackName", item.title)
                writer.member("trackCensoredName", item.title)
                writer.member("trackViewUrl", page)
            }
            let thumb = "https://is1-ssl.mzstatic.com/image/thumb/Sample/v4/\(item.collectionID)/source"
            writer.member("artworkUrl60", "\(thumb)/60x60bb.jpg")
            writer.member("artworkUrl100", "\(thumb)/100x100bb.jpg")
            if item.kind == .software { writer.member("artworkUrl512", "\(thumb)/512x512bb.jpg") }
            let isWhole = item.kind == .software || item.kind == .ebook
            writer.member(
                isWhole ? "price" : isCollection ? "collectionPrice" : "trackPrice", raw: Bytes(text: item.price))
            if item.kind == .song { writer.member("collectionPrice", raw: Bytes(text: "9.99")) }
            writer.member("currency", currency)
            writer.member("country", letters)
            writer.member("releaseDate", item.released)
            writer.member("primaryGenreName", item.genre)
            if item.kind == .song {
                writer.member("trackTimeMillis", 150_000 + item.id % 97 * 1000)
                writer.member("trackExplicitness", "notExplicit")
                writer.member("isStreamable", true)
            }
            if item.kind == .software {
                writer.member("bundleId", "org.example.sample\(item.id)")
                writer.member("version", "1.4.2")
                writer.member("fileSizeBytes", "48234496")
                writer.member("genres", strings: [item.genre, "Utilities"])
                writer.member("sellerName", item.artist)
            }
            if !item.summary.isEmpty { writer.member("description", item.summary) }
        }
        return writer.bytes
    }

    private static func wrapper(_ kind: StoreItem.Kind) -> String {
        switch kind {
        case .album: "collection"
        case .software: "software"
        case .audiobook: "audiobook"
        case .song, .movie, .podcast, .ebook: "track"
        }
    }

    private static func songs(
        _ artist: String, _ artistID: Int, _ album: String, _ albumID: Int, _ released: String, _ genre: String,
        _ titles: [String]
    ) -> [StoreItem] {
        let songs = titles.enumerated().map { number, title in
            StoreItem(
                kind: .song, id: albumID + number + 1, title: title, artist: artist, artistID: artistID,
                collection: album,
                collectionID: albumID, price: number % 3 == 2 ? "0.99" : "1.29", released: released, genre: genre)
        }
        return songs + [
            StoreItem(
                kind: .album, id: albumID, title: album, artist: artist, artistID: artistID, collection: album,
                collectionID: albumID, price: "9.99", released: released, genre: genre)
        ]
    }

    private static let items: [StoreItem] =
        songs(
            "Jack Johnson", 909_253, "In Between Dreams", 1_440_857_780, "2005-03-01T12:00:00Z", "Rock",
            [
                "Better Together", "Never Know", "Banana Pancakes", "Good People", "No Other Way",
                "Sitting, Waiting, Wishing", "Staple It Together", "Situations", "Crying Shame", "Belle",
            ])
        + songs(
            "Jack Johnson", 909_253, "On and On", 1_440_752_310, "2003-05-06T12:00:00Z", "Rock",
            ["Times Like These", "The Horizon Has Been Defeated", "Traffic in the Sky", "Taylor", "Gone", "Cupid"])
        + songs(
            "Johann Sebastian Bach", 79_587, "Das wohltemperierte Klavier", 1_452_003_100, "2016-01-15T12:00:00Z",
            "Classical",
            [
                "Präludium und Fuge Nr. 1 in C-Dur", "Präludium und Fuge Nr. 2 in c-Moll",
                "Präludium und Fuge Nr. 10 in e-Moll",
            ])
        + [
            StoreItem(
                kind: .ebook, id: 395_530_001, title: "Alice's Adventures in Wonderland", artist: "Lewis Carroll",
                artistID: 3_599, collection: "", collectionID: 395_530_001, price: "0.00",
                released: "1865-11-26T08:00:00Z", genre: "Classics",
                summary: "<b>Alice</b> falls down a rabbit hole &amp; into a world of her own.<br />Public domain."),
            StoreItem(
                kind: .ebook, id: 395_530_002, title: "Through the Looking-Glass", artist: "Lewis Carroll",
                artistID: 3_599, collection: "", collectionID: 395_530_002, price: "1.99",
                released: "1871-12-27T08:00:00Z", genre: "Classics", summary: "Alice again, now by way of a mirror."),
            StoreItem(
                kind: .audiobook, id: 395_530_003, title: "Alice in Wonderland (Unabridged)", artist: "Lewis Carroll",
                artistID: 3_599, collection: "", collectionID: 395_530_003, price: "5.95",
                released: "2011-02-03T08:00:00Z", genre: "Fiction"),
            StoreItem(
                kind: .software, id: 510_000_001, title: "Pocket Notes", artist: "Example Works", artistID: 510_000,
                collection: "", collectionID: 510_000_001, price: "0.00", released: "2019-06-01T07:00:00Z",
                genre: "Productivity", summary: "Notes, lists and nothing else.\n\n\n• Works offline"),
            StoreItem(
                kind: .software, id: 510_000_002, title: "Notes for Chess", artist: "Example Works", artistID: 510_000,
                collection: "", collectionID: 510_000_002, price: "4.99", released: "2021-09-14T07:00:00Z",
                genre: "Games",
                summary: "Write down a game while you play it."),
            StoreItem(
                kind: .podcast, id: 620_000_001, title: "Notes from the Server Room", artist: "Example Radio",
                artistID: 620_000, collection: "Notes from the Server Room", collectionID: 620_000_001, price: "0",
                released: "2026-11-18T05:00:00Z", genre: "Technology"),
            StoreItem(
                kind: .movie, id: 730_000_001, title: "A Trip to the Moon", artist: "Georges Méliès", artistID: 730_000,
                collection: "", collectionID: 730_000_001, price: "3.99", released: "1902-09-01T07:00:00Z",
                genre: "Sci-Fi & Fantasy", summary: "Astronomers fly to the moon in a shell."),
        ]
}
