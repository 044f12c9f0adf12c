// A value is an index on the tape of its document: two words that are cheap to copy. Strings are decoded on request.

/// One value of a parsed JSON text. Keeps the whole text alive.
public struct JSONValue: Sendable {
    @usableFromInline let document: JSONDocument
    @usableFromInline let index: Int

    @usableFromInline
    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    @usableFromInline var node: JSONNode { document[index] }

    public var kind: JSONKind { node.kind }
    public var isNull: Bool { node.kind == .null }

    /// The range of the value in the text, quotation marks included.
    public var range: Range<Int> {
        let node = node
        let mark = node.kind == .string ? 1 : 0
        return Int(node.start) - mark..<Int(node.end) + mark
    }

    /// The bytes of the value as they are written in the text.
    public var raw: Bytes { Bytes(document.bytes[range]) }

    /// The text of a string with escapes decoded; nil for any other kind.
    public var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        guard node.flag else { return document.text(of: node) }
        return Self.unescaped(document.bytes[Int(node.start)..<Int(node.end)])
    }

    /// Calls the body with the bytes of a string without escapes, which most strings are. Returns nil for any other
    /// value, without running the body.
    @inlinable
    public func withPlainText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        let node = node
        guard node.kind == .string, !node.flag else { return nil }
        return document.withBytes(of: node, body)
    }

    /// Calls the body with the bytes of a number as it is written. Returns nil for any other value, without running the
    /// body.
    @inlinable
    public func withNumberText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        let node = node
        return node.kind == .number ? document.withBytes(of: node, body) : nil
    }

    public var bool: Bool? { node.kind == .bool ? node.flag : nil }

    /// A number as it is written; nil for any other kind. Kept as text, so that amounts of money keep their digits.
    public var numberText: String? {
        let node = node
        return node.kind == .number ? document.text(of: node) : nil
    }

    /// A number as the nearest double; nil for any other kind and for numbers beyond the range of a double.
    public var double: Double? { numberText.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }

    /// A whole number; nil for any other kind, for fractions, and beyond 64 bits.
    public var integer: Int? { numberText.flatMap { Int($0) } }

    /// The elements of an array; empty for any other kind.
    public var elements: Elements { Elements(value: self) }

    /// The number of elements of an array or of members of an object, repeated names included. 0 for any other kind.
    public var count: Int {
        switch node.kind {
        case .array: elements.reduce(0) { count, _ in count + 1 }
        case .object: members.reduce(0) { count, _ in count + 1 }
        default: 0
        }
    }

    /// The members of an object in their order, repeated names included; empty for any other kind.
    public var members: Members { Members(value: self) }

    /// The member with that name, the last one if the name is repeated. Nil if there is none or the value is not an
    /// object.
    public subscript(_ name: String) -> JSONValue? {
        var found: JSONValue?
        for member in members where member.isNamed(name) { found = member.value }
        return found
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var out = Bytes()
        out.reserveCapacity(bytes.count)
        var place = bytes.startIndex
        func unit(_ at: Int) -> UInt32 {
            bytes[at + 2..<at + 6].reduce(0) { $0 << 4 | UInt32(ASCII.hexValue($1) ?? 0) }
        }
        while place < bytes.endIndex {
            guard bytes[place] == 0x5C else {
                out.append(bytes[place])
                place += 1
                continue
            }
            switch bytes[place + 1] {
            case 0x62: out.append(0x08)
            case 0x66: out.append(0x0C)
            case 0x6E: out.append(0x0A)
            case 0x72: out.append(0x0D)
            case 0x74: out.append(0x09)
            case 0x75:
                var code = unit(place)
                // The parser has verified that everything that begins like an escape is a valid one.
                if code & 0xFC00 == 0xD800, place + 11 < bytes.endIndex, bytes[place + 6] == 0x5C,
                    bytes[place + 7] == 0x75, case let low = unit(place + 6), low & 0xFC00 == 0xDC00
                {
                    code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
                    place += 6
                }
                // A lone surrogate is not a character.
                out.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
                place += 4
            default: out.append(bytes[place + 1])
            }
            place += 2
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension JSONValue {
    /// The elements of an array.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        private let document: JSONDocument
        private var place: Int
        private let end: Int

        init(value: JSONValue) {
            let node = value.node
            document = value.document
            place = value.index + 1
            end = node.kind == .array ? Int(node.next) : place
        }

        public mutating func next() -> JSONValue? {
            guard place < end else { return nil }
            defer { place = Int(document[place].next) }
            return JSONValue(document: document, index: place)
        }
    }

    /// One member of an object.
    public struct Member: Sendable {
        public let key: JSONValue
        public let value: JSONValue

        public var name: String { key.string ?? "" }

        /// Whether the name equals a text. No string is created unless the name contains escapes.
        public func isNamed(_ name: String) -> Bool {
            let node = key.node
            if node.flag { return self.name == name }
            guard Int(node.end - node.start) == name.utf8.count else { return false }
            return key.document.withBytes(of: node) { $0.elementsEqual(name.utf8) }
        }
    }

    /// The members of an object.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        private let document: JSONDocument
        private var place: Int
        private let end: Int

        init(value: JSONValue) {
            let node = value.node
            document = value.document
            place = value.index + 1
            end = node.kind == .object ? Int(node.next) : place
        }

        public mutating func next() -> Member? {
            guard place < end else { return nil }
            let key = JSONValue(document: document, index: place)
            let value = JSONValue(document: document, index: place + 1)
            place = Int(document[place + 1].next)
            return Member(key: key, value: value)
        }
    }
}
