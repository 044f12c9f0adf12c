// TMDb, version 3 (developer.themoviedb.org): films, series and people. It has two kinds of secret. Picture sizes come
// from a separate request. The terms allow nothing to be kept for more than six months.
import LarderCore

/// Films, series and people of The Movie Database.
public struct TMDb: Provider {
    public init() {}

    public var samples: [any SampleAPI] { [TMDbSamples()] }

    public var about: ProviderAbout { Self.facts }

    static let facts: ProviderAbout = {
        var facts = common
        // Sessions of users and guests, and the requests that create them (developer.themoviedb.org/reference).
        facts.personalParameters = ["session_id", "guest_session_id", "request_token", "access_token"]
        facts.kinds = kinds
        facts.personalPaths = ["/3/authentication", "/3/account", "/3/guest_session", "/4/auth", "/4/account"]
        return facts
    }()

    private static let common = ProviderAbout(
        name: "tmdb", shortNames: ["themoviedb"], routePrefix: "tmdb", title: "The Movie Database (TMDb)",
        defaultBaseURL: "https://api.themoviedb.org", pathPrefix: "/3",
        endpoints: [
            EndpointAbout(
                "search", route: "search/{kind}", captures: [kindCapture(["multi", "movie", "tv", "person"])],
                parameters: searchParameters, refusals: [.conflict], ttl: .seconds(28_800),
                summary: "/3/search/{movie|tv|person|multi}"),
            EndpointAbout(
                "list", route: "{kind}/popular", captures: [kindCapture(["movie", "tv", "person"])],
                parameters: pageParameters, refusals: [.conflict], ttl: .seconds(28_800),
                summary: "/3/{movie|tv|person}/{popular, top_rated, now_playing, …}"),
            EndpointAbout(
                "trending", route: "trending/{kind}/{span}",
                captures: [kindCapture(["all", "movie", "tv", "person"]), spanCapture], parameters: pageParameters,
                refusals: [.conflict], ttl: .seconds(3600),
                summary: "/3/trending/{all|movie|tv|person}/{day|week}"),
            EndpointAbout(
                "details", route: "{kind}/{id}", captures: [kindCapture(["movie", "tv", "person"]), idCapture],
                parameters: detailParameters, refusals: [.conflict], ttl: .seconds(86_400),
                summary: "/3/{movie|tv|person}/{id}, with appended records"),
            EndpointAbout("configuration", ttl: .seconds(7 * 86_400), summary: "/3/configuration: sizes of pictures"),
            EndpointAbout(
                "genres", route: "genres/{kind}", captures: [kindCapture(TMDbGenres.kinds.map(\.rawValue))],
                parameters: languageParameters, refusals: [.conflict], ttl: .seconds(7 * 86_400),
                summary: "/3/genre/{movie|tv}/list: names of genres"),
        ],
        emptyTTL: .seconds(28_800), negativeTTL: .seconds(86_400), staleFor: .seconds(30 * 86_400),
        defaultRate: CallRate(calls: 20, per: .seconds(1)), imageHosts: ["image.tmdb.org"],
        categories: TMDbKind.searched.map(\.rawValue), sorts: [.relevance, .name, .date], needsKey: true,
        keyVariables: ["LARDER_TMDB_KEY", "TMDB_KEY", "TMDB_API_KEY", "TMDB_READ_ACCESS_TOKEN"],
        credentialParameters: ["api_key"], credentialFieldNames: ["Authorization"],
        offers: "films, series and people of TMDb",
        terms: "Free for non-commercial use. Nothing may be kept for more than six months.",
        attribution: "This product uses the TMDB API but is not endorsed or certified by TMDB.",
        retention: .seconds(180 * 86_400), normaliserVersion: 3)

    /// A read access token is a JWT (RFC 7519 §3: parts separated by dots) and is sent in a field. A version 3 key
    /// contains no dot, and the API accepts it only in the query.
    static func isToken(_ key: String) -> Bool { key.utf8.contains(0x2E) }

    public func credentialFields(key: String) -> HeaderFields {
        Self.isToken(key) ? ["Authorization": "Bearer \(key)"] : [:]
    }

    public func credentialQuery(key: String) -> QueryParameters {
        QueryParameters(Self.isToken(key) ? [] : [.init("api_key", key)])
    }
}

/// The kinds of TMDb records.
enum TMDbKind: String, CaseIterable, Sendable {
    case movie
    case tv
    case person
    case collection

    /// The kinds that have a search and records here.
    static let searched: [TMDbKind] = [.movie, .tv, .person]

    /// The kind of the results.
    var kind: String { self == .tv ? "series" : rawValue }

    /// The API's lists of this kind.
    var lists: [String] {
        switch self {
        case .movie: ["popular", "top_rated", "now_playing", "upcoming"]
        case .tv: ["popular", "top_rated", "airing_today", "on_the_air"]
        case .person: ["popular"]
        case .collection: []
        }
    }
}

extension TMDb {
    /// An application's read access token and a user's token (version 4) are both bearer tokens and JWTs. Their scope
    /// distinguishes them: the application's token can only read, a user's token can also write. A token without a
    /// scope is treated as a person's. The signature is not checked: a client that falsely claims to be an application
    /// gets only shared responses.
    public func holder(ofAuthorization value: String) -> CredentialHolder {
        let holder = CredentialHolder.of(value, scheme: "Bearer")
        guard case .application(let token) = holder, Self.isReadToken(token) else { return .person }
        return holder
    }

    static func isReadToken(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSON.parse(payload), let scopes = claims["scopes"], scopes.kind == .array
        else { return false }
        return scopes.elements.map(\.string) == ["api_read"]
    }
}
