// TVmaze (tvmaze.com/api): series and their episodes. It needs no key, allows at least twenty calls in ten seconds, and its
// data are licensed CC BY-SA 4.0.
import LarderCore

extension ProviderSpec {
    static let tvMaze = ProviderSpec(
        facts: facts, questions: questions, search: "search", isFormShared: false,
        classification: ClassificationSpec(absence: "@.name == 'Not Found'", messages: ["$.message"]))

    private static let facts = ProviderAbout(
        name: "tvmaze", routePrefix: "tvmaze", title: "TVmaze", defaultBaseURL: "https://api.tvmaze.com", endpoints: [],
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(7 * 86_400),
        defaultRate: CallRate(calls: 60, per: .seconds(60)), imageHosts: ["static.tvmaze.com"], sorts: sorts,
        offers: "series and episodes of TVmaze",
        terms: "The data are licensed CC BY-SA 4.0: name TVmaze with a link, and share what you make of them alike.",
        attribution: "Data by TVmaze")
    private static let sorts: [SortOrder] = [.relevance, .name, .date]
    private static let questions = [search, show, episodes]
    private static let id = QuestionParameter.number("id", 1...99_999_999, "The id of a series.", example: "7001")
        .required

    private static let search = QuestionSpec(
        name: "search", route: "search", path: "/search/shows",
        parameters: [
            .text("q", "The search term.", example: "lantern").required.term,
            .limit(1...10, default: 10).unsent, .sort(sorts).unsent,
        ], ttl: .seconds(86_400), summary: "/search/shows: series by words",
        answer: AnswerSpec(list: "$", each: "$.show", noun: "series", counts: .records, result: series))

    private static let show = QuestionSpec(
        name: "show", route: "shows/{id}", path: "/shows/{id}", parameters: [id],
        ttl: .seconds(86_400), summary: "/shows/{id}: one series",
        answer: AnswerSpec(
            noun: "series", identity: ("$.id", "{id}"), nameForm: .number, result: series))

    private static let episodes = QuestionSpec(
        name: "episodes", route: "shows/{id}/episodes", path: "/shows/{id}/episodes",
        parameters: [id, .limit(1...500).unsent, .sort(sorts).unsent], ttl: .seconds(86_400),
        summary: "/shows/{id}/episodes: the episodes of a series",
        answer: AnswerSpec(list: "$", noun: "episodes", counts: .records, result: episode))

    private static let artwork = ArtworkSpec.urls(
        small: .first("$.image.medium", as: .link), large: .first("$.image.original", as: .link),
        original: .first("$.image.original", "$.image.medium", as: .link))

    private static let series = ResultSpec(
        kind: "series", id: .first("$.id", as: .integer(1 ... .max)), title: .first("$.name", as: .line),
        creator: .first("$.network.name", "$.webChannel.name", as: .line),
        summary: .first("$.summary", as: .paragraphs),
        date: .first("$.premiered"), url: .first("$.url", as: .link), genres: .first("$.genres[*]"), artwork: artwork,
        attributes: [
            AttributeSpec("type", .text, .first("$.type")), AttributeSpec("language", .text, .first("$.language")),
            AttributeSpec("status", .text, .first("$.status")), AttributeSpec("ended", .text, .first("$.ended")),
            AttributeSpec("runtime", .number, .first("$.averageRuntime", "$.runtime")),
            AttributeSpec("rating", .number, .first("$.rating.average")),
            AttributeSpec("imdbId", .text, .first("$.externals.imdb")),
            AttributeSpec("officialUrl", .text, .first("$.officialSite", as: .link)),
        ])

    private static let episode = ResultSpec(
        kind: "episode", id: .first("$.id", as: .integer(1 ... .max)), title: .first("$.name", as: .line),
        summary: .first("$.summary", as: .paragraphs), date: .first("$.airstamp", "$.airdate"),
        url: .first("$.url", as: .link), artwork: artwork,
        attributes: [
            AttributeSpec("season", .number, .first("$.season")), AttributeSpec("number", .number, .first("$.number")),
            AttributeSpec("runtime", .number, .first("$.runtime")),
            AttributeSpec("rating", .number, .first("$.rating.average")),
        ])
}
