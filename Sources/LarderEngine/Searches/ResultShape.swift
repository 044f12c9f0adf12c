// The parameters `include=source` and `fields=`, which every route with results accepts. They select what a client sees
// of each result. `include=source` selects another normalised entry of the same raw one; `fields=` cuts members from
// whichever entry is stored.
import LarderCore
import LarderProviders

/// The selected members of each result.
public struct ResultShape: Sendable, Hashable {
    static let parameters = ["include", "fields"]

    /// Whether each result also carries the API's own record.
    var includesSource = false
    /// The selected members; nil for all.
    public var projection: ResultProjection?

    /// All members of every result, without the API's own records.
    public static let whole = ResultShape()

    private init() {}

    /// - Throws: 400 if a word is not allowed.
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

    /// Reads its parameters and removes them from a query. A provider reads the remaining ones.
    /// - Throws: 400 if a word is not allowed.
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
        let what = "\"\(part)\" is not a word of \"\(name)\"."
        // Results can have this member, but `fields` cannot select it.
        guard name == "fields", ASCII.equalFolded(part, SourceRecord.name) else { return what }
        return what + " The API's own record comes with include=\(SourceRecord.name)."
    }

    /// Returns the endpoint whose answer has what this shape needs.
    func applied(to endpoint: Endpoint) -> Endpoint { includesSource ? endpoint.includingSource() : endpoint }

    /// Returns a canonical query with this shape added. Answers of different shapes are different bytes and need
    /// different entity tags.
    public func shown(in query: Bytes) -> Bytes {
        guard self != .whole else { return query }
        var writer = JSONWriter()
        writer.object { writer in
            if includesSource { writer.member("include", strings: [SourceRecord.name]) }
            if let projection { writer.member("fields", strings: ["id"] + projection.chosen) }
        }
        return query.dropLast() + (query.count > 2 ? [0x2C] : []) + writer.bytes.dropFirst()
    }

    /// Returns the results in this shape.
    public func applied(to results: Bytes) throws(JSONError) -> Bytes {
        try projection?.applied(to: results) ?? results
    }
}

extension ConfiguredProvider {
    /// Returns the question of one of the provider's own routes, and the shape of its results.
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
