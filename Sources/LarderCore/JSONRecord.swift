// Answers are long lists of like objects, and a normaliser wants the same forty names of each. Asking an object for
// forty names is forty walks; a table of the names makes it one.
import Glibc

/// A fixed set of member names. Made once, used for every object of a kind.
public struct JSONMemberTable: Sendable {
    private let names: [Bytes]
    /// Open addressing over the power of two `buckets.count`; a name's position, or -1.
    private let buckets: [Int16]

    /// - Parameter names: each once; at most 4096.
    public init(_ names: [String]) {
        precondition(names.count <= 4096, "a table of \(names.count) names")
        let names = names.map { Bytes(text: $0) }
        var size = 16
        while size < names.count * 4 { size *= 2 }
        var buckets = [Int16](repeating: -1, count: size)
        for (position, name) in names.enumerated() {
            var bucket = name.withUnsafeBufferPointer { Self.hash($0) } & (size - 1)
            while buckets[bucket] >= 0 { bucket = (bucket + 1) & (size - 1) }
            buckets[bucket] = Int16(position)
        }
        self.names = names
        self.buckets = buckets
    }

    public var count: Int { names.count }

    /// Length and a few bytes tell the names of an API apart well enough; equality decides.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.count / 2]
        return Int(first) &* 31 &+ Int(last) &* 131 &+ Int(middle) &* 17 &+ name.count &* 7
    }

    /// - Parameter name: bytes of a text, so it has an address also where it is empty.
    fileprivate func position(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = name.baseAddress else { return nil }
        var bucket = Self.hash(name) & (buckets.count - 1)
        while buckets[bucket] >= 0 {
            let position = Int(buckets[bucket])
            let known = names[position]
            if known.count == name.count, memcmp(known, first, name.count) == 0 { return position }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }
}

/// The members of one object whose names a table holds; used again for the next object.
public struct JSONRecord: Sendable {
    private let table: JSONMemberTable
    private var document: JSONDocument?
    /// For each name of the table the value's place on the tape, 0 where the object lacks it (0 is the root's place,
    /// which is no member).
    private var places: [Int32]

    public init(_ table: JSONMemberTable) {
        self.table = table
        places = [Int32](repeating: 0, count: table.count)
    }

    /// Reads an object; returns false, with every member absent, where the value is none.
    @discardableResult
    public mutating func load(_ value: JSONValue) -> Bool {
        for position in places.indices { places[position] = 0 }
        self.document = value.document
        let node = value.node
        guard node.kind == .object else { return false }
        let document = value.document
        var place = value.index + 1
        document.bytes.withUnsafeBufferPointer { bytes in
            while place < Int(node.next) {
                let key = document[place]
                if key.flag {
                    // A name with escapes, which no API here sends, is decoded before it is compared.
                    let name = Bytes(text: JSONValue(document: document, index: place).string ?? "")
                    if let found = name.withUnsafeBufferPointer({ table.position(of: $0) }) {
                        places[found] = Int32(place + 1)
                    }
                } else {
                    let name = UnsafeBufferPointer(rebasing: bytes[Int(key.start)..<Int(key.end)])
                    if let found = table.position(of: name) { places[found] = Int32(place + 1) }
                }
                place = Int(document[place + 1].next)
            }
        }
        return true
    }

    /// The member at a position of the table; nil where it is absent or null.
    public subscript(_ position: Int) -> JSONValue? {
        let place = Int(places[position])
        guard place > 0, let document, document[place].kind != .null else { return nil }
        return JSONValue(document: document, index: place)
    }
}
