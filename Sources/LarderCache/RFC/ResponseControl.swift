// Decides which field of a response controls the cache (RFC 9213 §2.2). The first of the configured targeted fields
// that is present and holds a dictionary with members replaces Cache-Control and Expires. A field that is empty or
// cannot be parsed counts as absent.
import LarderCore
import LarderHTTP

/// The targeted fields that a cache obeys, the most specific first (RFC 9213 §2.2).
public struct TargetFields: Sendable, ExpressibleByArrayLiteral {
    public let names: [String]
    /// The same as a set. Most responses have none of them.
    let set: FieldNameSet

    public init(_ names: [String]) {
        self.names = names
        set = FieldNameSet(names)
    }

    public init(arrayLiteral names: String...) { self.init(names) }

    /// Whether a response has one of them.
    public func mayControl(_ fields: HeaderFields) -> Bool { fields.contains(anyOf: set) }
}

/// The cache directives that apply to one response.
public struct ResponseControl: Sendable, Hashable {
    /// Larder's own targeted field (RFC 9213 §2).
    public static let ownTarget = "Larder-Cache-Control"

    public let control: CacheControl
    /// Whether a targeted field replaces `Cache-Control` and `Expires`, which are then ignored (RFC 9213 §2.2).
    public let isTargeted: Bool

    /// Selects and reads the field (RFC 9213 §2.2).
    public init(fields: HeaderFields, targets: TargetFields) {
        for target in fields.contains(anyOf: targets.set) ? targets.names : [] {
            let values = fields.all(target)
            guard !values.isEmpty, let members = StructuredField.dictionary(values), !members.isEmpty else { continue }
            control = CacheControl(dictionary: members)
            isTargeted = true
            return
        }
        control = CacheControl(of: fields)
        isTargeted = false
    }
}
