// A request to a provider of kind `passthrough` as the cache sees it: what goes upstream, what selects an answer, and
// what the client demands. Nothing of it is rewritten, because only the origin knows what its parameters mean (RFC 9111
// §2).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// This is a class because every step of a request holds it.
public final class PassRequest: Sendable {
    /// The provider that is asked.
    public let provider: ConfiguredProvider
    let method: Method
    /// The path below the mount, percent-encoded, beginning with "/".
    let path: String
    let query: String?
    /// The client's own fields, without cookies that must not go to this provider.
    let fields: HeaderFields
    /// How responses go out to this client. Other clients may wait for the same fetch with another `WayOut`.
    public let way: WayOut
    /// The fields that go upstream, without conditions and ranges: the cache adds those or answers them itself. `Vary`
    /// selects by these fields too, because the origin saw no others.
    public let forwarded: HeaderFields
    /// What the client demands of a stored response.
    public let directives: ClientDirectives
    /// Whether the client's credentials or cookies go upstream. The response may then be for this client alone.
    public let isPersonal: Bool
    /// The key of the response that no request field selects: the URL's key, combined with the content if the request
    /// has `content`.
    public let primary: CacheKey
    /// The URL's key. A change to the resource removes this key, and with it the responses to requests with `content`.
    public let target: CacheKey
    /// The content that is part of the cache key. Nil for GET and HEAD, and for a request that is passed on unchanged.
    let content: QueryContent?
    /// Whether the request changes nothing, because of its method or because the configuration says so.
    public let isReadOnly: Bool
    /// Another method that the request asks its server for. The request is then passed on.
    public let override: Method?
    /// The fields that are part of the key.
    let keyFields: KeyFields
    /// The resource that `Destination` names, if the method changes it.
    let destination: UpstreamRequest?
    /// The prefix of the variants' keys: empty, or the mark of what is stored in parts.
    let form: String
    /// The folders above the request's URL.
    public let folders: [URLFolder]
    /// The URL that the upstream is asked for.
    public let url: String
    /// What an explanation tells of the key.
    public let explained: PassTarget
    /// The provider's endpoint name for such requests.
    let endpoint: String
    /// The freshness rule for the responses of `endpoint`.
    public let rule: FreshnessRule

    /// - Throws: `ClientFacingError` with a 4xx or 5xx status if the request must not be passed on.
    public init(_ request: ClientRequest, _ way: WayOut) throws(ClientFacingError) {
        let (provider, path) = (way.provider, way.path)
        // A TRACE response would show a page what the client's other fields are (RFC 9110 §9.3.8).
        guard request.method != .trace else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "TRACE is not passed on.",
                fields: ["Allow": Self.allowed])
        }
        // CONNECT asks for a tunnel to the authority in its target. No gateway opens one (RFC 9110 §9.3.6).
        guard request.method.name != "CONNECT" else {
            throw ClientFacingError(status: 501, code: "notImplemented", detail: "CONNECT is not passed on.")
        }
        try UpstreamPath.check(path)
        guard !Via.isLoop(request.fields) else {
            throw ClientFacingError(
                status: 508, code: "loop", detail: "The request has passed through Larder too many times.")
        }
        self.provider = provider
        self.path = path
        let query = provider.withoutKey(request.query)
        self.query = query
        self.way = way
        method = request.method
        let fields = Self.own(request.fields, way, isRead: Self.isRead(request))
        self.fields = fields
        content = request.content
        form = ""
        endpoint = provider.provider.endpointName(for: UpstreamRequest(path: path))
        var rule = provider.rule(for: endpoint, path: path)
        rule.declaredTTL = request.content?.declared?.ttl
        self.rule = rule
        isReadOnly = request.isReadOnly
        override = request.override
        directives = ClientDirectives(fields: request.fields)
        var forwarded = Self.forwarded(fields, request, provider)
        destination = try ResourceNames(way, host: request.fields.first(.host) ?? "").map(
            &forwarded, method: request.override ?? request.method)
        self.forwarded = forwarded
        try ConnectionAuthentication.check(forwarded)
        isPersonal = forwarded.contains(anyOf: Self.personal)
        let keyFields = KeyFields(forwarded, provider)
        self.keyFields = keyFields
        folders = provider.folders.above(EquivalentURL.normalised(path), hasQuery: query != nil)
        let upstream = UpstreamRequest(path: path, query: query)
        url = provider.url(upstream)
        let target = provider.rawKey(upstream)
        self.target = target
        explained = PassTarget(provider, path, query, forwarded, request.content, keyFields)
        primary =
            request.content == nil && keyFields.isEmpty
            ? target
            : provider.rawKey(
                UpstreamRequest(method: request.content == nil ? .get : request.method, path: path, query: query),
                content: request.content?.identity, fields: keyFields.parameter, identity: keyFields.identity)
    }

    /// The same request for another query of the same path, without content.
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
        let upstream = UpstreamRequest(path: other.path, query: query)
        url = other.provider.url(upstream)
        target = other.provider.rawKey(upstream)
        explained = PassTarget(other.provider, other.path, query, other.forwarded, nil, other.keyFields)
        primary =
            other.keyFields.isEmpty
            ? target
            : other.provider.rawKey(
                upstream, fields: other.keyFields.parameter,
                identity: other.keyFields.identity)
        (isReadOnly, override, keyFields, destination) = (other.isReadOnly, other.override, other.keyFields, nil)
        form = ""
        folders = provider.folders.above(EquivalentURL.normalised(path), hasQuery: query != nil)
        endpoint = other.endpoint
        rule = other.rule
    }

    /// The digest of everything before the query: provider, base URL and path.
    var pathDigest: Digest { provider.rawKey(UpstreamRequest(path: path)).digest }

    /// The same request for what is stored of its URL in parts (`PassParts`), which has keys of its own.
    init(parts request: PassRequest) {
        (provider, method, path, query) = (request.provider, request.method, request.path, request.query)
        (fields, way, forwarded, directives) = (request.fields, request.way, request.forwarded, request.directives)
        (isPersonal, target, content) = (request.isPersonal, request.target, request.content)
        (endpoint, rule, isReadOnly) = (request.endpoint, request.rule, request.isReadOnly)
        (override, keyFields, destination) = (request.override, request.keyFields, nil)
        (url, explained) = (request.url, request.explained)
        form = "parts "
        folders = request.folders
        primary = request.primary.ofParts
    }

    /// The client's fields without those that Larder replaces, and without cookies that must not go to the provider.
    private static func own(_ fields: HeaderFields, _ way: WayOut, isRead: Bool) -> HeaderFields {
        var fields = fields
        if let name = way.provider.replacedField { fields.remove(name) }
        fields.remove(way.provider.ownFields)
        let areForwarded =
            !fields.contains(.cookie)
            || way.isProxied
            || ForwardedCookies.areForwarded(fields, to: way.provider, isSharedOrigin: way.isSharedOrigin)
        // If cookies change nothing in what is read, they are not sent with reads either.
        if !areForwarded || isRead && !way.provider.settings.personalCookies { fields.remove(.cookie) }
        return fields
    }

    /// The client's fields by which the provider may choose its response to a request with content. Those that are not
    /// sent upstream choose nothing.
    public static func choosing(_ fields: HeaderFields, _ way: WayOut) -> HeaderFields {
        own(fields, way, isRead: true)
    }

    /// The client's fields that a pass-through upstream gets. With `rfc` semantics, these are all end-to-end fields:
    /// `Vary` then tells which of them changed the response. With `ttl` semantics, these are the fields that are part
    /// of the key, because nothing would tell that.
    private static func forwarded(
        _ fields: HeaderFields, _ request: ClientRequest, _ provider: ConfiguredProvider
    ) -> HeaderFields {
        var forwarded = HopByHop.endToEnd(fields)
        forwarded.remove(notForwarded)
        let isRead = isRead(request)
        // At most two forms of a response are stored: gzip and plain. Other codings that the client accepts do not
        // matter. An error that may repeat the provider's key must be readable here, whatever the method.
        if isRead || provider.settings.key != nil {
            let takesGzip = ContentCoding.acceptsGzip(request.fields.combined(.acceptEncoding))
            forwarded.set(.acceptEncoding, takesGzip ? "gzip" : "identity")
        }
        let isChosen = isRead && provider.settings.semantics == .ttl
        if isChosen { forwarded.removeAll { !KeyFields.goUpstream($0.name, provider.settings) } }
        forwarded.add(provider.settings.requestFields)
        if isChosen, !forwarded.contains(.accept) { forwarded.set(.accept, "*/*") }
        Via.append(to: &forwarded, version: request.isVersion10 ? "1.0" : "1.1")
        return forwarded
    }

    private static func isRead(_ request: ClientRequest) -> Bool {
        !request.isUpgrade && request.override == nil
            && (request.method == .get || request.method == .head || request.content != nil)
    }

    private static let notForwarded = FieldNameSet(
        // Each upstream call continues the trace itself (`TraceContext`), so the trace fields select no variant.
        ["Host", "Content-Length", "Expect", "X-Larder-Session", "traceparent", "tracestate"]
            + RequestFieldTable.conditions)
    static let personal: FieldNameSet = ["Authorization", "Cookie"]

    /// The methods that are passed on, as listed in `Allow`. Methods with any other name are passed on too, except
    /// TRACE and CONNECT.
    public static let allowed = "GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS"

    /// The fields besides `Cache-Control` that tell certain caches what they may do (RFC 9213).
    public var targets: TargetFields { provider.targets }

    /// The method by which the cache asks for the response. A HEAD response is also made from the whole response.
    var fetchMethod: Method { content == nil ? .get : method }

    /// Whether a stored response may be validated upstream. A POST fails if its condition does not hold (RFC 9110
    /// §13.1.2).
    var mayBeConditional: Bool { fetchMethod != .post }

    /// The method by which the request may change something: an unsafe one that it asks for, or its own.
    public var effectiveMethod: Method { override.flatMap { $0.isSafe ? nil : $0 } ?? method }

    /// The label of a stored response: "GET https://h/p?q=a", followed by a space and the content's mark if the request
    /// has `content`.
    var label: String {
        // Each stored response has one, so it is made without interpolation.
        var label = fetchMethod.name
        label.reserveCapacity(label.utf8.count + 1 + url.utf8.count)
        label += " "
        label += url
        return content.map { label + " " + $0.mark } ?? label
    }

    /// The key of the variant that these selecting values choose.
    func variantKey(_ selection: Digest) -> CacheKey {
        key(variant: form + Base64URL.encode(selection.bytes), content: content)
    }

    /// The digest of the flight for the requests to this URL that accept the same codings. It is no digest of bytes, but
    /// differs from all that are.
    var codedDigest: Digest {
        switch forwarded.withFirst(.acceptEncoding, { $0.elementsEqual("gzip".utf8) }) {
        case nil: primary.digest.derived(1)
        case true: primary.digest.derived(2)
        // `identity`, or what a provider's own field accepts for all clients.
        case false: primary.digest.derived(3)
        }
    }

    /// What a stored response is removed together with: the folders above its URL, and the groups that it belongs to (RFC
    /// 9875).
    public func groups(_ entry: StoredResponse) -> [Digest] {
        let folders = folders.filter { !$0.isRoot }.map(\.digest)
        guard rule.semantics == .rfc, entry.fields.contains(.cacheGroups) else { return folders }
        return folders + CacheGroups.groups(of: entry.fields, provider: provider.name, requestURL: url)
    }

    /// Makes an order for this request with the given fields.
    /// - Parameter limit: the largest body, in bytes.
    public func order(_ fields: HeaderFields, method: Method, settings: Settings, limit: Int) -> FetchOrder {
        var order = provider.order(method, path: path, url: url, fields, settings: settings)
        order.provider = provider.name
        // A redirect is a response like any other. Only the client knows whether it wants to follow.
        order.maxRedirects = 0
        // An error is a response too. It is forwarded, or a stale response stands in for it (RFC 9111 §4.3.3).
        order.retriesAnswers = false
        order.maxBody = limit
        return order
    }
}

extension PassRequest {
    /// Whether the request goes upstream without using the cache, because its answer is for it alone. With `ttl` semantics, nothing tells whom the response
    /// to a request with credentials or cookies is for.
    public var isOwnBusiness: Bool { rule.semantics == .ttl && isPersonal || hasOwnField }

    /// Whether the request has a field that makes its answer one for this request alone (`RequestFieldTable`).
    public var hasOwnField: Bool { forwarded.contains(anyOf: RequestFieldTable.alone) }

    /// The rules by which stored responses are judged.
    public var judge: ReuseJudge {
        switch rule.semantics {
        case .rfc: .standard(rule, targets: targets)
        case .ttl: .configured(rule, staleWhileRefresh: provider.settings.staleWhileRefresh)
        }
    }

    /// What the cache's decisions depend on.
    public func terms(patience: Duration) -> RequestTerms {
        var terms = RequestTerms(directives: directives, judge: judge, patience: patience)
        terms.isPassThrough = true
        terms.isPersonal = isPersonal
        terms.isHead = method == .head
        terms.wantsRange = wantsRange
        terms.hasConditions = wantsRange && fields.contains(anyOf: Self.preconditions)
        terms.storesParts = wantsRange && mayHaveParts && ByteRange.specs(fields)?.count == 1
        terms.isConditional = rule.semantics == .rfc && method == .get && fields.contains(anyOf: Self.validators)
        return terms
    }

    /// Whether the request's target and coding alone select this response, so that memory can keep it ready.
    public func varyIsPlain(_ entry: StoredResponse) -> Bool {
        isKeyedPlainly && Vary(entry.fields).dependsOnly(on: provider.plainNames)
    }

    /// Whether the choice of that variant depends on the request's target and coding alone.
    func isChosenPlainly(_ variant: StoredResponse, _ index: VariantIndex) -> Bool {
        rule.semantics == .ttl || index.isChosen(variant, byOnly: provider.plainNames)
    }

    /// The conditions that a fetch omits. `If-Range` is sent with the range.
    private static let preconditions: FieldNameSet = [
        "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
    ]

    /// The conditions by which a client asks whether its own copy still holds.
    private static let validators: FieldNameSet = ["If-None-Match", "If-Modified-Since"]

    /// The lines of a request that are such conditions.
    static func preconditions(_ fields: HeaderFields) -> HeaderFields {
        fields.filtered { $0.isIn(preconditions) }
    }

    /// Whether the response may be stored in parts: with `ttl` semantics validators do not count.
    var mayHaveParts: Bool { rule.semantics == .rfc && content == nil }

    /// A key for a row or a flight that belongs to the stored parts of this URL.
    func partKey(_ name: String) -> CacheKey { key(variant: "part " + name) }

    var wantsRange: Bool { method == .get && fields.contains(.range) }

    /// The call for an order.
    public func call(_ order: FetchOrder) -> UpstreamCall {
        UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true,
            caller: RequestCredentials(fields: order.fields, query: query).identity, classify: classify)
    }

    /// Tells what a response of the provider is.
    var classify: @Sendable (UpstreamResponse) -> Classification {
        { [provider, endpoint] in provider.provider.classify($0, endpoint: endpoint) }
    }

    /// The failure for a response body that was cut off.
    func cutOff(_ failure: BodyFailure) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider.name, failure: .unreachable, detail: "\(provider.name): \(failure.reason)",
            fetch: FetchError(stage: .receive, origin: "", message: failure.reason))
    }
}
