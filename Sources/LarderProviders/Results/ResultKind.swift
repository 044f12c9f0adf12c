// The kinds of results that a provider gives, as records, each with the attributes that only it has. The interface
// description is generated from these records, and tests check the samples' results against them. The normalisers use
// the same attribute names.

/// One attribute of a result.
public struct ResultAttribute: Sendable, Hashable {
    /// The form of the attribute's value.
    public enum Form: Sendable, Hashable, CaseIterable {
        case text
        case number
        case flag
        case texts
        case numbers
        /// An amount with its currency.
        case price
        /// Any JSON.
        case any
    }

    public var name: String
    public var form: Form
}

/// One kind of results.
public struct ResultKind: Sendable, Hashable {
    /// The value of `kind` in a result: "song".
    public var name: String
    /// The attributes. Each may be absent from a result.
    public var attributes: [ResultAttribute]
    /// Whether results also carry members of the API's records that are not listed here, with names in camel case.
    public var isOpen: Bool

    init(_ name: String, isOpen: Bool = false, _ attributes: [[ResultAttribute]] = []) {
        self.name = name
        self.isOpen = isOpen
        self.attributes = attributes.flatMap { $0 }
    }
}
