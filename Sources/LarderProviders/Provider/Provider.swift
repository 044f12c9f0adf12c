// A provider describes one API to the rest of Larder: a name, a table of facts, and pure functions. Six of the
// functions must be implemented; the others have defaults. A provider holds no state, does no I/O and reads no clock.
// The daemon carries out what its values describe.
import LarderCore

/// One public API.
public protocol Provider: Sendable {
    /// The API's facts and defaults.
    var about: ProviderAbout { get }

    /// Makes the question that a route below `/v1/{routePrefix}/` asks.
    ///
    /// - Parameters:
    ///   - path: the decoded segments after the prefix: `["search"]`, `["monsters", "aboleth"]`.
    ///   - query: the decoded parameters.
    /// - Throws: 404 if the provider has no such route; 400 that names the bad parameter and its allowed values.
    func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint

    /// This provider's question in one `/v1/search`.
    func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint

    /// The canonical form of a raw request: credentials removed, parameters in one order and spelling, defaults left
    /// out. An `Endpoint.upstream` is already canonical, so `/raw` and `/v1` share one raw entry.
    func canonical(_ request: UpstreamRequest) -> UpstreamRequest

    /// The name in `about.endpoints` that a request belongs to, or "other". The names are bounded: lifetimes and labels
    /// use them.
    func endpointName(for request: UpstreamRequest) -> String

    /// Classifies a response before anything is stored. The caller has undone the content codings.
    func classify(_ response: UpstreamResponse, endpoint: String) -> Classification

    /// Returns a function that checks whether a response with data holds the record that the request names. Returns nil
    /// if the request names no record or the responses do not identify theirs. The daemon calls
    /// `classify(_:endpoint:of:)`, which calls this method.
    func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)?

    /// The fields that carry the key. Added when the request is sent; never part of a key, a row or a log line.
    func credentialFields(key: String) -> HeaderFields

    /// The parameters that carry the key, if the API takes it in the query. Added and kept secret in the same way.
    func credentialQuery(key: String) -> QueryParameters

    /// Whether a client's `Authorization` field belongs to an application or to a person. The configured key may
    /// replace an application's credentials, never a person's.
    func holder(ofAuthorization value: String) -> CredentialHolder

    /// Whether a canonical request always has the same answer, a different one each time, or one drawn from a pool.
    func constancy(of request: UpstreamRequest) -> Constancy

    /// The kinds of results that this provider's search returns for a category, or by default if `category` is nil. An
    /// empty list means all kinds; nil means that a result's kind does not tell whether it belongs to the category.
    func kinds(of category: String?) -> [String]?

    /// Returns a function that may give a response a longer lifetime than its endpoint's, if its content no longer
    /// changes. The function takes a response with data whose content coding is undone. Nil if all responses of the
    /// endpoint live equally long.
    func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)?

    /// The provider for another of `about.dialects` of the same API.
    func speaking(_ dialect: String) -> any Provider

    /// The remaining calls that a response's fields report; nil if they report none.
    ///
    /// - Parameter now: the time at which the response arrived.
    func credits(in fields: HeaderFields, now: WallTime) -> Credits?

    /// How files are sent to the API, if `about.uploads` is set.
    var uploads: (any UploadFormat)? { get }

    /// Sample APIs for the stand-in server: one for each dialect, the usual one first. Their files are read at each call.
    func samples() -> [SampleAPI]
}

extension Provider {
    public func samples() -> [SampleAPI] { [] }

    public var uploads: (any UploadFormat)? { nil }

    public func credentialQuery(key: String) -> QueryParameters { QueryParameters() }

    public func constancy(of request: UpstreamRequest) -> Constancy { .constant }

    public func speaking(_ dialect: String) -> any Provider { self }

    public func credits(in fields: HeaderFields, now: WallTime) -> Credits? { Credits(rateLimit: fields, now: now) }
}

/// One endpoint of a provider, with the name that lifetimes and labels use.
public struct EndpointAbout: Sendable, Hashable {
    public var name: String
    /// How long a response is fresh, unless the configuration overrides it.
    public var ttl: Duration
    /// Its route below `/v1/{routePrefix}/`: "item/{id}".
    public var route: String
    /// The query parameters of a question to this endpoint.
    public var parameters: [QuestionParameter]
    /// The captures of the route, in the order of the path.
    public var captures: [QuestionParameter]
    /// Why a question may be refused although each of its parameters is allowed.
    public var refusals: [QuestionRefusal]
    /// One line for help and the configuration's documentation.
    public var summary: String

    // More than six parameters: the facts of an endpoint, most of which have defaults.
    /// - Parameter route: nil if the route equals the name.
    public init(
        _ name: String, route: String? = nil, captures: [QuestionParameter] = [], parameters: [QuestionParameter] = [],
        refusals: [QuestionRefusal] = [], ttl: Duration, summary: String
    ) {
        self.name = name
        self.parameters = parameters
        self.captures = captures.map(\.required)
        self.refusals = refusals
        self.route = route ?? name
        self.ttl = ttl
        self.summary = summary
    }
}

/// The second host of an API that serves searches from another host. Its base URL is a separate setting (`searchURL`).
public struct SearchBase: Sendable, Hashable {
    /// The origin, without a trailing slash.
    public var url: String
    /// The path prefix of every request to this host, and of no request to the other host: "/api/v1".
    public var pathPrefix: String

    public init(_ url: String, pathPrefix: String) {
        self.url = url
        self.pathPrefix = pathPrefix
    }
}

/// The facts of one API and its defaults.
public struct ProviderAbout: Sendable, Hashable {
    /// The name in configuration, keys, labels and results: "itunes".
    public var name: String
    /// Other spellings that `source=` accepts.
    public var shortNames: [String]
    /// The first segment of the provider's routes below `/v1/`: "news".
    public var routePrefix: String
    public var title: String
    /// The origin of the live API, without a trailing slash.
    public var defaultBaseURL: String
    /// The path prefix of every typed request ("/v2"). A configured base URL may or may not end in it.
    public var pathPrefix: String
    /// The host that serves a part of the API's requests, if there is a second one.
    public var searchBase: SearchBase?
    public var endpoints: [EndpointAbout]
    /// How long a valid but empty response is fresh.
    public var emptyTTL: Duration
    /// How long a not-found response is kept.
    public var negativeTTL: Duration
    /// How long past its freshness lifetime an entry may still be served.
    public var staleFor: Duration
    /// The limits on calls, unless the configuration overrides them.
    public var defaultRate: CallRate?
    public var defaultQuota: CallRate?
    /// The image hosts, in the syntax of `ImageHostRule`.
    public var imageHosts: [String]
    /// The allowed values of `category=` in `/v1/search`.
    public var categories: [String]
    /// The kinds of results, each with its own attributes; empty if the provider returns no results.
    public var kinds: [ResultKind]
    /// Whether results may have a kind that is not listed in `kinds`, with any attributes.
    public var hasFurtherKinds: Bool
    /// The supported sort orders. With any other order, results keep the API's own order.
    public var sorts: [SortOrder]
    public var needsKey: Bool
    /// Environment variables that may hold the key.
    public var keyVariables: [String]
    /// Query parameters and fields in which this API's clients send credentials.
    public var credentialParameters: [String]
    public var credentialFieldNames: [String]
    /// Query parameters that carry a person's session or an account's token. A request with one of them is personal.
    public var personalParameters: [String] = []
    /// Paths of personal resources and of sign-ins. Everything below such a path is included.
    public var personalPaths: [String] = []
    /// What can be asked of this API, as a phrase for the table of routes.
    public var offers: String
    /// What the API's terms require a user to know or to display.
    public var terms: String
    public var attribution: String?
    /// The longest time that a response may be kept at all, if the terms limit it.
    public var retention: Duration?
    /// The version of the normalised form. Raise it to rebuild stored normalised answers from their raw entries.
    public var normaliserVersion: Int
    /// The dialects of this API, which differ in paths and shapes, the usual one first. Empty if there is only one.
    public var dialects: [String] = []
    /// A sentence that says what the key is and where to get one, shown to users without a key.
    public var keyNote: String?
    /// Placeholder pictures that image hosts serve for removed ones, as host and path ("i.imgur.com/removed.png"). A
    /// picture is absent if its URL, or the URL it redirects to, ends in one of these.
    public var removedPictures: [String] = []
    /// Members of records that grant control over a thing. They are removed before a record is handed to a client.
    public var secretMembers: [String] = []
    /// The least number of characters (grapheme clusters) in a search term; the API refuses shorter terms. Most APIs
    /// take one, because one character is a word in Chinese.
    public var minimumTerm = 1
    /// Whether `/v1/search` can ask this API. A described one may have only questions without a term.
    public var hasSearch = true
    /// How users sign in, if the API has accounts that Larder can use.
    public var signIn: SignInAbout?
    /// The files that the API accepts, if any.
    public var uploads: UploadAbout?

    public init(
        name: String, shortNames: [String] = [], routePrefix: String, title: String, defaultBaseURL: String,
        pathPrefix: String = "", searchBase: SearchBase? = nil, endpoints: [EndpointAbout], emptyTTL: Duration,
        negativeTTL: Duration,
        staleFor: Duration, defaultRate: CallRate? = nil, defaultQuota: CallRate? = nil, imageHosts: [String] = [],
        categories: [String] = [], sorts: [SortOrder] = [], needsKey: Bool = false, keyVariables: [String] = [],
        credentialParameters: [String] = [], credentialFieldNames: [String] = [],
        offers: String = "", terms: String,
        attribution: String? = nil, retention: Duration? = nil, normaliserVersion: Int = 1,
        kinds: [ResultKind] = [], hasFurtherKinds: Bool = false
    ) {
        self.name = name
        self.shortNames = shortNames
        self.routePrefix = routePrefix
        self.title = title
        self.defaultBaseURL = defaultBaseURL
        self.pathPrefix = pathPrefix
        self.searchBase = searchBase
        self.endpoints = endpoints
        self.emptyTTL = emptyTTL
        self.negativeTTL = negativeTTL
        self.staleFor = staleFor
        self.defaultRate = defaultRate
        self.defaultQuota = defaultQuota
        self.imageHosts = imageHosts
        self.categories = categories
        self.sorts = sorts
        self.needsKey = needsKey
        self.keyVariables = keyVariables
        self.credentialParameters = credentialParameters
        self.credentialFieldNames = credentialFieldNames
        self.offers = offers
        self.terms = terms
        self.attribution = attribution
        self.retention = retention
        self.normaliserVersion = normaliserVersion
        self.kinds = kinds
        self.hasFurtherKinds = hasFurtherKinds
    }

    /// Throws if the API would refuse the term.
    /// - Parameter parameter: the name of the parameter that held the term.
    public func check(term: String, of parameter: String) throws(ClientFacingError) {
        guard term.count < minimumTerm else { return }
        throw .termLength(parameter, "\(title): a search needs a term of at least \(minimumTerm) characters.")
    }

    /// Whether a path belongs to the search host. The paths of a provider's two hosts never share a prefix, so the path
    /// alone decides which host a request goes to.
    public func isSearch(path: String) -> Bool {
        guard let prefix = searchBase?.pathPrefix else { return false }
        return path == prefix || path.hasPrefix(prefix + "/")
    }

    /// Whether a URL names one of `removedPictures`.
    public func isRemovedPicture(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return removedPictures.contains { path.hasSuffix("/" + $0) }
    }

    /// The absolute URL of a request below a base URL. If the base URL already ends in the path prefix or in its
    /// beginning, as "https://newsapi.org/v2" does, that part is not repeated.
    public func url(base: String, request: UpstreamRequest) -> String {
        var base = base[...]
        while base.utf8.last == 0x2F { base.removeLast() }
        let prefix = isSearch(path: request.path) ? searchBase?.pathPrefix ?? "" : pathPrefix
        if prefix.isEmpty { return base + request.target }
        let segments = prefix.split(separator: "/")
        for count in stride(from: segments.count, to: 0, by: -1) {
            let overlap = "/" + segments.prefix(count).joined(separator: "/")
            if base.hasSuffix(overlap), request.path == overlap || request.path.hasPrefix(overlap + "/") {
                return String(base) + request.target.dropFirst(overlap.count)
            }
        }
        return String(base) + request.target
    }
}

/// One complete question to one provider: its identity, the upstream request it needs, and how to read the response.
public struct Endpoint: Sendable {
    public var provider: String
    /// One of `about.endpoints`.
    public var name: String
    /// The identity of the normalised answer, including order, limits and filters. Canonical and injective.
    public var parameters: [KeyParameter]
    /// The canonical upstream request. Other questions share its raw response.
    public var upstream: UpstreamRequest
    /// The question in canonical form, as a JSON object for the envelope.
    public var query: Bytes
    /// Turns a raw response into results. The response is data or empty, its content coding undone.
    public var normalise: @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer
    /// Other questions whose stored responses may hold this one's answer. The list is computed on demand: most
    /// questions are answered from their own entry, and thirty requests cost more than the rest of the question.
    public var wider: @Sendable () -> [WiderAnswer] = { [] }
    /// The plan that replaces fetching `upstream` and normalising it, if one call is not enough.
    public var plan: (any CallPlan)?
    /// How many answers are drawn from the pool, if there is one, and which of the pool's answers are suitable.
    public var draws = 1
    public var fits: @Sendable (Bytes) -> Bool = { _ in true }

    public init(
        provider: String, name: String, parameters: [KeyParameter], upstream: UpstreamRequest, query: Bytes,
        normalise: @escaping @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer
    ) {
        self.provider = provider
        self.name = name
        self.parameters = parameters
        self.upstream = upstream
        self.query = query
        self.normalise = normalise
    }

    /// Whether each result carries the API's own record. This makes another normalised answer of the same raw one.
    public private(set) var includesSource = false

    /// The same question, with the API's own record added to each result.
    public func includingSource() -> Endpoint {
        var endpoint = self
        endpoint.includesSource = true
        endpoint.parameters.append(KeyParameter("include", SourceRecord.name))
        return endpoint
    }

    /// The cache key of the normalised answer. `normaliserVersion` is part of it.
    public func key(normaliserVersion: Int) -> CacheKey {
        CacheKey(
            layer: .normalised, provider: provider, endpoint: name,
            parameters: parameters + [KeyParameter("normaliser", String(normaliserVersion))])
    }
}

/// The results of one source in the common form.
public struct NormalisedAnswer: Sendable {
    /// A JSON array of result objects.
    public var results: Bytes
    public var count: Int
    /// The number of upstream records that gave no result; `droppedReasons` counts them by reason, so nothing is lost
    /// silently. Records that a filter of the question excluded, or that lie beyond its limit, are not counted.
    public var dropped: Int
    public var droppedReasons: [String: Int]
    /// The total number of matches upstream, if the API reports it.
    public var totalUpstream: Int?
    /// The number of valid upstream records that a filter of the question excluded.
    public var leftOut = 0
    /// The API's own record of each result, in the same order; nil if it is unknown. Empty if no record is known.
    public var sources: [JSONValue?] = []

    /// Whether there were records and every one of them was dropped: no result, and no record only filtered out.
    public var isAllDropped: Bool { count == 0 && dropped > 0 && leftOut == 0 }

    public init(
        results: Bytes, count: Int, dropped: Int = 0, droppedReasons: [String: Int] = [:], totalUpstream: Int? = nil
    ) {
        self.results = results
        self.count = count
        self.dropped = dropped
        self.droppedReasons = droppedReasons
        self.totalUpstream = totalUpstream
    }
}

extension NormalisedAnswer: Equatable {
    public static func == (left: NormalisedAnswer, right: NormalisedAnswer) -> Bool {
        left.results == right.results && left.count == right.count && left.dropped == right.dropped
            && left.droppedReasons == right.droppedReasons && left.totalUpstream == right.totalUpstream
            && left.leftOut == right.leftOut && left.sources.map { $0?.raw } == right.sources.map { $0?.raw }
    }
}

/// A response that could not be read. The source is reported as broken. The message is safe to show.
public struct NormaliseError: Error, Sendable, Hashable, CustomStringConvertible {
    public var provider: String
    public var message: String

    public init(provider: String, message: String) {
        self.provider = provider
        self.message = message
    }

    public var description: String { "normalising \(provider): \(message)" }
}
