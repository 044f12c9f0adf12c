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
        (.noResults, "Every source answered, and none had results."),
        (.allDropped, "Records were found, but none could become a result: see dropped and droppedReasons."),
        (.partial, "A source failed, or gave only a part of its results."),
        (.failed, "No source gave results."),
        (.loading, "An asynchronous search that has not ended."),
        (.cancelled, "An asynchronous search that its client cancelled."),
    ]

    /// The schema of a component.
    static func schema(of component: InterfaceComponent) -> InterfaceSchema {
        switch component {
        case .envelope: .object(envelope)
        case .localEnvelope:
            .object(
                envelope + [
                    .init("total", .integer, "The number of all matching results."),
                    .optional("capped", .flag, "The total is a lower bound."),
                ])
        case .liveSearch:
            .object(
                [.init("id", .text, "The id of the search."), .init("events", .text, "The path of its events.")]
                    + envelope
                    + [.optional("problem", .component(.problem), "Why it failed.")])
        case .source: .object(source)
        case .sourceError:
            .object([
                .init("class", .words(FailureClass.allCases.map(\.rawValue)), "What kind of failure it was."),
                .init("detail", .text, "What happened, in a sentence."),
                .init("retryable", .flag, "Whether asking again may help."),
                .optional("retryAt", .time, "When to ask again."),
            ])
        case .result: .object(result)
        case .price:
            .object([.init("amount", .number), .init("currency", .text, "ISO 4217; for D&D equipment the coin.")])
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
            state, .init("query", .map(.any), "The request as it was understood."),
            .init("sources", .list(.component(.source)), "What each source gave."),
            .init("count", .integer, "The number of results."),
            .init("results", .list(result), "The results."),
        ]
    }

    private static let source: [InterfaceSchema.Member] = [
        .init("provider", .text, "The source's name."), state,
        .optional("count", .integer, "The number of its results."),
        .optional("dropped", .integer, "Records of the API that could not become results; absent if 0."),
        .optional(
            "droppedReasons",
            .object(DropReason.allCases.map { .optional($0.rawValue, .integer, "Records \($0.phrase).") }),
            "The number of dropped records, by reason."),
        .optional("missing", .integer, "Items that failed."), .optional("total", .integer, "What the API counts."),
        .optional("fetchedAt", .time, "When it was fetched from the API."),
        .optional("freshUntil", .time, "The time until which it is fresh."),
        .optional("stale", .flag, "It is past its lifetime."),
        .optional("local", .flag, "It was made from stored results of other requests."),
        .optional("error", .orNull(.component(.sourceError)), "Why it gave no results, or not all."),
        .optional("results", .list(.component(.result)), "Its results; in events only."),
    ]

    private static let result = result(
        provider: .text, kind: .text, kindLine: "The kind of result: song, article, monster and so on.",
        attributes: .map(.any))

    /// A result with those schemas of provider, kind and attributes. `fields` may leave out all members except the id.
    static func result(
        provider: InterfaceSchema, kind: InterfaceSchema, kindLine: String, attributes: InterfaceSchema
    ) -> [InterfaceSchema.Member] {
        [
            .init("id", .text, "The provider's name, a colon and the API's id."),
            .optional("provider", provider, "The source's name."),
            .optional("kind", kind, kindLine), .optional("title"),
            .optional("creator", .text, "The author, artist or maker."),
            .optional("collection", .text, "The album, series or other whole that it is part of."),
            .optional("summary", .text, "A few sentences about it."),
            .optional("url", .text, "The address of its page."),
            .optional("price", .component(.price)),
            .optional("genres", .list(.text)), .optional("publishedAt", .text, "A day or an instant (RFC 3339)."),
            .optional("artwork", .component(.artwork), "Paths of its picture on this daemon."),
            .optional("attributes", attributes, "Further members that only this source has, by kind."),
            .optional("source", .any, "The API's own record, with include=source."),
            .optional("local", .map(.any), "For a stored result: storedAt, stale and highlights."),
        ]
    }

    private static let problem: [InterfaceSchema.Member] = [
        .init("type", .text, "/problems/ followed by the code."), .init("title", .text, "The status in words."),
        .init("status", .integer), .init("detail", .text, "What happened, in a sentence."),
        .init("code", .text, "A stable word for programs."),
        .optional("parameter", .text, "The parameter that is wrong."),
        .optional("allowed", .list(.text), "The allowed values of the parameter."),
        .optional("conflict", .flag, "The parameter is allowed, but not together with the others."),
        .optional("provider", .text, "The provider that failed."),
        .optional("class", .words(FailureClass.allCases.map(\.rawValue)), "What kind of failure it was."),
        .optional("retryable", .flag, "Whether asking again may help."),
        .optional("retryAfter", .integer, "Seconds after which to ask again."),
        .init("requestId", .text, "The answer's X-Request-Id: see /v1/explain/{request}."),
    ]
}
