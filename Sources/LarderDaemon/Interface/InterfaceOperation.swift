// One operation of `/openapi.json`: a route's record with its parameters, bodies and responses.
import LarderCore
import LarderProviders
import LarderServer

enum InterfaceOperation {
    /// Writes the route as the member of its path item that its method names.
    static func append(_ route: Route, to writer: inout JSONWriter) {
        writer.name((route.methods.first ?? .get).name.lowercased())
        writer.object { writer in
            writer.member("operationId", route.operationID)
            writer.member("tags", strings: [route.name])
            writer.member("summary", route.told)
            if route.needsAuthority {
                writer.name("security")
                writer.array { writer in writer.object { $0.member("token", strings: []) } }
            }
            if !route.parameters.isEmpty {
                writer.name("parameters")
                writer.array { writer in
                    for parameter in route.parameters { append(parameter, to: &writer) }
                }
            }
            appendBodies(route, to: &writer)
            writer.name("responses")
            writer.object { writer in
                for answer in InterfaceDescription.answers(of: route) { append(answer, to: &writer) }
                // Statuses of the API pass through.
                if route.name == RouteName.raw.text {
                    append(RouteAnswer(0, "The API's own status.", .binary), as: "default", to: &writer)
                }
            }
            if !route.refusals.isEmpty {
                writer.name("x-refusals")
                writer.object { writer in
                    for refusal in route.refusals { writer.member(refusal.rawValue, refusal.sentence) }
                }
            }
        }
    }

    private static func append(_ parameter: RouteParameter, to writer: inout JSONWriter) {
        let record = parameter.record
        writer.object { writer in
            writer.member("name", record.name)
            writer.member("in", parameter.place.rawValue)
            writer.member("required", record.isRequired)
            writer.member("description", record.line)
            if record.isList {
                writer.member("style", "form")
                writer.member("explode", false)
            }
            writer.name("schema")
            record.schema.write(to: &writer)
            appendExample(record, to: &writer)
            if !record.aliases.isEmpty { writer.member("x-aliases", strings: record.aliases) }
        }
    }

    private static func appendExample(_ record: QuestionParameter, to writer: inout JSONWriter) {
        guard !record.example.isEmpty else { return }
        writer.name("example")
        if record.isList {
            writer.array { $0.string(record.example) }
        } else if case .number = record.form, let number = Int(record.example) {
            writer.integer(number)
        } else {
            writer.string(record.example)
        }
    }

    private static func appendBodies(_ route: Route, to writer: inout JSONWriter) {
        guard !route.bodies.isEmpty else { return }
        writer.name("requestBody")
        writer.object { writer in
            writer.name("content")
            writer.object { writer in
                for type in route.bodies {
                    writer.name(type)
                    writer.object { writer in
                        writer.name("schema")
                        writer.object { $0.member("type", type == "application/json" ? "object" : "string") }
                    }
                }
            }
        }
    }

    private static func append(_ answer: RouteAnswer, as name: String? = nil, to writer: inout JSONWriter) {
        writer.name(name ?? String(answer.status))
        writer.object { writer in
            writer.member("description", answer.line)
            guard let content = answer.content ?? (answer.status >= 400 ? .schema(.problem) : nil) else { return }
            writer.name("content")
            writer.object { writer in
                writer.name(content.mediaType)
                writer.object { writer in
                    switch content {
                    case .schema(let component):
                        writer.name("schema")
                        InterfaceSchema.component(component).write(to: &writer)
                    case .results(let about):
                        writer.name("schema")
                        InterfaceSchema.reference(InterfaceResultSchemas.envelopeName(about)).write(to: &writer)
                    case .events(let events):
                        writer.name("schema")
                        writer.object { $0.member("type", "string") }
                        writer.name("x-events")
                        writer.object { writer in
                            for (name, component) in events.sorted(by: { $0.key < $1.key }) {
                                writer.name(name)
                                InterfaceSchema.component(component).write(to: &writer)
                            }
                        }
                    case .text, .html:
                        writer.name("schema")
                        writer.object { $0.member("type", "string") }
                    case .binary: break
                    }
                }
            }
        }
    }
}

extension QuestionParameter {
    /// The schema of the value.
    var schema: InterfaceSchema {
        let value = InterfaceSchema.parameter(takenForm, default: defaultText, isItem: isList)
        return isList ? .bounded(value, 1...mostItems) : value
    }

    /// The form with the other words that are taken.
    private var takenForm: ParameterForm {
        guard case .choice(let words) = form else { return form }
        return .choice(words + otherWords.filter { !words.contains($0) } + (isAbsentIfEmpty ? [""] : []))
    }
}
