// The question of `/v1/search`, in terms that all sources share. Each provider translates it into a request of its own.

/// One search of one or several providers.
public struct SearchRequest: Sendable, Hashable {
    public var term: String
    /// nil for the provider's own default.
    public var category: String?
    /// The number of results from each source; nil for the provider's own default.
    public var limit: Int?
    public var sort: SortOrder?
    /// ISO 3166-1 alpha-2, in any letter case.
    public var country: String?
    /// A language tag: "en", "en-US", "en_us".
    public var language: String?
    /// False asks for results without explicit content, if the API marks it.
    public var explicit: Bool?

    public init(
        term: String, category: String? = nil, limit: Int? = nil, sort: SortOrder? = nil, country: String? = nil,
        language: String? = nil, explicit: Bool? = nil
    ) {
        self.term = term
        self.category = category
        self.limit = limit
        self.sort = sort
        self.country = country
        self.language = language
        self.explicit = explicit
    }
}

/// The orders of results.
public enum SortOrder: String, Sendable, Hashable, CaseIterable {
    /// The API's own order.
    case relevance
    /// By title in the language's own order: letter case is ignored and numbers are compared by value.
    case name
    /// The newest first.
    case date
    /// The cheapest first.
    case price
}
