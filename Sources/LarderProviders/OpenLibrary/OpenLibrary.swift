// Open Library: books by title, author and other words, with covers. No key is needed.
import LarderCore

extension ProviderSpec {
    static let openLibrary = ProviderSpec(
        facts: facts, questions: [search, work], search: "search",
        classification: ClassificationSpec(
            rows: [
                .init(
                    statuses: 200...200, question: "work", condition: "@.type.key == '/type/delete'", means: .notFound)
            ],
            absence: "@.error == 'notfound'", messages: ["$.error"]))

    private static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "openlibrary", shortNames: ["books"], routePrefix: "books", title: "Open Library",
            defaultBaseURL: "https://openlibrary.org", endpoints: [],
            emptyTTL: .seconds(3600), negativeTTL: .seconds(3600), staleFor: .seconds(90 * 86_400),
            // Larder does not identify its user to the API, which permits one call a second then.
            defaultRate: CallRate(calls: 60, per: .seconds(60)),
            imageHosts: ["covers.openlibrary.org", "archive.org", "*.archive.org"], categories: ["books"],
            sorts: [.relevance, .name, .date], offers: "books of Open Library",
            terms: "The API is for single requests. Use the dumps for copies of all data.",
            attribution: "Open Library, openlibrary.org", normaliserVersion: 2)
        facts.minimumTerm = 3
        return facts
    }()

    private static let search = QuestionSpec(
        name: "search", route: "search", path: "/search.json",
        parameters: [
            .text("q", "The search term, of at least 3 characters.", example: "lantern").term,
            .text("title", "A text in the title.", example: "lantern").term,
            .text("author", "A text in the author's name.", example: "brandt").term,
            .limit(1...100, default: 50).sent { $0.apiDefault = "100" },
            .page(1000).sent {
                $0.apiDefault = "1"
                $0.isKeyedAtDefault = false
            },
            .sort([SortOrder.relevance, .name, .date]).unsent,
        ],
        fixed: [
            (
                "fields",
                "author_key,author_name,cover_i,edition_count,first_publish_year,key,language,subject,subtitle,title"
            )
        ],
        subject: "A search for books", ttl: .seconds(86_400),
        summary: "/search.json: books by title, author and other words",
        answer: AnswerSpec(list: "$.docs", noun: "books", total: "$.numFound", result: book))

    private static let work = QuestionSpec(
        name: "work", route: "works/{id}", path: "/works/{id}.json",
        parameters: [
            QuestionParameter(
                "id", .pattern("^[Oo][Ll][0-9]{1,17}[Ww]$"), "The book's id.", example: "OL1001W"
            ).sent {
                $0.isUpperCase = true
                $0.mismatch = "The id of a book must be like OL45804W."
            }
        ],
        plan: OpenLibraryMerged.plan, ttl: .seconds(7 * 86_400), summary: "/works/{id}.json: one book",
        answer: AnswerSpec(
            noun: "books", identity: ("$.key", "/works/{id}"), result: book))

    /// A book of the search, or the record of a work, whose members have other names.
    private static let book = ResultSpec(
        kind: "book", id: .first("$.key", as: .lastSegment),
        title: .template("{$.title}: {$.subtitle}", or: .first("$.title"), as: .line),
        creator: .first("$.author_name[*]", as: .line, .join(", ")),
        summary: .first("$.description", "$.description.value", as: .paragraphs),
        url: .first("$.key", as: .lastSegment, .prefix("https://openlibrary.org/works/")),
        genres: .first("$.subject[*]", "$.subjects[*]", as: .line, .most(12)),
        artwork: .template(
            "https://covers.openlibrary.org/b/id/{image}-{size}.jpg",
            name: .first("$.cover_i", "$.covers[*]", as: .integer(1...Int.max)), small: "M", large: "L", original: "L"),
        attributes: [
            AttributeSpec("authors", .texts, .first("$.author_name[*]", as: .line)),
            AttributeSpec(
                "authorKeys", .texts, .first("$.author_key[*]", "$.authors[*].author.key", as: .lastSegment, .line)),
            AttributeSpec("firstPublished", .text, .first("$.first_publish_date")),
            AttributeSpec("year", .number, .first("$.first_publish_year")),
            AttributeSpec("editions", .number, .first("$.edition_count")),
            AttributeSpec("languages", .texts, .first("$.language[*]", as: .line)),
        ])
}
