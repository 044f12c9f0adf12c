// Gives each upstream question one spelling: parameters sorted by name, encoded in one way, defaults left out. Typed
// and raw requests use the same function, so both find the same raw entry.
import LarderCore

/// How the parameters of one API are brought into canonical form.
struct CanonicalQuery: Sendable {
    /// Values that mean the same as an omitted parameter, compared after folding.
    var defaults: [String: String] = [:]
    /// Parameters whose values are folded to upper case, and to lower case.
    var upperCase: Set<String> = []
    var lowerCase: Set<String> = []
    /// Parameters whose values are folded to a form like "Yes".
    var capitalised: Set<String> = []
    /// Parameters in whose values white space is collapsed.
    var collapsed: Set<String> = []
    /// Credentials. They are never part of a canonical request. Names match in any letter case: some APIs ignore it.
    var dropped: Set<String> = []

    /// The canonical query; nil if no parameter is left. A repeated parameter keeps all its values in their order.
    func encode(_ items: [QueryParameters.Item]) -> String? {
        var repeated: [String: Int] = [:]
        for item in items { repeated[item.name, default: 0] += 1 }
        let kept = items.compactMap { item -> QueryParameters.Item? in
            if isDropped(item.name) { return nil }
            guard let value = item.value, repeated[item.name] == 1 else { return item }
            let folded = fold(value, of: item.name)
            return defaults[item.name] == folded ? nil : QueryParameters.Item(item.name, folded)
        }
        // Sorted by the bytes of the name; `sorted` is stable.
        let sorted = kept.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return sorted.isEmpty ? nil : QueryParameters(sorted).encoded
    }

    /// The canonical form of a raw query. A query that cannot be decoded keeps its spelling, without credentials, and
    /// so has an entry of its own.
    func canonical(_ query: String?) -> String? {
        guard let query else { return nil }
        guard let parsed = try? QueryParameters(parsing: query) else { return spared(query) }
        return encode(parsed.items)
    }

    private func isDropped(_ name: String) -> Bool { dropped.contains { ASCII.equalFolded($0, name) } }

    private func spared(_ query: String) -> String { QueryText.removing(from: query, where: isDropped) }

    private func fold(_ value: String, of name: String) -> String {
        if upperCase.contains(name) { return value.uppercased() }
        if lowerCase.contains(name) { return value.lowercased() }
        if capitalised.contains(name) { return value.prefix(1).uppercased() + value.dropFirst().lowercased() }
        return collapsed.contains(name) ? QuestionReader.collapsed(value) : value
    }
}

/// A query as it was written.
public enum QueryText {
    /// The query without the parameters whose names are to go. The rest keeps its spelling.
    public static func removing(from query: String, where isRemoved: (_ name: String) -> Bool) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).filter { piece in
            let name = try? PercentCoding.decode(piece.prefix { $0 != "=" }.utf8, plusIsSpace: true)
            return name.map { !isRemoved($0) } ?? true
        }.joined(separator: "&")
    }
}
