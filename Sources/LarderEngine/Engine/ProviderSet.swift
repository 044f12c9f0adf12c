// The configured providers: one immutable value, replaced as a whole when the settings are read again.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// One provider with its settings. It makes freshness rules, cache keys and fetch orders. It is a class because each
/// request passes it on several times, and copying its many strings each time would cost more than the request.
public final class ConfiguredProvider: Sendable {
    /// The API's questions and how its answers are read.
    public let provider: any Provider
    /// The provider's description, stored here because `provider.about` makes a copy at each use.
    public let about: ProviderAbout
    /// The provider's settings in this snapshot.
    public let settings: ProviderSettings
    /// The hosts that its artwork may come from.
    public let imageHosts: ImageHosts
    /// The targeted fields that this cache obeys before `Cache-Control`, most specific first (RFC 9213 §2).
    let targets: TargetFields
    /// Who is signed in at the provider.
    let standing: AccountStanding
    private let jitterPercent: Int
    /// What answers in the shared tier depend on besides their key; see `scope(_:normaliser:retention:)`.
    let sharedScope: Digest
    /// The names of the fields that are sent with every request. What a client sends under them does not count.
    let ownFields: FieldNameSet
    /// The fields by which a variant may be selected without any influence of a client, besides its coding; in lower case.
    let plainNames: Set<String>
    /// What the fields of every request add to keys.
    private let fieldsPart: [KeyParameter]
    /// The parsed base URLs of ordinary requests and of searches. Every order compares redirects with one of them.
    private let bases: (usual: HTTPURL?, search: HTTPURL?)

    init(
        provider: any Provider, settings: ProviderSettings, jitterPercent: Int, standing: AccountStanding = .nobody
    ) {
        self.provider = provider
        self.standing = standing
        about = provider.about
        self.settings = settings
        targets =
            settings.cdnCacheControl
            ? [ResponseControl.ownTarget, "CDN-Cache-Control"] : [ResponseControl.ownTarget]
        let isConfiguredBase = settings.baseURL != about.defaultBaseURL
        imageHosts = ImageHosts(
            rules: settings.imageHosts.compactMap { ImageHostRule($0) },
            configuredBase: isConfiguredBase ? settings.baseURL : nil)
        self.jitterPercent = jitterPercent
        isPassthrough = settings.isPassthrough
        sharedScope = Self.scope(settings, normaliser: about.normaliserVersion, retention: about.retention)
        let names = settings.requestFields.map(\.name).sorted()
        ownFields = FieldNameSet(names)
        plainNames = Set(["accept-encoding"] + names.map(FieldList.lowercased))
        fieldsPart =
            names.isEmpty
            ? []
            : [
                KeyParameter(
                    "requestFields",
                    Base64URL.encode(VariantIndex.selection(names: names, requestFields: settings.requestFields).bytes))
            ]
        let hasOneBase = about.pathPrefix.isEmpty && about.searchBase == nil
        plainBase = hasOneBase ? about.url(base: settings.baseURL, request: UpstreamRequest(path: "")) : nil
        folders = URLFolders(of: "\(settings.name) \(settings.baseURL)")
        bases = (HTTPURL(settings.baseURL), HTTPURL(settings.searchURL ?? settings.baseURL))
    }

    /// The name used in the configuration and in paths.
    public var name: String { settings.name }
    /// Whether the provider's answers are bytes that Larder does not read.
    public let isPassthrough: Bool

    /// Whether a description of the user's own makes it searchable.
    public var isDescribed: Bool { if case .described = settings.kind { true } else { false } }

    /// Whether the provider may be called. It must be enabled, have a key if it needs one, and have no problem with its
    /// key file.
    public var isConfigured: Bool {
        settings.enabled && settings.keyFileProblem == nil && (!about.needsKey || settings.key != nil)
    }

    /// The field of a client that the configured key replaces; nil if it replaces none.
    var replacedField: String? { settings.key == nil ? nil : settings.keyIn.fieldName }

    /// A client's query without the parameter that the configured key replaces.
    func withoutKey(_ query: String?) -> String? {
        guard let query, settings.key != nil, let name = settings.keyIn.parameterName else { return query }
        let rest = QueryText.removing(from: query) { ASCII.equalFolded($0, name) }
        return rest.isEmpty ? nil : rest
    }

    /// The error for a request to this provider while it is not configured.
    public var notConfigured: UpstreamFailure {
        if settings.enabled, let problem = settings.keyFileProblem {
            return UpstreamFailure(
                provider: name, failure: .notConfigured,
                detail: "\(name) has no key: \(problem.sentence(of: name)).")
        }
        let detail =
            settings.enabled
            ? "\(name) needs an API key: set providers.\(name).key, or provide the credential \(name).key."
                + (about.keyNote.map { " \($0)" } ?? "")
            : "\(name) is switched off by the setting providers.\(name).enabled."
        return UpstreamFailure(provider: name, failure: .notConfigured, detail: detail)
    }

    /// Returns the base URL of the host that serves a path.
    private func base(of path: String) -> String {
        about.isSearch(path: path) ? settings.searchURL ?? settings.baseURL : settings.baseURL
    }

    /// Returns the absolute URL of a request to this provider.
    public func url(_ request: UpstreamRequest) -> String {
        if let plainBase {
            var url = plainBase
            url.reserveCapacity(plainBase.utf8.count + request.path.utf8.count + 1 + (request.query?.utf8.count ?? 0))
            url += request.path
            if let query = request.query {
                url += "?"
                url += query
            }
            return url
        }
        return about.url(base: base(of: request.path), request: request)
    }

    /// The base URL without a final slash, if each URL is that base followed by path and query.
    private let plainBase: String?

    /// Returns the freshness rule of an endpoint: lifetimes, and whether RFC 9111 or the configuration decides.
    public func rule(for endpoint: String) -> FreshnessRule {
        var rule = FreshnessRule(
            semantics: settings.semantics == .rfc ? .rfc : .ttl,
            ttl: settings.ttl(of: endpoint),
            staleWindow: settings.staleFor, emptyTTL: settings.emptyTTL, negativeTTL: settings.negativeTTL,
            jitterPercent: jitterPercent, retention: about.retention)
        rule.cookies =
            switch settings.cookies {
            case .strict: .strict
            case .drop: .drop
            case .keep: .keep
            }
        return rule
    }

    /// Returns the freshness rule of a request to a provider of the user's own, whose lifetimes are configured by path.
    func rule(for endpoint: String, path: String) -> FreshnessRule {
        var rule = rule(for: endpoint)
        guard let ttl = settings.ttl(ofPath: EquivalentURL.normalised(path)) else { return rule }
        switch rule.semantics {
        case .ttl: rule.ttl = ttl
        case .rfc: rule.fallbackTTL = ttl
        }
        return rule
    }

    /// Returns the judge of an endpoint's stored answers.
    public func judge(for endpoint: String) -> ReuseJudge {
        .configured(rule(for: endpoint), staleWhileRefresh: settings.staleWhileRefresh)
    }

    /// Returns the key of a canonical request's raw entry. The base URL is part of the key, since another origin is
    /// another resource. For a pass-through provider all equivalent spellings of a URL have one key (RFC 9110 §4.2.3),
    /// so a change to one applies to all.
    /// - Parameters:
    ///   - content: identifies the request's content if the content is part of the question.
    ///   - fields: identifies the request's fields that are part of the question.
    public func rawKey(
        _ request: UpstreamRequest, variant: String? = nil, content: String? = nil, fields: String? = nil,
        identity: Bytes = []
    ) -> CacheKey {
        let identity = identity.isEmpty ? accountIdentity(request) : identity
        let content = content ?? (request.isReadOnly ? request.body.map { Digest(of: $0).hex } : nil)
        let spelled = { [isPassthrough] (text: String) in isPassthrough ? EquivalentURL.normalised(text) : text }
        var parameters = [
            KeyParameter("base", base(of: request.path)), KeyParameter("path", spelled(request.path)),
            KeyParameter("query", withoutKey(request.query).map(spelled)), KeyParameter("coding", variant),
        ]
        if let content { parameters.append(KeyParameter("content", content)) }
        if let fields { parameters.append(KeyParameter("fields", fields)) }
        if !fieldsPart.isEmpty { parameters += fieldsPart }
        return CacheKey(
            layer: .raw, provider: name, endpoint: request.method.name, parameters: parameters, identity: identity)
    }

    /// The folders of this provider's paths.
    let folders: URLFolders

    /// Returns the key of the raw entry for a URL, or nil if the URL is not below one of this provider's bases.
    public func rawKey(url: HTTPURL) -> CacheKey? { request(url: url).map { rawKey($0) } }

    /// Returns the request for a URL, or nil if the URL is not below one of this provider's bases.
    public func request(url: HTTPURL) -> UpstreamRequest? {
        for base in settings.baseURLs {
            // Both bases may be the same stand-in server. The path then decides which base the request belongs to.
            guard var request = Self.request(url, below: base), self.base(of: request.path) == base else { continue }
            request.query = withoutKey(request.query)
            return request
        }
        return nil
    }

    private static func request(_ url: HTTPURL, below baseURL: String) -> UpstreamRequest? {
        guard let base = HTTPURL(baseURL), url.hasOrigin(of: base) else { return nil }
        let folder = base.target == "/" ? "" : base.target
        guard url.target.hasPrefix(folder) else { return nil }
        let rest = url.target.dropFirst(folder.count)
        guard rest.isEmpty || rest.first == "/" || rest.first == "?" else { return nil }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let path = mark == rest.startIndex ? "/" : String(rest[..<mark])
        let query = mark == rest.endIndex ? nil : String(rest[rest.index(after: mark)...])
        return UpstreamRequest(path: path, query: query)
    }

    /// Returns what decides whom a failure of this request blames.
    public func subject(of request: UpstreamRequest, endpoint: String) -> CallSubject {
        CallSubject(
            isKnownPath: about.endpoints.contains { $0.name == endpoint } && !OtherForm.isAsked(by: request),
            isPersonal: about.isPersonal(request))
    }

    /// Returns the key of an endpoint's normalised entry. The key includes the normaliser's version and the signing key
    /// of the artwork handles in the entry, since both change the answer.
    public func normalisedKey(_ endpoint: Endpoint, signer: ArtworkSigner) -> CacheKey {
        CacheKey(
            layer: .normalised, provider: name, endpoint: endpoint.name,
            parameters: settings.baseURLs.map { KeyParameter("base", $0) } + [
                KeyParameter("normaliser", String(about.normaliserVersion)),
                KeyParameter("signer", Self.mark(of: signer)),
            ] + fieldsPart + endpoint.parameters, identity: accountIdentity(endpoint.upstream))
    }

    /// Returns the text that identifies a signing key in the cache keys of entries that hold its handles.
    static func mark(of signer: ArtworkSigner) -> String { signer.handle(provider: "", url: "").suffix(12).description }

    /// Returns the order for a request that Larder makes itself: fixed fields, Larder's own key, and redirects to
    /// public hosts.
    public func order(_ request: UpstreamRequest, settings whole: Settings) -> FetchOrder {
        var fields = request.fields
        if !fields.contains(.accept) { fields.set(.accept, "application/json") }
        fields.set(.acceptEncoding, "gzip")
        for field in settings.requestFields { fields.set(field.name, field.value) }
        var order = order(request.method, path: request.path, url: url(request), fields, settings: whole)
        order.body = request.body
        return order
    }

    /// Returns the order for a request with these fields. Larder's own key is added, and redirects lead to public hosts.
    func order(
        _ method: Method, path: String, url: String, _ fields: HeaderFields, settings whole: Settings
    ) -> FetchOrder {
        let base = about.isSearch(path: path) ? bases.search : bases.usual
        let plainHTTP = settings.plainHTTP
        let ownAddresses: AddressPolicy = settings.isPublicOnly ? .publicOnly : .configured
        var order = FetchOrder(
            url: url, method: method, fields: fields,
            secretFields: settings.key.map { provider.credentialFields(key: $0) } ?? [:],
            addresses: settings.isPublicOnly ? .publicOnly : .configured, maxBody: Int(clamping: whole.fetch.maxBody),
            deadline: settings.deadline ?? whole.fetch.deadline,
            maxRedirects: 3,
            // A retry by the fetcher would be a call that no budget counted.
            mayRetry: settings.rate == nil && settings.quota == nil,
            permits: { url in
                if TakenOverHosts.contains(url: url) { return nil }
                if let base, HTTPURL(url)?.hasOrigin(of: base) == true { return ownAddresses }
                return url.hasPrefix("https://") || (plainHTTP && url.hasPrefix("http://")) ? .publicOnly : nil
            })
        if let key = settings.key { order.secretQuery = provider.credentialQuery(key: key) }
        order.tokenOf = settings.tokenClient?.identity
        return order
    }
}

/// All providers of one configuration.
public struct ProviderSet: Sendable {
    /// Every provider, including disabled ones.
    public let all: [ConfiguredProvider]
    /// What each budget keeps for whom.
    let keeps: BudgetShares.Rule
    private let byName: [String: Int]
    private let proxied: ProxiedProviders

    /// - Parameter standings: who is signed in, by provider.
    init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        var all: [ConfiguredProvider] = []
        for provider in ProviderRegistry.builtIn {
            guard let own = settings.providers[provider.about.name] else { continue }
            all.append(
                ConfiguredProvider(
                    provider: own.dialect.map { provider.speaking($0) } ?? provider, settings: own,
                    jitterPercent: settings.cache.jitter, standing: standings[own.name] ?? .nobody))
        }
        for own in settings.providers.values.sorted(by: { $0.name < $1.name }) {
            guard let provider = Self.ownProvider(own) else { continue }
            all.append(ConfiguredProvider(provider: provider, settings: own, jitterPercent: settings.cache.jitter))
        }
        self.all = all
        let shares = settings.tools.filter { $0.share > 0 }.map { ($0.name, $0.share) }
        keeps = BudgetShares.Rule(
            reserve: settings.quota.reserve, tools: Dictionary(shares, uniquingKeysWith: { first, _ in first }))
        var byName: [String: Int] = [:]
        var byOrigin: [String: [Int]] = [:]
        for (index, one) in all.enumerated() {
            // Without its key, an API is asked like any other host, with the client's own.
            for base in one.isConfigured ? one.settings.baseURLs : [] {
                guard let url = HTTPURL(base) else { continue }
                byOrigin["\(url.scheme)://\(url.authority)", default: []].append(index)
            }
            byName[one.name] = index
            if one.isPassthrough { continue }
            for short in one.about.shortNames where byName[short] == nil { byName[short] = index }
        }
        self.byName = byName
        proxied = ProxiedProviders(settings, byOrigin: byOrigin)
    }

    /// The provider to which a URL belongs, and the request to it: that with the longest base URL of those above it.
    public func owner(of url: HTTPURL) -> (ConfiguredProvider, UpstreamRequest)? {
        guard let candidates = proxied.byOrigin["\(url.scheme)://\(url.authority)"] else { return nil }
        var found: (provider: ConfiguredProvider, request: UpstreamRequest)?
        for index in candidates {
            guard let request = all[index].request(url: url) else { continue }
            if found.map({ request.path.utf8.count < $0.request.path.utf8.count }) ?? true {
                found = (all[index], request)
            }
        }
        return found.map { ($0.provider, $0.request) }
    }

    /// The provider of a user's own API; nil for a built-in one.
    private static func ownProvider(_ own: ProviderSettings) -> (any Provider)? {
        switch own.kind {
        case .builtIn: nil
        case .described(let description): SpecProvider(description, baseURL: own.baseURL, keyIn: own.keyIn)
        case .passthrough:
            Passthrough(
                name: own.name, baseURL: own.baseURL, semantics: own.semantics == .rfc ? .rfc : .ttl, keyIn: own.keyIn)
        }
    }

    /// Whether requests to a host may have come through the proxy: a rule says so, or some have come in this run.
    public func isKnown(proxied name: String, host authority: String) -> Bool {
        proxied.isKnown(name, host: authority)
    }

    /// Returns the provider with this name or short name, or that of a host of the proxy.
    public func named(_ name: String) -> ConfiguredProvider? {
        name.hasPrefix(ProxySettings.prefix) ? proxied.named(name) : byName[name].map { all[$0] }
    }

    /// The providers that a search may ask.
    public var searchable: [ConfiguredProvider] { all.filter { !$0.isPassthrough } }
}
