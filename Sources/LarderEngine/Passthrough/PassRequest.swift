// A request to a provider of kind `passthrough` as the cache sees it: what goes upstream, what selects an answer, and
// what the client demands. Nothing of it is rewritten, because only the origin knows what its parameters mean (RFC 9111
// §2).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// A class, since everything on the way of a request holds it.
public final class PassRequest: Sendable {
    /// Who is asked.
    public let provider: ConfiguredProvider
    let method: Method
    /// Percent-encoded, beginning with "/".
    let path: String
    let query: String?
    /// The client's own fields, without cookies that are not for this provider.
    let fields: HeaderFields
    /// How answers to this client go out. Others may wait for the same fetch by another way.
    public let way: WayOut
    /// What goes upstream, but for conditions and ranges, which the cache adds or answers itself. It is also what
    /// `Vary` selects by: the origin saw these and no others.
    public let forwarded: HeaderFields
    /// What the client demands of a stored answer.
    public let directives: ClientDirectives
    /// The answer may be this client's own: its credentials or cookies go along.
    public let isPersonal: Bool
    /// The key of the one answer, or of the index of its variants: the URL's, and where the question has content, that too.
    public let primary: CacheKey
    /// The URL's key. Whatever changes what is at the URL removes this, and with it the answers to questions that have content.
    public let target: CacheKey
    /// The content that is a part of the question; nil for GET and HEAD, and where the request is passed on as it is.
    let content: QueryContent?
    /// It changes nothing: by its method, or since the configuration says so.
    public let isReadOnly: Bool
    /// What the variants' keys begin with: nothing, or the mark of what is stored in parts.
    let form: String
    /// The provider's name for such requests, and the rule for their answers.
    let endpoint: String
    /// See `endpoint`.
    public let rule: FreshnessRule

    /// - Throws: what is no request that may be passed on, as 4xx or 5xx.
    public init(_ request: ClientRequest, _ way: WayOut) throws(ClientFacingError) {
        let (provider, path) = (way.provider, way.path)
        // Its answer would show a page what the client's other fields are (RFC 9110 §9.3.8).
        guard request.method != .trace else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "TRACE is not passed on.",
                fields: ["Allow": Self.allowed])
        }
        // A tunnel to the authority in its target is what no gateway opens (RFC 9110 §9.3.6).
        guard request.method.name != "CONNECT" else {
            throw ClientFacingError(status: 501, code: "notImplemented", detail: "CONNECT is not passed on.")
        }
        try UpstreamPath.check(path)
        guard !Via.isLoop(request.fields) else {
            throw ClientFacingError(
                status: 508, code: "loop", detail: "The request has come through this program too many times.")
        }
        self.provider = provider
        self.path = path
        query = request.query
        self.way = way
        method = request.method
        let fields = Self.own(request.fields, way, isRead: Self.isRead(request))
        self.fields = fields
        content = request.content
        form = ""
        endpoint = provider.provider.endpointName(for: UpstreamRequest(path: path))
        var rule = provider.rule(for: endpoint)
        rule.declaredTTL = request.content?.declared?.ttl
        self.rule = rule
        isReadOnly = request.isReadOnly
        directives = ClientDirectives(fields: request.fields)
        forwarded = Self.forwarded(fields, request, provider)
        isPersonal = forwarded.contains(anyOf: Self.personal)
        let target = provider.rawKey(UpstreamRequest(path: path, query: request.query))
        self.target = target
        primary =
            request.content.map { content in
                provider.rawKey(
                    UpstreamRequest(method: request.method, path: path, query: request.query),
                    content: content.identity)
            } ?? target
    }

    /// The same request for another query of the same path. Nothing of it is a part of the question but the URL.
    init(_ other: PassRequest, query: String?) {
        provider = other.provider
        method = other.method
        path = other.path
        self.query = query
        fields = other.fields
        way = other.way
        forwarded = other.forwarded
        directives = other.directives
        isPersonal = other.isPersonal
        content = nil
        target = other.provider.rawKey(UpstreamRequest(path: other.path, query: query))
        primary = target
        isReadOnly = other.isReadOnly
        form = ""
        endpoint = other.endpoint
        rule = other.rule
    }

    /// What is before the query: provider, base URL and path.
    var pathDigest: Digest { provider.rawKey(UpstreamRequest(path: path)).digest }

    /// The same request for what is stored of its URL in parts (`PassParts`), which lies under keys of its own.
    init(parts request: PassRequest) {
        (provider, method, path, query) = (request.provider, request.method, request.path, request.query)
        (fields, way, forwarded, directives) = (request.fields, request.way, request.forwarded, request.directives)
        (isPersonal, target, content) = (request.isPersonal, request.target, request.content)
        (endpoint, rule, isReadOnly) = (request.endpoint, request.rule, request.isReadOnly)
        form = "parts "
        primary = provider.rawKey(UpstreamRequest(path: path, query: query), variant: "parts")
    }

    /// The client's fields without cookies that do not go to the provider.
    private static func own(_ fields: HeaderFields, _ way: WayOut, isRead: Bool) -> HeaderFields {
        var fields = fields
        let areForwarded =
            !fields.contains("Cookie")
            || ForwardedCookies.areForwarded(fields, to: way.provider, isSharedOrigin: way.isSharedOrigin)
        // Where they change nothing in what is read, they are not sent either.
        if !areForwarded || isRead && !way.provider.settings.personalCookies { fields.remove("Cookie") }
        return fields
    }

    /// The client's fields by which the provider may choose its answer to a question that has content. What is not sent to it
    /// chooses nothing.
    public static func choosing(_ fields: HeaderFields, _ way: WayOut) -> HeaderFields {
        var fields = own(fields, way, isRead: true)
        if way.provider.settings.key != nil { fields.remove("Authorization") }
        return fields
    }

    /// What a pass-through upstream gets of the client's fields: with `rfc`, all that concern the two of them, since
    /// `Vary` then tells what they changed; with our own rules a fixed few, since nothing would.
    private static func forwarded(
        _ fields: HeaderFields, _ request: ClientRequest, _ provider: ConfiguredProvider
    ) -> HeaderFields {
        var forwarded = HopByHop.endToEnd(fields)
        forwarded.remove(notForwarded)
        if provider.settings.key != nil { forwarded.remove("Authorization") }
        let isRead = isRead(request)
        // Two forms of an answer are kept at most: as gzip, and plain. What else a client takes is of no account. An
        // error that may repeat our key must be one that can be read here, whatever the method.
        if isRead || provider.settings.key != nil {
            let takesGzip = ContentCoding.acceptsGzip(request.fields.combined("Accept-Encoding"))
            forwarded.set("Accept-Encoding", takesGzip ? "gzip" : "identity")
        }
        if isRead, provider.settings.semantics == .ttl {
            forwarded.lines.removeAll { !forwardedAlways.contains($0.name) }
            forwarded.set("Accept", "*/*")
        }
        Via.append(to: &forwarded, version: request.isVersion10 ? "1.0" : "1.1")
        return forwarded
    }

    private static func isRead(_ request: ClientRequest) -> Bool {
        request.method == .get || request.method == .head || request.content != nil
    }

    private static let notForwarded = FieldNameSet(
        // A trace goes on with each call that is made (`TraceContext`): it selects no variant.
        ["Host", "Content-Length", "Expect", "X-Larder-Session", "traceparent", "tracestate"] + conditions)
    private static let personal: FieldNameSet = ["Authorization", "Cookie"]
    private static let forwardedAlways: FieldNameSet = ["Authorization", "Cookie", "Accept-Encoding"]

    /// The methods of the table that are passed on; so are others, whatever their names, but for TRACE and CONNECT.
    public static let allowed = "GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS"

    /// A client's conditions and ranges: applied by the cache to a whole answer, or passed on as they are.
    public static let conditions = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
    ]

    /// Fields that say which caches may do what, besides `Cache-Control` (RFC 9213).
    public var targets: [String] { provider.targets }

    /// The method by which the cache asks for the answer: a HEAD's too is made of the whole answer.
    var fetchMethod: Method { content == nil ? .get : method }

    /// Whether the upstream may be asked whether a stored answer still holds. A condition that does not hold fails a POST (RFC 9110
    /// §13.1.2).
    var mayBeConditional: Bool { fetchMethod != .post }

    /// The URL that the upstream is asked for.
    public var url: String { provider.url(UpstreamRequest(path: path, query: query)) }

    /// What a stored answer is called: "GET https://h/p?q=a", and where the question has content, a mark of that behind a space.
    var label: String { "\(fetchMethod) \(url)" + (content.map { " " + $0.mark } ?? "") }

    /// The key of the answer that these selecting values chose.
    func variantKey(_ selection: Digest) -> CacheKey {
        provider.rawKey(
            UpstreamRequest(method: fetchMethod, path: path, query: query),
            variant: form + Base64URL.encode(selection.bytes), content: content?.identity)
    }

    /// The groups to which a stored answer belongs (RFC 9875).
    public func groups(_ entry: StoredResponse) -> [Digest] {
        rule.semantics == .rfc ? CacheGroups.groups(of: entry.fields, provider: provider.name, requestURL: url) : []
    }

    /// An order for this request with those fields.
    /// - Parameter limit: the largest body.
    public func order(_ fields: HeaderFields, method: Method, settings: Settings, limit: Int) -> FetchOrder {
        let upstream = UpstreamRequest(method: method, path: path, query: query)
        var order = provider.order(upstream, settings: settings)
        order.fields = fields
        // A redirect is an answer like any other; only the client knows whether it wants to follow.
        order.maxRedirects = 0
        // An error is an answer too, and is forwarded or covered by what is stale (RFC 9111 §4.3.3).
        order.retriesAnswers = false
        order.maxBody = limit
        return order
    }
}

extension PassRequest {
    /// With our own rules, a request that carries somebody's credentials or cookies is theirs and the upstream's alone:
    /// nothing would tell whom its answer is for.
    public var isOwnBusiness: Bool { rule.semantics == .ttl && isPersonal }

    /// By whose rules what is stored is judged.
    public var judge: ReuseJudge {
        switch rule.semantics {
        case .rfc: .standard(rule, targets: targets)
        case .ttl: .configured(rule, staleWhileRefresh: provider.settings.staleWhileRefresh)
        }
    }

    /// The request as far as the cache's decisions go.
    public func terms(patience: Duration) -> RequestTerms {
        var terms = RequestTerms(directives: directives, judge: judge, patience: patience)
        terms.isPassThrough = true
        terms.isPersonal = isPersonal
        terms.isHead = method == .head
        terms.wantsRange = wantsRange
        terms.hasConditions = wantsRange && fields.contains(anyOf: Self.preconditions)
        terms.storesParts = mayHaveParts
        terms.isConditional = rule.semantics == .rfc && method == .get && fields.contains(anyOf: Self.validators)
        return terms
    }

    /// Whether the request's target and coding alone lead to that answer, so that memory can keep it ready.
    public func varyIsPlain(_ entry: StoredResponse) -> Bool {
        rule.semantics == .ttl || Vary(entry.fields).dependsOnly(on: Self.codingNames)
    }

    /// Whether the choice of that variant depends on no more than that.
    func isChosenPlainly(_ selection: Digest, _ index: VariantIndex) -> Bool {
        rule.semantics == .ttl || index.isChosen(selection, byOnly: Self.codingNames)
    }

    /// Those that a fetch goes without. `If-Range` goes with the range.
    private static let preconditions: FieldNameSet = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
    ]

    /// Those by which a client asks whether its own copy still holds.
    private static let validators: FieldNameSet = ["If-None-Match", "If-Modified-Since"]

    /// The lines of a request that are such.
    static func preconditions(_ fields: HeaderFields) -> HeaderFields {
        var conditions: HeaderFields = [:]
        conditions.lines = fields.lines.filter { preconditions.contains($0.name) }
        return conditions
    }

    private static let codingNames: Set<String> = ["accept-encoding"]

    /// What an explanation tells of the key.
    public var explained: PassTarget {
        PassTarget(
            base: provider.settings.baseURL, path: path, query: query, coding: forwarded.first("Accept-Encoding"),
            content: content.map { $0.body.count == 1 ? "1 byte" : "\($0.body.count) bytes" })
    }

    /// Whether its answer may be stored in parts: with our own rules validators have no say.
    var mayHaveParts: Bool { rule.semantics == .rfc && content == nil }

    /// A key for something that belongs to what is stored of its URL in parts.
    func partKey(_ name: String) -> CacheKey {
        provider.rawKey(UpstreamRequest(path: path, query: query), variant: "part " + name)
    }

    var wantsRange: Bool { method == .get && fields.contains("Range") }

    /// The call for an order.
    public func call(_ order: FetchOrder) -> UpstreamCall {
        let provider = provider
        let endpoint = endpoint
        return UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true,
            hasClientCredentials: isPersonal && provider.settings.key == nil,
            classify: { provider.provider.classify($0, endpoint: endpoint) })
    }

    /// A body that ended before its end.
    func cutOff(_ failure: BodyFailure) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider.name, failure: .unreachable, detail: "\(provider.name): \(failure.reason)",
            fetch: FetchError(stage: .receive, origin: "", message: failure.reason))
    }
}

/// The target of a pass-through request, for explanations.
public struct PassTarget: Sendable {
    var base: String
    var path: String
    var query: String?
    var coding: String?
    /// What is told of the content that is a part of the question: its length.
    var content: String?

    /// A target without a query and content and in no coding, where none is named.
    public init(base: String, path: String, query: String? = nil, coding: String? = nil, content: String? = nil) {
        self.content = content
        self.base = base
        self.path = path
        self.query = query
        self.coding = coding
    }

    /// The parts of the key. The values of a query may hold what is nobody else's business: only its names are told, and
    /// what has no name may be a secret as a whole.
    public var keyParts: [KeyParameter] {
        let names = query.map { query in
            query.split(separator: "&").map { $0.contains("=") ? $0.prefix { $0 != "=" } + "=…" : "…" }
                .joined(separator: "&")
        }
        return [
            KeyParameter("base", base), KeyParameter("path", path), KeyParameter("query", names),
            KeyParameter("coding", coding),
        ] + (content.map { [KeyParameter("content", $0)] } ?? [])
    }
}
