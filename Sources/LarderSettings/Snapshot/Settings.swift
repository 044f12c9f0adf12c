// One immutable snapshot of everything that is configured. It is made whole by `SettingsLoader` and swapped whole at a
// reload (nothing reads the file, the environment or a default anywhere else).
import LarderCore

/// All settings of one daemon, defaults filled in, ranges held, secrets resolved.
public struct Settings: Sendable {
    // Listening
    /// Where to listen, in the order written; see `ListenSetting.isDefault`.
    public var listen: [ListenSetting]
    /// Whether addresses other than loopback were permitted. The loader refused them otherwise.
    public var allowRemote: Bool
    /// Names and literals accepted in `Host` besides those of every machine (`HostPolicy`); lower case, IPv6 in brackets.
    public var hostNames: [String]

    // Authority over Larder's own state
    /// The token that permits changes over TCP; nil forbids them there.
    public var adminToken: String?
    /// User ids that may change state over the Unix socket, besides root and the daemon's own.
    public var adminUsers: [UInt32]

    // The two databases
    /// Directory of `cache.db`: disposable.
    public var cachePath: String
    /// Directory of `state.db`: budgets, suspensions, keys.
    public var statePath: String
    /// Bytes the cache may hold on disk.
    public var cacheMaxSize: Int64
    /// Bytes of the memory tier; 0 switches it off.
    public var cacheMemorySize: Int64
    /// The largest body that is stored.
    public var cacheMaxObject: Int64
    /// Free bytes of the file system below which nothing is stored.
    public var cacheMinFree: Int64
    /// Nobody wrote it: on a small file system a tenth of that is enough.
    public var cacheMinFreeIsDefault = true
    /// Percent of `cacheMaxSize` at which eviction begins and at which it ends.
    public var cacheHighWater: Int
    public var cacheLowWater: Int
    public var cachePatience: Duration
    public var cacheCommitWithin: Duration
    /// Entries become due up to this many percent earlier, each by its own key.
    public var staleJitter: Int

    // The server
    /// Client event loops; 0 is one a core.
    public var loops: Int
    public var serverMaxConnections: Int
    /// Within which a request's head must arrive, once begun.
    public var serverHeadTimeout: Duration
    /// For which a connection may stay open without a request.
    public var serverIdleTimeout: Duration
    /// For which a client may take nothing of an answer.
    public var serverWriteTimeout: Duration
    /// Bytes a second that a client must send or take, and the time over which that is measured.
    public var serverMinimumRate: Int64
    public var serverRateWindow: Duration
    /// For which a stop waits for answers in hand.
    public var serverDrainTimeout: Duration
    /// The largest request body.
    public var serverMaxBody: Int64
    /// Event streams open at once.
    public var serverMaxEventStreams: Int

    // Upstream calls
    public var fetchUserAgent: String
    public var fetchConnectTimeout: Duration
    /// The end of one upstream exchange, redirects and retry included.
    public var fetchDeadline: Duration
    /// After which a stale entry answers while the fetch goes on.
    public var fetchSoftDeadline: Duration
    /// For which a failed fetch answers the same question again; zero asks anew each time.
    public var fetchFailurePause: Duration
    /// The largest answer that is taken; one larger than `cacheMaxObject` is handed on and not stored.
    public var fetchMaxBody: Int64
    public var fetchMaxMemory: Int64
    /// Exchanges at once that the upstream paces, and those that a client paces.
    public var fetchMaxTransfers: Int
    public var fetchMaxStreams: Int
    /// Fetches of each of these kinds that may wait, and for how long.
    public var fetchMaxQueue: Int
    public var fetchQueueTimeout: Duration
    /// Calls that one answer has under way at once, and in all, where it takes several.
    public var fetchSideBySide: Int
    public var fetchCallsPerAnswer: Int
    /// Stale entries of one provider that are refreshed when it is back.
    public var fetchRefreshOnReturn: Int
    /// The proxy's URL; never taken from `http_proxy`.
    public var fetchProxy: String?

    /// After which a source of a combined search is no longer waited for.
    public var searchDeadline: Duration
    /// For which a call is held back where the request is one of a session.
    public var searchDebounce: Duration
    /// Sessions that are remembered.
    public var searchSessions: Int
    /// Asynchronous searches that are known at once, for how long after their end, and in how many bytes.
    public var searchLiveMax: Int
    public var searchLiveKeep: Duration
    public var searchLiveSize: Int64

    // The log
    public var logLevel: LogLevel
    public var logAccess: AccessLog
    public var logFormat: LogFormat

    // Artwork
    public var artworkTTL: Duration
    /// For which a missing image is remembered as missing.
    public var artworkMissingTTL: Duration
    public var artworkMaxSize: Int64

    public var uploads: UploadSettings

    /// Every built-in provider and every configured pass-through, by name.
    public var providers: [String: ProviderSettings]

    /// What the loader found worth telling, though nothing is wrong: for the log at start and `larder config check`.
    public var notes: [String]
    /// The files that secrets are read from, or would be if they were there.
    public var secretFiles: [SecretFile] = []
    /// Every setting with its value as text and where it came from; secrets hidden. For `larder params`.
    public var effective: [EffectiveSetting]
}

/// Which requests the access log tells of.
public enum AccessLog: String, Sendable, CaseIterable {
    case off
    /// All but hits from memory.
    case misses
    case all
}

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `journal` under systemd, `text` elsewhere.
    case auto
    case text
    case journal
    case json
}

/// One address to listen on.
public struct ListenSetting: Sendable, Hashable {
    /// "127.0.0.1:8787", "[::1]:8787" or "unix:/path"; checked by the loader.
    public var address: String
    /// The provider whose root this listener is; nil for Larder's own routes.
    public var provider: String?
    /// Nobody wrote it: where it cannot be had since the machine lacks IPv6, it is skipped without a word.
    public var isDefault: Bool

    public init(address: String, provider: String? = nil, isDefault: Bool = false) {
        self.address = address
        self.provider = provider
        self.isDefault = isDefault
    }
}

/// Who decides how long an answer stays fresh.
public enum ProviderSemantics: String, Sendable, CaseIterable {
    /// Our own lifetimes, whatever the API says.
    case ttl
    /// RFC 9111.
    case rfc
}

/// The settings of one provider.
public struct ProviderSettings: Sendable, Hashable {
    public var name: String
    public var enabled: Bool
    /// Configured by the user and not built in: only `/raw` and bound listeners serve it.
    public var isPassthrough: Bool
    /// http or https URL without a slash at its end, user part, query or fragment.
    public var baseURL: String
    /// The same of the host where its searches are, for a provider with a second one.
    public var searchURL: String?
    /// The API's key; never shown.
    public var key: String?
    /// The file that `key` names cannot be read: the provider is not configured.
    public var keyFileProblem: KeyFileProblem?
    /// The secret of the user's application, for an API with a sign-in; never shown.
    public var clientSecret: String?
    public var semantics: ProviderSemantics
    /// `CDN-Cache-Control` speaks to this cache too (RFC 9213 §3.1).
    public var cdnCacheControl = false
    /// Cookies of requests below `/raw` go upstream.
    public var forwardCookies = false
    /// One of the provider's dialects; nil where it has one only.
    public var dialect: String?
    /// Whether calls and redirects may leave this machine unencrypted.
    public var plainHTTP = false
    /// Freshness by endpoint, resolved for every endpoint of the provider; "*" stands for all others.
    public var ttl: [String: Duration]
    /// Freshness of an answer without results.
    public var emptyTTL: Duration
    /// Freshness of a remembered refusal or absence.
    public var negativeTTL: Duration
    /// For how long past its freshness an entry may still answer at all.
    public var staleFor: Duration
    /// For how long past its freshness an entry answers at once while it is refreshed; never longer than `staleFor`.
    public var staleWhileRefresh: Duration
    /// Upstream calls in any window of the rate, and of the quota; nil is no limit.
    public var rate: CallRate?
    public var quota: CallRate?
    /// In the place of `fetchDeadline`; nil where that counts.
    public var deadline: Duration?
    /// Exchanges at once that it paces, and those that a client paces; fetches of each kind that may wait for that.
    public var maxConnections = 8
    public var maxStreams = 32
    public var maxQueue = 500
    /// Where its pictures may come from: a host, "*.suffix", "*" or a full origin.
    public var imageHosts: [String]

    public init(
        name: String, enabled: Bool = true, isPassthrough: Bool = false, baseURL: String, key: String? = nil,
        semantics: ProviderSemantics = .ttl, ttl: [String: Duration], emptyTTL: Duration, negativeTTL: Duration,
        staleFor: Duration, staleWhileRefresh: Duration = .seconds(86_400), rate: CallRate? = nil,
        quota: CallRate? = nil, imageHosts: [String] = []
    ) {
        self.name = name
        self.enabled = enabled
        self.isPassthrough = isPassthrough
        self.baseURL = baseURL
        self.key = key
        self.semantics = semantics
        self.ttl = ttl
        self.emptyTTL = emptyTTL
        self.negativeTTL = negativeTTL
        self.staleFor = staleFor
        self.staleWhileRefresh = min(staleWhileRefresh, staleFor)
        self.rate = rate
        self.quota = quota
        self.imageHosts = imageHosts
    }

    /// Where requests go, each once.
    public var baseURLs: [String] { [baseURL] + (searchURL.map { [$0] } ?? []) }

    /// The lifetime of an answer of that endpoint.
    public func ttl(of endpoint: String) -> Duration { ttl[endpoint] ?? ttl["*"] ?? .zero }
}

/// One setting as it stands, for people to read.
public struct EffectiveSetting: Sendable, Hashable {
    public var path: String
    /// The value as a person would write it; "(hidden)" for a secret, nil where there is none.
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
