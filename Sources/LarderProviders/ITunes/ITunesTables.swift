// Tables of the iTunes Search API: the media with their entities and attributes, and Larder's four categories.

/// The categories that a user can choose for a search.
enum ITunesCategory: String, CaseIterable, Sendable {
    case all
    case music
    case software
    case ebooks

    /// The media and entity of a category. `media=ebook` alone is reported to fail; `entity=ebook` works.
    var question: (media: String?, entity: String?) {
        switch self {
        case .all: (nil, nil)
        case .music: ("music", nil)
        case .software: ("software", nil)
        case .ebooks: (nil, "ebook")
        }
    }
}

enum ITunesTables {
    static let media = entities.map(\.media)

    /// Entities by media, in the API's own order.
    static let entities: [(media: String, entities: [String])] = [
        ("movie", ["movieArtist", "movie"]),
        ("podcast", ["podcastAuthor", "podcast", "podcastEpisode"]),
        ("music", ["musicArtist", "musicTrack", "album", "musicVideo", "mix", "song"]),
        ("musicVideo", ["musicArtist", "musicVideo"]),
        ("audiobook", ["audiobookAuthor", "audiobook"]),
        ("shortFilm", ["shortFilmArtist", "shortFilm"]),
        ("tvShow", ["tvEpisode", "tvSeason"]),
        ("software", ["software", "iPadSoftware", "macSoftware", "tvSoftware"]),
        ("ebook", ["ebook"]),
        (
            "all",
            [
                "movie", "album", "allArtist", "podcast", "musicVideo", "mix", "audiobook", "tvSeason", "allTrack",
            ]
        ),
    ]

    static let attributes: [String: [String]] = [
        "movie": [
            "actorTerm", "genreIndex", "artistTerm", "shortFilmTerm", "producerTerm", "ratingTerm", "directorTerm",
            "releaseYearTerm", "featureFilmTerm", "movieArtistTerm", "movieTerm", "ratingIndex", "descriptionTerm",
        ],
        "podcast": [
            "titleTerm", "languageTerm", "authorTerm", "genreIndex", "artistTerm", "ratingIndex", "keywordsTerm",
            "descriptionTerm",
        ],
        "music": ["mixTerm", "genreIndex", "artistTerm", "composerTerm", "albumTerm", "ratingIndex", "songTerm"],
        "musicVideo": ["genreIndex", "artistTerm", "albumTerm", "ratingIndex", "songTerm"],
        "audiobook": ["titleTerm", "authorTerm", "genreIndex", "ratingIndex"],
        "shortFilm": ["genreIndex", "artistTerm", "shortFilmTerm", "ratingIndex", "descriptionTerm"],
        "software": ["softwareDeveloper"],
        "tvShow": ["genreIndex", "tvEpisodeTerm", "showTerm", "tvSeasonTerm", "ratingIndex", "descriptionTerm"],
        "ebook": ["titleTerm", "authorTerm", "genreIndex", "ratingIndex"],
    ]

    /// All entities, each once.
    static let allEntities = unique(entities.flatMap(\.entities))

    /// The attributes of one media. For "all", the attributes of every media and two more.
    static func attributes(of media: String?) -> [String] {
        if let media, let own = attributes[media] { return own }
        return unique(entities.flatMap { attributes[$0.media] ?? [] } + ["allArtistTerm", "allTrackTerm"])
    }

    static func entities(of media: String?) -> [String] {
        entities.first { $0.media == media }?.entities ?? allEntities
    }

    /// The parameters by which `/lookup` finds records.
    static let lookupKeys = ["id", "upc", "isbn", "bundleId", "amgArtistId", "amgAlbumId", "amgVideoId"]

    private static func unique(_ words: [String]) -> [String] {
        words.reduce(into: []) { known, word in if !known.contains(word) { known.append(word) } }
    }
}
