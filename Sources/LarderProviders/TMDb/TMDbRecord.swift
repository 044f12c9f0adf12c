// Records of TMDb as results. A record contains its kind only in lists with mixed kinds. Missing values are null, "" or
// absent. Films have titles, series and people have names; collections have either.
import LarderCore

enum TMDbRecord {
    /// A list whose kind is the value of a parameter, unless kinds are mixed.
    static func answer(by parameter: String) -> AnswerSpec {
        AnswerSpec(
            list: "$.results", noun: "results", total: "$.total_results",
            // What is no record has no kind either.
            result: listedMovie.with { $0.anyReason = .kind },
            shapes: [
                ShapeSpec("@.media_type == 'movie' || !@.media_type && @.title", listedMovie),
                ShapeSpec("@.media_type == 'tv' || !@.media_type && @.first_air_date", listedSeries),
                ShapeSpec(
                    "@.media_type == 'person' || !@.media_type && @.known_for || !@.media_type && @.profile_path",
                    listedPerson),
                ShapeSpec("@.media_type == 'collection'", listed(collection)),
            ], results: (parameter, [("movie", listedMovie), ("tv", listedSeries), ("person", listedPerson)]))
    }

    static let movie = result(
        "movie", "movie", ["$.title"], ["$.original_title"], date: "$.release_date")
    static let series = result("series", "tv", ["$.name"], ["$.original_name"], date: "$.first_air_date")
    static let person = result("person", "person", ["$.name"], ["$.original_name"], summary: "$.biography")
    private static let collection = result(
        "collection", "collection", ["$.title", "$.name"], ["$.original_title", "$.original_name"])

    /// What lists and single records have in common. The plan adds pictures.
    private static func result(
        _ kind: String, _ word: String, _ titles: [JSONPath], _ originals: [JSONPath],
        summary: JSONPath = "$.overview", date: JSONPath? = nil
    ) -> ResultSpec {
        let original = FieldRule(sources: originals.map { .path($0) }, transforms: [.line])
        let title = FieldRule(sources: (titles + originals).map { .path($0) }, transforms: [.line])
        return ResultSpec(
            kind: kind, id: .first("$.id", as: .integer(1...Int.max)), title: title,
            summary: .first(summary, as: .paragraphs), date: date.map { .first($0) },
            url: .template("https://www.themoviedb.org/\(word)/{$.id}"),
            attributes: [AttributeSpec("originalTitle", .text, original, unless: title)], anyReason: .idOrTitle)
    }

    private static let listedMovie = listed(movie)
    private static let listedSeries = listed(
        series, [AttributeSpec("originCountry", .texts, .first("$.origin_country[*]", as: .line))])
    private static let listedPerson = listed(
        person,
        [
            AttributeSpec("department", .text, .first("$.known_for_department", as: .line)),
            AttributeSpec("knownFor", .texts, .made(TMDbWork.titles)),
            AttributeSpec("knownForIds", .texts, .made(TMDbWork.ids)),
        ])

    private static func listed(_ result: ResultSpec, _ own: [AttributeSpec] = []) -> ResultSpec {
        result.with {
            $0.genres = .first("$.genre_ids[*]")
            $0.attributes += [
                AttributeSpec("originalLanguage", .text, .first("$.original_language")),
                AttributeSpec("genreIds", .numbers, .first("$.genre_ids[*]")),
                AttributeSpec("voteAverage", .number, .first("$.vote_average")),
                AttributeSpec("voteCount", .number, .first("$.vote_count")),
                AttributeSpec("popularity", .number, .first("$.popularity")),
                AttributeSpec("adult", .mark, .first("$.adult", as: .matching(TextPattern("^true$")))),
            ]
            $0.attributes += own + [TMDbPictures.backdrop { _ in nil }]
        }
    }

    /// A record that was asked for by its number, with all its members.
    static func whole(_ result: ResultSpec, makers: JSONPath) -> ResultSpec {
        result.with {
            $0.creator = .first(makers, as: .line, .join(", "))
            $0.collection = .first("$.belongs_to_collection.name", as: .line)
            $0.genres = .first("$.genres[*].name", as: .line)
            $0.othersExcept = [
                "id", "title", "name", "original_title", "original_name", "overview", "biography", "release_date",
                "first_air_date", "poster_path", "profile_path", "genres",
            ]
        }
    }

    static func genre(of kind: String, _ idKind: String) -> ResultSpec {
        ResultSpec(
            kind: "genre", idKind: idKind, id: .first("$.id", as: .integer(.min ... .max)),
            title: .first("$.name", as: .line),
            attributes: [
                AttributeSpec("genreId", .number, .first("$.id")), AttributeSpec("of", .text, .template(kind)),
            ],
            anyReason: .idOrName)
    }
}

/// The works for which a person is known: their titles, and the ids of those whose kind is known.
private enum TMDbWork {
    static let titles = RecordFunction("tmdb.knownFor", texts: { works($0).map(\.title) })
    static let ids = RecordFunction("tmdb.knownForIds", texts: { works($0).compactMap(\.id) })

    private static func works(_ record: JSONValue) -> [(title: String, id: String?)] {
        (record["known_for"]?.elements).map(Array.init)?.compactMap { work in
            let names = ["title", "name"].lazy.compactMap { TextCleaning.line(work[$0]?.string) }
            return names.first.map { title in
                (title, work["id"]?.integer.flatMap { id in kind(of: work).map { "tmdb:\($0):\(id)" } })
            }
        } ?? []
    }

    /// The kind that a record names, or that its members imply.
    private static func kind(of work: JSONValue) -> String? {
        if let word = work["media_type"]?.string {
            return ["movie": "movie", "tv": "series", "person": "person", "collection": "collection"][word]
        }
        if work["title"] != nil { return "movie" }
        if work["first_air_date"] != nil { return "series" }
        return work["known_for"] != nil || work["profile_path"] != nil ? "person" : nil
    }
}
