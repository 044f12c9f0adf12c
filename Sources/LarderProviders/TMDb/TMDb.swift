// TMDb, version 3 (developer.themoviedb.org): films, series and people. It has two kinds of secret. Sizes of pictures and
// names of genres come from separate requests (`TMDbPlan`). The terms allow nothing to be kept for more than six months.
import LarderCore

extension ProviderSpec {
    static let tmdb = ProviderSpec(
        facts: facts,
        questions: [
            search(by: "kind", "search/{kind}"),
            search(by: "category", "search"), list, trending, details, configuration, genres,
        ], search: "search", categoryKinds: ["movie": ["movie"], "tv": ["series"], "person": ["person"]],
        usualKinds: ["movie", "series", "person"], shortTitle: "TMDb", classification: classification,
        keyPlace: TMDbKey.place, applications: ("Bearer", allowsBare: false), applicationToken: TMDbKey.readToken)

    private static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "tmdb", shortNames: ["themoviedb"], routePrefix: "tmdb", title: "The Movie Database (TMDb)",
            defaultBaseURL: "https://api.themoviedb.org", pathPrefix: "/3", endpoints: [],
            emptyTTL: .seconds(28_800), negativeTTL: .seconds(86_400), staleFor: .seconds(30 * 86_400),
            defaultRate: CallRate(calls: 20, per: .seconds(1)), imageHosts: ["image.tmdb.org"],
            categories: ["movie", "tv", "person"], sorts: [.relevance, .name, .date], needsKey: true,
            keyVariables: ["LARDER_TMDB_KEY", "TMDB_KEY", "TMDB_API_KEY", "TMDB_READ_ACCESS_TOKEN"],
            credentialParameters: ["api_key"], credentialFieldNames: ["Authorization"],
            offers: "films, series and people of TMDb",
            terms: "Free for non-commercial use. Nothing may be kept for more than six months.",
            attribution: "This product uses the TMDB API but is not endorsed or certified by TMDB.",
            retention: .seconds(180 * 86_400), normaliserVersion: 3)
        // Sessions of users and guests, and the requests that create them (developer.themoviedb.org/reference).
        facts.personalParameters = ["session_id", "guest_session_id", "request_token", "access_token"]
        facts.personalPaths = ["/3/authentication", "/3/account", "/3/guest_session", "/4/auth", "/4/account"]
        return facts
    }()

    // MARK: Questions

    /// - Parameter parameter: what names the kind: the path, or a parameter that no document shows.
    private static func search(by parameter: String, _ route: PathTemplate) -> QuestionSpec {
        let kind = choice(parameter, ["multi", "movie", "tv", "person"], key: "category").sent {
            $0.defaultBy = .init(parameter: "category", defaults: [:], otherwise: "multi")
            $0.shared = "category"
            if route.names.isEmpty { $0.mismatch = nil }
        }
        var question = QuestionSpec(
            name: "search", route: route, path: PathTemplate("/3/search/{\(parameter)}"),
            otherPaths: ["collection", "company", "keyword"].map { PathTemplate("/3/search/\($0)") },
            parameters: [
                .text("q", "The search term.", example: "lantern").or("query").required.term.sent {
                    ($0.name, $0.missing) = ("query", "What is searched? q=…")
                },
                .number("year", 1800...2200, "The year; films and series only.", example: "2019")
                    .sent { $0.toldAs = .text },
                .flag("explicit", "Whether adult results are wanted.", default: "no").sent {
                    ($0.name, $0.apiDefault, $0.words) = ("include_adult", "false", ["yes": "true"])
                    ($0.toldAs, $0.isShared) = (.text, false)
                },
            ] + pages(by: parameter, ["movie"]) + [kind],
            keyOrder: ["q", parameter, "year", "explicit", "language", "region", "page", "limit", "sort"],
            rules: [
                .onlyWith(
                    "year", other: parameter, values: ["movie", "tv"],
                    sentence: "Only films and series can be searched by year.")
            ], plan: TMDbPlan.tables, ttl: .seconds(28_800), summary: "/3/search/{movie|tv|person|multi}",
            answer: TMDbRecord.answer(by: parameter))
        question.isShown = route.names == [parameter]
        return question
    }

    /// Lists of a kind, such as "/v1/tmdb/movie/top". What is only digits is a record.
    private static let list = QuestionSpec(
        name: "list", route: "{kind}/{list}", shownRoute: "{kind}/popular",
        routeForms: ["list": TextPattern("^[^/]*[^0-9/][^/]*$")], path: "/3/{kind}/{list}",
        parameters: [
            kindOfRoute,
            choice("list", lists.flatMap(\.value), key: "list").sent {
                $0.wordsBy = .init(parameter: "kind", words: Dictionary(uniqueKeysWithValues: lists.map { $0 }))
                $0.synonyms = [
                    "top": "top_rated", "top-rated": "top_rated", "now-playing": "now_playing",
                    "airing-today": "airing_today", "on-the-air": "on_the_air",
                ]
                $0.namesResource = true
                $0.mismatch = "There is no such list. A record is named by its number."
            },
        ] + pages(by: "kind", ["movie"]),
        plan: TMDbPlan.tables, ttl: .seconds(28_800),
        summary: "/3/{movie|tv|person}/{popular, top_rated, now_playing, …}", answer: TMDbRecord.answer(by: "kind"))
    private static let lists: KeyValuePairs = [
        "movie": ["popular", "top_rated", "now_playing", "upcoming"],
        "tv": ["popular", "top_rated", "airing_today", "on_the_air"], "person": ["popular"],
    ]

    private static let trending = QuestionSpec(
        name: "trending", route: "trending/{kind}/{span}",
        path: "/3/trending/{kind}/{span}",
        parameters: [
            choice("kind", ["all", "movie", "tv", "person"], key: "of"),
            choice("span", ["day", "week"], "The span of time: day or week.", key: "span"),
        ] + pages(by: "kind", []),
        plan: TMDbPlan.tables, ttl: .seconds(3600), summary: "/3/trending/{all|movie|tv|person}/{day|week}",
        answer: TMDbRecord.answer(by: "kind"))

    private static let details = QuestionSpec(
        name: "details", route: "{kind}/{id}", path: "/3/{kind}/{id}",
        otherPaths: ["/3/{kind}/{number}"], pathForms: ["number": TextPattern("^[0-9]+$")],
        parameters: [
            kindOfRoute,
            QuestionParameter(
                "id", .pattern("^[1-9][0-9]{0,9}$"), "The record's number, or the name of a list.", example: "101"
            ).sent { ($0.toldAs, $0.mismatch) = (.number, "A record is named by its number.") },
            language,
            QuestionParameter(
                "append", .pattern("^[a-z0-9_/]{1,40}$"), "Further records to append, at most 20 names.",
                example: "credits"
            ).list.or("append_to_response").sent {
                ($0.name, $0.order, $0.isAliasFirst) = ("append_to_response", .sorted, true)
                $0.mismatch = "\"{value}\" cannot be appended; use names such as credits or images."
            },
        ], plan: TMDbPlan.tables, ttl: .seconds(86_400), summary: "/3/{movie|tv|person}/{id}, with appended records",
        answer: AnswerSpec(
            noun: "records", incomplete: "The record has no id or no title.",
            identity: ("$.id", "{id}"), nameForm: .number, result: TMDbRecord.movie,
            results: (
                "kind",
                [
                    ("movie", TMDbRecord.whole(TMDbRecord.movie, makers: "$.credits.crew[?@.job == 'Director'].name")),
                    ("tv", TMDbRecord.whole(TMDbRecord.series, makers: "$.created_by[*].name")),
                    ("person", TMDbRecord.whole(TMDbRecord.person, makers: "$.created_by[*].name")),
                ]
            )))

    private static let configuration = QuestionSpec(
        name: "configuration", route: "configuration", path: "/3/configuration",
        parameters: [], ttl: .seconds(7 * 86_400), summary: "/3/configuration: sizes of pictures",
        answer: AnswerSpec(
            needs: ("@.images.secure_base_url > '' || @.images.base_url > ''", "The answer has no sizes of pictures."),
            noun: "sizes",
            result: ResultSpec(
                kind: "configuration", id: .template("images"), title: .template("Sizes of pictures"),
                othersExcept: [], othersIn: "$.images")))

    private static let genres = QuestionSpec(
        name: "genres", route: "genres/{kind}", path: "/3/genre/{kind}/list",
        parameters: [choice("kind", ["movie", "tv"], key: "of"), language], ttl: .seconds(7 * 86_400),
        summary: "/3/genre/{movie|tv}/list: names of genres",
        answer: AnswerSpec(
            list: "$.genres", noun: "genres", result: TMDbRecord.genre(of: "movie", "movieGenre"),
            results: (
                "kind",
                [
                    ("movie", TMDbRecord.genre(of: "movie", "movieGenre")),
                    ("tv", TMDbRecord.genre(of: "series", "tvGenre")),
                ]
            )))

    // MARK: Parameters

    private static func choice(
        _ name: String, _ words: [String], _ line: String = "What it is.", key: String
    ) -> QuestionParameter {
        .choice(name, words, line, example: words.contains("movie") ? "movie" : nil).sent {
            ($0.keyName, $0.mismatch) = (key, "\"{value}\" is not one of the allowed words.")
        }
    }
    private static let kindOfRoute = choice("kind", ["movie", "tv", "person"], key: "of").sent {
        ($0.namesRoute, $0.synonyms) = (true, ["series": "tv"])
    }
    private static let language = QuestionParameter(
        "language", .pattern("^[A-Za-z]{2}([_-][A-Za-z]{2})?$"), "A language, with or without a country.",
        example: "en-US", default: "en-US"
    ).or("lang").sent {
        ($0.check, $0.apiDefault) = (.languageTag, "en-US")
        $0.mismatch = "\"language\" is a code such as de or pt-BR."
    }

    /// - Parameter kinds: the values of `parameter` with which the API heeds the region.
    private static func pages(by parameter: String, _ kinds: [String]) -> [QuestionParameter] {
        [
            language,
            .twoLetters("region", "The country whose release dates count; films only.", example: "US").or("country")
                .sent { ($0.isUpperCase, $0.heededBy) = (true, .init(parameter: parameter, values: kinds)) },
            // The API refuses later pages, however many it reports.
            .page(500).sent { $0.apiDefault = "1" }, .limit(1...20).unsent,
            .sort([SortOrder.relevance, .name, .date]).unsent,
        ]
    }

    // MARK: Classification

    /// Errors have a code next to the status (developer.themoviedb.org/docs/errors). A 404 without a code is not from
    /// TMDb.
    private static let classification = ClassificationSpec(
        codes: .init(
            condition: "@.success == false || @.status_code && !@.id", code: "$.status_code",
            message: "$.status_message",
            rows: [
                (.limited(until: nil), nil, [25]), (.refused(""), nil, [7, 10]),
                // What the client supplied is refused: a session, a token, a user, an item of somebody else. Larder's
                // own questions send nothing but the key.
                (.invalidRequest(""), "other", supplied), (.refused(""), nil, supplied),
                (.notFound, nil, [6, 21, 34, 37]),
                (.invalidRequest(""), nil, [4, 5, 18, 19, 20, 22, 23, 26, 27, 28, 29, 41, 42, 44, 47]),
                (.broken(""), nil, [2, 9, 11, 15, 24, 43, 46]),
            ]), isAbsenceStrict: true, messages: ["$.errors[0]"])
    private static let supplied: Set = [3, 8, 14, 16, 17, 30, 31, 32, 33, 35, 36, 38, 39, 45]
}
