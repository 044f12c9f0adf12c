// Reads one HTML character reference by the rules of the standard (html.spec.whatwg.org, §13.2.5.72 to §13.2.5.80). A
// named reference is the longest name that matches; a numeric one has the replacements of §13.2.5.80.
import LarderCore

/// A reference in a text: the characters that it stands for, and its length in bytes, including the "&".
struct CharacterReference: Equatable {
    /// The context of a reference. It decides what a name without its semicolon means.
    enum Context {
        case text
        case attribute
    }

    var first: Unicode.Scalar
    /// The second code point, for names that stand for two.
    var second: Unicode.Scalar?
    var length: Int

    /// Reads the reference that begins with the "&" at `mark`. Nil if there is none.
    init?(_ bytes: Bytes, at mark: Int, in context: Context) {
        guard mark + 1 < bytes.count, bytes[mark] == 0x26 else { return nil }
        let found =
            bytes[mark + 1] == 0x23
            ? Self.numeric(bytes, after: mark + 2) : Self.named(bytes, after: mark + 1, in: context)
        guard let found else { return nil }
        self = found
        length = found.length - mark
    }

    /// - Parameter length: here, the position after the reference. The caller subtracts its start.
    private init(_ first: Unicode.Scalar, _ second: Unicode.Scalar? = nil, length: Int) {
        self.first = first
        self.second = second
        self.length = length
    }

    // MARK: Numeric

    /// "&#233;", "&#xE9;", with or without the semicolon.
    private static func numeric(_ bytes: Bytes, after start: Int) -> CharacterReference? {
        var place = start
        var radix: UInt32 = 10
        if place < bytes.count, bytes[place] | 0x20 == 0x78 {
            radix = 16
            place += 1
        }
        var code: UInt32 = 0
        let firstDigit = place
        while place < bytes.count, let digit = ASCII.hexValue(bytes[place]), digit < radix {
            // A value beyond Unicode is clamped, so it stays beyond Unicode however many digits follow.
            code = min(code * radix + UInt32(digit), 0x11_0000)
            place += 1
        }
        guard place > firstDigit else { return nil }
        if place < bytes.count, bytes[place] == 0x3B { place += 1 }
        return CharacterReference(scalar(code), length: place)
    }

    /// The character for a number (§13.2.5.80), never a surrogate or U+0000. 0x80 to 0x9F are windows-1252.
    private static func scalar(_ code: UInt32) -> Unicode.Scalar {
        var code = code
        if (0x80...0x9F).contains(code), windows1252[Int(code - 0x80)] != 0 {
            code = UInt32(windows1252[Int(code - 0x80)])
        }
        return code == 0 ? "\u{FFFD}" : Unicode.Scalar(code) ?? "\u{FFFD}"
    }

    /// The code point of a byte of windows-1252; bytes without a character stand for themselves.
    static func windows1252(_ byte: Int) -> Int {
        let place = byte - 0x80
        return windows1252.indices.contains(place) && windows1252[place] != 0 ? Int(windows1252[place]) : byte
    }

    private static let windows1252: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]

    // MARK: Named

    /// The lengths of the longest name in the table that is valid without a semicolon, "frac12", and with one.
    private static let longestBare = 6
    private static let longestName = 31

    private static func named(_ bytes: Bytes, after start: Int, in context: Context) -> CharacterReference? {
        var end = start
        while end < bytes.count, end - start <= longestName, ASCII.isAlphanumeric(bytes[end]) { end += 1 }
        if end < bytes.count, bytes[end] == 0x3B, let record = CharacterReferenceTable.find(bytes[start..<end]) {
            return CharacterReference(record.first, record.second, length: end + 1)
        }
        for place in stride(from: min(end, start + longestBare), to: start + 1, by: -1) {
            guard let record = CharacterReferenceTable.find(bytes[start..<place]), record.isKnownBare else { continue }
            guard place < bytes.count else { return CharacterReference(record.first, length: place) }
            // "?a=1&copy=2" is a parameter of a URL. HTML has this rule for attributes only (§13.2.5.73). Here it also
            // applies to texts, because they often contain URLs and many of them are not HTML.
            if bytes[place] == 0x3D || context == .attribute && ASCII.isAlphanumeric(bytes[place]) { return nil }
            return CharacterReference(record.first, length: place)
        }
        return nil
    }
}

/// The named references of HTML: all 2,231 names, as `scripts/make-character-references` wrote them. A record is
/// "name:code point" in hexadecimal, or "name:first,second" where the name stands for two; records are in the order of
/// their bytes, with a space or a line end after each. The semicolon that ends every name is left out. Names that HTML also
/// knows without it end in "*". The table is searched where it lies in the program's file.
enum CharacterReferenceTable {
    /// Safe because nothing writes to it and it lives as long as the program.
    nonisolated(unsafe) static let text = EmbeddedFile.bytes("LarderProviders/Text/CharacterReferences.txt")

    struct Record {
        var first: Unicode.Scalar
        var second: Unicode.Scalar?
        /// Whether HTML also accepts the name without its semicolon.
        var isKnownBare: Bool
    }

    /// The record of a name; nil if there is none. A binary search of about a dozen comparisons.
    static func find(_ name: ArraySlice<UInt8>) -> Record? {
        let text = Self.text
        var (low, high) = (0, text.count)
        while low < high {
            // Goes back from the middle to the beginning of its record.
            var start = (low + high) / 2
            while start > low, text[start - 1] > 0x20 { start -= 1 }
            var colon = start
            while colon < high, text[colon] != 0x3A { colon += 1 }
            if text[start..<colon].elementsEqual(name) { return record(text, after: colon + 1) }
            if text[start..<colon].lexicographicallyPrecedes(name) {
                low = colon
                while low < high, text[low] > 0x20 { low += 1 }
                while low < high, text[low] <= 0x20 { low += 1 }
            } else {
                high = start
            }
        }
        return nil
    }

    private static func record(_ text: UnsafeBufferPointer<UInt8>, after start: Int) -> Record? {
        var place = start
        func scalar() -> Unicode.Scalar? {
            var code: UInt32 = 0
            while place < text.count, let digit = ASCII.hexValue(text[place]) {
                code = code << 4 | UInt32(digit)
                place += 1
            }
            return Unicode.Scalar(code)
        }
        guard let first = scalar() else { return nil }
        var record = Record(first: first, isKnownBare: false)
        if place < text.count, text[place] == 0x2C {
            place += 1
            record.second = scalar()
        }
        record.isKnownBare = place < text.count && text[place] == 0x2A
        return record
    }
}
