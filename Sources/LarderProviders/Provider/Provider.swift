// What an API is to the rest of the house: a name, a table of facts, and pure functions: six must be
// written, the others have a default. A provider holds no
// state, does no I/O and reads no clock; the daemon performs what its values describe.
import LarderCore

/// One public API.
public protocol Provider: Sendable {
    /// The API's facts and defaults.
    var about: ProviderAbout { get }

    /// The question that a route below `/v1/{routePrefix}/` asks.
    ///
    /// - Parameters:
    ///   - path: the decoded segments after the prefix: `["search"]`, `["monsters", "aboleth"]`.
    ///   - query: the decoded parameters.
    /// - Throws: 404 for a route this provider lacks, 400 naming the parameter and what it may be.
    func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint

    /// This provider's part in one `/v1/search`.
    func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint

    /// The canonical form of a request that came in raw: credentials dropped, parameters in one order and spelling,
    /// defaults left out. An `Endpoint.upstream` is canonical already, so `/raw` and `/v1` share one raw entry.
    func canonical(_ request: UpstreamRequest) -> UpstreamRequest

    /// Which of `about.endpoints` a request belongs to, else "other": bounded, for lifetimes and labels.
    func endpointName(for request: UpstreamRequest) -> String

    /// What an answer is, decided before anything is stored. Content codings must have been undone.
    func classify(_ response: UpstreamResponse, endpoint: String) -> Classification

    /// Tells of an answer with data whether it holds the record that the request names; nil where the request names none, or
    /// answers do not tell. The daemon calls `classify(_:endpoint:of:)`, which asks this.
    func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)?

    /// The fields that carry the key. Joined when the request is sent, never part of a key, a row or a log line.
    func credentialFields(key: String) -> HeaderFields

    /// The parameters that carry the key, where the API takes it in no field. Joined and kept secret in the same way.
    func credentialQuery(key: String) -> QueryParameters

    /// Whose a client's field `Authorization` is: an application's, in the place of which the configured key may stand, or
    /// a person's.
    func holder(ofAuthorization value: String) -> CredentialHolder

    /// Whether a request has one answer, another each time, or one that is drawn from a pool. Of a canonical request.
    func constancy(of request: UpstreamRequest) -> Constancy

    /// The kinds of results that its search of a category gives, none named meaning all of them; nil where a result's kind
    /// does not tell whether it belongs there. Of no category: what its search gives by default.
    func kinds(of category: String?) -> [String]?

    /// Tells, of an answer with data of one endpoint, its content coding undone, a longer lifetime than the endpoint's, where
    /// what it says no longer changes; nil for an endpoint whose answers are all alike.
    func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)?

    /// The same API in another of `about.dialects`.
    func speaking(_ dialect: String) -> any Provider

    /// What an answer's fields say of the calls that are left; nil where they say nothing.
    ///
    /// - Parameter now: when the answer came.
    func credits(in fields: HeaderFields, now: WallTime) -> Credits?

    /// How files reach its API, where `about.uploads` says that it takes them.
    var uploads: (any UploadFormat)? { get }

    /// What its API would have answered, for the stand-in: one for each make of it, the usual one first.
    var samples: [any SampleAPI] { get }
}

extension Provider {
    public var samples: [any SampleAPI] { [] }

    public var uploads: (any UploadFormat)? { nil }

    public func credentialQuery(key: String) -> QueryParameters { QueryParameters() }

    public func constancy(of request: UpstreamRequest) -> Constancy { .constant }

    public func speaking(_ dialect: String) -> any Provider { self }

    public func credits(in fields: HeaderFields, now: WallTime) -> Credits? { Credits(rateLimit: fields, now: now) }
}

/// One endpoint of a provider: the name that lifetimes and labels use.
public struct EndpointAbout: Sendable, Hashable {
    public var name: String
    /// How long an answer is fresh unless the configuration says otherwise.
    public var ttl: Duration
    /// Its route below `/v1/{routePrefix}/`: "item/{id}".
    public var route: String
    /// What a question to it may say in its query.
    public var parameters: [QuestionParameter]
    /// The captures of its route, in the order in which they stand there.
    public var captures: [QuestionParameter]
    /// Why a question whose parameters are all allowed may be refused.
    public var refusals: [QuestionRefusal]
    /// One line for help and the configuration's documentation.
    public var summary: String

    // More than six parameters: the facts of an endpoint, most of which have defaults.
    /// - Parameter route: nil where it is the name.
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

/// The second host of an API whose searches live elsewhere. Its base URL is a setting of its own (`searchURL`).
public struct SearchBase: Sendable, Hashable {
    /// Origin, without a slash at its end.
    public var url: String
    /// The path that begins every request there and none of the other host: "/api/v1".
    public var pathPrefix: String

    public init(_ url: String, pathPrefix: String) {
        self.url = url
        self.pathPrefix = pathPrefix
    }
}

/// The facts of one API and the defaults that follow from them.
public struct ProviderAbout: Sendable, Hashable {
    /// The name in configuration, keys, labels and results: "itunes".
    public var name: String
    /// Other spellings that `source=` accepts.
    public var shortNames: [String]
    /// The first segment of its routes below `/v1/`: "news".
    public var routePrefix: String
    public var title: String
    /// Origin of the live API, without a slash at its end.
    public var defaultBaseURL: String
    /// The path that begins every typed request ("/v2"): a configured base URL may end in it or not.
    public var pathPrefix: String
    /// Where another host answers a part of its requests.
    public var searchBase: SearchBase?
    public var endpoints: [EndpointAbout]
    /// How long a valid answer with nothing in it is fresh.
    public var emptyTTL: Duration
    /// How long an absence is remembered.
    public var negativeTTL: Duration
    /// How long past its freshness an entry may still be served.
    public var staleFor: Duration
    /// The pace and the ration of calls unless the configuration says otherwise.
    public var defaultRate: CallRate?
    public var defaultQuota: CallRate?
    /// See `ImageHostRule`.
    public var imageHosts: [String]
    /// What `category=` may be in `/v1/search`.
    public var categories: [String]
    /// The kinds of its results, with what only each has; none where it gives no results.
    public var kinds: [ResultKind]
    /// Results may have a kind that is not among them, with any attributes.
    public var hasFurtherKinds: Bool
    /// The orders its results can be sorted by; others leave the API's own order.
    public var sorts: [SortOrder]
    public var needsKey: Bool
    /// Environment variables that may hold the key.
    public var keyVariables: [String]
    /// Query parameters and fields by which this API's clients send credentials.
    public var credentialParameters: [String]
    public var credentialFieldNames: [String]
    /// Query parameters that name a person's session or an account's token: requests with one are that person's own.
    public var personalParameters: [String] = []
    /// Paths (and what is below them) of one person's own things, and of sign-ins.
    public var personalPaths: [String] = []
    /// What can be asked here, as a phrase for whoever looks for a source; README says it.
    public var offers: String
    /// What the API's terms ask a user to know or to show.
    public var terms: String
    public var attribution: String?
    /// No longer than this may an answer be kept at all, where the terms say so.
    public var retention: Duration?
    /// Raised when normalised answers change shape: stored ones are then made again from the raw entry.
    public var normaliserVersion: Int
    /// The makes of this API that differ in paths and shapes, the usual one first; none where there is one only.
    public var dialects: [String] = []
    /// A sentence on what the key is and where it comes from, for who has none.
    public var keyNote: String?
    /// Pictures that image hosts give in the place of what is gone, as host and path ("i.imgur.com/removed.png"): a
    /// picture whose URL, or the one it leads to, ends so is taken as absent.
    public var removedPictures: [String] = []
    /// Members of its records that give power over a thing, and so are never handed on with a record.
    public var secretMembers: [String] = []
    /// Characters, as a person counts them, that a search's term must have: with fewer the API refuses it. One is enough
    /// for most, since one is a word in Chinese.
    public var minimumTerm = 1
    /// How its users sign in, where an account can be used at all.
    public var signIn: SignInAbout?
    /// What it takes of files, where it takes any.
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

    /// Refuses a term that the API would refuse.
    /// - Parameter parameter: the name it was given by.
    public func check(term: String, of parameter: String) throws(ClientFacingError) {
        guard term.count < minimumTerm else { return }
        throw .termLength(parameter, "\(title): a search needs a term of \(minimumTerm) characters or more.")
    }

    /// Whether a path belongs to the host of searches. The paths of one provider's hosts never begin alike, so a
    /// request says by its path which of them it is for.
    public func isSearch(path: String) -> Bool {
        guard let prefix = searchBase?.pathPrefix else { return false }
        return path == prefix || path.hasPrefix(prefix + "/")
    }

    /// Whether a URL names one of `removedPictures`.
    public func isRemovedPicture(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        return removedPictures.contains { path.hasSuffix("/" + $0) }
    }

    /// The absolute URL of a request below a base URL. Where the base already ends in (the beginning of) the prefix of
    /// all paths there, as "https://newsapi.org/v2" does, that part is not written twice.
    public func url(base: String, request: UpstreamRequest) -> String {
        var base = base[...]
        while base.hasSuffix("/") { base.removeLast() }
        let prefix = isSearch(path: request.path) ? searchBase?.pathPrefix ?? "" : pathPrefix
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

/// One question to one provider, whole: its identity, the upstream request it needs, and how to read the answer.
public struct Endpoint: Sendable {
    public var provider: String
    /// One of `about.endpoints`.
    public var name: String
    /// The identity of the normalised answer, order, limits and filters included; canonical and injective.
    public var parameters: [KeyParameter]
    /// The canonical request, whose raw answer others share.
    public var upstream: UpstreamRequest
    /// The question in canonical form as a JSON object, for the envelope.
    public var query: Bytes
    /// Turns a raw answer classified as data or empty, its content coding undone, into results.
    public var normalise: @Sendable (UpstreamResponse, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer
    /// Other questions whose stored answers may hold this one's. Made when asked for: most questions are answered by
    /// what is stored of themselves, and thirty requests cost more than all else about one.
    public var wider: @Sendable () -> [WiderAnswer] = { [] }
    /// Where one call is not enough: what is done instead of fetching `upstream` and normalising it.
    public var plan: (any CallPlan)?
    /// How many are drawn, where the answer comes from a pool, and which of the pool's answers will do.
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

    /// Each result is to have the API's own record beside it: another normalised answer of the same raw one.
    public private(set) var includesSource = false

    /// The same question, with the API's own record beside each result.
    public func includingSource() -> Endpoint {
        var endpoint = self
        endpoint.includesSource = true
        endpoint.parameters.append(KeyParameter("include", SourceRecord.name))
        return endpoint
    }

    /// The key of the normalised answer; `normaliserVersion` is part of it.
    public func key(normaliserVersion: Int) -> CacheKey {
        CacheKey(
            layer: .normalised, provider: provider, endpoint: name,
            parameters: parameters + [KeyParameter("normaliser", String(normaliserVersion))])
    }
}

/// Results of one source in the common shape.
public struct NormalisedAnswer: Sendable {
    /// A JSON array of result objects.
    public var results: Bytes
    public var count: Int
    /// Upstream records that gave no result, and why: nothing is lost silently. Records that a filter of the question
    /// left out, or that lie beyond its limit, are not counted here.
    public var dropped: Int
    public var droppedReasons: [String: Int]
    /// How many there are upstream in all, where the API tells.
    public var totalUpstream: Int?
    /// Upstream records that are whole and that a filter of the question left out.
    public var leftOut = 0
    /// The API's own record of each result, in their order; nil where it is not known. None where no record is.
    public var sources: [JSONValue?] = []

    /// There were records, none of them gave a result, and none was merely not asked for.
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

/// An answer that could not be read: the source is reported as broken. The message is safe to show.
public struct NormaliseError: Error, Sendable, Hashable, CustomStringConvertible {
    public var provider: String
    public var message: String

    public init(provider: String, message: String) {
        self.provider = provider
        self.message = message
    }

    public var description: String { "normalising \(provider): \(message)" }
}
