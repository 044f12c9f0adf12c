// The parameters `include=source` and `fields=`, which every route with results accepts. They select what a client sees
// of each result. `include=source` selects another normalised entry of the same raw one; `fields=` cuts members from
// whichever entry is stored.
import LarderCore
import LarderProviders

/// The selected members of each result.
public struct ResultShape: Sendable, Hashable {
    public static let records = [
        QuestionParameter("include", .choice([SourceRecord.name]), "Adds the API's own record to each result.")
            .list.saying("\"{value}\" is not a word of \"include\"."),
        QuestionParameter(
            "fields", .choice(ResultProjection.names), "The members of a result to return. id is always returned.",
            example: "title"
        ).list.saying(
            "\"{value}\" is not a word of \"fields\". The API's own record comes with include=\(SourceRecord.name)."),
    ]
    static let names = records.map(\.name)

    /// Whether each result also carries the API's own record.
    var includesSource = false
    /// The selected members; nil for all.
    public var projection: ResultProjection?

    /// All members of every result, without the API's own records.
    public static let whole = ResultShape()

    private init() {}

    init(_ values: ParameterValues) {
        includesSource = values["include"] != nil
        projection = values.list("fields").flatMap { ResultProjection($0) }
    }

    /// Reads its parameters and removes them from a query. A provider reads the remaining ones.
    /// - Throws: 400 if a word is not allowed.
    init(takenOff query: inout QueryParameters) throws(ClientFacingError) {
        let own = query.items.filter { Self.names.contains($0.name) }
        query.items.removeAll { Self.names.contains($0.name) }
        self.init(try ParameterValues(QueryParameters(own), by: Self.records))
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
