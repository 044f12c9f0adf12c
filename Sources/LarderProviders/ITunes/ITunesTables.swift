// Tables of the iTunes Search API: the media with their entities and attributes.

enum ITunesTables {
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

    /// All attributes, and two more that are those of every media.
    static let allAttributes = unique(
        entities.flatMap { attributes[$0.media] ?? [] } + ["allArtistTerm", "allTrackTerm"])

    private static func unique(_ words: [String]) -> [String] {
        words.reduce(into: []) { known, word in if !known.contains(word) { known.append(word) } }
    }
}
