// Sets of field names. Heads are searched again and again for a set of names: fields of the connection, fields that are
// never stored, fields that a 304 leaves out. Known names are bits; a list of lines holds the same bits of what it
// contains, so most questions are answered without looking at a line.

/// The numbers of known names as bits. Bit 0 stands for every other name.
@usableFromInline
struct FieldNameBits: Sendable, Hashable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: UInt64 = 0

    @inlinable init() {}

    @inlinable
    func contains(_ code: UInt8) -> Bool {
        (code < 64 ? low >> UInt64(code) : high >> UInt64(code & 63)) & 1 != 0
    }

    @inlinable
    mutating func insert(_ code: UInt8) {
        if code < 64 { low |= 1 << UInt64(code) } else { high |= 1 << UInt64(code & 63) }
    }

    mutating func formUnion(_ other: FieldNameBits) {
        low |= other.low
        high |= other.high
    }

    @inlinable
    func intersects(_ other: FieldNameBits) -> Bool { (low & other.low) | (high & other.high) != 0 }
}

/// A fixed set of field names, compared without regard to case.
public struct FieldNameSet: Sendable, ExpressibleByArrayLiteral {
    /// The names as given.
    public let names: [String]
    /// The known names. Bit 0 is set if there are others.
    @usableFromInline let bits: FieldNameBits
    /// The other names in lower case.
    @usableFromInline let others: [Bytes]

    public init(_ names: [String]) {
        self.names = names
        var bits = FieldNameBits()
        var others: [Bytes] = []
        for name in names {
            let bytes = FieldLine.withBytes(name) { Bytes($0) }
            let code = bytes.withUnsafeBufferPointer(FieldNameTable.shared.code(of:))
            bits.insert(code)
            if code == 0 { others.append(bytes.map(ASCII.lowercased)) }
        }
        self.bits = bits
        self.others = others
    }

    public init(arrayLiteral names: String...) {
        self.init(names)
    }

    /// Whether the name is in the set.
    public func contains(_ name: String) -> Bool {
        FieldLine.withBytes(name) { contains(FieldNameTable.shared.code(of: $0), $0) }
    }

    @inlinable
    public func contains(_ name: FieldName) -> Bool { bits.contains(name.code) }

    /// Whether the name of the line is in the set.
    public func contains(_ line: HeaderField) -> Bool { line.withName { contains(line.code, $0) } }

    /// Whether the name with this number and these bytes is in the set.
    @inlinable
    func contains(_ code: UInt8, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bits.contains(code) else { return false }
        return code != 0 || hasOther(name)
    }

    @usableFromInline
    func hasOther(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        others.contains { $0.withUnsafeBufferPointer { FieldLine.equalFolded($0, name) } }
    }
}
