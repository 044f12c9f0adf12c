// The sections of the settings. Each section of the file has one type, which reads itself from its table.
import LarderCore

extension Settings {
    /// Who may change Larder's own state.
    public struct Admin: Sendable {
        /// The token that permits changes over TCP. Without one, changes over TCP are forbidden.
        public var token: String?
        /// The ids of users who may change state over the Unix socket, in addition to root and the daemon's own user.
        public var users: [UInt32]
    }

    /// What is stored, and for how long.
    public struct Cache: Sendable {
        /// The directory of `cache.db`. Its content is disposable.
        public var path: String
        /// Bytes that the cache may use on disk.
        public var maxSize: Int64
        /// Bytes of the memory tier. 0 switches it off.
        public var memorySize: Int64
        /// The maximum size in bytes of a body that is stored.
        public var maxObject: Int64
        /// The maximum size in bytes of a QUERY's content that becomes part of its response's key.
        public var maxQueryBody: Int64
        /// Free bytes of the file system below which nothing is stored.
        public var minFree: Int64
        /// Whether `minFree` is the default. On a small file system a tenth of the file system is then enough.
        public var minFreeIsDefault = true
        /// Percent of `maxSize` at which eviction begins, and at which it ends.
        public var highWater: Int
        public var lowWater: Int
        /// How long a response waits for its commit to the database.
        public var patience: Duration
        /// The time after which a response that counts as stored survives a crash.
        public var commitWithin: Duration
        /// Entries expire up to this many percent early; each key determines by how much.
        public var jitter: Int

        init(_ reader: inout SettingsReader, path: String) {
            self.path = path
            maxSize = reader.size(SettingsTable.cacheMaxSize)
            memorySize = reader.size(SettingsTable.cacheMemorySize)
            maxObject = reader.size(SettingsTable.cacheMaxObject)
            maxQueryBody = reader.size(SettingsTable.cacheMaxQueryBody)
            minFree = reader.size(SettingsTable.cacheMinFree)
            highWater = reader.count(SettingsTable.cacheHighWater)
            lowWater = reader.count(SettingsTable.cacheLowWater)
            patience = reader.duration(SettingsTable.cachePatience)
            commitWithin = reader.duration(SettingsTable.cacheCommitWithin)
            jitter = reader.count(SettingsTable.cacheJitter)
        }
    }

    /// The server for clients.
    public struct Server: Sendable {
        /// The number of client event loops. 0 means one per usable core.
        public var loops: Int
        public var maxConnections: Int
        /// The time in which a request's head must arrive after its first byte.
        public var headTimeout: Duration
        /// The longest pause inside the body of a request.
        public var bodyTimeout: Duration
        /// How long a connection may stay open without a request.
        public var idleTimeout: Duration
        /// How long a queued call waits for clients that have ended their input.
        public var halfClose: Duration
        /// How long a client may read nothing of a response.
        public var writeTimeout: Duration
        /// Bytes per second that a client must send or read, and the time over which the rate is measured.
        public var minimumRate: Int64
        public var rateWindow: Duration
        /// How long a stop waits for responses in progress.
        public var drainTimeout: Duration
        /// The maximum size of a request body in bytes.
        public var maxBody: Int64
        /// The maximum number of open event streams.
        public var maxEventStreams: Int

        init(_ reader: inout SettingsReader) {
            loops = reader.count(SettingsTable.loops)
            maxConnections = reader.count(SettingsTable.serverMaxConnections)
            headTimeout = reader.duration(SettingsTable.serverHeadTimeout)
            bodyTimeout = reader.duration(SettingsTable.serverBodyTimeout)
            idleTimeout = reader.duration(SettingsTable.serverIdleTimeout)
            halfClose = reader.duration(SettingsTable.serverHalfClose)
            writeTimeout = reader.duration(SettingsTable.serverWriteTimeout)
            minimumRate = reader.size(SettingsTable.serverMinimumRate)
            rateWindow = reader.duration(SettingsTable.serverRateWindow)
            drainTimeout = reader.duration(SettingsTable.serverDrainTimeout)
            maxBody = reader.size(SettingsTable.serverMaxBody)
            maxEventStreams = reader.count(SettingsTable.serverMaxEventStreams)
        }
    }

    /// Upstream calls.
    public struct Fetch: Sendable {
        public var userAgent: String
        public var connectTimeout: Duration
        /// The time limit of one upstream exchange, redirects and retry included.
        public var deadline: Duration
        /// The time after which a stale entry is used while the fetch continues.
        public var softDeadline: Duration
        /// How long a failed fetch answers repeated questions. Zero asks again each time.
        public var failurePause: Duration
        /// The maximum size in bytes of an upstream body. A body larger than `Cache.maxObject` is passed on and not
        /// stored.
        public var maxBody: Int64
        /// Bytes of all upstream bodies together that are held whole.
        public var maxMemory: Int64
        /// Concurrent exchanges at the upstream's pace, and those at a client's pace.
        public var maxTransfers: Int
        public var maxStreams: Int
        /// The number of fetches of each of these kinds that may wait, and how long.
        public var maxQueue: Int
        public var queueTimeout: Duration
        /// The calls that one response may have under way at once, and in total, if it takes several.
        public var sideBySide: Int
        public var callsPerAnswer: Int
        /// The number of stale entries of a provider that are refreshed when the provider is back.
        public var refreshOnReturn: Int
        /// The URL of the proxy. It is never taken from `http_proxy`.
        public var proxy: String?
        /// Hosts that are reached elsewhere, as `CURLOPT_CONNECT_TO` takes them.
        public var connectTo: [String]
        /// The file of certificate authorities that `SSL_CERT_FILE` names. It replaces the system's.
        public var caFile: String?

        init(_ reader: inout SettingsReader) {
            userAgent = reader.text(SettingsTable.fetchUserAgent, check: SettingsLoader.fieldValue) ?? ""
            connectTimeout = reader.duration(SettingsTable.fetchConnectTimeout)
            deadline = reader.duration(SettingsTable.fetchDeadline)
            softDeadline = reader.duration(SettingsTable.fetchSoftDeadline)
            failurePause = reader.duration(SettingsTable.fetchFailurePause)
            maxBody = reader.size(SettingsTable.fetchMaxBody)
            maxMemory = reader.size(SettingsTable.fetchMaxMemory)
            maxTransfers = reader.count(SettingsTable.fetchMaxTransfers)
            maxStreams = reader.count(SettingsTable.fetchMaxStreams)
            maxQueue = reader.count(SettingsTable.fetchMaxQueue)
            queueTimeout = reader.duration(SettingsTable.fetchQueueTimeout)
            sideBySide = reader.count(SettingsTable.fetchSideBySide)
            callsPerAnswer = reader.count(SettingsTable.fetchCallsPerAnswer)
            refreshOnReturn = reader.count(SettingsTable.fetchRefreshOnReturn)
            proxy = reader.text(SettingsTable.fetchProxy, check: SettingsLoader.proxy)
            connectTo = reader.texts(SettingsTable.fetchConnectTo, check: SettingsLoader.connection)
        }
    }

    /// Searches over several sources, and searches in a typing session.
    public struct Search: Sendable {
        /// The time after which a combined search no longer waits for a source.
        public var deadline: Duration
        /// How long the call of a request in a session is held back.
        public var debounce: Duration
        /// The number of sessions that are remembered.
        public var sessions: Int
        /// Asynchronous searches: how many are known at once, how long they are kept after their end, and in how many
        /// bytes.
        public var liveMax: Int
        public var liveKeep: Duration
        public var liveSize: Int64

        init(_ reader: inout SettingsReader) {
            deadline = reader.duration(SettingsTable.searchDeadline)
            debounce = reader.duration(SettingsTable.searchDebounce)
            sessions = reader.count(SettingsTable.searchSessions)
            liveMax = reader.count(SettingsTable.searchLiveMax)
            liveKeep = reader.duration(SettingsTable.searchLiveKeep)
            liveSize = reader.size(SettingsTable.searchLiveSize)
        }
    }

    /// The settings of the log.
    public struct Log: Sendable {
        public var level: LogLevel
        public var access: AccessLog
        public var format: LogFormat

        init(_ reader: inout SettingsReader) {
            let word = reader.choiceText(SettingsTable.logLevel)
            level = LogLevel.allCases.first { $0.word == word } ?? .info
            access = reader.choice(SettingsTable.logAccess, default: AccessLog.misses)
            format = reader.choice(SettingsTable.logFormat, default: LogFormat.auto)
        }
    }

    /// The settings of pictures.
    public struct Artwork: Sendable {
        public var ttl: Duration
        /// How long a missing image is remembered as missing.
        public var missingTTL: Duration
        public var maxSize: Int64
        /// The key that signs handles. Without one, the host makes its own.
        public var key: String?

        init(_ reader: inout SettingsReader, key: String?) {
            self.key = key
            ttl = reader.duration(SettingsTable.artworkTTL)
            missingTTL = reader.duration(SettingsTable.artworkMissingTTL)
            maxSize = reader.size(SettingsTable.artworkMaxSize)
        }
    }

    /// The tier that hosts share.
    public struct Shared: Sendable, Hashable {
        public var url: SharedURL
        /// The URL as it was written.
        public var urlText: String
        public var password: String?
        /// The key for the codes of values.
        public var key: String
        public var prefix: String
        /// The time limit of one operation.
        public var timeout: Duration
        /// The maximum size in bytes of a body that is shared.
        public var maxObject: Int64
        /// Whether hosts wait for each other's fetches.
        public var hasLeases: Bool
        /// Whether the hosts share their budgets.
        public var hasQuota: Bool

        /// Returns nil if no engine is named. Reads all settings even then, so that mistakes in them are reported.
        init?(_ reader: inout SettingsReader, password: String?, key: String?) {
            let text = reader.text(SettingsTable.sharedURL, check: SharedURL.check)
            prefix = reader.text(SettingsTable.sharedPrefix, check: SharedURL.prefix) ?? "larder"
            timeout = reader.duration(SettingsTable.sharedTimeout)
            maxObject = reader.size(SettingsTable.sharedMaxObject)
            hasLeases = reader.flag(SettingsTable.sharedLeases)
            hasQuota = reader.flag(SettingsTable.sharedQuota)
            guard let text, let url = try? SharedURL(text) else { return nil }
            if key == nil, !reader.issues.contains(where: { $0.path == "shared.key" }) {
                reader.issue(
                    "shared.key",
                    "is needed with shared.url: a secret of at least 32 characters, the same on each host "
                        + "(openssl rand -hex 32)")
            }
            if url.user != nil, password == nil {
                reader.issue("shared.password", "is needed with the user in shared.url")
            }
            self.url = url
            urlText = text
            self.password = password
            self.key = key ?? ""
        }
    }
}
