// Media types: the type without its parameters, and the type of an image by its bytes. An image is recognised only by
// its structure from the first byte to the last, so an HTML error page or half an image is never stored as one. SVG is
// refused, because it is a document with scripts (WHATWG MIME Sniffing §6.1 lists the same formats).
import LarderCore

/// Reads `Content-Type` and recognises images.
public enum MediaType {
    /// "type/subtype" in lower case, without parameters; nil if the text is not a media type (RFC 9110 §8.3.1).
    public static func essence(_ contentType: String?) -> String? {
        guard let contentType, let first = contentType.split(separator: ";", omittingEmptySubsequences: false).first
        else { return nil }
        let essence = FieldList.lowercased(ASCII.trimmed(first))
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isToken) }) else {
            return nil
        }
        return essence
    }

    /// The image type of the bytes, and whether they are complete: a PNG up to IEND, a JPEG up to its end marker, a GIF
    /// up to its trailer, a WebP as long as its header says, an AVIF whose boxes end where the bytes do. Bytes after
    /// the end do no harm. Nil for anything else, SVG included.
    public static func sniffImage(_ body: Bytes) -> (type: String, isComplete: Bool)? {
        let reader = ByteReader(bytes: body)
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            return ("image/png", isWholePNG(reader))
        }
        if reader.has([0xFF, 0xD8, 0xFF], at: 0) { return ("image/jpeg", isWholeJPEG(reader)) }
        if reader.has(Bytes(text: "GIF87a"), at: 0) || reader.has(Bytes(text: "GIF89a"), at: 0) {
            return ("image/gif", isWholeGIF(reader))
        }
        if reader.has(Bytes(text: "RIFF"), at: 0), reader.has(Bytes(text: "WEBPVP8"), at: 8) {
            // The RIFF length counts the bytes after itself. It covers at least "WEBP", a chunk head and a byte.
            let length = reader.little32(4) ?? 0
            return ("image/webp", length > 12 && length + 8 <= body.count)
        }
        if isAVIF(reader) { return ("image/avif", isWholeAVIF(reader)) }
        return nil
    }

    /// Checks chunks of length, name, data and checksum: IHDR first, some IDAT, IEND (PNG, third edition, §5).
    private static func isWholePNG(_ reader: ByteReader) -> Bool {
        var place = 8
        var hasData = false
        guard reader.big32(place) == 13, reader.has(Bytes(text: "IHDR"), at: place + 4) else { return false }
        while let length = reader.big32(place), place + 12 + length <= reader.count {
            if reader.has(Bytes(text: "IEND"), at: place + 4) { return hasData && length == 0 }
            if reader.has(Bytes(text: "IDAT"), at: place + 4) { hasData = true }
            place += 12 + length
        }
        return false
    }

    /// Checks segments up to a scan, the scan up to the next marker, and so on to the end marker (ITU T.81, annex B).
    private static func isWholeJPEG(_ reader: ByteReader) -> Bool {
        var place = 2
        var hasFrame = false
        var hasScan = false
        while let mark = reader.byte(place) {
            guard mark == 0xFF, let kind = reader.byte(place + 1) else { return false }
            switch kind {
            case 0xFF: place += 1  // fill
            case 0xD9: return hasFrame && hasScan
            case 0x01, 0xD0...0xD7: place += 2
            case 0x00, 0xD8: return false
            default:
                guard let length = reader.big16(place + 2), length >= 2, place + 2 + length <= reader.count else {
                    return false
                }
                place += 2 + length
                // C4 (tables), C8 (reserved) and CC (arithmetic conditioning) are not frames.
                if 0xC0...0xCF ~= kind, kind != 0xC4, kind != 0xC8, kind != 0xCC { hasFrame = true }
                if kind == 0xDA {
                    hasScan = true
                    guard let next = reader.endOfScan(place) else { return false }
                    place = next
                }
            }
        }
        return false
    }

    /// Checks the screen, the colour table, then blocks of sub-blocks up to the trailer (GIF89a, appendix B).
    private static func isWholeGIF(_ reader: ByteReader) -> Bool {
        guard let screen = reader.byte(10) else { return false }
        var place = 13 + colourTable(screen)
        var hasImage = false
        while let introducer = reader.byte(place) {
            switch introducer {
            case 0x3B: return hasImage
            case 0x21: place += 2
            case 0x2C:
                guard let packed = reader.byte(place + 9) else { return false }
                place += 10 + colourTable(packed) + 1
                hasImage = true
            default: return false
            }
            guard let end = reader.endOfSubBlocks(place) else { return false }
            place = end
        }
        return false
    }

    private static func colourTable(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    /// Whether the bytes begin an ISO base media file with an AVIF brand (ISO/IEC 14496-12 §4.3; AVIF §5).
    private static func isAVIF(_ reader: ByteReader) -> Bool {
        guard reader.has(Bytes(text: "ftyp"), at: 4), let size = reader.big32(0), size >= 16 else { return false }
        let brands = [8] + Array(stride(from: 16, to: min(size, reader.count, 256), by: 4))
        return brands.contains { reader.has(Bytes(text: "avif"), at: $0) || reader.has(Bytes(text: "avis"), at: $0) }
    }

    private static func isWholeAVIF(_ reader: ByteReader) -> Bool {
        var place = 0
        var hasItems = false
        var hasData = false
        while place < reader.count {
            guard var size = reader.big32(place) else { return false }
            if size == 1 {
                guard reader.big32(place + 8) == 0, let low = reader.big32(place + 12) else { return false }
                size = low
            } else if size == 0 {
                size = reader.count - place  // to the end of the file
            }
            guard size >= 8, place + size <= reader.count else { return false }
            if reader.has(Bytes(text: "meta"), at: place + 4) || reader.has(Bytes(text: "moov"), at: place + 4) {
                hasItems = true
            }
            if reader.has(Bytes(text: "mdat"), at: place + 4) { hasData = true }
            place += size
        }
        return hasItems && hasData
    }
}

/// Bounded reads. Each returns nil, or false, beyond the end.
private struct ByteReader {
    let bytes: Bytes

    var count: Int { bytes.count }

    func byte(_ place: Int) -> UInt8? {
        place < bytes.count ? bytes[place] : nil
    }

    func has(_ expected: Bytes, at place: Int) -> Bool {
        place + expected.count <= bytes.count && bytes[place..<place + expected.count].elementsEqual(expected)
    }

    func big16(_ place: Int) -> Int? {
        place + 2 <= bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : nil
    }

    func big32(_ place: Int) -> Int? {
        guard let high = big16(place), let low = big16(place + 2) else { return nil }
        return high << 16 | low
    }

    func little32(_ place: Int) -> Int? {
        guard place + 4 <= bytes.count else { return nil }
        return (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << ($1 * 8) }
    }

    /// The position of the first marker after entropy-coded data. In it, FF00 is data and FFD0…FFD7 restart the
    /// decoder.
    func endOfScan(_ start: Int) -> Int? {
        var place = start
        while place + 1 < bytes.count {
            if bytes[place] == 0xFF, bytes[place + 1] != 0, !(0xD0...0xD7).contains(bytes[place + 1]) { return place }
            place += 1
        }
        return nil
    }

    /// The position after a chain of GIF sub-blocks, including its empty last one.
    func endOfSubBlocks(_ start: Int) -> Int? {
        var place = start
        while let length = byte(place) {
            place += 1 + Int(length)
            if length == 0 { return place }
        }
        return nil
    }
}
