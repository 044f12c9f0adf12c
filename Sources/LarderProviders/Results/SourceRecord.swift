// Adds the API's own record to each result when a client asks for it (`include=source`). A record is copied unchanged,
// except for members that grant control over a thing, such as the hash that deletes a picture. Records are not searched
// for configured secrets, because those are removed from a response before it is stored.
import LarderCore

/// Embeds upstream records in results.
public enum SourceRecord {
    /// The member of a result that holds the record.
    public static let name = "source"
    /// The deepest nesting of a record. A deeper record is left out, so every client can parse the answer.
    private static let deepest = 48

    /// The results of an answer, each with its record if that is known.
    ///
    /// - Parameter members: names of members that are left out at any depth.
    public static func embedded(in answer: NormalisedAnswer, withholding members: [String]) -> Bytes {
        guard let results = try? JSON.parse(answer.results), answer.sources.count == answer.count else {
            return answer.results
        }
        let copier = Copier(withheld: Set(members))
        var out: Bytes = [0x5B]
        out.reserveCapacity(answer.results.count * 3)
        for (position, (result, source)) in zip(results.elements, answer.sources).enumerated() {
            if position > 0 { out.append(0x2C) }
            let whole = result.raw
            var copy = Bytes()
            guard let source, copier.append(source, depth: 0, to: &copy) else {
                out.append(contentsOf: whole)
                continue
            }
            // A result has an id, so there is always a member before this one.
            out.append(contentsOf: whole.dropLast())
            out.append(contentsOf: Bytes(text: ",\"\(name)\":"))
            out.append(contentsOf: copy)
            out.append(0x7D)
        }
        out.append(0x5D)
        return out
    }

    private struct Copier {
        let withheld: Set<String>

        /// Copies a value. Returns false if it is nested too deeply.
        func append(_ value: JSONValue, depth: Int, to bytes: inout Bytes) -> Bool {
            guard depth < deepest else { return false }
            switch value.kind {
            case .object:
                bytes.append(0x7B)
                var isFirst = true
                for member in value.members where !withheld.contains(member.name) {
                    if !isFirst { bytes.append(0x2C) }
                    isFirst = false
                    JSONText.append(member.name, to: &bytes)
                    bytes.append(0x3A)
                    guard append(member.value, depth: depth + 1, to: &bytes) else { return false }
                }
                bytes.append(0x7D)
            case .array:
                bytes.append(0x5B)
                for (position, element) in value.elements.enumerated() {
                    if position > 0 { bytes.append(0x2C) }
                    guard append(element, depth: depth + 1, to: &bytes) else { return false }
                }
                bytes.append(0x5D)
            case .string, .number, .bool, .null: bytes.append(contentsOf: value.raw)
            }
            return true
        }
    }
}
