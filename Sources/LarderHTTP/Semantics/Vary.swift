// Vary (RFC 9110 §12.5.5, RFC 9111 §4.1): which request fields an answer was chosen by.
import LarderCore

/// The request fields that select an answer.
public enum Vary: Sendable, Hashable {
    /// "*": chosen by what no field tells; never reusable without asking.
    case any
    /// These names, lower case, sorted, each once; empty where the answer depends on no field.
    case names([String])

    /// What the `Vary` lines of an answer say. A member that is no field name makes it `any`, since it cannot be
    /// told what was meant.
    public init(_ responseFields: HeaderFields) {
        let values = responseFields.all("Vary")
        guard !values.isEmpty else {
            self = .names([])
            return
        }
        let members = FieldList.members(values)
        let isUnreadable = members.contains { $0 == "*" || !$0.utf8.allSatisfy(ASCII.isToken) }
        self = isUnreadable ? .any : .names(Set(members.map { FieldList.lowercased($0) }).sorted())
    }

    /// Whether it names that field, in lower case, or all.
    public func names(_ field: String) -> Bool {
        switch self {
        case .any: true
        case .names(let names): names.contains(field)
        }
    }

    /// Whether the answer depends on no request field but those.
    public func dependsOnly(on allowed: Set<String>) -> Bool {
        switch self {
        case .any: false
        case .names(let names): names.allSatisfy(allowed.contains)
        }
    }

    /// Whether two requests select the same answer: every named field is absent in both, or present with the same
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
