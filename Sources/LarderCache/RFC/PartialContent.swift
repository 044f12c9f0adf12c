// Records which bytes of one representation are stored (RFC 9111 §3.3, §3.4). Each part is a row of its own. The list
// of parts says which row holds which bytes; its row also holds the head of the whole representation. Parts are
// combined only if they have the same strong validator and the same complete length. A part without a strong validator
// stands alone and answers only ranges inside it. The ranges in the list do not overlap. If several parts hold the same
// bytes, the part that arrived last is used.
import LarderCore
import LarderHTTP

/// The parts of one representation. A value, stored as bytes.
public struct PartialContent: Sendable, Hashable {
    /// The most parts that are kept of one representation. Beyond that the part that was stored first is dropped.
    public static let limit = 128

    /// A range of the representation, and the part that holds it.
    public struct Part: Sendable, Hashable {
        /// The bytes for which this part is used. Never empty.
        public var range: Range<Int64>
        /// Where the stored part begins. This offset names its row.
        public let start: Int64
        /// Where the stored part ends. Newer parts may supply some of its bytes.
        public let end: Int64
        /// Increases with each part that is stored.
        public let number: UInt64
    }

    /// What makes parts belong together.
    public enum Identity: Sendable, Hashable {
        case validator(StrongValidator)
        /// The part has no strong validator. The number distinguishes its row from the rows of other parts.
        case alone(UInt64)
    }

    public let identity: Identity
    /// The length of the whole representation in bytes.
    public let length: Int64
    /// Ordered by range, without overlaps.
    public private(set) var parts: [Part] = []
    /// Until when the rows of all parts are worth keeping.
    public var keptUntil: WallTime

    /// Creates an empty list of parts.
    /// - Parameter length: the length of the representation in bytes, above zero.
    public init(_ identity: Identity, length: Int64, keptUntil: WallTime) {
        self.identity = identity
        self.length = length
        self.keptUntil = keptUntil
    }

    /// Whether a part with this validator and length belongs to the same representation.
    /// - Parameter validator: nil never matches.
    public func isSame(as validator: StrongValidator?, length: Int64) -> Bool {
        validator != nil && self.validator == validator && self.length == length
    }

    /// Whether both lists belong to the same representation, or name the same part that stands alone.
    public func isSame(as other: PartialContent) -> Bool { identity == other.identity && length == other.length }

    /// The validator that all parts share; nil for a part that stands alone.
    public var validator: StrongValidator? {
        if case .validator(let validator) = identity { validator } else { nil }
    }

    /// A text that distinguishes the rows of these parts from the rows of other representations.
    public var mark: String {
        switch identity {
        case .validator(let validator): validator.ifRange
        case .alone(let number): "\(number)"
        }
    }

    public var isComplete: Bool { covers(0..<length) }

    /// The number of bytes that are stored.
    public var stored: Int64 { parts.reduce(0) { $0 + Int64($1.range.count) } }

    /// The bytes in the rows of all parts. Bytes that several rows hold count several times.
    private var rowBytes: Int64 {
        var seen: Set<Int64> = []
        return parts.reduce(0) { seen.insert($1.start).inserted ? $0 + $1.end - $1.start : $0 }
    }

    public func covers(_ range: Range<Int64>) -> Bool { missing(in: range).isEmpty }

    /// The stretches of a range that are not stored, in byte order.
    public func missing(in range: Range<Int64>) -> [Range<Int64>] {
        var out: [Range<Int64>] = []
        var place = range.lowerBound
        for part in parts where part.range.upperBound > place {
            guard part.range.lowerBound < range.upperBound else { break }
            if part.range.lowerBound > place { out.append(place..<part.range.lowerBound) }
            place = max(place, part.range.upperBound)
        }
        if place < range.upperBound { out.append(place..<range.upperBound) }
        return out
    }

    /// The part that holds the byte at this offset.
    public func part(at place: Int64) -> Part? { parts.first { $0.range.contains(place) } }

    /// Adds a part that has just been stored.
    ///
    /// - Parameters:
    ///   - range: the bytes of the part. A range outside the representation changes nothing.
    ///   - most: the most bytes that may be stored in all. Beyond that the parts stored first are dropped.
    /// - Returns: the start offsets of the parts that are no longer used. The caller removes their rows.
    public mutating func add(_ range: Range<Int64>, most: Int64 = .max) -> [Int64] {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= length else { return [] }
        let before = Set(parts.map(\.start))
        var kept: [Part] = []
        // A part that begins at the same offset has the same row, which the new part overwrites.
        for part in parts where part.start != range.lowerBound {
            let left = part.range.clamped(to: 0..<range.lowerBound)
            let right = part.range.clamped(to: range.upperBound..<max(length, range.upperBound))
            for rest in [left, right] where !rest.isEmpty {
                kept.append(Part(range: rest, start: part.start, end: part.end, number: part.number))
            }
        }
        let number = (parts.map(\.number).max() ?? 0) + 1
        kept.append(Part(range: range, start: range.lowerBound, end: range.upperBound, number: number))
        parts = kept.sorted { $0.range.lowerBound < $1.range.lowerBound }
        while parts.count > Self.limit || rowBytes > most, let first = parts.map(\.number).min(), first < number {
            parts.removeAll { $0.number == first }
        }
        return before.subtracting(parts.map(\.start)).sorted()
    }

    /// Removes a part whose row is gone.
    public mutating func remove(start: Int64) {
        parts.removeAll { $0.start == start }
    }
}

extension PartialContent {
    private static let version: UInt8 = 1

    /// Format: version; kind (0 for a tag, 1 for a date, 2 for a part that stands alone); length and text of the mark;
    /// complete length; `keptUntil` in milliseconds; count. Then for each part: start and end of its range, start and
    /// end of its row, number.
    public func encoded() -> Bytes {
        let kind: UInt8 =
            switch identity {
            case .validator(.tag): 0
            case .validator(.date): 1
            case .alone: 2
            }
        var out: Bytes = [Self.version, kind]
        var text = Bytes()
        HeaderField.append(mark, to: &text)
        VariableLength.append(UInt64(text.count), to: &out)
        out += text
        VariableLength.append(UInt64(length), to: &out)
        VariableLength.append(UInt64(max(0, keptUntil.milliseconds)), to: &out)
        VariableLength.append(UInt64(parts.count), to: &out)
        for part in parts {
            for number in [part.range.lowerBound, part.range.upperBound, part.start, part.end] {
                VariableLength.append(UInt64(number), to: &out)
            }
            VariableLength.append(part.number, to: &out)
        }
        return out
    }

    /// Decodes the output of `encoded`. Returns nil for any other bytes.
    public init?(decoding bytes: Bytes) {
        guard bytes.count > 2, bytes[0] == Self.version, bytes[1] < 3 else { return nil }
        var place = 2
        guard let size = VariableLength.read(bytes, at: &place), size <= UInt64(bytes.count - place) else { return nil }
        let text = HeaderField.text(bytes[place..<place + Int(size)])
        place += Int(size)
        func number() -> Int64? { VariableLength.read(bytes, at: &place).flatMap { Int64(exactly: $0) } }
        guard let identity = Self.identity(bytes[1], text), let length = number(), length > 0, let kept = number(),
            let count = number(), count <= Self.limit
        else { return nil }
        self.init(identity, length: length, keptUntil: WallTime(milliseconds: kept))
        for _ in 0..<count {
            guard let first = number(), let end = number(), let start = number(), let rowEnd = number(),
                let order = number(),
                first < end, end <= rowEnd, rowEnd <= length, start <= first,
                (parts.last?.range.upperBound ?? 0) <= first
            else { return nil }
            parts.append(Part(range: first..<end, start: start, end: rowEnd, number: UInt64(order)))
        }
        // Accepts only what `encoded` writes: the canonical form, with nothing after it.
        guard place == bytes.count, encoded() == bytes else { return nil }
    }

    private static func identity(_ kind: UInt8, _ text: String) -> Identity? {
        switch kind {
        case 0: EntityTag.parse(text).flatMap { $0.isWeak ? nil : .validator(.tag($0)) }
        case 1: .validator(.date(text))
        default: UInt64(text).map { .alone($0) }
        }
    }
}
