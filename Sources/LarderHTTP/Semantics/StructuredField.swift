// Structured field values (RFC 8941): dictionaries, lists and items, parsed strictly. A grammar error anywhere makes
// the whole value nil, as §4.2 demands. The two types that RFC 9651 added, dates and display strings, are refused:
// Larder reads no field that has them, and a reader of RFC 8941 treats them as errors.
import LarderCore

/// Reads and writes structured field values.
public enum StructuredField {
    /// One value without parameters (RFC 8941 §3.3).
    public enum BareItem: Sendable, Hashable {
        /// At most 15 digits.
        case integer(Int64)
        /// In thousandths, exactly. At most 12 digits before the point.
        case decimal(thousandths: Int64)
        /// Printable ASCII.
        case string(String)
        case token(String)
        case bytes(Bytes)
        case boolean(Bool)
    }

    /// Keys and values, in the order of the field. If a key is repeated, its last value stands at its first position.
    public struct Parameters: Sendable, Hashable {
        public internal(set) var members: [(key: String, value: BareItem)] = []

        public subscript(key: String) -> BareItem? { members.last { $0.key == key }?.value }

        public var isEmpty: Bool { members.isEmpty }

        mutating func set(_ key: String, _ value: BareItem) {
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].value = value
            } else {
                members.append((key, value))
            }
        }

        public static func == (left: Parameters, right: Parameters) -> Bool {
            left.members.elementsEqual(right.members) { $0 == $1 }
        }

        public func hash(into hasher: inout Hasher) {
            for member in members {
                hasher.combine(member.key)
                hasher.combine(member.value)
            }
        }
    }

    /// One value with parameters (RFC 8941 §3.3).
    public struct Item: Sendable, Hashable {
        public var value: BareItem
        public var parameters: Parameters
    }

    /// A member of a list or dictionary (RFC 8941 §3.1, §3.2).
    public enum Member: Sendable, Hashable {
        case item(Item)
        case innerList([Item], Parameters)
    }

    /// A dictionary in the order of the field (RFC 8941 §3.2).
    public struct Dictionary: Sendable, Hashable {
        public internal(set) var members: [(key: String, value: Member)] = []

        public subscript(key: String) -> Member? { members.first { $0.key == key }?.value }

        public var isEmpty: Bool { members.isEmpty }

        mutating func set(_ key: String, _ value: Member) {
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].value = value
            } else {
                members.append((key, value))
            }
        }

        public static func == (left: Dictionary, right: Dictionary) -> Bool {
            left.members.elementsEqual(right.members) { $0 == $1 }
        }

        public func hash(into hasher: inout Hasher) {
            for member in members {
                hasher.combine(member.key)
                hasher.combine(member.value)
            }
        }
    }

    /// The dictionary that the lines of a field form (RFC 8941 §4.2.2). It is empty if the lines are empty, and nil if
    /// they break the grammar.
    public static func dictionary(_ values: [String]) -> Dictionary? {
        StructuredFieldParser.whole(values) { $0.dictionary() }
    }

    /// The list that the lines of a field form (RFC 8941 §4.2.1). It is empty if the lines are empty, and nil if they
    /// break the grammar.
    public static func list(_ values: [String]) -> [Member]? {
        StructuredFieldParser.whole(values) { $0.list() }
    }

    /// The item that the lines of a field form (RFC 8941 §4.2.3); nil if they break the grammar.
    public static func item(_ values: [String]) -> Item? {
        StructuredFieldParser.whole(values) { $0.item() }
    }
}
