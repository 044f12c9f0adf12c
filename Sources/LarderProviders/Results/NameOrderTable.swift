// The weights of letters, as `scripts/make-name-order` wrote them from CLDR; the form of the table stands there. It is
// read where it lies in the program's file: nothing is parsed, and only the pages that a search touches are in memory.
import LarderCore

enum NameOrderTable {
    /// One weight and one accent of a character. Either may be 0, for none.
    struct Element {
        var raw: UInt32

        var isFollowed: Bool { raw >> 31 == 1 }
        var weight: UInt32 { raw >> 14 & 0x1FFFF }
        var accent: UInt16 { UInt16(raw & 0x3FFF) }
    }

    /// What a language orders in its own way. The root's is true for all languages.
    struct Language: Sendable {
        fileprivate var record: Int

        fileprivate var hanOrder: Int { number(record + 12) }
        /// Whether the last accent of a name counts most (French of Canada).
        var accentsCountFromTheEnd: Bool { number(record + 16) == 1 }
        private var segments: (first: Int, count: Int) { (number(record + 20), number(record + 24)) }
        private var strings: (begin: Int, count: Int) {
            (Begin.strings.place + number(record + 28), number(record + 32))
        }

        /// Where the script of a weight comes among the scripts.
        func segment(_ weight: UInt32) -> UInt32 {
            let (first, count) = segments
            var order: UInt32 = 0
            for index in first..<first + count {
                let segment = UInt32(number(Begin.segments.place + index * 4))
                if segment >> 8 > weight { break }
                order = segment & 0xFF
            }
            return order
        }

        /// The first element of a string of one to four characters; nil if the language has no order of its own for it.
        func find(_ string: UInt64) -> Int? {
            let (begin, count) = strings
            let index = firstString(from: string)
            guard index < count, long(begin + index * 8) == string else { return nil }
            return short(begin + count * 8 + index * 2)
        }

        /// Whether some string begins with this character.
        func hasString(beginningWith character: UInt16) -> Bool {
            let (begin, count) = strings
            let index = firstString(from: UInt64(character) << 48)
            return index < count && long(begin + index * 8) >> 48 == character
        }

        private func firstString(from string: UInt64) -> Int {
            let (begin, count) = strings
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if long(begin + middle * 8) < string { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// A weight from here on is that of a Han character.
    static let firstHan: UInt32 = 0x10000
    static let root = language("") ?? Language(record: Begin.languages.place)
    /// The element of every digit: its weight is that of numbers, its accent is none.
    static let digit = element(first("0"))

    /// A language by its name in lower case: "sv", "fr_ca".
    static func language(_ name: String) -> Language? {
        let name = Array(name.utf8)
        var record = Begin.languages.place
        while record < Begin.segments.place {
            if name.count <= 12, (0..<12).allSatisfy({ bytes[record + $0] == ($0 < name.count ? name[$0] : 0) }) {
                return Language(record: record)
            }
            record += 36
        }
        return nil
    }

    /// The index of the first element of a character; 0 if the table does not have it.
    static func first(_ scalar: Unicode.Scalar) -> Int {
        let code = Int(scalar.value)
        guard code < 0x20000 else { return 0 }
        let block = short(28 + code / 128 * 2)
        return short(Begin.blocks.place + (block * 128 + code % 128) * 2)
    }

    static func element(_ index: Int) -> Element {
        Element(raw: UInt32(truncatingIfNeeded: number(Begin.elements.place + index * 4)))
    }

    /// The rank of a Han character in the order of a language; 0 for none.
    static func hanRank(_ code: UInt32, in language: Language) -> UInt32 {
        guard code >= 0x3400, code <= 0x9FFF else { return 0 }
        let order = language.hanOrder * (0x9FFF - 0x3400 + 1)
        return UInt32(short(Begin.hanOrders.place + (order + Int(code) - 0x3400) * 2))
    }

    /// Safe because nothing writes to it and it lives as long as the program.
    nonisolated(unsafe) private static let bytes = UnsafeRawBufferPointer(
        EmbeddedFile.bytes("LarderProviders/Results/NameOrder.table"))

    /// The parts of the table behind the pages, in their order.
    private enum Begin: Int {
        case blocks, elements, languages, segments, strings, hanOrders

        var place: Int { number(rawValue * 4) }
    }

    private static func short(_ place: Int) -> Int {
        Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
    }

    private static func number(_ place: Int) -> Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }

    private static func long(_ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
}
