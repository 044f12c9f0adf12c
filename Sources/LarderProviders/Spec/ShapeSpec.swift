// Records of several kinds in one list. What a record says itself decides which result it gives.
import LarderCore

/// One shape of records. The first whose condition holds decides.
final class ShapeSpec: Sendable {
    let condition: JSONFilter
    let result: ResultSpec
    /// The kinds by the words at a path. A word that is not listed is a kind itself, in camel case. Nil if all records of
    /// the shape have the result's kind.
    let kinds: (path: JSONPath, byWord: KeyValuePairs<String, String>)?

    init(
        _ condition: JSONFilter, _ result: ResultSpec,
        kinds: (path: JSONPath, byWord: KeyValuePairs<String, String>)? = nil
    ) {
        self.condition = condition
        self.result = result
        self.kinds = kinds
    }

    func kind(of record: SpecRecord) -> String {
        guard let kinds, let word = kinds.path.first(in: record)?.string else { return result.kind }
        return kinds.byWord.first { $0.key == word }?.value ?? CamelCase.kind(word)
    }

    /// The kinds, for the interface description.
    var about: [ResultKind] {
        let usual = result.about
        guard let kinds else { return [usual] }
        return kinds.byWord.map { word in
            var kind = usual
            kind.name = word.value
            return kind
        }
    }

    func bound(to names: inout MemberNames) -> ShapeSpec {
        var (result, kinds) = (result, kinds)
        result.bind(to: &names)
        kinds?.path.bind(to: &names)
        return ShapeSpec(condition.bound(to: &names), result, kinds: kinds)
    }
}
