// The envelope of results in `/openapi.json`: its states, its sources, and why records gave no result. The words come from
// the tables that the answers are written with.
import LarderCore
import LarderEngine

enum InterfaceSchemas {
    private static let states: [(state: LiveSearch.State, sentence: String)] = [
        (.results, "Every source answered, and at least one had results."),
        (.noResults, "Every source answered, and none had anything."),
        (.allDropped, "Records were found, and none of them could be made a result: see dropped and droppedReasons."),
        (.partial, "A source failed, or gave a part of what it was asked for."),
        (.failed, "No source gave anything."),
        (.loading, "Of a search begun with Prefer: respond-async: it has not ended."),
        (.cancelled, "Of such a search: its client cancelled it."),
    ]

    /// `components`.
    static func append(to writer: inout JSONWriter) {
        writer.name("components")
        writer.object { writer in
            writer.name("schemas")
            writer.object { writer in
                schema("Envelope", to: &writer) { writer in
                    state(to: &writer)
                    property("sources", "array", "What each source gave.", to: &writer) { writer in
                        writer.name("items")
                        writer.object { $0.member("$ref", "#/components/schemas/Source") }
                    }
                    property("count", "integer", "How many results there are.", to: &writer)
                    property("results", "array", "The results.", to: &writer)
                }
                schema("Source", to: &writer) { writer in
                    property("provider", "string", "The source's name.", to: &writer)
                    state(to: &writer)
                    property("count", "integer", "How many results it gave.", to: &writer)
                    property(
                        "dropped", "integer", "Records of the API that gave no result; absent where 0.", to: &writer)
                    property("droppedReasons", "object", "How many of them for which reason.", to: &writer) { writer in
                        writer.name("properties")
                        writer.object { writer in
                            for reason in DropReason.allCases {
                                property(reason.rawValue, "integer", "Records \(reason.phrase).", to: &writer)
                            }
                        }
                    }
                }
            }
        }
    }

    /// The content of a response that is an envelope.
    static func appendContent(to writer: inout JSONWriter) {
        writer.name("content")
        writer.object { writer in
            writer.name("application/json")
            writer.object { writer in
                writer.name("schema")
                writer.object { $0.member("$ref", "#/components/schemas/Envelope") }
            }
        }
    }

    private static func schema(
        _ name: String, to writer: inout JSONWriter, _ properties: (inout JSONWriter) -> Void
    ) {
        writer.name(name)
        writer.object { writer in
            writer.member("type", "object")
            writer.name("properties")
            writer.object { properties(&$0) }
        }
    }

    private static func state(to writer: inout JSONWriter) {
        let sentences = states.map { "\($0.state.rawValue): \($0.sentence)" }.joined(separator: " ")
        property("state", "string", sentences, to: &writer) { writer in
            writer.member("enum", strings: states.map(\.state.rawValue))
        }
    }

    private static func property(
        _ name: String, _ type: String, _ description: String, to writer: inout JSONWriter,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) {
        writer.name(name)
        writer.object { writer in
            writer.member("type", type)
            writer.member("description", description)
            more(&writer)
        }
    }
}
