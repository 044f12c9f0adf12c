// The D&D 5e SRD API (dnd5eapi.co, version 5.8): complete lists without pages, records by slug, data that changes only
// with releases. The API's own cache mixes languages, so every JSON request contains `lang=en`. Lists are complete and
// are kept for days, so a search by name reads the stored list instead of making an upstream call for every word.
import LarderCore

extension ProviderSpec {
    static let dnd = ProviderSpec(
        facts: facts, questions: [list, details], search: "list",
        // Each collection needs its own call, so a default search of all of them would multiply the load.
        searches: collections.map { SearchRow(category: $0.name, values: ["collection": $0.name]) }
            + [SearchRow(values: ["collection": "monsters"])],
        shortTitle: "The D&D API",
        // Requests for pictures must not have a query.
        usual: UsualParameter(name: "lang", value: "en", below: "/api/", exceptBelow: "/api/images/"),
        classification: classification)

    private static let facts = ProviderAbout(
        name: "dnd5e", shortNames: ["dnd"], routePrefix: "dnd", title: "D&D 5e SRD",
        defaultBaseURL: "https://www.dnd5eapi.co", pathPrefix: "/api/2014", endpoints: [],
        // A 404 may be a passing fault of this API, so it is kept for ten minutes only.
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(30 * 86_400),
        defaultRate: CallRate(calls: 20, per: .seconds(1)), imageHosts: ["www.dnd5eapi.co"],
        categories: collections.map(\.name), sorts: [.relevance, .name],
        offers: "monsters, equipment, spells and everything else of the D&D 5e rules",
        terms: "Content of the SRD 5.1 is under CC BY 4.0 and the OGL 1.0a.",
        attribution: "D&D 5e SRD API, dnd5eapi.co", normaliserVersion: 2)

    /// The API's lists: the kind of their records, the editions that have them, and what groups the records.
    private static let collections: [(name: String, kind: String, editions: [String], genre: JSONPath?)] = [
        ("monsters", "monster", both, "$.type"), ("equipment", "equipment", both, "$.equipment_category.name"),
        ("spells", "spell", ["2014"], "$.school.name"), ("ability-scores", "abilityScore", both, nil),
        ("alignments", "alignment", both, nil), ("backgrounds", "background", both, nil),
        ("classes", "class", both, nil), ("conditions", "condition", both, nil),
        ("damage-types", "damageType", both, nil), ("equipment-categories", "equipmentCategory", both, nil),
        ("feats", "feat", both, nil), ("features", "feature", both, "$.class.name"),
        ("languages", "language", both, "$.type"), ("magic-items", "magicItem", both, "$.equipment_category.name"),
        ("magic-schools", "magicSchool", both, nil), ("poisons", "poison", ["2024"], nil),
        ("proficiencies", "proficiency", both, "$.type"), ("races", "race", ["2014"], nil),
        ("rule-sections", "ruleSection", ["2014"], nil), ("rules", "rule", ["2014"], nil),
        ("skills", "skill", both, "$.ability_score.name"), ("species", "species", ["2024"], nil),
        ("subclasses", "subclass", both, "$.class.name"), ("subraces", "subrace", ["2014"], "$.race.name"),
        ("subspecies", "subspecies", ["2024"], "$.species.name"), ("traits", "trait", both, nil),
        ("weapon-mastery-properties", "weaponMasteryProperty", ["2024"], nil),
        ("weapon-properties", "weaponProperty", both, nil),
    ]
    private static let both = ["2014", "2024"]
    private static let collection = QuestionParameter.choice("collection", collections.map(\.name), "The collection.")
        .unsent.sent { $0.namesRoute = true }
    private static let edition = QuestionParameter.choice(
        "edition", both, "The edition of the rules. The edition of 2024 has no spells.", default: "2014"
    ).unsent.sent {
        let words = Dictionary(uniqueKeysWithValues: collections.map { ($0.name, $0.editions) })
        $0.wordsBy = .init(
            parameter: "collection", words: words, refusal: "There are no {value} in the edition of {word}.")
        $0.defaultBy = .init(parameter: "collection", defaults: words.compactMapValues(\.first))
    }

    private static func number(_ name: String, _ line: String, example: String) -> QuestionParameter {
        QuestionParameter(name, .pattern("^([12]?[0-9]([.][0-9]{1,3})?|30([.]0{1,3})?)$"), line, example: example).list
            .upTo(40)
            .sent { $0.decimals = 0...30 }
    }

    private static let list = QuestionSpec(
        name: "list", route: "{collection}", path: "/api/{edition}/{collection}",
        parameters: [
            collection,
            .text("name", "A text in the name.", example: "dragon", longest: 200).term.unsent.lowerCase,
            edition, .limit(1...1000).unsent, .sort([SortOrder.relevance, .name]).unsent,
            number("challengeRating", "Challenge ratings from 0 to 30; monsters only.", example: "10")
                .only("collection", "monsters").sent {
                    ($0.name, $0.keyName) = ("challenge_rating", "challenge_rating")
                },
            number("level", "Levels from 0 to 30; spells only.", example: "2").only("collection", "spells"),
            .text("school", "A school of magic; spells only.", example: "evocation", longest: 100).lowerCase
                .only("collection", "spells"),
        ],
        keyOrder: ["collection", "edition", "name", "challengeRating", "level", "school", "limit", "sort"],
        fixed: [("lang", "en")], ttl: .seconds(7 * 86_400), summary: "/api/2014/{collection}: a whole list",
        answer: AnswerSpec(
            list: "$.results", noun: "results", counts: .matches, result: entry,
            results: ("collection", collections.map { ($0.name, result($0.kind, as: entry)) }),
            // Of all filter values, the whole list contains only the level of a spell.
            choices: [
                ChoiceSpec(parameter: "name", rule: .contains(entry.title)),
                ChoiceSpec(parameter: "level", rule: .among(.first("$.level"))),
            ]))

    private static let details = QuestionSpec(
        name: "details", route: "{collection}/{index}",
        path: "/api/{edition}/{collection}/{index}",
        parameters: [
            collection, edition,
            QuestionParameter(
                "index", .pattern("^[a-z0-9-]{1,100}$"), "The record's name in its collection.", example: "aboleth"
            ).lowerCase.sent {
                $0.mismatch = "An index has letters, digits and hyphens only, as in \"acid-arrow\"."
            },
        ],
        fixed: [("lang", "en")], ttl: .seconds(7 * 86_400), summary: "/api/2014/{collection}/{index}: one record",
        answer: AnswerSpec(
            noun: "records", identity: ("$.index", "{index}"), result: record,
            results: ("collection", collections.map { ($0.name, result($0.kind, as: record, genre: $0.genre)) })))

    /// What a list says of a record.
    private static let entry = ResultSpec(
        kind: "record", id: .first("$.index"), title: .first("$.name", "$.index", as: .line),
        url: .first("$.url", as: .absolute), attributes: [AttributeSpec("index", .text, .first("$.index"))],
        idReason: .index)
    private static let record: ResultSpec = {
        var record = entry
        record.summary = .all(description, as: .paragraphs, .join("\n"))
        record.price = PriceSpec(amounts: ["$.cost.quantity"], currency: "$.cost.unit")
        // Two records have a wrong path there, so only the folder of pictures is accepted.
        record.artwork = .urls(
            original: .first(
                "$.image", as: .matching(TextPattern("^/api/images/[A-Za-z0-9_/-]+[.]?[A-Za-z0-9_-]*$")), .absolute))
        record.othersExcept = ["index", "name", "url", "image", "cost", "desc", "description", "updated_at"]
        return record
    }()
    /// A description is one text or a list of texts, under one of two names.
    private static let description = FieldRule.first("$.desc", "$.desc[*]", "$.description", "$.description[*]")
    /// Few monsters have a description. All have the line that the book prints under their name.
    private static let monster = FieldRule.all(
        .template("{$.size} {$.type}, {$.alignment}"), description, as: .paragraphs, .join("\n"))

    private static func result(_ kind: String, as usual: ResultSpec, genre: JSONPath? = nil) -> ResultSpec {
        var result = usual
        result.kind = kind
        result.genres = genre.map { .first($0) }
        if kind == "monster", usual.summary != nil { result.summary = monster }
        if kind == "spell", usual.summary == nil { result.attributes += [.init("level", .number, .first("$.level"))] }
        return result
    }

    /// Errors are plain text or JSON. A missing resource is "Not Found"; a part of a missing record may be an empty 200.
    /// Internal errors of the API also have status 404, so a 404 for one of its lists is such an error.
    private static let classification = ClassificationSpec(
        rows: [
            .init(
                statuses: 200...200,
                condition: "@.error && !@.index && !@.results || @.message && !@.index && !@.results",
                means: .broken("The answer has status 200 and contains an error."), messages: messages),
            .init(
                statuses: 200...200, question: "details", condition: "!@.index || @.index == ''",
                means: .broken("The answer is not a record of the D&D API.")),
            .init(
                statuses: 400...400, means: .invalidRequest("The D&D API refused the request."), messages: messages),
        ], absenceWords: (["not found", "file not found"], messages), others: .records)
    private static let messages: [JSONPath] = ["$.error", "$.message"]
}
