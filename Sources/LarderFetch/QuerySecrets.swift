// The secrets of a request's query, in the fields of its response: the address of a redirect, links to further pages. They
// are taken out of a URL where they are a parameter of it, so that a client can follow it and gets the secret added again.
// A field that holds one in any other way is removed.
import LarderCore

struct QuerySecrets {
    private let pieces: [String]
    private let values: [String]

    /// - Parameter query: the secret part of a query, percent-encoded; nil if there is none.
    init(_ query: String?) {
        let items = query.flatMap { try? QueryParameters(parsing: $0) }?.items ?? []
        let secrets = items.flatMap { item -> [(name: String, value: String)] in
            guard let value = item.value, !value.isEmpty else { return [] }
            return Set([value, PercentCoding.encode(value)]).sorted().map { (item.name, $0) }
        }
        pieces = secrets.map { "\($0.name)=\($0.value)" }
        values = secrets.map(\.value)
    }

    /// The fields without the secrets.
    func removed(from fields: HeaderFields) -> HeaderFields {
        guard !values.isEmpty else { return fields }
        return fields.changed { field in
            guard holds(field.value) else { return field }
            let value = pieces.reduce(field.value, Self.without)
            return holds(value) ? nil : field.with(value: value)
        }
    }

    private func holds(_ text: String) -> Bool { values.contains { text.contains($0) } }

    /// The text without the parameters of its URLs that are exactly this piece.
    private static func without(_ text: String, _ piece: String) -> String {
        var out = ""
        var rest = text[...]
        while let hit = rest.firstRange(of: piece) {
            let (before, after) = (rest[..<hit.lowerBound], rest[hit.upperBound...])
            guard let sign = before.last, sign == "?" || sign == "&",
                after.first.map({ "&#>\"', ".contains($0) }) ?? true
            else {
                out += rest[..<hit.upperBound]
                rest = after
                continue
            }
            // One of the two separators goes with it.
            out += after.first == "&" ? before : before.dropLast()
            rest = after.first == "&" ? after.dropFirst() : after
        }
        return out + rest
    }
}
