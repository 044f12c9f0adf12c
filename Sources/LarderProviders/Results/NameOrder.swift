// The order of names in a language, as the Unicode collation algorithm (UTS #10) and the data of CLDR have it: letters
// first, then accents; case and width do not count; punctuation does; digits count as the number they write. Each name gets
// one key, and the bytes of the keys are compared.
import LarderCore

struct NameOrder {
    /// A number counts by its length first. Longer ones are read as several.
    static let longestNumber = 254

    private let language: NameOrderTable.Language

    /// - Parameter language: "de", "en_us", "pt-BR". A language without rules of its own, or nil, has those of the root,
    ///   which suit English and German.
    init(language: String?) {
        let name = (language ?? "").lowercased().replacing("-", with: "_")
        self.language =
            NameOrderTable.language(name) ?? name.split(separator: "_").first.flatMap {
                NameOrderTable.language(String($0))
            } ?? NameOrderTable.root
    }

    /// The key of a name: the weights of its letters, a zero, its accents.
    func key(_ name: String) -> Bytes {
        var key = Key(language: language)
        var text = Self.inCanonicalOrder(Array(name.unicodeScalars))
        var index = 0
        while index < text.count {
            let scalar = text[index]
            let element = NameOrderTable.element(NameOrderTable.first(scalar))
            if element.weight == NameOrderTable.digit.weight {
                index = key.append(numberAt: index, in: text)
            } else if let (first, count) = string(at: index, in: &text) {
                key.append(elementsFrom: first)
                index += count
            } else {
                key.append(scalar)
                index += 1
            }
        }
        return key.bytes
    }

    /// The longest string at a place that has elements of its own (UTS #10, S2.1). Marks behind it that belong to it are
    /// taken out of the text, also from behind other marks.
    private func string(at start: Int, in text: inout [Unicode.Scalar]) -> (first: Int, count: Int)? {
        guard let unit = UInt16(exactly: text[start].value),
            language.hasString(beginningWith: unit) || NameOrderTable.root.hasString(beginningWith: unit)
        else { return nil }
        var (string, length) = (UInt64(unit) << 48, 1)
        var found = find(string).map { (first: $0, string: string, length: 1) }
        while length < 4, start + length < text.count, let next = UInt16(exactly: text[start + length].value) {
            string |= UInt64(next) << (48 - 16 * length)
            length += 1
            if let first = find(string) { found = (first, string, length) }
        }
        var match = found ?? (0, UInt64(unit) << 48, 1)
        let count = match.length
        var (index, skipped): (Int, UInt8) = (start + count, 0)
        while index < text.count, match.length < 4, let mark = UInt16(exactly: text[index].value) {
            let order = text[index].properties.canonicalCombiningClass.rawValue
            if order == 0 { break }
            let longer = match.string | UInt64(mark) << (48 - 16 * match.length)
            if order > skipped, let first = find(longer) {
                match = (first, longer, match.length + 1)
                text.remove(at: index)
            } else {
                skipped = order
                index += 1
            }
        }
        return match.first == 0 ? nil : (match.first, count)
    }

    private func find(_ string: UInt64) -> Int? { language.find(string) ?? NameOrderTable.root.find(string) }

    /// Marks behind a letter in the order of their classes, as in the canonical forms of Unicode. The table knows composed
    /// characters and decomposed ones, so nothing else must be normalised.
    private static func inCanonicalOrder(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard text.contains(where: { $0.value >= 0x300 }) else { return text }
        var text = text
        for index in text.indices.dropFirst() {
            let order = text[index].properties.canonicalCombiningClass
            var place = index
            while order.rawValue != 0, place > 0, text[place - 1].properties.canonicalCombiningClass > order {
                text.swapAt(place - 1, place)
                place -= 1
            }
        }
        return text
    }
}

/// A key in the making.
private struct Key {
    let language: NameOrderTable.Language
    private var weights = Bytes()
    private var accents: [UInt16] = []

    init(language: NameOrderTable.Language) { self.language = language }

    /// No weight is 0, so a name comes before one that goes on.
    var bytes: Bytes {
        var bytes = weights
        bytes.append(contentsOf: [0, 0, 0])
        for accent in language.accentsCountFromTheEnd ? accents.reversed() : accents {
            bytes.append(UInt8(accent >> 8))
            bytes.append(UInt8(truncatingIfNeeded: accent))
        }
        return bytes
    }

    /// A character by itself: from the table, or by its code point behind all that the table has.
    mutating func append(_ scalar: Unicode.Scalar) {
        let first = NameOrderTable.first(scalar)
        if first != 0 { return append(elementsFrom: first) }
        if (0xAC00...0xD7A3).contains(scalar.value) { return append(syllable: scalar.value - 0xAC00) }
        let rank = NameOrderTable.hanRank(scalar.value, in: language)
        if rank > 0 { append(weight: NameOrderTable.firstHan + rank) } else { append(1 << 23 | scalar.value) }
        accents.append(NameOrderTable.digit.accent)
    }

    mutating func append(elementsFrom first: Int) {
        var index = first
        while true {
            let element = NameOrderTable.element(index)
            if element.weight >= NameOrderTable.firstHan {
                let code = element.weight - NameOrderTable.firstHan + 0x3400
                append(weight: NameOrderTable.firstHan + NameOrderTable.hanRank(code, in: language))
            } else if element.weight > 0 {
                append(weight: element.weight)
            }
            if element.accent > 0 { accents.append(element.accent) }
            if !element.isFollowed { return }
            index += 1
        }
    }

    /// A number: its length without leading zeros, then its digits. Returns the place behind it.
    mutating func append(numberAt start: Int, in text: [Unicode.Scalar]) -> Int {
        var (end, digits) = (start, Bytes())
        while end < text.count, digits.count < NameOrder.longestNumber,
            NameOrderTable.element(NameOrderTable.first(text[end])).weight == NameOrderTable.digit.weight
        {
            let digit = UInt8(text[end].properties.numericValue ?? 0)
            if digit > 0 || !digits.isEmpty { digits.append(digit) }
            end += 1
        }
        append(weight: NameOrderTable.digit.weight)
        weights.append(UInt8(digits.count))
        weights.append(contentsOf: digits)
        accents.append(NameOrderTable.digit.accent)
        return end
    }

    /// The letters of a Korean syllable (The Unicode Standard, 3.12).
    private mutating func append(syllable index: UInt32) {
        let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
        for letter in letters where letter != 0x11A7 { Unicode.Scalar(letter).map { append($0) } }
    }

    private mutating func append(weight: UInt32) { append(language.segment(weight) << 17 | weight) }

    private mutating func append(_ number: UInt32) {
        weights.append(UInt8(truncatingIfNeeded: number >> 16))
        weights.append(UInt8(truncatingIfNeeded: number >> 8))
        weights.append(UInt8(truncatingIfNeeded: number))
    }
}
