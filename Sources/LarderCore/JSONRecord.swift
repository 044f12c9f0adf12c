// Responses are long lists of similar objects, and a normaliser reads the same forty names from each. Asking an object
// for forty names would take forty walks over it. With a table of the names, one walk is enough.
import Glibc

/// A fixed set of member names. Created once and used for every object of a kind.
public struct JSONMemberTable: Sendable {
    private let names: [Bytes]
    /// An open-addressing hash table; `buckets.count` is a power of two. Each element is the position of a name, or -1.
    private let buckets: [Int16]

    /// - Parameter names: each name once; at most 4096 names.
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

    /// Length and a few bytes distinguish the names of an API well enough. Equality decides.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        let middle = name[name.count / 2]
        return Int(first) &* 31 &+ Int(last) &* 131 &+ Int(middle) &* 17 &+ name.count &* 7
    }

    /// - Parameter name: bytes inside a text, so the buffer has an address even if it is empty.
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

/// The members of one object whose names are in a table. The record is reused for the next object.
public struct JSONRecord: Sendable {
    private let table: JSONMemberTable
    private var document: JSONDocument?
    /// For each name of the table, the index of its value on the tape. 0 means that the object lacks the member: index
    /// 0 is the root, which is never a member.
    private var places: [Int32]

    public init(_ table: JSONMemberTable) {
        self.table = table
        places = [Int32](repeating: 0, count: table.count)
    }

    /// Reads an object. Returns false, with every member absent, if the value is not an object.
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
                    // A name with escapes is decoded before it is compared. No API here sends one.
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

    /// The member at a position of the table; nil if it is absent or null.
    public subscript(_ position: Int) -> JSONValue? {
        let place = Int(places[position])
        guard place > 0, let document, document[place].kind != .null else { return nil }
        return JSONValue(document: document, index: place)
    }
}
