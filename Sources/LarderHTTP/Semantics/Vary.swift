// Vary (RFC 9110 §12.5.5, RFC 9111 §4.1): the request fields by which a response was selected.
import LarderCore

/// The request fields that select a response.
public enum Vary: Sendable, Hashable {
    /// "*": the response was selected by something that no field tells. It is never reusable without validation.
    case any
    /// Field names in lower case, sorted, each once. Empty if the response depends on no field.
    case names([String])

    /// Reads the `Vary` lines of a response. A member that is no field name makes the result `any`, because its meaning
    /// is unknown.
    public init(_ responseFields: HeaderFields) {
        let values = responseFields.all(.vary)
        guard !values.isEmpty else {
            self = .names([])
            return
        }
        // Most responses that depend on a field depend on this one alone.
        if values.count == 1, ASCII.equalFolded(values[0], "Accept-Encoding") {
            self = .names(Self.coding)
            return
        }
        let members = FieldList.members(values)
        let isUnreadable = members.contains { $0 == "*" || !$0.utf8.allSatisfy(ASCII.isToken) }
        self = isUnreadable ? .any : .names(Set(members.map { FieldList.lowercased($0) }).sorted())
    }

    private static let coding = ["accept-encoding"]

    /// Whether the response depends on this field, given in lower case. True for `any`.
    public func names(_ field: String) -> Bool {
        switch self {
        case .any: true
        case .names(let names): names.contains(field)
        }
    }

    /// Whether the response depends on no request field outside `allowed`.
    public func dependsOnly(on allowed: Set<String>) -> Bool {
        switch self {
        case .any: false
        case .names(let names): names.allSatisfy(allowed.contains)
        }
    }

    /// Whether two requests select the same response. Each named field must be absent in both, or present with the same
    /// members in the same order (RFC 9111 §4.1 allows combining lines and changing white space).
    public func matches(_ one: HeaderFields, _ other: HeaderFields) -> Bool {
        switch self {
        case .any: false
        case .names(let names):
            names.allSatisfy { name in
                one.contains(name) == other.contains(name)
                    && FieldList.members(one.all(name)) == FieldList.members(other.all(name))
            }
        }
    }
}
