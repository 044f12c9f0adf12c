// The providers as the configuration makes them: one immutable value, replaced whole when settings are read again.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings

/// One provider with its settings: knows its rules, its keys and how to order a fetch. A class, since every request hands
/// it on several times, and copying so many texts each time would cost more than the request.
public final class ConfiguredProvider: Sendable {
    /// What it is asked and how its answers are read.
    public let provider: any Provider
    /// The provider's own facts, which it would hand out as a copy each time.
    public let about: ProviderAbout
    /// Its settings in this snapshot.
    public let settings: ProviderSettings
    /// Where its pictures may come from.
    public let imageHosts: ImageHosts
    /// The fields that speak to this cache beside `Cache-Control`, the nearest first (RFC 9213 §2).
    let targets: [String]
    /// Who is signed in there.
    let standing: AccountStanding
    private let jitterPercent: Int
    /// For the shared tier, see there.
    let sharedScope: Digest
    /// The bases of requests and of searches, read once: every order compares redirects with one of them.
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
        sharedScope = Self.scope(settings, normaliser: about.normaliserVersion, retention: about.retention)
        bases = (HTTPURL(settings.baseURL), HTTPURL(settings.searchURL ?? settings.baseURL))
    }

    /// As in the configuration and in paths.
    public var name: String { settings.name }
    /// Configured by the user and not built in.
    public var isPassthrough: Bool { settings.isPassthrough }

    /// Whether it may be called at all; a provider that needs a key has one, and so has one for which a key's file is named.
    public var isConfigured: Bool {
        settings.enabled && settings.keyFileProblem == nil && (!about.needsKey || settings.key != nil)
    }

    /// The error of a request that names it while it is not configured.
    public var notConfigured: UpstreamFailure {
        if settings.enabled, let problem = settings.keyFileProblem {
            return UpstreamFailure(
                provider: name, failure: .notConfigured,
                detail: "\(name) has no key: \(problem.sentence(of: name)).")
        }
        let detail =
            settings.enabled
            ? "\(name) needs an API key: set providers.\(name).key, or give the credential \(name).key."
                + (about.keyNote.map { " \($0)" } ?? "")
            : "\(name) is switched off in the configuration."
        return UpstreamFailure(provider: name, failure: .notConfigured, detail: detail)
    }

    /// Which of its hosts a request is for.
    private func base(of path: String) -> String {
        about.isSearch(path: path) ? settings.searchURL ?? settings.baseURL : settings.baseURL
    }

    /// The absolute URL of a request to it.
    public func url(_ request: UpstreamRequest) -> String {
        about.url(base: base(of: request.path), request: request)
    }

    /// How long answers of an endpoint stay fresh, and by whose rules.
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

    /// How stored answers of an endpoint are judged.
    public func judge(for endpoint: String) -> ReuseJudge {
        .configured(rule(for: endpoint), staleWhileRefresh: settings.staleWhileRefresh)
    }

    /// The raw entry of a canonical request. The base URL is part of it: another origin is another resource.
    /// Of a pass-through provider all spellings of a URL have one key (RFC 9110 §4.2.3): what changes one changes all.
    /// - Parameter content: what stands for the request's content, where that is a part of the question.
    public func rawKey(
        _ request: UpstreamRequest, variant: String? = nil, content: String? = nil, identity: Bytes = []
    ) -> CacheKey {
        let identity = identity.isEmpty ? accountIdentity(request) : identity
        let spelled = { [isPassthrough] (text: String) in isPassthrough ? EquivalentURL.normalised(text) : text }
        return CacheKey(
            layer: .raw, provider: name, endpoint: request.method.name,
            parameters: [
                KeyParameter("base", base(of: request.path)), KeyParameter("path", spelled(request.path)),
                KeyParameter("query", request.query.map(spelled)), KeyParameter("coding", variant),
            ] + (content.map { [KeyParameter("content", $0)] } ?? []), identity: identity)
    }

    /// The key of the raw entry that a URL names; nil where it is not below one of this provider's bases.
    public func rawKey(url: HTTPURL) -> CacheKey? { request(url: url).map { rawKey($0) } }

    /// The request that a URL names; nil where it is not below one of this provider's bases.
    public func request(url: HTTPURL) -> UpstreamRequest? {
        for base in settings.baseURLs {
            // Below the same stand-in both hosts may lie: then the path says which of them it is.
            if let request = Self.request(url, below: base), self.base(of: request.path) == base { return request }
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

    /// The normalised entry of an endpoint. Another version of the normaliser, or another signing key in the artwork
    /// handles it holds, makes another answer.
    public func normalisedKey(_ endpoint: Endpoint, signer: ArtworkSigner) -> CacheKey {
        CacheKey(
            layer: .normalised, provider: name, endpoint: endpoint.name,
            parameters: settings.baseURLs.map { KeyParameter("base", $0) } + [
                KeyParameter("normaliser", String(about.normaliserVersion)),
                KeyParameter("signer", Self.mark(of: signer)),
            ] + endpoint.parameters, identity: accountIdentity(endpoint.upstream))
    }

    /// What stands for a signing key in the keys of what holds its handles.
    static func mark(of signer: ArtworkSigner) -> String { signer.handle(provider: "", url: "").suffix(12).description }

    /// The order for a request of ours: fixed fields only, our own key, redirects followed to public hosts.
    public func order(_ request: UpstreamRequest, settings whole: Settings) -> FetchOrder {
        var fields = request.fields
        if !fields.contains("Accept") { fields.set("Accept", "application/json") }
        fields.set("Accept-Encoding", "gzip")
        let base = about.isSearch(path: request.path) ? bases.search : bases.usual
        let plainHTTP = settings.plainHTTP
        var order = FetchOrder(
            url: url(request), method: request.method, fields: fields,
            secretFields: settings.key.map { provider.credentialFields(key: $0) } ?? [:], body: request.body,
            addresses: .configured, maxBody: Int(clamping: whole.fetch.maxBody),
            deadline: settings.deadline ?? whole.fetch.deadline,
            maxRedirects: 3,
            // A retry of the fetcher's own would be a call that no budget counted.
            mayRetry: settings.rate == nil && settings.quota == nil,
            permits: { url in
                if TakenOverHosts.contains(url: url) { return nil }
                if let base, HTTPURL(url)?.hasOrigin(of: base) == true { return .configured }
                return url.hasPrefix("https://") || (plainHTTP && url.hasPrefix("http://")) ? .publicOnly : nil
            })
        if let key = settings.key { order.secretQuery = provider.credentialQuery(key: key) }
        return order
    }
}

/// All providers of one configuration.
public struct ProviderSet: Sendable {
    /// Every provider, those that are off included.
    public let all: [ConfiguredProvider]
    private let byName: [String: Int]

    /// - Parameter standings: who is signed in at which provider.
    init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        var all: [ConfiguredProvider] = []
        for provider in ProviderRegistry.builtIn {
            guard let own = settings.providers[provider.about.name] else { continue }
            all.append(
                ConfiguredProvider(
                    provider: own.dialect.map { provider.speaking($0) } ?? provider, settings: own,
                    jitterPercent: settings.cache.jitter, standing: standings[own.name] ?? .nobody))
        }
        for name in settings.providers.keys.sorted() {
            guard let own = settings.providers[name], own.isPassthrough else { continue }
            let provider = Passthrough(
                name: name, baseURL: own.baseURL, semantics: own.semantics == .rfc ? .rfc : .ttl)
            all.append(ConfiguredProvider(provider: provider, settings: own, jitterPercent: settings.cache.jitter))
        }
        self.all = all
        var byName: [String: Int] = [:]
        for (index, one) in all.enumerated() {
            byName[one.name] = index
            if one.isPassthrough { continue }
            for short in one.about.shortNames where byName[short] == nil { byName[short] = index }
        }
        self.byName = byName
    }

    /// A provider by its name or a short form of it.
    public func named(_ name: String) -> ConfiguredProvider? {
        byName[name].map { all[$0] }
    }

    /// Those that a search may ask.
    public var searchable: [ConfiguredProvider] { all.filter { !$0.isPassthrough } }
}
