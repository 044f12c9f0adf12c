// Makes the conditions that validate stored answers (RFC 9111 §4.3.1), and decides which of them a 304 is about
// (§4.3.4).
import LarderCore
import LarderHTTP

/// Conditional requests of our own and what their answers mean. Pure.
public enum Validation {
    /// Our conditions for stored answers of one URL (RFC 9111 §4.3.1): `If-None-Match` with every entity tag once;
    /// `If-Modified-Since` with the first one's `Last-Modified`, in its own spelling, where there is one answer only or
    /// no tag at all. Beside the tags of several variants it is left out: an upstream that looks at the date alone
    /// would confirm a variant that nobody asked about. Empty where nothing can be validated.
    public static func conditionalFields(for entries: [StoredResponse]) -> HeaderFields {
        var fields = HeaderFields()
        var tags: [String] = []
        for case .some(let tag) in entries.map({ etag($0.fields)?.description }) where !tags.contains(tag) {
            tags.append(tag)
        }
        if !tags.isEmpty { fields.add("If-None-Match", tags.joined(separator: ", ")) }
        if entries.count == 1 || tags.isEmpty, let first = entries.first, let text = lastModified(first.fields) {
            fields.add("If-Modified-Since", text)
        }
        return fields
    }

    /// Which stored answers a 304 confirms (RFC 9111 §4.3.4): with a strong tag all that have the same; with a weak
    /// validator the newest that has the same; without any the only one there is, if it is alone. The RFC lets that
    /// last one pass only where it has no validator either; but a 304 need not repeat `Last-Modified` (RFC 9110
    /// §15.4.5), and an answer that alone was asked about is the one that was confirmed.
    ///
    /// - Parameter entries: those that the request's conditions were made from.
    public static func freshenedIndexes(by head: UpstreamHead, among entries: [StoredResponse]) -> [Int] {
        guard head.status == 304 else { return [] }
        let newest = { (matching: [Int]) -> [Int] in
            matching.max { entries[$0].responseTime < entries[$1].responseTime }.map { [$0] } ?? []
        }
        if let tag = etag(head.fields) {
            let matching = entries.indices.filter { place in
                guard let own = etag(entries[place].fields) else { return false }
                return tag.isWeak ? tag.weaklyEquals(own) : tag.stronglyEquals(own)
            }
            return tag.isWeak ? newest(matching) : matching
        }
        if let changed = lastModifiedTime(head.fields, now: head.responseTime) {
            return newest(
                entries.indices.filter {
                    lastModifiedTime(entries[$0].fields, now: head.responseTime)?.seconds == changed.seconds
                })
        }
        return entries.count == 1 ? [0] : []
    }

    /// Whether fields hold what a validation needs (RFC 9110 §8.8).
    public static func hasValidator(_ fields: HeaderFields) -> Bool {
        etag(fields) != nil || lastModified(fields) != nil
    }

    /// The entity tag, where one line holds one (RFC 9110 §8.8.3).
    public static func etag(_ fields: HeaderFields) -> EntityTag? {
        let values = fields.all("ETag")
        return values.count == 1 ? EntityTag.parse(ASCII.trimmed(values[0][...])) : nil
    }

    /// The text of `Last-Modified`, where one line holds a date (RFC 9110 §8.8.2).
    private static func lastModified(_ fields: HeaderFields) -> String? {
        let values = fields.all("Last-Modified")
        // The century of a two-digit year does not matter for whether it is a date.
        return values.count == 1 && HTTPDate.parse(values[0], now: WallTime(seconds: 0)) != nil ? values[0] : nil
    }

    /// The instant of `Last-Modified`, where one line holds a date.
    /// - Parameter now: for dates with a year of two digits.
    public static func lastModifiedTime(_ fields: HeaderFields, now: WallTime) -> WallTime? {
        lastModified(fields).flatMap { HTTPDate.parse($0, now: now) }
    }
}
