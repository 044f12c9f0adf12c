// The sections of the settings, one type for each section of the file, each read from its table.
import LarderCore

extension Settings {
    /// Authority over Larder's own state.
    public struct Admin: Sendable {
        /// The token that permits changes over TCP; nil forbids them there.
        public var token: String?
        /// User ids that may change state over the Unix socket, besides root and the daemon's own.
        public var users: [UInt32]
    }

    /// What is kept, and for how long.
    public struct Cache: Sendable {
        /// Directory of `cache.db`: disposable.
        public var path: String
        /// Bytes the cache may hold on disk.
        public var maxSize: Int64
        /// Bytes of the memory tier; 0 switches it off.
        public var memorySize: Int64
        /// The largest body that is stored.
        public var maxObject: Int64
        /// The longest content of a QUERY that is a part of its answer's key.
        public var maxQueryBody: Int64
        /// Free bytes of the file system below which nothing is stored.
        public var minFree: Int64
        /// Nobody wrote it: on a small file system a tenth of that is enough.
        public var minFreeIsDefault = true
        /// Percent of `maxSize` at which eviction begins and at which it ends.
        public var highWater: Int
        public var lowWater: Int
        /// For which an answer waits until the database has it.
        public var patience: Duration
        /// After which an answer that counts as stored is safe from a crash.
        public var commitWithin: Duration
        /// Entries become due up to this many percent earlier, each by its own key.
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
        /// Client event loops; 0 is one a core.
        public var loops: Int
        public var maxConnections: Int
        /// Within which a request's head must arrive, once begun.
        public var headTimeout: Duration
        /// For which a connection may stay open without a request.
        public var idleTimeout: Duration
        /// For which a client may take nothing of an answer.
        public var writeTimeout: Duration
        /// Bytes a second that a client must send or take, and the time over which that is measured.
        public var minimumRate: Int64
        public var rateWindow: Duration
        /// For which a stop waits for answers in hand.
        public var drainTimeout: Duration
        /// The largest request body.
        public var maxBody: Int64
        /// Event streams open at once.
        public var maxEventStreams: Int

        init(_ reader: inout SettingsReader) {
            loops = reader.count(SettingsTable.loops)
            maxConnections = reader.count(SettingsTable.serverMaxConnections)
            headTimeout = reader.duration(SettingsTable.serverHeadTimeout)
            idleTimeout = reader.duration(SettingsTable.serverIdleTimeout)
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
        /// The end of one upstream exchange, redirects and retry included.
        public var deadline: Duration
        /// After which a stale entry answers while the fetch goes on.
        public var softDeadline: Duration
        /// For which a failed fetch answers the same question again; zero asks anew each time.
        public var failurePause: Duration
        /// The largest answer that is taken; one larger than `Cache.maxObject` is handed on and not stored.
        public var maxBody: Int64
        /// Bytes of answers that are taken whole, of all fetches together.
        public var maxMemory: Int64
        /// Exchanges at once that the upstream paces, and those that a client paces.
        public var maxTransfers: Int
        public var maxStreams: Int
        /// Fetches of each of these kinds that may wait, and for how long.
        public var maxQueue: Int
        public var queueTimeout: Duration
        /// Calls that one answer has under way at once, and in all, where it takes several.
        public var sideBySide: Int
        public var callsPerAnswer: Int
        /// Stale entries of one provider that are refreshed when it is back.
        public var refreshOnReturn: Int
        /// The proxy's URL; never taken from `http_proxy`.
        public var proxy: String?

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
        }
    }

    /// Searches over several sources, and those of one typing session.
    public struct Search: Sendable {
        /// After which a source of a combined search is no longer waited for.
        public var deadline: Duration
        /// For which a call is held back where the request is one of a session.
        public var debounce: Duration
        /// Sessions that are remembered.
        public var sessions: Int
        /// Asynchronous searches that are known at once, for how long after their end, and in how many bytes.
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

    /// What the log tells.
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

    /// Pictures.
    public struct Artwork: Sendable {
        public var ttl: Duration
        /// For which a missing image is remembered as missing.
        public var missingTTL: Duration
        public var maxSize: Int64
        /// Signs the handles; nil for one that the host makes itself.
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
        /// As it was written.
        public var urlText: String
        public var password: String?
        /// What codes on values are made with.
        public var key: String
        public var prefix: String
        /// Of one operation.
        public var timeout: Duration
        /// The largest body that is shared.
        public var maxObject: Int64
        /// Whether hosts wait for each other's fetches.
        public var hasLeases: Bool
        /// Budgets are the fleet's.
        public var hasQuota: Bool

        /// Nil where no engine is named. Reads the settings all the same, so that a mistake in them is told.
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
                    "is needed with shared.url: a secret of 32 signs at least, the same on each host "
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
