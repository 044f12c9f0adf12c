// One immutable snapshot of everything that is configured. `SettingsLoader` makes it as a whole, and a reload replaces
// it as a whole. No other code reads the file, the environment or a default.
import LarderCore
import LarderProviders

/// All settings of one daemon: defaults filled in, ranges checked, secrets resolved. The file's sections are the
/// sections of this value (`Settings+Sections.swift`).
public struct Settings: Sendable {
    /// The addresses to listen on, in the order written. See also `ListenSetting.isDefault`.
    public var listen: [ListenSetting]
    /// Whether addresses other than loopback ones are permitted. If not, the loader has refused them.
    public var allowRemote: Bool
    /// Host names and IP addresses that `Host` may contain in addition to those of every machine (`HostPolicy`). In
    /// lower case, IPv6 in brackets.
    public var hostNames: [String]
    /// Origins whose pages may read responses, as browsers write them.
    public var browserOrigins: [String]

    public var admin: Admin
    public var cache: Cache
    /// The directory of `state.db`: budgets, suspensions, keys.
    public var statePath: String
    public var server: Server
    public var fetch: Fetch
    public var search: Search
    public var log: Log
    public var artwork: Artwork
    public var uploads: UploadSettings
    /// The settings of the tier that hosts share; nil if this host stands alone.
    public var shared: Shared?
    public var proxy: ProxySettings

    /// Every built-in provider and every configured pass-through, by name.
    public var providers: [String: ProviderSettings]

    /// The tools whose calls are told apart.
    public var tools: [ToolSetting] = []
    public var quota = Quota()

    /// Messages of the loader that are not errors, for the log at start and for `larder config check`.
    public var notes: [String]
    /// The files that secrets are read from, including files that do not exist yet.
    public var secretFiles: [SecretFile] = []
    /// Every setting with its value as text and its origin. Secrets are hidden. For `larder params`.
    public var effective: [EffectiveSetting]
}

/// Which requests are written to the access log.
public enum AccessLog: String, Sendable, CaseIterable {
    case off
    /// All requests except hits from memory.
    case misses
    case all
}

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `journal` under systemd, `text` elsewhere.
    case auto
    case text
    case journal
    case json
}

/// One address to listen on.
public struct ListenSetting: Sendable, Hashable {
    /// "127.0.0.1:8787", "[::1]:8787" or "unix:/path". The loader has checked it.
    public var address: String
    /// The provider that the listener serves at its root; nil for Larder's own routes.
    public var provider: String?
    /// Whether the listener is a proxy.
    public var isProxy: Bool
    /// Whether the address is a default. A default address that is unavailable because the machine lacks IPv6 is
    /// skipped silently.
    public var isDefault: Bool

    public init(address: String, provider: String? = nil, isProxy: Bool = false, isDefault: Bool = false) {
        self.address = address
        self.provider = provider
        self.isProxy = isProxy
        self.isDefault = isDefault
    }
}

/// What decides how long a response stays fresh.
public enum ProviderSemantics: String, Sendable, CaseIterable {
    /// The lifetimes in the settings, whatever the API says.
    case ttl
    /// RFC 9111.
    case rfc
}

/// What happens to cookies that a response sets.
public enum ProviderCookies: String, Sendable, CaseIterable {
    /// The response is stored without its cookies, and only if it says `public` or `s-maxage`.
    case strict
    /// The response is stored without its cookies if it gives its own lifetime.
    case drop
    /// The response is stored with its cookies.
    case keep
}

/// Where the knowledge of an API comes from.
public enum ProviderKind: Sendable, Hashable {
    case builtIn
    /// From the user's description.
    case described(ProviderDescription)
    /// There is none: bytes pass through.
    case passthrough

    /// The word for people and programs.
    public var word: String {
        switch self {
        case .builtIn: "builtIn"
        case .described: "described"
        case .passthrough: "passthrough"
        }
    }

    /// All words.
    public static let words = ["builtIn", "described", "passthrough"]
}

/// The settings of one provider.
public struct ProviderSettings: Sendable, Hashable {
    public var name: String
    public var enabled: Bool
    public var kind: ProviderKind
    /// An http or https URL without a slash at its end, user part, query or fragment.
    public var baseURL: String
    /// The base URL for searches, for a provider with a second host.
    public var searchURL: String?
    /// The API's key. Never shown.
    public var key: String?
    /// Where a provider of the user's own takes its key.
    public var keyIn = KeyPlacement.bearer
    /// The fields that are sent with every request, in place of a client's.
    public var requestFields: HeaderFields = [:]
    /// Why the file that `key` names cannot be read. The provider is then not configured.
    public var keyFileProblem: KeyFileProblem?
    /// The secret of the user's application, for an API with a sign-in. Never shown.
    public var clientSecret: String?
    public var semantics: ProviderSemantics
    /// Whether `CDN-Cache-Control` addresses this cache too (RFC 9213 §3.1).
    public var cdnCacheControl = false
    /// Whether cookies of requests below `/raw` are sent upstream.
    public var forwardCookies = false
    /// What happens to cookies that responses set.
    public var cookies = ProviderCookies.strict
    /// Whether a request's cookies may change its response.
    public var personalCookies = true
    /// Whether request fields that look like credentials are part of the cache key.
    public var keyCredentials = true
    /// Further request fields that are part of the cache key.
    public var keyFields: [String] = []
    /// The protocols that a request may change to, besides `websocket`, in lower case.
    public var upgrades: [String] = []
    /// POST endpoints that only read.
    public var readOnlyPosts: [ReadOnlyPost] = []
    /// One of the provider's dialects; nil if it has only one.
    public var dialect: String?
    /// Whether the provider's responses are exchanged with the shared tier.
    public var isShared = true
    /// A PEM file of the certificate authorities that are trusted for this provider, in place of the usual ones.
    public var ca: String?
    /// Whether calls lead to public addresses only, as for a host that a pattern of the proxy names.
    public var isPublicOnly = false
    /// Whether a tape answers, and no limits count.
    public internal(set) var isReplayed = false
    /// Whether calls and redirects may leave this machine unencrypted.
    public var plainHTTP = false
    /// The freshness by endpoint. It has a value for every endpoint of the provider; "*" stands for all other requests.
    /// For a provider of the user's own, the freshness by path; under `rfc`, that of responses that state none.
    public private(set) var ttl: [String: Duration]
    /// The freshness by path, the more exact ones first.
    private var pathLifetimes: [PathLifetime]
    /// The freshness of a response without results.
    public var emptyTTL: Duration
    /// The freshness of a negative entry.
    public var negativeTTL: Duration
    /// How long after its freshness an entry may still be used at all.
    public var staleFor: Duration
    /// How long after its freshness an entry is used at once while it is refreshed. Never longer than `staleFor`.
    public var staleWhileRefresh: Duration
    /// The upstream calls allowed in any window of the rate, and of the quota. Nil means no limit.
    public var rate: CallRate?
    public var quota: CallRate?
    /// The deadline in place of `Settings.Fetch.deadline`; nil if that one applies.
    public var deadline: Duration?
    /// The longest silence within a body that streams; nil if it has no limit.
    public var idleTimeout: Duration? = .seconds(30)
    /// Concurrent exchanges at the upstream's pace, those at a client's pace, and fetches of each kind that may wait.
    public var maxConnections = 8
    public var maxStreams = 32
    public var maxQueue = 500
    /// The sources allowed for pictures: a host, "*.suffix", "*" or a full origin.
    public var imageHosts: [String]

    public init(
        name: String, enabled: Bool = true, kind: ProviderKind = .builtIn, baseURL: String, key: String? = nil,
        semantics: ProviderSemantics = .ttl, ttl: [String: Duration], emptyTTL: Duration, negativeTTL: Duration,
        staleFor: Duration, staleWhileRefresh: Duration = .seconds(86_400), rate: CallRate? = nil,
        quota: CallRate? = nil, imageHosts: [String] = []
    ) {
        self.name = name
        self.enabled = enabled
        self.kind = kind
        self.baseURL = baseURL
        self.key = key
        self.semantics = semantics
        self.ttl = ttl
        pathLifetimes = kind == .passthrough ? PathLifetime.list(ttl) : []
        self.emptyTTL = emptyTTL
        self.negativeTTL = negativeTTL
        self.staleFor = staleFor
        self.staleWhileRefresh = min(staleWhileRefresh, staleFor)
        self.rate = rate
        self.quota = quota
        self.imageHosts = imageHosts
    }

    /// The client that gets the provider's tokens; nil if the provider takes none.
    public var tokenClient: TokenClient? {
        guard let server = keyIn.tokenServer, let key else { return nil }
        return TokenClient(server, key: key)
    }

    /// Whether Larder does not read the provider's answers. Only `/raw` and bound listeners serve it.
    public var isPassthrough: Bool { kind == .passthrough }

    /// The base URLs that requests go to, each once.
    public var baseURLs: [String] { [baseURL] + (searchURL.map { [$0] } ?? []) }

    /// Takes all freshness away.
    mutating func forgetLifetimes() { (ttl, pathLifetimes) = ([:], []) }

    /// The lifetime of a response of that endpoint.
    public func ttl(of endpoint: String) -> Duration { ttl[endpoint] ?? ttl["*"] ?? .zero }

    /// The lifetime that the settings give the responses below a path of a provider of the user's own.
    /// - Parameter path: in the spelling that is part of keys (`EquivalentURL`).
    public func ttl(ofPath path: String) -> Duration? {
        pathLifetimes.first { $0.pattern.matches(path) }?.ttl
    }
}

/// One setting as it is in force, for people to read.
public struct EffectiveSetting: Sendable, Hashable {
    public var path: String
    /// The value as a person would write it; "(hidden)" for a secret, nil if there is none.
    public var value: String?
    public var defaultText: String?
    public var origin: SettingOrigin

    public init(path: String, value: String?, defaultText: String?, origin: SettingOrigin) {
        self.path = path
        self.value = value
        self.defaultText = defaultText
        self.origin = origin
    }
}

extension Settings {
    /// What configured listeners leave out: a way for those who may change the daemon's state. Nil if there is one.
    public var authorityNote: String? {
        let hasSocket = listen.contains { $0.address.hasPrefix("unix:") && $0.provider == nil && !$0.isProxy }
        guard !hasSocket, admin.token == nil, listen.contains(where: { !$0.isDefault }) else { return nil }
        return
            "listen has no Unix socket, and there is no admin.token: larder run, larder purge and other commands that "
            + "need authority cannot reach this daemon"
    }
}
