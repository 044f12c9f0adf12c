// Recognises an image and walks through its structure while its bytes arrive. Only the bytes of an unfinished unit are
// held: the head of a chunk, a segment or a box. The content of a unit is skipped.
import LarderCore

/// The check of one image, from its first byte on.
public struct ImageCheck: Sendable {
    /// The type of the image by its first bytes. Nil if they have not all come, or show no image.
    public private(set) var type: String?
    /// Whether the type is known, or known to be none.
    public private(set) var isDecided = false

    private var walk: (any ImageWalk)?
    private var isAtEnd = false
    /// No further bytes make it a complete image.
    private var isDamaged = false
    /// The bytes that have not been walked over.
    private var held = Bytes()
    /// The number of bytes to come that belong to a unit already known.
    private var skip = 0

    public init() {}

    /// Whether the bytes so far show that there will be no complete image.
    public var isHopeless: Bool { isDecided && type == nil || isDamaged }

    /// Whether the bytes so far are a complete image.
    public var isComplete: Bool {
        if isDamaged { return false }
        return isAtEnd || skip == 0 && held.isEmpty && walk?.mayEndHere == true
    }

    /// Takes the next bytes.
    public mutating func add(_ bytes: Bytes) {
        if isAtEnd || isDamaged || isDecided && type == nil { return }
        var reader = ByteReader(bytes: held.isEmpty ? bytes : held + bytes)
        held = []
        if !isDecided {
            decide(reader)
            guard isDecided else {
                held = reader.bytes
                return
            }
        }
        while true {
            let taken = min(skip, reader.left)
            reader.start += taken
            skip -= taken
            guard skip == 0 else { return }
            switch walk?.step(reader) ?? .damaged {
            case .over(let count): skip = count
            case .more:
                held = reader.rest
                return
            case .damaged:
                isDamaged = true
                return
            case .end:
                isAtEnd = true
                return
            }
        }
    }

    private mutating func decide(_ reader: ByteReader) {
        if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            (type, walk) = ("image/png", PNGWalk())
        } else if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            (type, walk) = ("image/jpeg", JPEGWalk())
        } else if reader.has(Bytes(text: "GIF87a"), at: 0) || reader.has(Bytes(text: "GIF89a"), at: 0) {
            (type, walk) = ("image/gif", GIFWalk())
        } else if reader.has(Bytes(text: "RIFF"), at: 0), reader.has(Bytes(text: "WEBPVP8"), at: 8) {
            (type, walk) = ("image/webp", WebPWalk())
        } else if reader.isAVIF {
            (type, walk) = ("image/avif", AVIFWalk())
        }
        isDecided = type != nil || reader.left >= reader.mostOfBeginning
    }
}

/// The way through the structure of one format.
private protocol ImageWalk: Sendable {
    mutating func step(_ reader: ByteReader) -> ImageStep
    /// Whether the image is complete if no byte follows the unit before. Only for a format without an end mark.
    var mayEndHere: Bool { get }
}

extension ImageWalk {
    var mayEndHere: Bool { false }
}

private enum ImageStep {
    /// Go on after that many bytes, which may not all have come.
    case over(Int)
    /// The unit needs more bytes.
    case more
    case damaged
    case end
}

/// Chunks of length, name, data and checksum: IHDR first, some IDAT, IEND (PNG, third edition, §5).
private struct PNGWalk: ImageWalk {
    private var hasBegun = false
    private var hasHead = false
    private var hasData = false

    mutating func step(_ reader: ByteReader) -> ImageStep {
        guard hasBegun else {
            hasBegun = true
            return .over(8)
        }
        guard let length = reader.big32(0), reader.left >= 8 else { return .more }
        guard hasHead else {
            guard length == 13, reader.has(Bytes(text: "IHDR"), at: 4) else { return .damaged }
            guard let width = reader.big32(8), let height = reader.big32(12) else { return .more }
            hasHead = true
            // Zero is no width, and the most is 2^31 - 1 (PNG, third edition, §7.1 and §11.2.1).
            return min(width, height) > 0 && max(width, height) < 1 << 31 ? .over(12 + length) : .damaged
        }
        if reader.has(Bytes(text: "IEND"), at: 4) {
            guard hasData, length == 0 else { return .damaged }
            return reader.left >= 12 ? .end : .more
        }
        if reader.has(Bytes(text: "IDAT"), at: 4) { hasData = true }
        return .over(12 + length)
    }
}

/// Segments up to a scan, the scan up to the next marker, and so on to the end marker (ITU T.81, annex B).
private struct JPEGWalk: ImageWalk {
    private var hasBegun = false
    private var hasFrame = false
    private var hasScan = false
    private var isInScan = false

    mutating func step(_ reader: ByteReader) -> ImageStep {
        guard hasBegun else {
            hasBegun = true
            return .over(2)
        }
        if isInScan { return scan(reader) }
        guard let mark = reader.byte(0) else { return .more }
        guard mark == 0xFF else { return .damaged }
        guard let kind = reader.byte(1) else { return .more }
        switch kind {
        case 0xFF: return .over(1)  // fill
        case 0xD9: return hasFrame && hasScan ? .end : .damaged
        case 0x01, 0xD0...0xD7: return .over(2)
        case 0x00, 0xD8: return .damaged
        default:
            guard let length = reader.big16(2) else { return .more }
            guard length >= 2 else { return .damaged }
            // C4 (tables), C8 (reserved) and CC (arithmetic conditioning) are not frames.
            if 0xC0...0xCF ~= kind, kind != 0xC4, kind != 0xC8, kind != 0xCC { hasFrame = true }
            if kind == 0xDA { (hasScan, isInScan) = (true, true) }
            return .over(2 + length)
        }
    }

    /// In entropy-coded data, FF00 is data and FFD0…FFD7 restart the decoder.
    private mutating func scan(_ reader: ByteReader) -> ImageStep {
        if let place = reader.endOfScan {
            isInScan = false
            return .over(place)
        }
        // The last byte may be the first half of a marker.
        return reader.left > 1 ? .over(reader.left - 1) : .more
    }
}

/// The screen, the colour table, then blocks of sub-blocks up to the trailer (GIF89a, appendix B).
private struct GIFWalk: ImageWalk {
    private var hasBegun = false
    private var hasImage = false
    private var isInBlock = false

    mutating func step(_ reader: ByteReader) -> ImageStep {
        guard hasBegun else {
            guard let screen = reader.byte(10) else { return .more }
            hasBegun = true
            return .over(13 + Self.colourTable(screen))
        }
        guard let first = reader.byte(0) else { return .more }
        if isInBlock {
            isInBlock = first != 0
            return .over(1 + Int(first))
        }
        switch first {
        case 0x3B: return hasImage ? .end : .damaged
        case 0x21:
            isInBlock = true
            return .over(2)
        case 0x2C:
            guard let packed = reader.byte(9) else { return .more }
            (hasImage, isInBlock) = (true, true)
            return .over(10 + Self.colourTable(packed) + 1)
        default: return .damaged
        }
    }

    private static func colourTable(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }
}

/// As long as its header says.
private struct WebPWalk: ImageWalk {
    private var hasBegun = false

    mutating func step(_ reader: ByteReader) -> ImageStep {
        guard !hasBegun else { return .end }
        hasBegun = true
        // The RIFF length counts the bytes after itself. It covers at least "WEBP", a chunk head and a byte.
        guard let length = reader.little32(4), length > 12 else { return .damaged }
        return .over(8 + length)
    }
}

/// Boxes that end where the bytes do (ISO/IEC 14496-12 §4.2).
private struct AVIFWalk: ImageWalk {
    private var hasItems = false
    private var hasData = false
    /// The last box reaches to the end of the file.
    private var isLast = false

    var mayEndHere: Bool { hasItems && hasData }

    mutating func step(_ reader: ByteReader) -> ImageStep {
        if isLast { return reader.left > 0 ? .over(reader.left) : .more }
        guard var size = reader.big32(0), reader.left >= 8 else { return .more }
        if size == 1 {
            guard reader.left >= 16, let high = reader.big32(8), let low = reader.big32(12) else { return .more }
            guard high == 0 else { return .damaged }
            size = low
        } else if size == 0 {
            isLast = true
            size = 8
        }
        guard size >= 8 else { return .damaged }
        if reader.has(Bytes(text: "meta"), at: 4) || reader.has(Bytes(text: "moov"), at: 4) { hasItems = true }
        if reader.has(Bytes(text: "mdat"), at: 4) { hasData = true }
        return .over(size)
    }
}

/// Bounded reads, counted from `start`. Each returns nil, or false, beyond the end.
private struct ByteReader {
    let bytes: Bytes
    var start = 0

    var left: Int { bytes.count - start }
    var rest: Bytes { start == 0 ? bytes : Bytes(bytes[start...]) }

    func byte(_ place: Int) -> UInt8? {
        place < left ? bytes[start + place] : nil
    }

    func has(_ expected: Bytes, at place: Int) -> Bool {
        let from = start + place
        return from + expected.count <= bytes.count && bytes[from..<from + expected.count].elementsEqual(expected)
    }

    func big16(_ place: Int) -> Int? {
        guard let high = byte(place), let low = byte(place + 1) else { return nil }
        return Int(high) << 8 | Int(low)
    }

    func big32(_ place: Int) -> Int? {
        guard let high = big16(place), let low = big16(place + 2) else { return nil }
        return high << 16 | low
    }

    func little32(_ place: Int) -> Int? {
        guard place + 4 <= left else { return nil }
        return (0..<4).reduce(0) { $0 | Int(bytes[start + place + $1]) << ($1 * 8) }
    }

    /// Whether the bytes begin an ISO base media file with an AVIF brand (ISO/IEC 14496-12 §4.3; AVIF §5).
    var isAVIF: Bool {
        guard has(Bytes(text: "ftyp"), at: 4), let size = big32(0), size >= 16 else { return false }
        // A brand lies whole within the box. Bytes after the box do not count: they come after the decision.
        let brands = [8] + Array(stride(from: 16, through: min(size, left, Self.mostBrands) - 4, by: 4))
        return brands.contains { has(Bytes(text: "avif"), at: $0) || has(Bytes(text: "avis"), at: $0) }
    }

    /// The number of bytes after which the type is known or there is none.
    var mostOfBeginning: Int {
        guard has(Bytes(text: "ftyp"), at: 4), let size = big32(0), size >= 16 else { return 16 }
        return min(size, Self.mostBrands)
    }

    private static let mostBrands = 256

    /// The place of the first marker after entropy-coded data. Nil if none has come.
    var endOfScan: Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var place = start
            while place + 1 < bytes.count {
                let next = bytes[place + 1]
                if bytes[place] == 0xFF, next != 0, !(0xD0...0xD7).contains(next) { return place - start }
                place += 1
            }
            return nil
        }
    }
}
