// The iTunes Search API (performance-partners.apple.com/search-api). It needs no key and allows about twenty calls a
// minute; above that it answers 403 with an empty body. This file holds the facts. The questions, tables and results
// are in the files of this folder.
import LarderCore

/// iTunes and App Store search.
public struct ITunes: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [ITunesSamples()] }

    public var about: ProviderAbout { Self.facts }

    static let facts = ProviderAbout(
        name: "itunes", routePrefix: "itunes", title: "iTunes Search", defaultBaseURL: "https://itunes.apple.com",
        endpoints: [
            EndpointAbout(
                "search", parameters: searchParameters, refusals: [.conflict], ttl: .seconds(86_400),
                summary: "/search: media by term"),
            EndpointAbout(
                "lookup", parameters: lookupParameters, refusals: [.missingParameter, .conflict], ttl: .seconds(86_400),
                summary: "/lookup: records by id, UPC, ISBN or bundle id"),
        ],
        // Some rate-limited clients get an empty 200, so an empty response is kept for ten minutes only.
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(7 * 86_400),
        defaultRate: CallRate(calls: 20, per: .seconds(60)), imageHosts: ["*.mzstatic.com"],
        categories: ITunesCategory.allCases.map(\.rawValue), sorts: [.relevance, .name, .date, .price],
        offers: "every media and entity of the iTunes Search API",
        terms: "Apple asks for at most about 20 calls a minute and for caching; previews and artwork may be used to "
            + "promote the store.",
        attribution: "Provided courtesy of iTunes", normaliserVersion: 2, kinds: kinds,
        hasFurtherKinds: true)
}
