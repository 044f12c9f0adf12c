// Chuck Norris jokes from two APIs: api.chucknorris.io, which is active, and icndb.com, which is defunct and whose domain
// belongs to strangers. Mirrors still serve icndb's paths and shapes, so a user can configure one: the other dialect.
// icndb has no search, so its whole list, which is small, is fetched once and searched here. Both are read alike.
import LarderCore

extension ProviderSpec {
    static let jokes: ProviderSpec = {
        var spec = chucknorris
        spec.otherDialects = [icndb]
        return spec
    }()

    /// github.com/chucknorris-io/chuck-api
    private static let chucknorris = ProviderSpec(
        facts: facts,
        questions: [
            random([category.list.upTo(5).sent { $0.order = .sorted }, .explicit.unsent], PoolSpec()),
            search("/jokes/search", term.sent { $0.name = "query" }, []), categories("/jokes/categories"),
            joke(id, "letters, digits, - and _, as in a joke's id"),
        ], search: "search", categoryKinds: ["jokes": ["joke"]], shortTitle: "The joke service",
        unknownCategory: "There is no such category of jokes here.", language: "en", dialect: "chucknorris",
        // It repeats the status in the body of an error.
        classification: ClassificationSpec(
            absence: """
                @.status >= 404 && @.status <= 410 && @.message >= '' || @.status >= 404 && @.status <= 410 && @.error >= ''
                """, messages: ["$.message", "$.error"], explainsOnlyInvalid: true))

    /// github.com/maartendecat/icndb-api
    private static let icndb: ProviderSpec = {
        var spec = chucknorris
        spec.dialect = "icndb"
        var drawn = random(
            [
                category.list.upTo(5).sent { ($0.order, $0.name, $0.template) = (.sorted, "limitTo", "[{value}]") },
                .explicit.sent { ($0.name, $0.words) = ("exclude", ["no": "[explicit]"]) },
            ],
            PoolSpec(refill: "/jokes/random/10", perCall: 10, wrapping: (#"{"type":"success","value":"#, "}")))
        drawn.otherPaths = ["/jokes/random/{count}"]
        var one = joke(QuestionParameter("id", .pattern("^[0-9]{1,9}$"), id.line, example: "7"), "a number")
        one.within = "search"
        let contains = ChoiceSpec(parameter: "q", rule: .contains(text))
        spec.questions = [drawn, search("/jokes", term.unsent, [contains]), categories("/categories"), one]
        // It reports "success" or the name of a Java exception under status 200, such as "NoSuchQuoteException".
        let absence: JSONFilter = "@.type >= 'NoSuch' && @.type < 'NoSuci'"
        spec.classification.absence = nil
        spec.classification.rows = [
            // This one is about a parameter, so it is an absence even for lists.
            .init(condition: "@.type >= 'NoSuchCategory' && @.type < 'NoSuchCategorz'", means: .notFound),
            .init(question: "random", condition: absence, means: .notFound),
            .init(question: "joke", condition: absence, means: .notFound),
            .init(
                condition: "@.type >= '' && @.type != 'success'", means: .broken(""), messages: ["$.value", "$.type"]),
        ]
        return spec
    }()

    private static let facts = ProviderAbout(
        name: "jokes", shortNames: ["joke", "chucknorris"], routePrefix: "jokes", title: "Chuck Norris jokes",
        defaultBaseURL: "https://api.chucknorris.io", endpoints: [], emptyTTL: .seconds(86_400),
        negativeTTL: .seconds(3600), staleFor: .seconds(90 * 86_400),
        defaultRate: CallRate(calls: 30, per: .seconds(60)), categories: ["jokes"], sorts: [.relevance, .name, .date],
        offers: "Chuck Norris jokes; random ones without repeats, from a pool that also works offline",
        terms: "A free service without a key and without guarantees. Some jokes are rude, even without a category.",
        attribution: "chucknorris.io", normaliserVersion: 2)

    private static let term = QuestionParameter.text(
        "q", "The text that the jokes contain, of 3 to 120 characters.", example: "Chuck", longest: 120
    ).or("query").required.term.lowerCase.sent {
        ($0.termLength, $0.missing) = (3...120, "A search for jokes needs a text: q=…")
    }
    /// The API defines the names of categories and may add some. It reports an unknown one as not found.
    private static let category = QuestionParameter(
        "category", .pattern("^[A-Za-z-]{1,40}$"), "A category from the list at /v1/jokes/categories.", example: "dev"
    ).lowerCase.sent {
        $0.isShared = false
        $0.mismatch = "\"{value}\" is not a category; /v1/jokes/categories lists them."
    }
    /// An id is 16 bytes in base64url. Longer ids are accepted too, because the API does not promise the length.
    private static let id = QuestionParameter(
        "id", .pattern("^[A-Za-z0-9_-]{1,64}$"), "The joke's id.", example: "ObcLkSEC7mnzfdciIxV4-w")

    private static func random(_ own: [QuestionParameter], _ pool: PoolSpec) -> QuestionSpec {
        QuestionSpec(
            name: "random", route: "random", path: "/jokes/random",
            parameters: own + [.limit(1...10, default: 1).unsent], pool: pool, ttl: .seconds(3600),
            summary: "/jokes/random: a random joke, from a pool that Larder refills",
            answer: jokes([clean], isOfOne: true))
    }

    private static func search(_ path: String, _ term: QuestionParameter, _ choices: [ChoiceSpec]) -> QuestionSpec {
        QuestionSpec(
            name: "search", route: "search", path: PathTemplate(path),
            parameters: [
                term, category.list.upTo(1).unsent, .explicit.unsent, .limit(1...200).unsent,
                .sort([SortOrder.relevance, .name, .date]).unsent,
            ],
            ttl: .seconds(86_400), summary: "/jokes/search: jokes that contain a text",
            answer: jokes(
                choices + [ChoiceSpec(parameter: "category", rule: .among(categories)), clean], isOfOne: false))
    }

    private static func categories(_ path: String) -> QuestionSpec {
        var name = ResultSpec(kind: "jokeCategory", id: .first("$", as: .line), title: .first("$", as: .line))
        (name.isOfTexts, name.anyReason) = (true, .name)
        return QuestionSpec(
            name: "categories", route: "categories", path: PathTemplate(path), parameters: [],
            ttl: .seconds(86_400), summary: "/jokes/categories: the categories",
            answer: AnswerSpec(
                list: "$", otherLists: ["$.value"], noun: "categories", counts: .records, result: name))
    }

    private static func joke(_ id: QuestionParameter, _ form: String) -> QuestionSpec {
        QuestionSpec(
            name: "joke", route: "{id}", path: "/jokes/{id}",
            parameters: [id.sent { $0.mismatch = "The id of a joke must be \(form)." }], ttl: .seconds(30 * 86_400),
            summary: "/jokes/{id}: one joke", answer: jokes([], isOfOne: true))
    }

    private static func jokes(_ choices: [ChoiceSpec], isOfOne: Bool) -> AnswerSpec {
        AnswerSpec(
            list: "$.result", otherLists: ["$.value"], singles: ["$.value", "$"], isOfOne: isOfOne, noun: "jokes",
            total: "$.total",
            identity: ("$.id", "{id}"), nameForm: .exact, result: joke, choices: choices)
    }

    private static let joke = ResultSpec(
        kind: "joke", id: .first("$.id"), title: text.then(.using(JokeText.title)), summary: text,
        date: .first("$.created_at"), url: .first("$.url", as: .link), genres: categories,
        attributes: [
            AttributeSpec("explicit", .mark, explicit),
            AttributeSpec(
                "updatedAt", .text, .first("$.updated_at", as: .instant), unless: .first("$.created_at", as: .instant)),
        ],
        anyReason: .idOrText)
    private static let text = FieldRule.first("$.value", "$.joke", as: .using(JokeText.whole))
    // Before 2019 the member was called "category".
    private static let categories = FieldRule.first("$.categories[*]", "$.category[*]", as: .line)
    private static let explicit = FieldRule.first("$.categories[?@ == 'explicit']", "$.category[?@ == 'explicit']")
    private static let clean = ChoiceSpec(parameter: "explicit", rule: .without(explicit))
}

private enum JokeText {
    /// Character references are decoded once; anything that looks like a tag is part of the joke.
    static let whole = TextFunction("jokes.text") { TextCleaning.decodedLine($0) }
    /// The whole joke, or its beginning of at most 100 characters, cut at the end of a word.
    static let title = TextFunction("jokes.title") { text in
        guard text.utf8.count > 100, let end = text.index(text.startIndex, offsetBy: 99, limitedBy: text.endIndex),
            end != text.endIndex, text.index(after: end) != text.endIndex
        else { return text }
        let start = text[..<end]
        return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
    }
}
