// A regular expression for one value, of the part of ECMA 262 that identifiers need: literal characters, classes such as
// [A-Za-z0-9_-], and the quantifiers ?, *, +, {n} and {n,m}. Alternatives are whole patterns, "^a$|^b$"; there are no groups.
// No pattern makes matching slow: it takes at most the square of the value's length for each item.
import LarderCore

struct TextPattern: Sendable {
    private struct Item {
        var ranges: [ClosedRange<UInt8>]
        var isNegated = false
        var times = 1...1

        func matches(_ byte: UInt8) -> Bool { ranges.contains { $0.contains(byte) } != isNegated }
    }

    /// The items of each alternative.
    private let alternatives: [[Item]]

    /// The longest value that a pattern takes, in bytes.
    static let longest = 1000

    /// The most items, which bound the time that a value takes.
    static let mostItems = 64

    /// - Throws: a sentence that says what is not supported.
    init(checking text: String) throws(JSONPathError) {
        var alternatives: [[Item]] = []
        var place = 0
        // An alternative ends with $, and the next one begins with ^. No class may hold these three signs in a row.
        for part in text.split(separator: "$|^", omittingEmptySubsequences: false) {
            let isFirst = alternatives.isEmpty
            let isLast = part.endIndex == text.endIndex
            alternatives.append(try Self.items((isFirst ? "" : "^") + part + (isLast ? "" : "$"), at: place))
            place += part.utf8.count + 2
        }
        self.alternatives = alternatives
    }

    /// - Parameter place: where the alternative begins in the pattern.
    private static func items(_ text: String, at place: Int) throws(JSONPathError) -> [Item] {
        var bytes = Array(text.utf8)[...]
        func fault(_ message: String) -> JSONPathError {
            JSONPathError(message: message, place: place + text.utf8.count - bytes.count)
        }
        guard bytes.popFirst() == 0x5E, bytes.popLast() == 0x24 else {
            throw fault("A pattern begins with ^ and ends with $.")
        }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw fault("A pattern is ASCII.") }
        var items: [Item] = []
        var isRepeated = false
        while let byte = bytes.popFirst() {
            switch byte {
            case 0x5B:
                guard let item = Self.itemOfClass(&bytes) else {
                    throw fault("The class is not closed, or a range in it ends before its beginning.")
                }
                items.append(item)
            case 0x3F, 0x2A, 0x2B, 0x7B:
                guard !items.isEmpty, !isRepeated, let times = Self.times(byte, &bytes) else {
                    throw fault("A quantifier is ?, *, +, {n} or {n,m}, and there is one for each item.")
                }
                items[items.count - 1].times = times
                isRepeated = true
                continue
            case 0x28, 0x29, 0x7C, 0x2E, 0x5E, 0x24:
                throw fault("Groups and . are not supported; an alternative is a whole pattern: ^a$|^b$.")
            case 0x5C:
                guard let escaped = Self.escaped(&bytes) else { throw fault("Only signs can be escaped.") }
                items.append(Item(ranges: [escaped...escaped]))
            default: items.append(Item(ranges: [byte...byte]))
            }
            isRepeated = false
            guard items.count <= Self.mostItems else { throw fault("A pattern has at most \(Self.mostItems) items.") }
        }
        return items
    }

    private static func itemOfClass(_ bytes: inout ArraySlice<UInt8>) -> Item? {
        var item = Item(ranges: [])
        if bytes.first == 0x5E {
            item.isNegated = true
            bytes.removeFirst()
        }
        while let byte = bytes.popFirst() {
            if byte == 0x5D { return item }
            var (low, high) = (byte, byte)
            if byte == 0x5C {
                guard let escaped = escaped(&bytes) else { return nil }
                (low, high) = (escaped, escaped)
            }
            if bytes.first == 0x2D, let end = bytes.dropFirst().first, end != 0x5D {
                guard end >= low, end != 0x5C else { return nil }
                high = end
                bytes.removeFirst(2)
            }
            item.ranges.append(low...high)
        }
        return nil
    }

    /// A sign behind a backslash; a letter or digit would mean something else.
    private static func escaped(_ bytes: inout ArraySlice<UInt8>) -> UInt8? {
        bytes.popFirst().flatMap { ASCII.isLetter($0) || ASCII.isDigit($0) ? nil : $0 }
    }

    private static func times(_ sign: UInt8, _ bytes: inout ArraySlice<UInt8>) -> ClosedRange<Int>? {
        switch sign {
        case 0x3F: return 0...1
        case 0x2A: return 0...longest
        case 0x2B: return 1...longest
        default:
            guard let close = bytes.firstIndex(of: 0x7D) else { return nil }
            let parts = bytes[..<close].split(separator: 0x2C, omittingEmptySubsequences: false)
            bytes = bytes[(close + 1)...]
            guard let low = parts.first.flatMap(number), let high = parts.last.flatMap(number), parts.count <= 2 else {
                return nil
            }
            return low <= high ? low...high : nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 <= longest ? $0 : nil }
    }

    /// Whether the whole value has this form.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count <= Self.longest && alternatives.contains { Self.matches(bytes, $0) }
    }

    private static func matches(_ bytes: [UInt8], _ items: [Item]) -> Bool {
        // The places at which the items so far can end.
        var ends: Set = [0]
        for item in items {
            var next: Set<Int> = []
            for start in ends.sorted() {
                var place = start
                var count = 0
                while true {
                    if count >= item.times.lowerBound { next.insert(place) }
                    guard count < item.times.upperBound, place < bytes.count, item.matches(bytes[place]) else { break }
                    place += 1
                    count += 1
                }
            }
            ends = next
        }
        return ends.contains(bytes.count)
    }
}

/// A pattern in a Swift source. One that cannot be read ends the program at its first use, which a test provokes.
extension TextPattern {
    init(_ text: String) {
        do throws(JSONPathError) {
            try self.init(checking: text)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }
}
