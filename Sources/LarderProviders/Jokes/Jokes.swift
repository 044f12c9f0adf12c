// Chuck Norris jokes from two APIs: api.chucknorris.io, which is active, and icndb.com, which is defunct and whose
// domain belongs to strangers. Mirrors still serve icndb's paths and shapes, so a user can configure one.
import LarderCore

/// Random jokes without repeats, search and categories.
public struct Jokes: Provider {
    /// The two APIs.
    public enum Dialect: String, Sendable, Hashable, CaseIterable {
        /// github.com/chucknorris-io/chuck-api
        case chucknorris
        /// github.com/maartendecat/icndb-api
        case icndb
    }

    public let dialect: Dialect

    public init(dialect: Dialect = .chucknorris) {
        self.dialect = dialect
    }

    public var about: ProviderAbout { Self.facts }

    public var samples: [any SampleAPI] { [JokesSamples(), ICNDbSamples()] }

    public func speaking(_ dialect: String) -> any Provider {
        Dialect(rawValue: dialect).map { Jokes(dialect: $0) } ?? self
    }

    static let facts: ProviderAbout = {
        var facts = ProviderAbout(
            name: "jokes", shortNames: ["joke", "chucknorris"], routePrefix: "jokes", title: "Chuck Norris jokes",
            defaultBaseURL: "https://api.chucknorris.io",
            endpoints: [
                EndpointAbout(
                    "random", parameters: randomParameters, ttl: .seconds(3600),
                    summary: "/jokes/random: a random joke, from a pool that Larder refills"),
                EndpointAbout(
                    "search", parameters: searchParameters, refusals: [.conflict, .termLength], ttl: .seconds(86_400),
                    summary: "/jokes/search: jokes that contain a text"),
                EndpointAbout("categories", ttl: .seconds(86_400), summary: "/jokes/categories: the categories"),
                EndpointAbout(
                    "joke", route: "{id}", captures: [jokeCapture], ttl: .seconds(30 * 86_400),
                    summary: "/jokes/{id}: one joke"),
            ],
            emptyTTL: .seconds(86_400), negativeTTL: .seconds(3600), staleFor: .seconds(90 * 86_400),
            defaultRate: CallRate(calls: 30, per: .seconds(60)), categories: ["jokes"],
            sorts: [.relevance, .name, .date],
            offers: "Chuck Norris jokes; random ones without repeats, from a pool that also works offline",
            terms: "A free service without a key and without guarantees. Some jokes are rude, even without a category.",
            attribution: "chucknorris.io", normaliserVersion: 2,
            kinds: [ResultKind("joke", [.flags("explicit"), .texts("updatedAt")]), ResultKind("jokeCategory")])
        facts.minimumTerm = termLength.lowerBound
        facts.dialects = Dialect.allCases.map(\.rawValue)
        return facts
    }()
}
