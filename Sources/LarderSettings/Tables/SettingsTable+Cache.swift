// The records of the settings for the cache, its directories, upstream calls, searches and artwork.
import LarderCore

extension SettingsTable {
    static let cachePath = Parameter(
        "cache.path", .text, default: nil, summary: "Directory of cache.db.",
        advice:
            "Without it: $CACHE_DIRECTORY, $XDG_CACHE_HOME/larder or ~/.cache/larder. Not on a network file system.",
        needsRestart: true)
    static let cacheMaxSize = Parameter(
        "cache.maxSize", .size((1 << 20)...(16 << 40)), default: "2 GiB",
        summary: "The largest size of the cache on disk. The least recently used entries are removed to make room.")
    static let cacheMemorySize = Parameter(
        "cache.memorySize", .size(0...(64 << 30)), default: "64 MiB",
        summary: "Memory for ready answers, in front of the database. 0 switches the memory tier off.")
    static let cacheMaxObject = Parameter(
        "cache.maxObject", .size((1 << 10)...(1 << 36)), default: "32 MiB",
        summary: "The largest body stored whole. Of a larger one only parts are stored, up to this size in all.",
        advice: "The default is never more than half of maxSize.")
    static let cacheMaxQueryBody = Parameter(
        "cache.maxQueryBody", .size(0...(4 << 20)), default: "64 KiB",
        summary: "The longest content of a QUERY, or of a POST that only reads, whose answer is stored. 0 stores none.",
        advice: """
            For providers with semantics: rfc. A request with longer content, or with content of unknown length, is \
            passed on to the API and its answer is not stored.
            """)
    static let cacheMinFree = Parameter(
        "cache.minFree", .size(0...(1 << 40)), default: "256 MiB",
        summary: "Free space to leave on the file system. With less, Larder stores nothing and goes on serving.",
        advice: "The default is never more than a tenth of the file system.")
    static let cacheHighWater = Parameter(
        "cache.highWater", .count(50...100), default: "95",
        summary: "Percentage of maxSize at which eviction begins.")
    static let cacheLowWater = Parameter(
        "cache.lowWater", .count(10...99), default: "85", summary: "Percentage of maxSize at which eviction ends.")
    static let cachePatience = Parameter(
        "cache.patience", .duration(.milliseconds(1) ... .seconds(60)), default: "50ms",
        summary: "An answer waits this long for its write to the database. Then it is sent, and the write goes on.",
        advice: "A look-up waits five times as long and is then a miss. An invalidation waits twenty times as long.")
    static let cacheCommitWithin = Parameter(
        "cache.commitWithin", .duration(.zero ... .seconds(10)), default: "100ms",
        summary: "A stored answer is committed to disk within this time. Until then a crash of Larder can lose it.",
        advice: "Answers of this time share one commit. With 0 each answer waits for its own, up to cache.patience.")
    static let cacheJitter = Parameter(
        "cache.jitter", .count(0...10), default: "10",
        summary: "Entries become stale early by up to this percentage of their lifetime. The key decides how much.",
        advice: "Entries that were fetched together then do not become stale together.")

    static let statePath = Parameter(
        "state.path", .text, default: nil, summary: "Directory of state.db.",
        advice: "Without it: $STATE_DIRECTORY, $XDG_STATE_HOME/larder or ~/.local/state/larder.", needsRestart: true)

    static let fetchUserAgent = Parameter(
        "fetch.userAgent", .text, default: "Larder/\(LarderVersion.text)",
        summary: "The User-Agent that Larder sends to the APIs.",
        advice: "If you make many calls, add a way to reach you.")
    static let fetchConnectTimeout = Parameter(
        "fetch.connectTimeout", .duration(.milliseconds(100) ... .seconds(120)), default: "5s",
        summary: "Time limit for connecting to an API, TLS included.")
    static let fetchDeadline = Parameter(
        "fetch.deadline", .duration(.milliseconds(100) ... .seconds(600)), default: "20s",
        summary: "Time limit for a whole upstream exchange, redirects and the one retry included.",
        advice: "It begins when the request is sent. The wait before that has its own limit, fetch.queueTimeout.")
    static let fetchSoftDeadline = Parameter(
        "fetch.softDeadline", .duration(.milliseconds(10) ... .seconds(600)), default: "2s",
        summary: "After this time without an answer from the API, a stale entry is served if there is one.",
        advice: "The fetch goes on. Keep this below the timeout of your clients.")
    static let fetchFailurePause = Parameter(
        "fetch.failurePause", .duration(.zero ... .seconds(3600)), default: "1s",
        summary: "After a failed fetch, the same request gets the same failure for this long, without a new call.",
        advice: "0 makes a new call for each request. Suspensions apply as well.")
    static let fetchMaxBody = Parameter(
        "fetch.maxBody", .size((1 << 10)...(1 << 30)), default: "128 MiB",
        summary: "The largest answer that Larder reads whole from an API. A larger one is broken off.",
        advice: "It is held in memory while it is read. Answers of passthrough providers stream and have no limit.")
    static let fetchMaxMemory = Parameter(
        "fetch.maxMemory", .size((1 << 20)...(64 << 30)), default: "256 MiB",
        summary: "Memory for the answers that all fetches read whole. A fetch that finds no room is answered with 503.",
        advice: """
            An answer counts from its head on, or as it grows, until it is sent and stored. Answers of up to 64 KiB do \
            not count. If only one answer counts, it may be as large as fetch.maxBody. Each stream has 1 MiB of its \
            own.
            """)
    static let fetchMaxTransfers = Parameter(
        "fetch.maxTransfers", .count(1...1024), default: "64",
        summary: "The most ordinary upstream exchanges at once, of all providers together. Further ones wait.",
        advice: """
            An exchange is ordinary if the API sets its pace; fetch.maxStreams limits the others. The limit for one \
            provider is its maxConnections.
            """)
    static let fetchMaxStreams = Parameter(
        "fetch.maxStreams", .count(1...4096), default: "128",
        summary: "The most upstream exchanges at once whose pace a client sets, of all providers together.",
        advice: """
            These are uploads, event streams and other long answers that are passed on without being stored. They come \
            on top of fetch.maxTransfers. The limit for one provider is its maxStreams.
            """)
    static let fetchMaxQueue = Parameter(
        "fetch.maxQueue", .count(1...100_000), default: "1000",
        summary: "The most fetches that wait for a place, of all providers. Streams are counted apart.",
        advice: """
            A further fetch is answered with 503 and Retry-After at once. The limit for one provider is its maxQueue. \
            The clients that wait for one provider take turns. A client is a user of the Unix socket, a session or a \
            connection.
            """)
    static let fetchQueueTimeout = Parameter(
        "fetch.queueTimeout", .duration(.milliseconds(10) ... .seconds(600)), default: "10s",
        summary: "A fetch waits this long for a place. Then it is answered with 503 and Retry-After.",
        advice: "In that case nothing was sent and no call is counted. fetch.deadline begins when a fetch is sent.")
    static let fetchSideBySide = Parameter(
        "fetch.sideBySide", .count(1...256), default: "16",
        summary: "The most calls at once for one answer that needs several, such as a list and its items.",
        advice: "fetch.maxTransfers and the provider's rate and quota limit these calls too.")
    static let fetchCallsPerAnswer = Parameter(
        "fetch.callsPerAnswer", .count(1...5000), default: "600",
        summary: "The most calls and look-ups for one answer in all. An answer that would need more is partial.")
    static let fetchRefreshOnReturn = Parameter(
        "fetch.refreshOnReturn", .count(0...10_000), default: "50",
        summary: "How many stale answers, served while a provider was away, are refreshed when it is back.",
        advice: """
            It counts for each provider. The refreshes run one at a time, the most recently requested first, within \
            half of the provider's rate and quota. 0 switches them off.
            """)
    static let fetchProxy = Parameter(
        "fetch.proxy", .text, default: nil,
        summary: "URL of a proxy for all upstream calls: http://host:port or socks5h://host:port.",
        advice: "Environment variables such as http_proxy are ignored.")
    static let fetchConnectTo = Parameter(
        "fetch.connectTo", .texts, default: nil,
        summary: "Hosts that are reached elsewhere: HOST:PORT:OTHER-HOST:OTHER-PORT.",
        advice: """
            Calls to the first host and port are connected to the second. Name and certificate stay those of the \
            first: for a test with a stand-in, or a host behind another name.
            """)

    static let searchDeadline = Parameter(
        "search.deadline", .duration(.milliseconds(10) ... .seconds(300)), default: "10s",
        summary: "Time limit for each source of a search. The answer then has the results of the other sources.",
        advice: "A late source is reported as timed out, or as overloaded if Larder's own queue took a tenth of this "
            + "time or more.")
    static let searchDebounce = Parameter(
        "search.debounce", .duration(.zero ... .seconds(10)), default: "300ms",
        summary: "A call for a request with X-Larder-Session waits this long for a newer request of the session.",
        advice: "Stored answers are sent at once. X-Larder-Debounce sets the time for one request. 0 switches it off.")
    static let searchSessions = Parameter(
        "search.sessions", .count(1...100_000), default: "1000",
        summary: "The most typing sessions remembered. The least recently used are forgotten.", needsRestart: true)
    static let searchLiveMax = Parameter(
        "search.liveMax", .count(1...100_000), default: "200",
        summary: "The most asynchronous searches (Prefer: respond-async) at once, running and ended.",
        advice: "The oldest ended search is forgotten to make room. If all are running, a further one gets 503.")
    static let searchLiveKeep = Parameter(
        "search.liveKeep", .duration(.seconds(1) ... .seconds(86_400)), default: "5min",
        summary: "An asynchronous search can be read for this long after its end.")
    static let searchLiveSize = Parameter(
        "search.liveSize", .size((64 << 10)...(16 << 30)), default: "32 MiB",
        summary: "Memory for ended asynchronous searches. The oldest are forgotten to make room.")

    static let artworkTTL = Parameter(
        "artwork.ttl", .duration(.zero ... .seconds(365 * 86_400)), default: "30d",
        summary: "An image is fresh for this long. An image URL always names the same picture.")
    static let artworkMissingTTL = Parameter(
        "artwork.missingTTL", .duration(.zero ... .seconds(30 * 86_400)), default: "10min",
        summary: "A missing image is remembered as missing for this long.")
    static let artworkMaxSize = Parameter(
        "artwork.maxSize", .size((1 << 10)...(256 << 20)), default: "16 MiB",
        summary: "The largest image that is fetched.")
}
