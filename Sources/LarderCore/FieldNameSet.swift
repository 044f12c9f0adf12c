// Sets of field names. Heads are searched again and again for a set of names: fields of the connection, fields that are
// never stored, fields that a 304 leaves out. Most field lines are in none of these sets; their length alone shows
// that.

/// A fixed set of field names, compared without regard to case.
public struct FieldNameSet: Sendable, ExpressibleByArrayLiteral {
    public let names: [String]
    /// The names by length. The last element holds all longer names. Empty if there are no names.
    @usableFromInline let byLength: [[String]]
    /// One bit for each length that occurs; the last bit stands for all longer names.
    @usableFromInline let lengths: UInt64

    public init(_ names: [String]) {
        self.names = names
        var byLength = names.isEmpty ? [] : [[String]](repeating: [], count: 64)
        for name in names { byLength[min(name.utf8.count, 63)].append(name) }
        self.byLength = byLength
        lengths = names.reduce(0) { $0 | Self.bit($1) }
    }

    public init(arrayLiteral names: String...) {
        self.init(names)
    }

    @inlinable
    static func bit(_ name: String) -> UInt64 { 1 << UInt64(min(name.utf8.count, 63)) }

    @inlinable
    public func contains(_ name: String) -> Bool {
        guard lengths & Self.bit(name) != 0 else { return false }
        let candidates = byLength[min(name.utf8.count, 63)]
        for index in candidates.indices where ASCII.equalFolded(candidates[index], name) { return true }
        return false
    }
}

extension HeaderFields {
    /// Whether there is a line whose name is in the set.
    public func contains(anyOf names: FieldNameSet) -> Bool {
        for index in lines.indices where names.contains(lines[index].name) { return true }
        return false
    }

    /// Removes every line whose name is in the set.
    public mutating func remove(_ names: FieldNameSet) {
        // Mostly there is no such line. Then nothing is moved or copied.
        guard contains(anyOf: names) else { return }
        lines.removeAll { names.contains($0.name) }
    }
}
