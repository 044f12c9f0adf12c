// The picture of a record: the upstream URLs of its three sizes.
import LarderCore

enum ArtworkSpec: Sendable {
    /// A rule for each size. Without the original there is no picture; it stands for the sizes that have no URL.
    case urls(small: FieldRule? = nil, large: FieldRule? = nil, original: FieldRule)
    /// A template of URLs, with the name and the word of a size: `https://host/{image}-{size}.jpg`.
    case template(String, name: FieldRule, small: String, large: String, original: String)
    /// A program.
    case made(PictureFunction)

    func artwork(of record: SpecRecord, _ base: AnswerBase?) -> ResultItem.Artwork? {
        switch self {
        case .made(let function): return function.body(record.value)
        case .urls(let small, let large, let original):
            guard let original = original.text(of: record, base) else { return nil }
            return ResultItem.Artwork(
                small: small?.text(of: record, base) ?? original, large: large?.text(of: record, base) ?? original,
                original: original)
        case .template(let template, let name, let small, let large, let original):
            guard let name = name.text(of: record) else { return nil }
            func url(_ size: String) -> String {
                template.replacing("{image}", with: PercentCoding.encode(name)).replacing("{size}", with: size)
            }
            return ResultItem.Artwork(small: url(small), large: url(large), original: url(original))
        }
    }

    func bound(to names: inout MemberNames) -> ArtworkSpec {
        switch self {
        case .made: return self
        case .urls(let small, let large, let original):
            return .urls(
                small: small?.bound(to: &names), large: large?.bound(to: &names), original: original.bound(to: &names))
        case .template(let template, let name, let small, let large, let original):
            return .template(
                template, name: name.bound(to: &names), small: small, large: large, original: original)
        }
    }
}
