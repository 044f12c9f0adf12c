// What a client wants to see of results, beside what it asks for: `include=source` and `fields=`, on every route that
// answers with results. The first is another stored answer of the same raw one, the second a cut of whichever is stored.
import LarderCore
import LarderProviders

/// What is wanted of each result.
public struct ResultShape: Sendable, Hashable {
    static let parameters = ["include", "fields"]

    /// Each result has the API's own record beside it.
    var includesSource = false
    /// The members that are wanted; nil for all.
    public var projection: ResultProjection?

    /// All of every result, and nothing besides.
    public static let whole = ResultShape()

    private init() {}

    /// - Throws: 400 where a word is not one of the allowed ones.
    init(_ query: QueryParameters) throws(ClientFacingError) {
        if query.items.contains(where: { $0.name == "include" }) {
            _ = try Self.words("include", query["include"], allowed: [SourceRecord.name])
            includesSource = true
        }
        if query.items.contains(where: { $0.name == "fields" }) {
            projection = ResultProjection(
                try Self.words("fields", query["fields"], allowed: ResultProjection.names))
        }
    }

    /// Takes its parameters off a query whose other ones a provider reads.
    /// - Throws: 400 where a word is not one of the allowed ones.
    init(takenOff query: inout QueryParameters) throws(ClientFacingError) {
        query = query.joining(lists: Self.parameters)
        self = try ResultShape(query)
        query.items.removeAll { Self.parameters.contains($0.name) }
    }

    private static func words(
        _ name: String, _ text: String?, allowed: [String]
    ) throws(ClientFacingError) -> [String] {
        var words: [String] = []
        for part in (text ?? "").split(separator: ",", omittingEmptySubsequences: false) {
            let part = String(ASCII.trimmed(part))
            guard let word = allowed.first(where: { ASCII.equalFolded($0, part) }) else {
                throw .invalid(name, mistake(name, part), allowed: allowed)
            }
            words.append(word)
        }
        return words
    }

    private static func mistake(_ name: String, _ part: String) -> String {
        if part.isEmpty { return "\"\(name)\" has an empty part." }
        let what = "\"\(part)\" is no word of \"\(name)\"."
        // Results have this member too, but not by choosing it.
        guard name == "fields", ASCII.equalFolded(part, SourceRecord.name) else { return what }
        return what + " The API's own record comes with include=\(SourceRecord.name)."
    }

    /// The question that brings what is needed for it.
    func applied(to endpoint: Endpoint) -> Endpoint { includesSource ? endpoint.includingSource() : endpoint }

    /// A canonical query with what is wanted of it: other bytes are another answer with another entity tag.
    public func shown(in query: Bytes) -> Bytes {
        guard self != .whole else { return query }
        var writer = JSONWriter()
        writer.object { writer in
            if includesSource { writer.member("include", strings: [SourceRecord.name]) }
            if let projection { writer.member("fields", strings: ["id"] + projection.chosen) }
        }
        return query.dropLast() + (query.count > 2 ? [0x2C] : []) + writer.bytes.dropFirst()
    }

    /// Results as they are wanted.
    public func applied(to results: Bytes) throws(JSONError) -> Bytes {
        try projection?.applied(to: results) ?? results
    }
}

extension ConfiguredProvider {
    /// The question of one of its own routes, and what is wanted of its results.
    public func question(
        path: [String], query: QueryParameters
    ) throws(ClientFacingError) -> (endpoint: Endpoint, shape: ResultShape) {
        var query = query
        let shape = try ResultShape(takenOff: &query)
        do throws(ClientFacingError) {
            return (shape.applied(to: try provider.endpoint(path: path, query: query)), shape)
        } catch {
            var error = error
            if error.code == "unknownParameter" { error.allowed += ResultShape.parameters }
            throw error
        }
    }
}
