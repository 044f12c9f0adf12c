// Makes the conditions that validate stored responses (RFC 9111 §4.3.1), and decides which of them a 304 confirms
// (§4.3.4).
import LarderCore
import LarderHTTP

/// Larder's own conditional requests, and the meaning of their responses. Pure.
public enum Validation {
    /// The conditions for the stored responses of one URL (RFC 9111 §4.3.1). `If-None-Match` has every entity tag once.
    /// `If-Modified-Since` has the first response's `Last-Modified`, in its own spelling, if there is only one response
    /// or no tag at all. It is left out beside the tags of several variants: an upstream that looks at the date alone
    /// would confirm a variant that was not asked for. Empty if nothing can be validated.
    public static func conditionalFields(for entries: [StoredResponse]) -> HeaderFields {
        var fields = HeaderFields()
        var tags: [String] = []
        for case .some(let tag) in entries.map({ etag($0.fields)?.description }) where !tags.contains(tag) {
            tags.append(tag)
        }
        if !tags.isEmpty { fields.add(.ifNoneMatch, tags.joined(separator: ", ")) }
        if entries.count == 1 || tags.isEmpty, let first = entries.first, let text = lastModified(first.fields) {
            fields.add(.ifModifiedSince, text)
        }
        return fields
    }

    /// Which stored responses a 304 confirms (RFC 9111 §4.3.4). A strong tag confirms all responses with the same tag.
    /// A weak validator confirms the newest response that has it. A 304 without a validator confirms the only response,
    /// if there is just one. The RFC allows that only if the response has no validator either. But a 304 need not
    /// repeat `Last-Modified` (RFC 9110 §15.4.5), and a request about a single response can only confirm that response.
    ///
    /// - Parameter entries: the entries from which the request's conditions were made.
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

    /// Whether the fields hold a validator (RFC 9110 §8.8).
    public static func hasValidator(_ fields: HeaderFields) -> Bool {
        etag(fields) != nil || lastModified(fields) != nil
    }

    /// The entity tag, if the field has exactly one line with one tag (RFC 9110 §8.8.3).
    public static func etag(_ fields: HeaderFields) -> EntityTag? {
        let values = fields.all(.etag)
        return values.count == 1 ? EntityTag.parse(ASCII.trimmed(values[0][...])) : nil
    }

    /// The text of `Last-Modified`, if the field has exactly one line with a date (RFC 9110 §8.8.2).
    private static func lastModified(_ fields: HeaderFields) -> String? {
        let values = fields.all(.lastModified)
        // Any `now` will do: the century of a two-digit year does not decide whether the text is a date.
        return values.count == 1 && HTTPDate.parse(values[0], now: WallTime(seconds: 0)) != nil ? values[0] : nil
    }

    /// The time in `Last-Modified`, if the field has exactly one line with a date.
    /// - Parameter now: for dates with a two-digit year.
    public static func lastModifiedTime(_ fields: HeaderFields, now: WallTime) -> WallTime? {
        lastModified(fields).flatMap { HTTPDate.parse($0, now: now) }
    }
}
