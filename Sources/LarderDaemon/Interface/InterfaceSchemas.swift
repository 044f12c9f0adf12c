// The schemas of search responses and problems. Their words come from the tables that the responses are written with.
// The schemas of the daemon's other responses are in `InterfaceHouseSchemas`.
import LarderCache
import LarderCore
import LarderEngine
import LarderProviders

enum InterfaceSchemas {
    private typealias Schema = InterfaceSchema

    private static let states: [(state: LiveSearch.State, sentence: String)] = [
        (.results, "Every source answered, and at least one had results."),
        (.noResults, "Every source answered, and none had anything."),
        (.allDropped, "Records were found, and none of them could be made a result: see dropped and droppedReasons."),
        (.partial, "A source failed, or gave a part of what it was asked for."),
        (.failed, "No source gave anything."),
        (.loading, "Of a search begun with Prefer: respond-async: it has not ended."),
        (.cancelled, "Of such a search: its client cancelled it."),
    ]

    /// The schema of a component.
    static func schema(of component: InterfaceComponent) -> InterfaceSchema {
        switch component {
        case .envelope: .object(envelope)
        case .localEnvelope:
            .object(
                envelope + [
                    .init("total", .integer, "How many results match in all."),
                    .optional("capped", .flag, "The total is a lower bound."),
                ])
        case .liveSearch:
            .object(
                [.init("id", .text, "Names the search."), .init("events", .text, "The path of its events.")] + envelope
                    + [.optional("problem", .component(.problem), "Why it failed.")])
        case .source: .object(source)
        case .sourceError:
            .object([
                .init("class", .words(FailureClass.allCases.map(\.rawValue)), "What kind of failure it was."),
                .init("detail", .text, "What happened, in a sentence."),
                .init("retryable", .flag, "Whether asking again may help."),
                .optional("retryAt", .time, "When it may help."),
            ])
        case .result: .object(result)
        case .price:
            .object([.init("amount", .number), .init("currency", .text, "ISO 4217; of D&D equipment the coin.")])
        case .artwork:
            .object([
                .optional("small", .text, "A path of this daemon."), .optional("large"), .optional("original"),
            ])
        case .problem: .object(problem)
        default: InterfaceHouseSchemas.schema(of: component)
        }
    }

    private static let sentences = states.map { "\($0.state.rawValue): \($0.sentence)" }.joined(separator: " ")
    private static let state = InterfaceSchema.Member("state", .words(states.map(\.state.rawValue)), sentences)

    private static let envelope: [InterfaceSchema.Member] = envelope(of: .component(.result))

    /// The envelope around results of that schema.
    static func envelope(of result: InterfaceSchema) -> [InterfaceSchema.Member] {
        [
            state, .init("query", .map(.any), "The question as it was understood."),
            .init("sources", .list(.component(.source)), "What each source gave."),
            .init("count", .integer, "How many results there are."),
            .init("results", .list(result), "The results."),
        ]
    }

    private static let source: [InterfaceSchema.Member] = [
        .init("provider", .text, "The source's name."), state,
        .optional("count", .integer, "How many results it gave."),
        .optional("dropped", .integer, "Records of the API that gave no result; absent where 0."),
        .optional(
            "droppedReasons",
            .object(DropReason.allCases.map { .optional($0.rawValue, .integer, "Records \($0.phrase).") }),
            "How many of them for which reason."),
        .optional("missing", .integer, "Items that failed."), .optional("total", .integer, "What the API counts."),
        .optional("fetchedAt", .time, "When the API gave it."),
        .optional("freshUntil", .time, "Until when it counts as fresh."),
        .optional("stale", .flag, "It is past its lifetime."),
        .optional("local", .flag, "It is what stored results of other questions give."),
        .optional("error", .orNull(.component(.sourceError)), "Why it gave nothing, or not all."),
        .optional("results", .list(.component(.result)), "Its results; in events only."),
    ]

    private static let result = result(
        provider: .text, kind: .text, kindLine: "What it is: song, article, monster and so on.", attributes: .map(.any))

    /// A result with those schemas of provider, kind and attributes. `fields` may leave out all members except the id.
    static func result(
        provider: InterfaceSchema, kind: InterfaceSchema, kindLine: String, attributes: InterfaceSchema
    ) -> [InterfaceSchema.Member] {
        [
            .init("id", .text, "The provider's name, a colon and the API's id."),
            .optional("provider", provider, "The source's name."),
            .optional("kind", kind, kindLine), .optional("title"),
            .optional("creator", .text, "Who made it."), .optional("collection", .text, "What it is a part of."),
            .optional("summary", .text, "A few sentences of it."), .optional("url", .text, "Its page."),
            .optional("price", .component(.price)),
            .optional("genres", .list(.text)), .optional("publishedAt", .text, "A day or an instant (RFC 3339)."),
            .optional("artwork", .component(.artwork), "Paths of its picture at this daemon."),
            .optional("attributes", attributes, "What only this source has, by kind."),
            .optional("source", .any, "The API's own record, with include=source."),
            .optional("local", .map(.any), "Of a stored result: storedAt, stale and highlights."),
        ]
    }

    private static let problem: [InterfaceSchema.Member] = [
        .init("type", .text, "/problems/ and the code."), .init("title", .text, "The status in words."),
        .init("status", .integer), .init("detail", .text, "What happened, in a sentence."),
        .init("code", .text, "A stable word for programs."),
        .optional("parameter", .text, "The parameter at fault."),
        .optional("allowed", .list(.text), "What it may be."),
        .optional("conflict", .flag, "The parameter is allowed by itself, and not together with the others."),
        .optional("provider", .text, "The provider that failed."),
        .optional("class", .words(FailureClass.allCases.map(\.rawValue)), "What kind of failure it was."),
        .optional("retryable", .flag, "Whether asking again may help."),
        .optional("retryAfter", .integer, "Seconds after which it may."),
        .init("requestId", .text, "The answer's X-Request-Id: see /v1/explain/{request}."),
    ]
}
