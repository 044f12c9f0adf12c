// The kinds of TMDb results. A record requested by its id also has its own members.

extension TMDb {
    static let kinds: [ResultKind] = {
        let listed: [ResultAttribute] =
            .texts("originalTitle", "originalLanguage") + .numberLists("genreIds")
            + .numbers("voteAverage", "voteCount", "popularity") + .flags("adult") + .any("backdrop")
        return [
            ResultKind("movie", isOpen: true, [listed]),
            ResultKind("series", isOpen: true, [listed, .lists("originCountry")]),
            ResultKind("person", isOpen: true, [listed, .texts("department"), .lists("knownFor", "knownForIds")]),
            ResultKind("collection", isOpen: true, [listed]),
            ResultKind("genre", [.numbers("genreId"), .texts("of")]), ResultKind("configuration", isOpen: true),
        ]
    }()
}
