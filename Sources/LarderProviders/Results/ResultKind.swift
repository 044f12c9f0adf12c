// What results a provider gives, as records: each kind with the attributes that only it has. The description of the interface is
// written from them; tests hold the samples' results to them. The normalisers write attributes by the same names.

/// One attribute of a result.
public struct ResultAttribute: Sendable, Hashable {
    /// What its value is.
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
    /// What results have as `kind`: "song".
    public var name: String
    /// Each may be absent.
    public var attributes: [ResultAttribute]
    /// Records of the API are told with members that are not listed here, in camel case.
    public var isOpen: Bool

    init(_ name: String, isOpen: Bool = false, _ attributes: [[ResultAttribute]] = []) {
        self.name = name
        self.isOpen = isOpen
        self.attributes = attributes.flatMap { $0 }
    }
}

extension [ResultAttribute] {
    static func texts(_ names: String...) -> Self { names.map { Element(name: $0, form: .text) } }
    static func numbers(_ names: String...) -> Self { names.map { Element(name: $0, form: .number) } }
    static func flags(_ names: String...) -> Self { names.map { Element(name: $0, form: .flag) } }
    static func prices(_ names: String...) -> Self { names.map { Element(name: $0, form: .price) } }
    static func lists(_ names: String...) -> Self { names.map { Element(name: $0, form: .texts) } }
    static func numberLists(_ names: String...) -> Self { names.map { Element(name: $0, form: .numbers) } }
    static func any(_ names: String...) -> Self { names.map { Element(name: $0, form: .any) } }
}
