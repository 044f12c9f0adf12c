// One immutable snapshot of everything that is configured. It is made whole by `SettingsLoader` and swapped whole at a
// reload (nothing reads the file, the environment or a default anywhere else).
import LarderCore

/// All settings of one daemon, defaults filled in, ranges held, secrets resolved. The sections of the file are those of this value
/// (`SettingsSections.swift`).
public struct Settings: Sendable {
    /// Where to listen, in the order written; see `ListenSetting.isDefault`.
    public var listen: [ListenSetting]
    /// Whether addresses other than loopback were permitted. The loader refused them otherwise.
    public var allowRemote: Bool
    /// Names and literals accepted in `Host` besides those of every machine (`HostPolicy`); lower case, IPv6 in brackets.
    public var hostNames: [String]
    /// Origins whose pages may read, as browsers write them.
    public var browserOrigins: [String]

    public var admin: Admin
    public var cache: Cache
    /// Directory of `state.db`: budgets, suspensions, keys.
    public var statePath: String
    public var server: Server
    public var fetch: Fetch
    public var search: Search
    public var log: Log
    public var artwork: Artwork
    public var uploads: UploadSettings
    /// The tier that hosts share; nil where this one stands alone.
    public var shared: Shared?

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

/// What becomes of the cookies that an answer sets.
public enum ProviderCookies: String, Sendable, CaseIterable {
    /// The answer is stored, without its cookies, only where it says `public` or `s-maxage`.
    case strict
    /// It is stored, without its cookies, where it says itself how long it holds.
    case drop
    /// It is stored with its cookies.
    case keep
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
    /// What becomes of the cookies that answers set.
    public var cookies = ProviderCookies.strict
    /// A request's cookies may change what it is answered with.
    public var personalCookies = true
    /// POST endpoints that only read.
    public var readOnlyPosts: [ReadOnlyPost] = []
    /// One of the provider's dialects; nil where it has one only.
    public var dialect: String?
    /// Its answers go to and come from the shared tier.
    public var isShared = true
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
