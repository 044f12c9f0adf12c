// Reduces results to some of their members. The reduced results are made from the stored answer on request, so they
// need neither an entry nor a call of their own.
import LarderCore

/// The members of a result that were requested.
public struct ResultProjection: Sendable, Hashable {
    /// The members that can be requested, in the order in which results have them.
    public static let names = ResultItem.members
    /// Members that every projection keeps. A result must have its id. The others are present only if they were
    /// requested, or if they mark a result as belonging to another question.
    static let always = ["id", SourceRecord.name, "local"]

    /// The requested members in the order of `names`, each once, without `id`.
    public let chosen: [String]

    /// - Parameter chosen: any of `names`. The initialiser returns nil if they are all of them.
    public init?(_ chosen: [String]) {
        let chosen = Self.names.filter { $0 != "id" && chosen.contains($0) }
        guard chosen.count < Self.names.count - 1 else { return nil }
        self.chosen = chosen
    }

    /// Returns the same results with the kept members only.
    ///
    /// - Parameter results: a JSON array of results, in the form that answers have.
    public func applied(to results: Bytes) throws(JSONError) -> Bytes {
        try Self.filtered(results) { name in Self.always.contains(name) || chosen.contains(name) }
    }

    /// Returns the results without the source records embedded in them.
    public static func withoutSources(_ results: Bytes) throws(JSONError) -> Bytes {
        try filtered(results) { $0 != SourceRecord.name }
    }

    private static func filtered(_ results: Bytes, _ isWanted: (String) -> Bool) throws(JSONError) -> Bytes {
        let root = try JSON.parse(results, maxDepth: ResultOrder.deepest)
        guard root.kind == .array else { throw JSONError(.notAnArray, at: 0) }
        var out: Bytes = [0x5B]
        out.reserveCapacity(results.count / 2)
        for (position, result) in root.elements.enumerated() {
            if position > 0 { out.append(0x2C) }
            var writer = JSONWriter()
            writer.object { writer in
                for member in result.members where isWanted(member.name) {
                    writer.member(member.name, raw: member.value.raw)
                }
            }
            out.append(contentsOf: writer.bytes)
        }
        out.append(0x5D)
        return out
    }
}
