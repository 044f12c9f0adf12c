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
        summary: "Bytes the cache may hold on disk; the least recently used entries make room.")
    static let cacheMemorySize = Parameter(
        "cache.memorySize", .size(0...(64 << 30)), default: "64 MiB",
        summary: "Bytes of ready answers kept in memory above the database; 0 switches the memory tier off.")
    static let cacheMaxObject = Parameter(
        "cache.maxObject", .size((1 << 10)...(1 << 36)), default: "32 MiB",
        summary: "The largest body that is stored. Of a larger one only parts are stored, together no more than this.",
        advice: "Where it is not written it is at most half of maxSize.")
    static let cacheMaxQueryBody = Parameter(
        "cache.maxQueryBody", .size(0...(4 << 20)), default: "64 KiB",
        summary: "The longest content of a QUERY, or of a POST that only reads, whose answer is stored; 0 stores none.",
        advice: "For providers with semantics: rfc. Longer content, and content of unknown length, is passed on.")
    static let cacheMinFree = Parameter(
        "cache.minFree", .size(0...(1 << 40)), default: "256 MiB",
        summary: "With less than this free on the file system nothing is stored; Larder goes on serving.",
        advice: "Where it is not written it is at most a tenth of the file system.")
    static let cacheHighWater = Parameter(
        "cache.highWater", .count(50...100), default: "95",
        summary: "Percent of maxSize at which eviction begins.")
    static let cacheLowWater = Parameter(
        "cache.lowWater", .count(10...99), default: "85", summary: "Percent of maxSize at which eviction ends.")
    static let cachePatience = Parameter(
        "cache.patience", .duration(.milliseconds(1) ... .seconds(60)), default: "50ms",
        summary: "How long an answer waits until the cache database has it; then it goes out and the write goes on.",
        advice: "A look-up waits five times as long and is a miss then, an invalidation twenty times.")
    static let cacheCommitWithin = Parameter(
        "cache.commitWithin", .duration(.zero ... .seconds(10)), default: "100ms",
        summary: "An answer counts as stored at once, and is safe from a crash of Larder so much later.",
        advice: "Answers of that time share a commit. With 0 each waits for its own, up to cache.patience.")
    static let cacheJitter = Parameter(
        "cache.jitter", .count(0...10), default: "10",
        summary: "Entries become due up to this many percent early, each by its own key.",
        advice: "So that what was fetched together is not due together.")
    static let cache = [
        cachePath, cacheMaxSize, cacheMemorySize, cacheMaxObject, cacheMaxQueryBody, cacheMinFree, cacheHighWater,
        cacheLowWater,
        cachePatience, cacheCommitWithin, cacheJitter,
    ]

    static let statePath = Parameter(
        "state.path", .text, default: nil, summary: "Directory of state.db.",
        advice: "Without it: $STATE_DIRECTORY, $XDG_STATE_HOME/larder or ~/.local/state/larder.", needsRestart: true)
    static let state = [statePath]

    static let fetchUserAgent = Parameter(
        "fetch.userAgent", .text, default: "Larder/\(LarderVersion.text)",
        summary: "How Larder names itself to the APIs.", advice: "Add a way to reach you if you call much.")
    static let fetchConnectTimeout = Parameter(
        "fetch.connectTimeout", .duration(.milliseconds(100) ... .seconds(120)), default: "5s",
        summary: "Within this a connection to an API must stand, TLS included.")
    static let fetchDeadline = Parameter(
        "fetch.deadline", .duration(.milliseconds(100) ... .seconds(600)), default: "20s",
        summary: "Within this a whole upstream exchange ends, redirects and the one retry included.",
        advice: "It begins when the request is sent. The wait for its turn has a bound of its own, fetch.queueTimeout.")
    static let fetchSoftDeadline = Parameter(
        "fetch.softDeadline", .duration(.milliseconds(10) ... .seconds(600)), default: "2s",
        summary: "An upstream slower than this is answered with a stale entry, where there is one; the fetch goes on.",
        advice: "Keep it below the patience of your clients.")
    static let fetchFailurePause = Parameter(
        "fetch.failurePause", .duration(.zero ... .seconds(3600)), default: "1s",
        summary: "For this long a failed fetch answers the same question, instead of one more call; 0 asks anew.",
        advice: "It keeps a crowd of clients from becoming a crowd of calls; suspensions come on top of it.")
    static let fetchMaxBody = Parameter(
        "fetch.maxBody", .size((1 << 10)...(1 << 30)), default: "128 MiB",
        summary: "The largest answer that is taken whole from an upstream; a larger one is broken off.",
        advice: "It is held in memory while it is read. Answers of passthrough providers stream and have no limit.")
    static let fetchMaxMemory = Parameter(
        "fetch.maxMemory", .size((1 << 20)...(64 << 30)), default: "256 MiB",
        summary: "Memory for answers that are taken whole, of all fetches together; one that finds no room gets 503.",
        advice: """
            An answer counts from its head on, or as it grows, until it is answered and stored. Those of up to 64 KiB \
            are not counted, and the only one that is may be as large as fetch.maxBody. Streams have 1 MiB each.
            """)
    static let fetchMaxTransfers = Parameter(
        "fetch.maxTransfers", .count(1...1024), default: "64",
        summary: "Upstream exchanges under way at once whose pace is the API's, of all providers; more wait.",
        advice: "How many of them one provider may have is its maxConnections.")
    static let fetchMaxStreams = Parameter(
        "fetch.maxStreams", .count(1...4096), default: "128",
        summary: "Upstream exchanges under way at once whose pace is a client's, of all providers.",
        advice: """
            These are uploads, event streams and other long answers that are passed on without being stored. They \
            come on top of fetch.maxTransfers. How many of them one provider may have is its maxStreams.
            """)
    static let fetchMaxQueue = Parameter(
        "fetch.maxQueue", .count(1...100_000), default: "1000",
        summary: "Fetches that may wait for their turn, of each of the two kinds and of all providers.",
        advice: """
            One more is answered with 503 and Retry-After at once. A provider's own bound is its maxQueue. The clients \
            that wait for one provider take turns: users of the Unix socket, sessions, connections.
            """)
    static let fetchQueueTimeout = Parameter(
        "fetch.queueTimeout", .duration(.milliseconds(10) ... .seconds(600)), default: "10s",
        summary: "A fetch whose turn has not come within this is answered with 503 and Retry-After.",
        advice: "Nothing was sent and no call is counted then. The deadline of a fetch begins when it is sent.")
    static let fetchSideBySide = Parameter(
        "fetch.sideBySide", .count(1...256), default: "16",
        summary: "Calls that one answer may have under way at once, where it takes several: a list and its items.",
        advice: "fetch.maxTransfers bounds all of them together, the provider's rate and quota as well.")
    static let fetchCallsPerAnswer = Parameter(
        "fetch.callsPerAnswer", .count(1...5000), default: "600",
        summary: "Calls and look-ups that one answer may take in all; an answer that would need more is partial.")
    static let fetchRefreshOnReturn = Parameter(
        "fetch.refreshOnReturn", .count(0...10_000), default: "50",
        summary: "Stale answers given while a provider was away that are refreshed when it is back, of each provider.",
        advice: "One at a time, the last one asked for first, within half of its rate and quota; 0 switches it off.")
    static let fetchProxy = Parameter(
        "fetch.proxy", .text, default: nil,
        summary: "URL of a proxy for all upstream calls: http://host:port or socks5h://host:port.",
        advice: "http_proxy and its like in the environment are never followed.")
    static let fetch = [
        fetchUserAgent, fetchConnectTimeout, fetchDeadline, fetchSoftDeadline, fetchFailurePause, fetchMaxBody,
        fetchMaxMemory, fetchMaxTransfers, fetchMaxStreams, fetchMaxQueue, fetchQueueTimeout, fetchSideBySide,
        fetchCallsPerAnswer, fetchRefreshOnReturn, fetchProxy,
    ]

    static let searchDeadline = Parameter(
        "search.deadline", .duration(.milliseconds(10) ... .seconds(300)), default: "10s",
        summary: "A source slower than this is left out, and the others' results are answered.",
        advice: "It is reported as timed out, or as overloaded where Larder's own queue took a tenth of this time or "
            + "more.")
    static let searchDebounce = Parameter(
        "search.debounce", .duration(.zero ... .seconds(10)), default: "300ms",
        summary: "For this long a call is held back for a request with X-Larder-Session, should a newer one come.",
        advice: "What is stored is answered at once. X-Larder-Debounce sets it for one request; 0 switches it off.")
    static let searchSessions = Parameter(
        "search.sessions", .count(1...100_000), default: "1000",
        summary: "Sessions of typing that are remembered; the least recently used make room.", needsRestart: true)
    static let searchLiveMax = Parameter(
        "search.liveMax", .count(1...100_000), default: "200",
        summary: "Asynchronous searches (Prefer: respond-async) known at once, under way and ended.",
        advice: "The oldest that has ended makes room; when all are under way, a further one gets 503.")
    static let searchLiveKeep = Parameter(
        "search.liveKeep", .duration(.seconds(1) ... .seconds(86_400)), default: "5min",
        summary: "For this long an asynchronous search can be read after its end.")
    static let searchLiveSize = Parameter(
        "search.liveSize", .size((64 << 10)...(16 << 30)), default: "32 MiB",
        summary: "Bytes of ended asynchronous searches that are kept; the oldest make room.")
    static let search = [
        searchDeadline, searchDebounce, searchSessions, searchLiveMax, searchLiveKeep, searchLiveSize,
    ]

    static let artworkTTL = Parameter(
        "artwork.ttl", .duration(.zero ... .seconds(365 * 86_400)), default: "30d",
        summary: "Freshness of an image; their URLs name one picture for ever.")
    static let artworkMissingTTL = Parameter(
        "artwork.missingTTL", .duration(.zero ... .seconds(30 * 86_400)), default: "10min",
        summary: "For this long a missing image is remembered as missing.")
    static let artworkMaxSize = Parameter(
        "artwork.maxSize", .size((1 << 10)...(256 << 20)), default: "16 MiB",
        summary: "The largest image that is fetched.")
    static let artwork = [artworkTTL, artworkMissingTTL, artworkMaxSize, artworkKey]
}
