// The JSON of a live search: the envelope of every search, with an id, and with "loading" for sources without an
// answer. After the end it has exactly the members of the answer to a client that waits.
import LarderCore

/// Renders the JSON of a live search.
public enum LiveEnvelope {
    /// Returns the path of a search.
    public static func path(_ id: String) -> String { "/v1/searches/\(id)" }

    /// - Parameter results: the results so far, merged. Used unless the search ended with an answer.
    public static func render(_ search: LiveSearch, results: Bytes, count: Int) -> Bytes {
        var writer = JSONWriter(reserving: results.count + 1024)
        writer.object { writer in
            begin(search, to: &writer)
            if let conclusion = search.conclusion, conclusion.problem == nil {
                members(of: conclusion.body, to: &writer)
            } else {
                summary(search, to: &writer)
                writer.member("count", count)
                writer.member("results", raw: results)
                problem(search, to: &writer)
            }
        }
        return writer.bytes
    }

    /// Returns the event of a change of state. It has no results, because the source events carry them.
    static func stateEvent(_ search: LiveSearch, count: Int) -> Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            begin(search, to: &writer)
            summary(search, to: &writer)
            writer.member("count", count)
            problem(search, to: &writer)
        }
        return writer.bytes
    }

    /// Returns the event of one source's answer, with its results.
    static func sourceEvent(_ answer: SourceAnswer, _ shape: ResultShape = .whole) -> Bytes {
        let none = Bytes(text: "[]")
        // Larder wrote these rows. Results that cannot be cut are left out here, and the end of the search says why.
        let results = (try? shape.applied(to: answer.normalised?.results ?? none)) ?? none
        var writer = JSONWriter(reserving: results.count + 256)
        Envelope.append(answer, results: results, to: &writer)
        return writer.bytes
    }

    private static func begin(_ search: LiveSearch, to writer: inout JSONWriter) {
        writer.member("id", search.id)
        writer.member("events", "\(path(search.id))/events")
    }

    private static func summary(_ search: LiveSearch, to writer: inout JSONWriter) {
        writer.member("state", search.state.rawValue)
        writer.member("query", raw: search.query)
        writer.name("sources")
        writer.array { writer in
            for (name, answer) in zip(search.names, search.answers) {
                if let answer {
                    Envelope.append(answer, to: &writer)
                } else {
                    writer.object { writer in
                        writer.member("provider", name)
                        writer.member("state", search.state == .loading ? "loading" : "cancelled")
                    }
                }
            }
        }
    }

    private static func problem(_ search: LiveSearch, to writer: inout JSONWriter) {
        if let problem = search.conclusion?.problem { writer.member("problem", raw: problem) }
    }

    /// Writes the members of an object that was rendered before, without its braces.
    private static func members(of object: Bytes, to writer: inout JSONWriter) {
        guard object.count > 2 else { return }
        writer.raw(Bytes(object[1..<(object.count - 1)]))
    }
}
