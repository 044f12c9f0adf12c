// The kinds of iTunes results. A kind that is not listed gets its name in camel case and the attributes of a track.

extension ITunes {
    static let kinds: [ResultKind] = {
        let common: [ResultAttribute] =
            .texts(
                "artistType", "formattedPrice", "storefront", "explicitness", "contentRating", "previewUrl", "feedUrl",
                "episodeUrl", "episodeGuid", "copyright", "shortDescription")
            + .numbers(
                "durationMillis", "trackNumber", "trackCount", "discNumber", "discCount", "rating", "ratingCount",
                "collectionArtistId")
            + .prices("hdPrice", "rentalPrice", "hdRentalPrice") + .flags("streamable") + .lists("genreIds")
        let made: [ResultAttribute] = .numbers("artistId") + .texts("artistUrl")
        let part: [ResultAttribute] =
            .numbers("collectionId") + .texts("collectionUrl") + .prices("collectionPrice")
        let program: [ResultAttribute] =
            .texts(
                "bundleId", "version", "versionPublishedAt", "releaseNotes", "minimumOsVersion", "seller", "sellerUrl")
            + .numbers("fileSizeBytes")
            + .lists(
                "languages", "screenshots", "tabletScreenshots", "televisionScreenshots", "features", "supportedDevices"
            )
        let tracks = [
            "song", "musicVideo", "movie", "tvEpisode", "podcast", "podcastEpisode", "coachedAudio",
            "interactiveBooklet", "pdf", "track",
        ]
        return tracks.map { ResultKind($0, [common, made, part]) }
            + ["software", "macSoftware", "ebook"].map { ResultKind($0, [common, made, part, program]) }
            + ["album", "audiobook", "tvSeason"].map { ResultKind($0, [common, made]) } + [
                ResultKind("artist", [common])
            ]
    }()
}
