// Some members of results instead of all: made of the stored answer when it is asked for, so that it costs no entry of its
// own and no call.
import LarderCore

/// Which members of a result are wanted.
public struct ResultProjection: Sendable, Hashable {
    /// The members that can be chosen, in the order in which results have them.
    public static let names = ResultItem.members
    /// What comes with any choice: a result must have its name, and these are there because they were asked for or
    /// because they say that a result is another question's.
    static let always = ["id", SourceRecord.name, "local"]

    /// In the order of `names`, each once, without `id`.
    public let chosen: [String]

    /// - Parameter chosen: any of `names`; nil where that is all of them.
    public init?(_ chosen: [String]) {
        let chosen = Self.names.filter { $0 != "id" && chosen.contains($0) }
        guard chosen.count < Self.names.count - 1 else { return nil }
        self.chosen = chosen
    }

    /// The same results with these members only.
    ///
    /// - Parameter results: a JSON array of results, as an answer has them.
    public func applied(to results: Bytes) throws(JSONError) -> Bytes {
        try Self.filtered(results) { name in Self.always.contains(name) || chosen.contains(name) }
    }

    /// Results without the records that were embedded in them.
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
