// Open Library (openlibrary.org/developers/api): books as works, each with all its editions; no key. Searches have
// pages; records are found by key. Covers are on a separate host, which redirects to the Internet Archive.
import LarderCore

/// Books of Open Library.
public struct OpenLibrary: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [OpenLibrarySamples()] }

    public var about: ProviderAbout { Self.facts }

    static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "openlibrary", shortNames: ["books"], routePrefix: "books", title: "Open Library",
            defaultBaseURL: "https://openlibrary.org",
            endpoints: [
                EndpointAbout(
                    "search", parameters: searchParameters, refusals: [.missingParameter, .termLength],
                    ttl: .seconds(86_400),
                    summary: "/search.json: books by title, author and other words"),
                EndpointAbout(
                    "work", route: "works/{id}", captures: [workCapture], ttl: .seconds(7 * 86_400),
                    summary: "/works/{id}.json: one book"),
            ],
            emptyTTL: .seconds(3600), negativeTTL: .seconds(3600), staleFor: .seconds(90 * 86_400),
            // Larder does not identify its user to the API, which then asks for at most one call a second.
            defaultRate: CallRate(calls: 60, per: .seconds(60)),
            imageHosts: ["covers.openlibrary.org", "archive.org", "*.archive.org"], categories: ["books"],
            sorts: [.relevance, .name, .date], offers: "books of Open Library",
            terms: "The API is for single requests. Use the dumps for copies of all data.",
            attribution: "Open Library, openlibrary.org",
            kinds: [
                ResultKind(
                    "book",
                    [
                        .lists("authors", "authorKeys", "languages"), .texts("firstPublished"),
                        .numbers("year", "editions"),
                    ])
            ])
        facts.minimumTerm = 3
        return facts
    }()

    public func credentialFields(key: String) -> HeaderFields { [:] }
}
