// The records of iTunes as results. Every member may be missing. What a record wraps (a track, a collection, an artist, or
// nothing, as with an ebook) decides which members hold the title, the id and the price.
import LarderCore

enum ITunesRecord {
    static let shapes = [
        ShapeSpec("@.wrapperType == 'artist'", artist), ShapeSpec("@.wrapperType == 'audiobook'", audiobook),
        ShapeSpec("@.wrapperType == 'collection' && @.collectionType == 'TV Season'", season),
        ShapeSpec("@.wrapperType == 'collection' || @.kind == 'album'", album),
        ShapeSpec("@.kind == 'artist'", artist), ShapeSpec("@.kind == 'podcast'", podcast),
        ShapeSpec(
            "@.kind == 'software' || @.kind == 'mac-software' || @.kind == 'ebook' || @.kind == 'book'", program,
            kinds: (
                "$.kind", ["software": "software", "mac-software": "macSoftware", "ebook": "ebook", "book": "ebook"]
            )),
        ShapeSpec("@.kind > ''", track, kinds: ("$.kind", kinds)),
        // Some videos have a null kind. Such a record is known only to be a track.
        ShapeSpec("@.trackId != null && @.trackId && @.bundleId != null && @.bundleId", program),
        ShapeSpec("@.trackId != null && @.trackId", track),
        ShapeSpec("@.collectionId != null && @.collectionId", album),
        ShapeSpec("@.artistId != null && @.artistId", artist),
    ]

    /// The API's kinds of tracks. Any other keeps its name, in camel case.
    private static let kinds: KeyValuePairs = [
        "song": "song", "music-video": "musicVideo", "feature-movie": "movie", "tv-episode": "tvEpisode",
        "podcast-episode": "podcastEpisode", "coached-audio": "coachedAudio",
        "interactive-booklet": "interactiveBooklet", "pdf": "pdf", "track": "track",
    ]

    static let track = result(
        "track", id: "$.trackId", titles: ["$.trackName", "$.trackCensoredName"],
        urls: ["$.trackViewUrl", "$.collectionViewUrl"]
    ) {
        $0.price = PriceSpec(amounts: ["$.trackPrice", "$.price"], currency: "$.currency")
        $0.collection = .first("$.collectionName", as: .line)
        $0.attributes.insert(
            contentsOf: [
                AttributeSpec("collectionId", .number, .first("$.collectionId")),
                AttributeSpec("collectionUrl", .text, .first("$.collectionViewUrl", as: .link)),
                price("collectionPrice", "$.collectionPrice"),
            ], at: 3)
    }

    /// A podcast is its own collection. For other kinds, an id of another level would identify another thing. The unit of
    /// its length is unknown, sometimes seconds.
    private static let podcast = track.with {
        $0.kind = "podcast"
        $0.id = .first("$.trackId", "$.collectionId", as: .integer(.min ... .max))
        $0.title = .first("$.trackName", "$.trackCensoredName", "$.collectionName", as: .line)
        $0.attributes.removeAll { $0.name == "durationMillis" }
    }

    private static let program = track.with {
        $0.kind = "software"
        $0.attributes += [
            AttributeSpec("bundleId", .text, .first("$.bundleId")),
            AttributeSpec("version", .text, .first("$.version")),
            AttributeSpec("versionPublishedAt", .text, .first("$.currentVersionReleaseDate", as: .instant)),
            AttributeSpec("releaseNotes", .text, .first("$.releaseNotes", as: .paragraphs)),
            AttributeSpec("minimumOsVersion", .text, .first("$.minimumOsVersion")),
            AttributeSpec("fileSizeBytes", .number, .first("$.fileSizeBytes")),
            AttributeSpec("languages", .texts, .first("$.languageCodesISO2A[*]")),
            AttributeSpec("seller", .text, .first("$.sellerName")),
            AttributeSpec("sellerUrl", .text, .first("$.sellerUrl", as: .link)),
            AttributeSpec("screenshots", .texts, .first("$.screenshotUrls[*]", as: .link)),
            AttributeSpec("tabletScreenshots", .texts, .first("$.ipadScreenshotUrls[*]", as: .link)),
            AttributeSpec("televisionScreenshots", .texts, .first("$.appletvScreenshotUrls[*]", as: .link)),
            AttributeSpec("features", .texts, .first("$.features[*]")),
            AttributeSpec("supportedDevices", .texts, .first("$.supportedDevices[*]")),
        ]
    }

    /// An album's price is not the price of a track that is not sold separately; there it is an attribute.
    private static let album = result(
        "album", id: "$.collectionId", titles: ["$.collectionName", "$.collectionCensoredName"],
        urls: ["$.collectionViewUrl"], level: "collection"
    ) { $0.price = PriceSpec(amounts: ["$.collectionPrice", "$.price"], currency: "$.currency") }
    private static let audiobook = album.with { $0.kind = "audiobook" }
    private static let season = album.with { $0.kind = "tvSeason" }

    private static let artist = result(
        "artist", id: "$.artistId", titles: ["$.artistName"], urls: ["$.artistLinkUrl", "$.artistViewUrl"],
        level: "collection"
    ) {
        $0.creator = nil
        $0.attributes.removeAll { $0.name == "artistId" || $0.name == "artistUrl" }
    }

    /// - Parameter level: whose explicitness and price in high definition the record has.
    private static func result(
        _ kind: String, id: JSONPath, titles: [JSONPath], urls: [JSONPath], level: String = "track",
        _ change: (inout ResultSpec) -> Void = { _ in }
    ) -> ResultSpec {
        func first(_ paths: [JSONPath], as transforms: Transform...) -> FieldRule {
            FieldRule(sources: paths.map { .path($0) }, transforms: transforms)
        }
        return ResultSpec(
            kind: kind, id: first([id], as: .integer(.min ... .max)), title: first(titles, as: .line),
            creator: .first("$.artistName", as: .line), tellsOwnCollection: false,
            summary: .first("$.description", "$.longDescription", "$.shortDescription", as: .paragraphs),
            date: .first("$.releaseDate"), url: first(urls, as: .link),
            genres: .first("$.genres[*]", "$.genres[*].name", "$.primaryGenreName"), artwork: artwork,
            attributes: attributes(level)
        ).with(change)
    }

    private static let artwork = ArtworkSpec.urls(
        small: .first(
            "$.artworkUrl100", "$.artworkUrl60", "$.artworkUrl600", "$.artworkUrl512", "$.artworkUrl160",
            "$.artworkUrl30", as: .link),
        large: .any(
            .first("$.artworkUrl600", "$.artworkUrl512", as: .link),
            .first(
                "$.artworkUrl160", "$.artworkUrl100", "$.artworkUrl60", "$.artworkUrl30", as: .link,
                .using(ITunesArtwork.large))),
        original: .first(
            "$.artworkUrl600", "$.artworkUrl512", "$.artworkUrl160", "$.artworkUrl100", "$.artworkUrl60",
            "$.artworkUrl30", as: .link))

    private static func price(_ name: String, _ path: JSONPath) -> AttributeSpec {
        AttributeSpec(name, .price(currency: "$.currency"), .first(path))
    }

    private static func attributes(_ level: String) -> [AttributeSpec] {
        [
            AttributeSpec("artistId", .number, .first("$.artistId")),
            AttributeSpec("artistUrl", .text, .first("$.artistViewUrl", as: .link)),
            AttributeSpec("artistType", .text, .first("$.artistType")),
            price("hdPrice", JSONPath(stringLiteral: "$.\(level)HdPrice")),
            price("rentalPrice", "$.trackRentalPrice"), price("hdRentalPrice", "$.trackHdRentalPrice"),
            AttributeSpec("formattedPrice", .text, .first("$.formattedPrice")),
            AttributeSpec("storefront", .text, .first("$.country")),
            AttributeSpec("durationMillis", .number, .first("$.trackTimeMillis")),
            AttributeSpec("trackNumber", .number, .first("$.trackNumber")),
            AttributeSpec("trackCount", .number, .first("$.trackCount")),
            AttributeSpec("discNumber", .number, .first("$.discNumber")),
            AttributeSpec("discCount", .number, .first("$.discCount")),
            AttributeSpec("explicitness", .text, .first(JSONPath(stringLiteral: "$.\(level)Explicitness"))),
            AttributeSpec("contentRating", .text, .first("$.contentAdvisoryRating", "$.trackContentRating")),
            AttributeSpec("streamable", .flag, .first("$.isStreamable")),
            AttributeSpec("previewUrl", .text, .first("$.previewUrl", as: .link)),
            AttributeSpec("feedUrl", .text, .first("$.feedUrl", as: .link)),
            AttributeSpec("episodeUrl", .text, .first("$.episodeUrl", as: .link)),
            AttributeSpec("episodeGuid", .text, .first("$.episodeGuid")),
            AttributeSpec("copyright", .text, .first("$.copyright")),
            AttributeSpec("rating", .number, .first("$.averageUserRating")),
            AttributeSpec("ratingCount", .number, .first("$.userRatingCount")),
            AttributeSpec("collectionArtistId", .number, .first("$.collectionArtistId")),
            AttributeSpec("shortDescription", .text, .first("$.shortDescription", as: .paragraphs)),
            AttributeSpec("genreIds", .texts, .first("$.genreIds[*]")),
        ]
    }

    /// A lookup by ids returns the records with these ids. With `entity` it also returns their children, which contain
    /// the parent's id. Some of several ids may be unknown, so one record that contains one of them is enough. The id
    /// is the record's own, its collection's or its artist's, in a member that depends on the kind. Records contain no
    /// UPC, no ISBN and not every AMG id.
    static let isAskedFor = CheckFunction("itunes.ids") { request in
        guard let query = try? QueryParameters(parsing: request.query ?? "") else { return nil }
        var ids: Set<Int> = []
        var bundles: [String] = []
        for item in query.items {
            let values = (item.value ?? "").split(separator: ",").map(String.init)
            switch item.name {
            case "id":
                let numbers = values.compactMap { Int($0) }
                // The API may accept a value that is not a number here, such as a number after a space.
                guard numbers.count == values.count else { return nil }
                ids.formUnion(numbers)
            case "bundleId": bundles += values
            case "upc", "isbn", "amgArtistId", "amgAlbumId", "amgVideoId": return nil
            default: break
            }
        }
        guard !ids.isEmpty || !bundles.isEmpty else { return nil }
        return { [ids, bundles] root in
            root["results"]?.elements.contains { record in
                let bundle = record["bundleId"]?.string
                if let bundle, bundles.contains(where: { ASCII.equalFolded($0, bundle) }) { return true }
                return record.members.contains { $0.name.hasSuffix("Id") && $0.value.integer.map(ids.contains) == true }
            } ?? false
        }
    }
}
