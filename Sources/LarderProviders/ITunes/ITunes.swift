// The iTunes Search API (performance-partners.apple.com/search-api). It needs no key and allows about twenty calls a
// minute; above that it answers 403 with an empty body, which must never be read as "no results". This file holds the
// facts, the questions and the classes of answers.
import LarderCore

extension ProviderSpec {
    static let iTunes = ProviderSpec(
        facts: facts, questions: [search, lookup], search: "search",
        categoryKinds: [
            "all": [], "music": ["song", "album", "musicVideo", "track", "artist"],
            "software": ["software", "macSoftware"], "ebooks": ["ebook"],
        ],
        shortTitle: "iTunes", isFormShared: false, classification: classification)

    private static let facts = ProviderAbout(
        name: "itunes", routePrefix: "itunes", title: "iTunes Search", defaultBaseURL: "https://itunes.apple.com",
        endpoints: [],
        // Some rate-limited clients get an empty 200, so an empty response is kept for ten minutes only.
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(7 * 86_400),
        defaultRate: CallRate(calls: 20, per: .seconds(60)), imageHosts: ["*.mzstatic.com"],
        categories: ["all", "music", "software", "ebooks"], sorts: SortOrder.allCases,
        offers: "every media and entity of the iTunes Search API",
        terms: "Apple asks for at most about 20 calls a minute and for caching; previews and artwork may be used to "
            + "promote the store.",
        attribution: "Provided courtesy of iTunes", normaliserVersion: 3, hasFurtherKinds: true)

    private static let search = QuestionSpec(
        name: "search", route: "search", path: "/search",
        // A storefront may precede the path.
        otherPaths: ["/{store}/search"], pathForms: store,
        parameters: [
            .text("term", "The search term.", example: "jack johnson").or("q").required.term.sent {
                ($0.isAliasFirst, $0.missing) = (true, "A search needs a term: write term=… or q=….")
            },
            // `media=ebook` alone is reported to fail; `entity=ebook` works.
            .choice(
                "category", facts.categories, "A category: a name for a media and an entity.", example: "music"
            ).unsent.sent {
                $0.standsFor = [
                    "all": [:], "music": ["media": "music"], "software": ["media": "software"],
                    "ebooks": ["media": "ebook"],
                ]
            },
            .choice("media", ITunesTables.entities.map(\.media), "The media.", example: "music", default: "all").sent {
                ($0.apiDefault, $0.isKeyedAtDefault) = ("all", false)
                $0.standsFor = ["ebook": ["entity": "ebook"]]
            },
            .choice("entity", ITunesTables.allEntities, "The entity; each media has its own.", example: "song")
                .absentIfEmpty.sent {
                    $0.wordsBy = .init(
                        parameter: "media",
                        words: Dictionary(uniqueKeysWithValues: ITunesTables.entities.map { ($0.media, $0.entities) }))
                },
            .choice(
                "attribute", ITunesTables.allAttributes,
                "The attribute in which the term is searched for; each media has its own.", example: "artistTerm"
            ).sent { $0.wordsBy = .init(parameter: "media", words: ITunesTables.attributes) },
            .limit(1...200, default: 50).sent { $0.apiDefault = "50" },
            .number("offset", 0...100_000, "How many results to skip.", example: "0", default: "0").sent {
                ($0.apiDefault, $0.isKeyedAtDefault) = ("0", false)
            },
            country, language,
            .explicit.sent { ($0.words, $0.apiDefault) = (["yes": "Yes", "no": "No"], "Yes") },
            .sort(SortOrder.allCases).unsent,
        ],
        assumed: ["version": "2"],
        rules: [
            .without(
                "category", others: ["media", "entity"],
                sentence: "A category stands for a media and an entity: give it or those two, not both.")
        ],
        paging: PagingSpec(start: "offset", isPage: false, longest: 200), ttl: .seconds(86_400),
        summary: "/search: media by term", answer: results)

    private static let lookup = QuestionSpec(
        name: "lookup", route: "lookup", path: "/lookup",
        otherPaths: ["/{store}/lookup"], pathForms: store,
        parameters: keys + [
            .choice(
                "entity", ITunesTables.allEntities, "Related entities to return with the record.", example: "album"
            ).absentIfEmpty,
            .limit(1...200), country, language,
            // "recent" is the API's own order (an artist's newest albums first). Larder sorts by the others itself.
            .sort(SortOrder.allCases.map(\.rawValue) + ["recent"]).sent { $0.words = ["recent": "recent"] },
        ],
        assumed: ["version": "2"],
        rules: [
            .oneOf(
                keys.map(\.name), blamed: "id",
                sentence: "A look-up needs one of: \(keys.map(\.name).joined(separator: ", "))."),
            .onlyOne(
                keys.map(\.name),
                sentence: "A look-up takes one kind of key, not both \"{first}\" and \"{second}\"."),
        ],
        ttl: .seconds(86_400), summary: "/lookup: records by id, UPC, ISBN or bundle id", answer: results,
        check: ITunesRecord.isAskedFor)

    private static let store = ["store": TextPattern("^[^/]{2}$")]
    private static let results = AnswerSpec(
        list: "$.results", noun: "results",
        result: ITunesRecord.track, shapes: ITunesRecord.shapes)

    private static let country = QuestionParameter(
        "country", .pattern("^[A-Za-z]{2}$"), "The country of the store (ISO 3166-1).", example: "US", default: "US"
    ).sent {
        ($0.isUpperCase, $0.apiDefault) = (true, "US")
        $0.mismatch = "\"country\" is a code of two letters (ISO 3166-1), such as US or DE."
    }
    private static let language = QuestionParameter(
        "lang", .pattern("^([A-Za-z]{2}[_-][A-Za-z]{2}|en|ja)$"), "A language with a country.", example: "en_us",
        default: "en_us"
    ).sent {
        ($0.check, $0.isLowerCase, $0.apiDefault, $0.shared) = (.locale, true, "en_us", "language")
        ($0.mismatch, $0.allowed) = ("\"lang\" is a language with its country.", ["en_us", "ja_jp", "xx_yy"])
    }

    private static let keys = [
        numbers("id", "1 to 20", "{1,20}", "Ids in the store.", example: "1440857781"),
        numbers("upc", "8 to 14", "{8,14}", "UPCs of albums.", example: "720642462928"),
        numbers("isbn", "13", "{13}", "ISBNs of books.", example: "9780316069359").sent { $0.ignored = "- " },
        QuestionParameter(
            "bundleId", .pattern("^[A-Za-z0-9._-]{1,155}$"), "Bundle ids of apps.", example: "com.example.notes"
        ).list.upTo(200).sent { $0.mismatch = "\"{value}\" is not a bundle id such as com.example.app." },
        numbers("amgArtistId", "1 to 20", "{1,20}", "Artists of AMG.", example: "468749"),
        numbers("amgAlbumId", "1 to 20", "{1,20}", "Albums of AMG.", example: "15175"),
        numbers("amgVideoId", "1 to 20", "{1,20}", "Videos of AMG.", example: "17120"),
    ]

    private static func numbers(
        _ name: String, _ digits: String, _ times: String, _ line: String, example: String
    ) -> QuestionParameter {
        QuestionParameter(name, .pattern("^[0-9]\(times)$"), line, example: example).list.upTo(200).sent {
            $0.mismatch = "\"{name}\" must be numbers of \(digits) digits, separated by commas."
        }
    }

    /// iTunes has no 404 of its own: an unknown id gives an empty list. It sometimes reports 404 for requests that
    /// succeed a moment later.
    private static let classification = ClassificationSpec(
        rows: [
            .init(
                statuses: 400...400, means: .invalidRequest("iTunes refused the request."),
                messages: ["$.errorMessage"]),
            .init(
                // Compared with the least text: the message must be one.
                statuses: 200...200, condition: "@.errorMessage >= ''", means: .invalidRequest(""),
                messages: ["$.errorMessage"]),
            // A count that contradicts the list means that the response was cut or incomplete.
            .init(
                statuses: 200...200, condition: "@.resultCount > 0 && @.results && !@.results[0]",
                means: .broken("The answer has fewer results than it says.")),
        ],
        statuses: [(403...403, .limited), (407...407, .refused), (451...451, .refused)], isAbsenceStrict: true)
}
