// Recognises an HTML tag in a text that may not be HTML: "I <3 U" and "a < b" contain no tag.
import LarderCore

/// One tag, or a declaration such as "<!DOCTYPE html>". `HiddenElements` handles comments.
struct HTMLTag {
    /// In lower case; empty for a declaration.
    var name: String
    var isEnd: Bool
    /// The position after the tag's ">".
    var end: Int
    private let attributes: Range<Int>

    /// The longest tag, in bytes. If no ">" follows within this length, the "<" is text.
    private static let longest = 2000

    /// Reads a tag: "<", an optional slash, a letter or "!", then everything up to ">".
    init?(_ bytes: Bytes, at start: Int) {
        var place = start + 1
        let limit = min(bytes.count, start + Self.longest)
        isEnd = place < limit && bytes[place] == 0x2F
        if isEnd { place += 1 }
        guard place < limit, ASCII.isLetter(bytes[place]) || bytes[place] == 0x21 else { return nil }
        if bytes[place] == 0x21, bytes[place...].starts(with: [0x21, 0x2D, 0x2D]) { return nil }
        let nameStart = place
        while place < limit, ASCII.isAlphanumeric(bytes[place]) { place += 1 }
        name = String(decoding: bytes[nameStart..<place].map(ASCII.lowercased), as: UTF8.self)
        let attributesStart = place
        var before: UInt8 = 0
        while place < limit {
            switch bytes[place] {
            case 0x3E:
                (end, attributes) = (place + 1, attributesStart..<place)
                return
            case 0x3C: return nil
            case 0x22, 0x27:
                // A quoted value may contain ">". A quotation mark begins a value only after "=".
                if before == 0x3D, let close = bytes[(place + 1)..<limit].firstIndex(of: bytes[place]) { place = close }
            default: break
            }
            if bytes[place] > 0x20 { before = bytes[place] }
            place += 1
        }
        return nil
    }

    /// The value of an attribute with its character references decoded; nil if the tag lacks the attribute.
    func attribute(_ wanted: StaticString, _ bytes: Bytes) -> String? {
        var place = attributes.lowerBound
        let end = attributes.upperBound
        func run(_ isPart: (UInt8) -> Bool) -> Range<Int> {
            let start = place
            while place < end, isPart(bytes[place]) { place += 1 }
            return start..<place
        }
        while place < end {
            _ = run { $0 <= 0x20 || $0 == 0x2F }
            let name = run { $0 > 0x20 && $0 != 0x2F && $0 != 0x3D }
            _ = run { $0 <= 0x20 }
            var value = place..<place
            if place < end, bytes[place] == 0x3D {
                place += 1
                _ = run { $0 <= 0x20 }
                if place < end, bytes[place] == 0x22 || bytes[place] == 0x27 {
                    let quote = bytes[place]
                    place += 1
                    value = run { $0 != quote }
                    place += 1
                } else {
                    value = run { $0 > 0x20 }
                }
            } else if name.isEmpty {
                place += 1
            }
            let isWanted = bytes[name].map(ASCII.lowercased).elementsEqual("\(wanted)".utf8)
            if isWanted { return Self.decoded(bytes, value) }
        }
        return nil
    }

    private static func decoded(_ bytes: Bytes, _ range: Range<Int>) -> String {
        let value = Bytes(bytes[range])
        var out = Bytes()
        var place = 0
        while place < value.count {
            if value[place] == 0x26, let reference = CharacterReference(value, at: place, in: .attribute) {
                reference.append(to: &out)
                place += reference.length
            } else {
                out.append(value[place])
                place += 1
            }
        }
        return out.lossyText
    }
}

extension CharacterReference {
    /// Appends the characters that the reference stands for, in UTF-8.
    func append(to bytes: inout Bytes) {
        bytes.append(contentsOf: UTF8.encode(first) ?? .init())
        if let second { bytes.append(contentsOf: UTF8.encode(second) ?? .init()) }
    }
}
