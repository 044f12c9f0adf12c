// The records of the settings of one provider. Defaults that depend on the provider come from the provider itself; the
// others are here.
import LarderCore
import LarderProviders

extension SettingsTable {
    private static let year = Duration.seconds(365 * 86_400)

    // Facts about the built-in providers that the texts mention.
    private static let dialects = ProviderRegistry.list { about in
        about.dialects.isEmpty ? nil : "\(about.name): \(about.dialects.joined(separator: ", "))"
    }
    private static let searchHosts = ProviderRegistry.list { $0.searchBase == nil ? nil : $0.name }
    private static let signIns = ProviderRegistry.list { $0.signIn == nil ? nil : $0.name }
    static let keyVariables = ProviderRegistry.list { about in
        let own = about.keyVariables.filter { !$0.hasPrefix("LARDER_") }
        return own.isEmpty ? nil : "\(own.joined(separator: ", ")) (\(about.name))"
    }

    static let providerEnabled = Parameter(
        "providers.<name>.enabled", .flag, default: "true", summary: "Whether Larder asks this API at all.")
    static let providerKind = Parameter(
        "providers.<name>.kind", .choice(["passthrough"]), default: nil,
        summary: "passthrough makes a provider of your own: any HTTP API below /raw/<name>/, through the cache.",
        advice: "Built-in providers have no kind.")
    static let providerBaseURL = Parameter(
        "providers.<name>.baseURL", .text, default: nil,
        summary: "Where the API is: http or https, host, port and path.",
        advice: "Point a built-in provider at a stand-in or a mirror with it. It may be a private address.")
    static let providerDialect = Parameter(
        "providers.<name>.dialect", .text, default: nil,
        summary: "Which make of the API stands at baseURL, where there are several (\(dialects)).",
        advice: "All but the first need a baseURL, a mirror of your choice: their own origins are gone.")
    static let providerPlainHTTP = Parameter(
        "providers.<name>.plainHTTP", .flag, default: "false",
        summary: "Whether calls to a built-in API, and its redirects, may leave this machine unencrypted.",
        advice: "A baseURL with http on this very machine needs none of it; nor does a provider of your own.")
    static let providerSearchURL = Parameter(
        "providers.<name>.searchURL", .text, default: nil,
        summary: "The same for the host of its searches, where that is another one (\(searchHosts)).",
        advice: "A stand-in has to be named here as well as under baseURL.")
    static let providerKey = Parameter(
        "providers.<name>.key", .text, default: nil,
        summary: "The API's key: file:/path, env:NAME or the key itself.",
        advice: """
            A file that is not there yet, or not readable, leaves its provider unconfigured until it is. \
            A file <name>.key in $CREDENTIALS_DIRECTORY comes first; without any, the variable LARDER_<NAME>_KEY \
            is tried, or one of the API's own: \(keyVariables).
            """,
        isSecret: true)
    static let providerClientSecret = Parameter(
        "providers.<name>.clientSecret", .text, default: nil,
        summary:
            "The secret of your application, for an API with a sign-in (\(signIns)): file:/path, env:NAME or itself.",
        advice: """
            A file <name>.clientSecret in $CREDENTIALS_DIRECTORY comes first; without any, the variable \
            LARDER_<NAME>_CLIENTSECRET is tried. Without it a sign-in lasts as long as its first token.
            """,
        isSecret: true)
    static let providerSemantics = Parameter(
        "providers.<name>.semantics", .choice(ProviderSemantics.allCases.map(\.rawValue)), default: nil,
        summary: "Who decides about freshness: ttl, these settings; rfc, the answer itself by RFC 9111.",
        advice: "ttl for built-in providers, rfc for passthrough unless set.")
    static let providerCDNCacheControl = Parameter(
        "providers.<name>.cdnCacheControl", .flag, default: "false",
        summary: "Under rfc, CDN-Cache-Control counts for Larder too, where there is no Larder-Cache-Control.")
    static let providerForwardCookies = Parameter(
        "providers.<name>.forwardCookies", .flag, default: "false",
        summary: "Whether cookies of requests below /raw/<name>/ go to this provider of your own.",
        advice: """
            Below /raw all providers are one host to a browser, which sends there the cookies of this machine's other ports \
            too. On a listener bound to the provider cookies go without it.
            """)
    static let providerCookies = Parameter(
        "providers.<name>.cookies", .choice(ProviderCookies.allCases.map(\.rawValue)), default: "strict",
        summary: "Under rfc, whether answers that set cookies are stored.",
        advice: """
            strict: without their cookies, where they say public or s-maxage. drop: without their cookies, where they say how \
            long they hold. keep: with their cookies, for an API whose cookies are the same for all.
            """)
    static let providerPersonalCookies = Parameter(
        "providers.<name>.personalCookies", .flag, default: "true",
        summary:
            "Whether a request's cookies may change what it reads; false leaves them out of what the cache may answer.",
        advice: """
            A request with cookies gets a stored answer only if that answer says public, s-maxage or must-revalidate. With false \
            the cookies of GET and HEAD are removed, and those of QUERY and of POST by readOnlyPosts where the content is \
            part of the key. All other requests keep their cookies.
            """)
    static let providerReadOnlyPosts = Parameter(
        "providers.<name>.readOnlyPosts", .readOnlyPosts, default: nil,
        summary: "Under rfc, POST endpoints that only read: such as { path: /graphql, ttl: 1min, kind: graphql }.",
        advice: """
            The key holds the URL, the content, Content-Type, Content-Encoding, Content-Language and every other field of the \
            request but a fixed list: User-Agent, Accept-Encoding, Cache-Control, Date, Priority, X-Request-Id, \
            traceparent, tracestate, conditions, Range, the fields of the connection, \
            and credentials and cookies that are not sent to the API. A client that sends a different \
            value in another field with each request never gets a hit. An answer that does not say how long it holds is \
            stored for ttl; no-store and private count as ever. path is below baseURL, and * in it stands for one segment. \
            kind: any takes every POST to it for one that changes nothing; kind: graphql only queries: mutations, \
            subscriptions and what cannot be told pass, and answers with errors are not stored. What cannot be told is also \
            content longer than cache.maxQueryBody, a document by its hash or id (persistedQuery), and a parameter of the URL \
            whose letters hold query, operation, method, doc and the like; each such request removes what is stored for the URL. \
            A POST that asks for another method, by a field, a parameter or a form, or with a condition, passes.
            """)
    static let providerTTL = Parameter(
        "providers.<name>.ttl", .ttl, default: nil,
        summary: "Freshness of answers under ttl: one duration, or endpoint: duration with \"*\" for the rest.")
    static let providerEmptyTTL = Parameter(
        "providers.<name>.emptyTTL", .duration(.zero...year), default: nil,
        summary: "Freshness under ttl of an answer without results; of a provider of your own, without content (204).")
    static let providerNegativeTTL = Parameter(
        "providers.<name>.negativeTTL", .duration(.zero...year), default: nil,
        summary: "For this long \"there is no such thing\" is remembered under ttl.")
    static let providerStaleFor = Parameter(
        "providers.<name>.staleFor", .duration(.zero...year), default: nil,
        summary: "For this long past its freshness an entry answers when the API fails, is slow or may not be called.")
    static let providerStaleWhileRefresh = Parameter(
        "providers.<name>.staleWhileRefresh", .duration(.zero...year), default: nil,
        summary:
            "For this long past its freshness an entry answers at once while it is refreshed; then one waits for the API.",
        advice:
            "1d unless set, and never longer than staleFor. Not for rfc: there the answer's own stale-while-revalidate counts."
    )
    static let providerRate = Parameter(
        "providers.<name>.rate", .rate, default: nil,
        summary: "Upstream calls in any window, such as 20/min; or off.",
        advice: """
            Hits and joined requests cost nothing. An API can lower the limit with RateLimit and RateLimit-Policy, also where \
            this says off: no more calls are made than it says remain, until its reset, at most a day ahead. It cannot raise \
            the limit. What it says to the credentials of a client does not count.
            """)
    static let providerQuota = Parameter(
        "providers.<name>.quota", .rate, default: nil,
        summary: "A second, longer limit, such as 100/day; or off. Remembered across restarts.")
    static let providerDeadline = Parameter(
        "providers.<name>.deadline", .duration(.milliseconds(100) ... .seconds(600)), default: nil,
        summary: "Within this the head of its answer must have come; of a built-in API, the whole answer.",
        advice: "fetch.deadline unless set.")
    static let providerMaxConnections = Parameter(
        "providers.<name>.maxConnections", .count(1...1024), default: "8",
        summary: "Exchanges with it under way at once whose pace is the API's; more wait for their turn.",
        advice: "At most half of fetch.maxTransfers: the rest is for the other providers.")
    static let providerMaxStreams = Parameter(
        "providers.<name>.maxStreams", .count(1...4096), default: "32",
        summary:
            "The same for those whose pace is a client's: uploads, event streams, long answers that are not stored.",
        advice: """
            They come on top of maxConnections. At most half of fetch.maxStreams. One more upload or event stream (one \
            that its client asks for by Accept) waits unsent, and is answered with 503 and Retry-After when its turn \
            does not come; any other answer takes a place of maxConnections until one of those waits for it.
            """)
    static let providerMaxQueue = Parameter(
        "providers.<name>.maxQueue", .count(0...100_000), default: "500",
        summary: "Fetches that may wait for their turn with it, of each of the two kinds; one more gets 503 at once.",
        advice: """
            At most half of fetch.maxQueue. When it is full, the last fetch of the client that has the most waiting makes \
            room for a client that has fewer.
            """)
    static let providerImageHosts = Parameter(
        "providers.<name>.imageHosts", .texts, default: nil,
        summary: "Where its images may come from: a host, *.suffix, * (any public host), or a full origin.",
        advice:
            "A full origin such as http://127.0.0.1:9000 permits exactly that one, private or not. Not for passthrough."
    )

    static let providerShared = Parameter(
        "providers.<name>.shared", .flag, default: "true",
        summary: "Whether its answers go to and come from the shared tier, where there is one (shared.url).",
        advice: """
            The default is false for a provider of your own whose baseURL is on this machine (localhost, a loopback address): \
            another host may have another service there.
            """)

    static let provider = [
        providerEnabled, providerKind, providerBaseURL, providerSearchURL, providerDialect, providerPlainHTTP,
        providerKey, providerClientSecret, providerSemantics, providerCDNCacheControl,
        providerForwardCookies, providerCookies, providerPersonalCookies, providerReadOnlyPosts, providerTTL,
        providerEmptyTTL, providerNegativeTTL, providerStaleFor, providerStaleWhileRefresh, providerRate, providerQuota,
        providerDeadline, providerMaxConnections, providerMaxStreams, providerMaxQueue,
        providerImageHosts, providerShared,
    ]
}
