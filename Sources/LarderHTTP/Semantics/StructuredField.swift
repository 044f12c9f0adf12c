// Structured field values (RFC 8941): dictionaries, lists and items, read strictly: what breaks the grammar anywhere is
// nil as a whole, as §4.2 demands. The two types that RFC 9651 added, dates and display strings, are refused: no field
// that Larder reads has them, and to a reader of RFC 8941 they are errors.
import LarderCore

/// Values of structured fields, read and written.
public enum StructuredField {
    /// One value without parameters (RFC 8941 §3.3).
    public enum BareItem: Sendable, Hashable {
        /// At most 15 digits.
        case integer(Int64)
        /// In thousandths, exactly; at most 12 digits before the point.
        case decimal(thousandths: Int64)
        /// Printable ASCII.
        case string(String)
        case token(String)
        case bytes(Bytes)
        case boolean(Bool)
    }

    /// A key and its value, in the order of the field; of a key given twice the last value, at the first place.
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

    /// A dictionary in its order (RFC 8941 §3.2).
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

    /// The dictionary that all lines of a field are (RFC 8941 §4.2.2), empty where they hold nothing; nil where the
    /// grammar is broken.
    public static func dictionary(_ values: [String]) -> Dictionary? {
        StructuredFieldParser.whole(values) { $0.dictionary() }
    }

    /// The list that all lines of a field are (RFC 8941 §4.2.1), empty where they hold nothing.
    public static func list(_ values: [String]) -> [Member]? {
        StructuredFieldParser.whole(values) { $0.list() }
    }

    /// The item that a field is (RFC 8941 §4.2.3).
    public static func item(_ values: [String]) -> Item? {
        StructuredFieldParser.whole(values) { $0.item() }
    }
}
