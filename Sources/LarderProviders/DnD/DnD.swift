// The D&D 5e SRD API (dnd5eapi.co, version 5.8): complete lists without pages, records by slug, data that changes only
// with releases. The API's own cache mixes languages, so every JSON request contains `lang=en`.
import LarderCore

/// Monsters, equipment and spells of the D&D 5e System Reference Document.
public struct DnD: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [DnDSamples()] }

    public var about: ProviderAbout { Self.facts }

    static let facts = ProviderAbout(
        name: "dnd5e", shortNames: ["dnd"], routePrefix: "dnd", title: "D&D 5e SRD",
        defaultBaseURL: "https://www.dnd5eapi.co", pathPrefix: "/api/2014",
        endpoints: [
            EndpointAbout(
                "list", route: "{collection}", captures: [collectionCapture], parameters: listParameters,
                refusals: [.conflict], ttl: .seconds(7 * 86_400),
                summary: "/api/2014/{collection}: a whole list"),
            EndpointAbout(
                "details", route: "{collection}/{index}", captures: [collectionCapture, indexCapture],
                parameters: detailParameters, refusals: [.conflict], ttl: .seconds(7 * 86_400),
                summary: "/api/2014/{collection}/{index}: one record"),
        ],
        // A 404 may be a passing fault of this API, so it is kept for ten minutes only.
        emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(30 * 86_400),
        defaultRate: CallRate(calls: 20, per: .seconds(1)), imageHosts: ["www.dnd5eapi.co"],
        categories: DnDCollection.allCases.map(\.rawValue), sorts: [.relevance, .name],
        offers: "monsters, equipment, spells and everything else of the D&D 5e rules",
        terms: "Content of the SRD 5.1 is under CC BY 4.0 and the OGL 1.0a.",
        attribution: "D&D 5e SRD API, dnd5eapi.co", normaliserVersion: 2,
        // A list gives the index and the level. A single record also has its own members.
        kinds: DnDCollection.allCases.map {
            ResultKind($0.kind, isOpen: true, [.texts("index"), $0 == .spells ? .numbers("level") : []])
        })
}
