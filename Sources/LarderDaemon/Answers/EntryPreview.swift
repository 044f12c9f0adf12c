// The beginning of a stored body for a person to read: the first 4 KiB of text, decoded if the body has a content
// coding. For an image or any other body, only its type.
import LarderCore
import LarderHTTP
import LarderIO

struct EntryPreview: Sendable, Equatable {
    enum Kind: String, Sendable {
        case text
        case image
        case binary
    }

    var kind: Kind
    /// The text, if the body is text.
    var text: String?
    /// Whether the body is longer than the text.
    var isTruncated = false

    /// The most bytes of the plain body to show, and the most bytes of the stored body to read for them.
    static let shown = 4 << 10
    static let read = 64 << 10

    func append(to writer: inout JSONWriter) {
        writer.member("type", kind.rawValue)
        writer.member(ifPresent: "text", text)
        if isTruncated { writer.member("truncated", true) }
    }

    /// Makes the preview of an entry. Decoding runs in the compute gate.
    static func of(_ entry: StoredResponse, _ compute: ComputeGate) async -> EntryPreview {
        let type = (entry.fields.first(.contentType) ?? "").lowercased()
        if entry.layer == .artwork || type.hasPrefix("image/") { return EntryPreview(kind: .image) }
        let start: Bytes
        if let large = entry.large {
            start = (try? await large.read(at: 0, atMost: read)) ?? []
        } else {
            start = Bytes(entry.body.prefix(read))
        }
        let isWhole = Int64(start.count) == entry.bodyLength
        guard let coding = entry.fields.first(.contentEncoding) else {
            return of(plain: start, isWhole: isWhole)
        }
        return await compute.run {
            guard let (plain, hasMore) = inflated(start, coding) else { return EntryPreview(kind: .binary) }
            return of(plain: plain, isWhole: isWhole && !hasMore)
        }
    }

    /// The beginning of the plain body. Nil if the coding is unknown or the bytes are not in that coding.
    private static func inflated(_ coded: Bytes, _ coding: String) -> (plain: Bytes, hasMore: Bool)? {
        guard let inflater = ContentInflater(coding: coding) else { return nil }
        inflater.feed(coded)
        var plain: Bytes = []
        do throws(ContentCodingError) {
            while plain.count <= shown {
                guard let piece = try inflater.next() else { return (plain, false) }
                plain += piece
            }
        } catch {
            return nil
        }
        return (plain, true)
    }

    /// Makes the preview of a plain body. A body is text if it is UTF-8 and has no control characters except line and
    /// tab characters. A character that is cut at the end is left out.
    static func of(plain: Bytes, isWhole: Bool) -> EntryPreview {
        var start = Bytes(plain.prefix(shown))
        let isCut = start.count < plain.count || !isWhole
        if isCut { dropCutCharacter(&start) }
        let hasControls = start.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        guard !hasControls, let text = start.strictText else { return EntryPreview(kind: .binary) }
        return EntryPreview(kind: .text, text: text, isTruncated: isCut)
    }

    /// Removes the last character if some of its bytes are missing.
    private static func dropCutCharacter(_ text: inout Bytes) {
        var first = text.count
        while first > 0, text.count - first < 3, text[first - 1] & 0xC0 == 0x80 { first -= 1 }
        guard first > 0, text[first - 1] >= 0xC0 else { return }
        let length = text[first - 1] >= 0xF0 ? 4 : text[first - 1] >= 0xE0 ? 3 : 2
        let there = text.count - first + 1
        if there < length { text.removeLast(there) }
    }
}
