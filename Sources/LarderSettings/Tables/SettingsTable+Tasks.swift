// What users want to do, in the order of the manual. Each setting belongs to one task.
import LarderCore
import LarderProviders

extension SettingsTable {
    /// Every task. The last one is followed in the manual by the facts of the built-in APIs.
    public static let tasks: [Task] = dailyTasks + apiTasks + houseTasks + limitTasks

    private static let dailyTasks: [Task] = [
        Task(
            "Listen elsewhere, and let containers in",
            "By default only programs on this machine reach Larder. With the example, containers and other machines "
                + "can call it as `http://larder:8787`. Larder does not ask them who they are.",
            example: """
                listen: ["0.0.0.0:8787", "unix:/run/larder/larder.sock"]
                allowRemote: true
                hostNames: [larder]
                """,
            [listen, allowRemote, hostNames, browserOrigins]),
        Task(
            "Say who may change Larder's state",
            "Everybody who reaches Larder may read. To purge entries or to resume an API, a client must be root, "
                + "Larder's own user or one of these users on the Unix socket, or send the token over TCP.",
            example: "admin:\n  users: [1000]\n  token: file:/etc/larder/credentials/admin.token",
            [adminUsers, adminToken]),
        Task(
            "Tell tools apart, and share quotas among them",
            "Larder counts the calls of each named tool. A share keeps a part of each rate and quota for one tool, so "
                + "that the others cannot spend all of it.",
            example: """
                tools:
                  - { name: editor, user: 1000, share: 20 % }
                  - { name: ci, token: file:/etc/larder/credentials/tools.ci }
                  - { name: notebook }
                """,
            [tools]),
        Task(
            "Use Larder as a proxy for any program",
            "A program whose base URL cannot be changed uses a listener with `proxy: true` as its `http_proxy` and "
                + "`https_proxy`. [The proxy](proxy.md) explains it, and `larder run`, which needs no settings.",
            example: """
                listen: ["127.0.0.1:8787", "unix:/run/larder/larder.sock", { address: "127.0.0.1:8788", proxy: true }]
                proxy:
                  hosts: { deb.debian.org: cache, telemetry.example: refuse }
                """,
            [proxyHosts, proxyOthers, proxyPorts, proxyPassword, proxyMaxTunnels, proxyIdleTimeout, proxyTotalTimeout]),
    ]

    private static let apiTasks: [Task] = [
        Task(
            "Add an API of your own",
            "With the example, `http://127.0.0.1:8787/raw/forge/repos` gives the forge's `/api/v1/repos`, cached, and "
                + "Larder adds the key. This is *pass-through*. To have the API searched as well, leave out `kind` and "
                + "[describe its questions](your-own-api.md).",
            example: """
                providers:
                  forge:
                    kind: passthrough
                    baseURL: https://forge.example/api/v1
                    key: file:/etc/larder/credentials/forge.key
                    keyIn: header Authorization token
                """,
            [providerKind, providerBaseURL, providerKey, providerKeyIn, providerRequestFields, providerCA]),
        Task(
            "Pass-through: APIs and hosts without a description", passthroughIntroduction,
            example: """
                providers:
                  forge:
                    kind: passthrough
                    baseURL: https://forge.example/api/v1
                    ttl: { "/repos/*": 1h, "/repos/**": 10min, "*": 1min }
                    keyFields: [X-Tenant]
                """,
            [
                providerCDNCacheControl, providerReadOnlyPosts, cacheMaxQueryBody, providerKeyFields,
                providerKeyCredentials, providerCookies, providerPersonalCookies, providerForwardCookies,
                providerUpgrades, providerIdleTimeout, proxyTTL, proxyStaleFor, proxyStaleWhileRefresh, proxyCookies,
            ]),
        Task(
            "Decide how long answers are fresh",
            "A fresh answer is sent without a call. For built-in and described APIs these settings decide how long "
                + "that is.",
            example: "providers:\n  itunes: { ttl: { search: 12h, \"*\": 1d }, emptyTTL: 1h }",
            [providerSemantics, providerTTL, providerEmptyTTL, providerNegativeTTL, cacheJitter]),
        Task(
            "Use stored answers while an API or the network is away",
            "After its lifetime an answer is *stale*. Larder sends it if the API is slow, limited or away.",
            example: "providers:\n  itunes: { staleFor: 90d }\nfetch:\n  softDeadline: 1s",
            [
                providerStaleFor, providerStaleWhileRefresh, fetchSoftDeadline, fetchFailurePause,
                fetchRefreshOnReturn,
            ]),
        Task(
            "Stay within the limits of an API",
            "A *budget* is a rate and a quota of calls. When it is spent, Larder sends a stale answer if it has one, "
                + "otherwise 429.",
            example: "providers:\n  newsapi: { rate: 10/min, quota: 80/day }\nquota:\n  reserve: 10 %",
            [providerRate, providerQuota, quotaReserve]),
    ]

    private static var passthroughIntroduction: String {
        let own = SettingsLoader.passthrough("example")
        return """
            These settings are for APIs with `kind: passthrough`, and those below `proxy` for `cache` hosts of the \
            proxy. Such answers are passed on as they are. RFC 9111 and the answer decide what is stored and for how \
            long (`semantics: rfc`). Give lifetimes to an API that states none; here they depend on the path.

            Lifetimes, budgets and limits have sections of their own, for all APIs: \
            [freshness](#decide-how-long-answers-are-fresh), \
            [stale answers](#use-stored-answers-while-an-api-or-the-network-is-away), \
            [budgets](#stay-within-the-limits-of-an-api), [limits](#limit-the-calls-to-apis). Their defaults for a \
            pass-through API: `semantics` is rfc, `staleFor` is \(Units.format(duration: own.staleFor)), `rate` and \
            `quota` are off. With `semantics: ttl`, `ttl` is \
            \(Units.format(duration: own.endpoints.first?.ttl ?? .zero)) and `negativeTTL` is \
            \(Units.format(duration: own.negativeTTL)).
            """
    }

    private static let houseTasks: [Task] = [
        Task(
            "Limit disk and memory",
            "The cache is one SQLite database. It may be deleted while Larder is stopped. The state (budgets, "
                + "suspensions, keys) is a small database of its own and should be kept.",
            example: "cache:\n  maxSize: 20 GiB\n  maxObject: 512 MiB\n  memorySize: 256 MiB",
            [
                cacheMaxSize, cacheMemorySize, cacheMaxObject, cacheMinFree, fetchMaxBody, fetchMaxMemory, cachePath,
                statePath, cacheHighWater, cacheLowWater, cachePatience, cacheCommitWithin,
            ]),
        Task(
            "Share answers among several hosts",
            "Several hosts share answers and budgets through a Redis or Valkey. [Fleet](fleet.md) explains it. The "
                + "keys are the same on each host.",
            example: """
                shared:
                  url: redis://10.0.0.5:6379/0
                  key: file:/etc/larder/credentials/shared.key
                artwork:
                  key: file:/etc/larder/credentials/artwork.key
                """,
            [
                sharedURL, sharedKey, sharedPassword, artworkKey, sharedPrefix, sharedTimeout, sharedMaxObject,
                sharedLeases, sharedQuota, providerShared,
            ]),
        Task(
            "Fetch artwork", "Larder fetches and stores the images of results, from hosts that you permit.",
            example: "artwork:\n  ttl: 90d\n  maxSize: 32 MiB",
            [artworkTTL, artworkMissingTTL, artworkMaxSize, providerImageHosts]),
        Task(
            "Upload to \(takers)", "Larder takes pictures and films, and sends them on.",
            example: "uploads:\n  maxFilm: 500 MiB",
            [uploadsMaxSize, uploadsMaxFilm, uploadsMaxPause, uploadsMaxEntries, uploadsAtOnce, uploadsKeep]),
        Task(
            "Search several sources", "A search asks its sources side by side, and waits for each at most this long.",
            example: "search:\n  deadline: 5s",
            [
                searchDeadline, searchDebounce, searchSessions, searchLiveMax, searchLiveKeep, searchLiveSize,
                fetchSideBySide, fetchCallsPerAnswer,
            ]),
        Task(
            "Choose what the log says", "The log goes to standard error, or under systemd to the journal.",
            example: "log:\n  access: all\n  format: json", [logLevel, logAccess, logFormat]),
    ]

    private static let limitTasks: [Task] = [
        Task(
            "Reach the APIs another way", "Larder can call the APIs through a proxy, or find a host elsewhere.",
            example: "fetch:\n  proxy: http://proxy.example:3128\n  userAgent: Larder (admin@example.org)",
            [fetchProxy, fetchConnectTo, fetchUserAgent]),
        Task(
            "Limit the calls to APIs",
            "A call waits for a place and then has a time limit. Raise `deadline` for a slow API.",
            example: "providers:\n  openlibrary: { deadline: 60s, maxConnections: 2 }",
            [
                fetchConnectTimeout, fetchDeadline, fetchQueueTimeout, fetchMaxTransfers, fetchMaxStreams,
                fetchMaxQueue, providerDeadline, providerMaxConnections, providerMaxStreams, providerMaxQueue,
            ]),
        Task(
            "Limit the clients",
            "The defaults suit most machines. These settings limit what slow clients, or very many, can use.",
            example: "server:\n  maxConnections: 1000\n  maxBody: 4 MiB",
            [
                loops, serverMaxConnections, serverMaxEventStreams, serverMaxBody, serverHeadTimeout,
                serverBodyTimeout, serverIdleTimeout, serverWriteTimeout, serverMinimumRate, serverRateWindow,
                serverHalfClose, serverDrainTimeout,
            ]),
        Task(
            "Use the built-in APIs",
            "These APIs are ready to use; some need a key. The tables below list the defaults of each. The settings of "
                + "the other sections that begin with `providers.<name>` apply to them too, unless they say otherwise.",
            example: """
                providers:
                  tmdb: { key: file:/etc/larder/credentials/tmdb.key }
                  jokes: { enabled: false }
                """,
            [providerEnabled, providerDialect, providerSearchURL, providerPlainHTTP, providerClientSecret]),
    ]
}
