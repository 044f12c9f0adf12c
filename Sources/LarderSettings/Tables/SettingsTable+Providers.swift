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
        "providers.<name>.enabled", .flag, default: "true", summary: "Whether Larder uses this API.")
    static let providerKind = Parameter(
        "providers.<name>.kind", .choice(["passthrough"]), default: nil,
        summary: "passthrough adds a provider of your own: any HTTP API, cached, below /raw/<name>/.",
        advice: "Built-in providers have no kind.")
    static let providerBaseURL = Parameter(
        "providers.<name>.baseURL", .text, default: nil,
        summary: "The URL of the API: http or https, host, port and path.",
        advice: "It can point a built-in provider at a stand-in or a mirror. It may be a private address.")
    static let providerDialect = Parameter(
        "providers.<name>.dialect", .text, default: nil,
        summary: "Which variant of the API is at baseURL, if the API has several (\(dialects)).",
        advice: "All but the first need a baseURL, a mirror of your choice: their own origins are gone.")
    static let providerPlainHTTP = Parameter(
        "providers.<name>.plainHTTP", .flag, default: "false",
        summary: "Whether calls to a built-in API, redirects included, may leave this machine unencrypted.",
        advice: """
            It is not needed for a baseURL with http on this machine, nor for a provider of your own, except for calls \
            to the token server of keyIn: oauth2.
            """)
    static let providerCA = Parameter(
        "providers.<name>.ca", .text, default: nil,
        summary: "A PEM file of the certificate authorities that vouch for this API, such as a private one.",
        advice: """
            It replaces the system's authorities for this provider's calls, redirects included, for its token server \
            (keyIn: oauth2), and for images on the host of baseURL. Without it, the file that SSL_CERT_FILE names \
            counts, otherwise the system's. A kept connection serves only providers with the same authorities.
            """)
    static let providerSearchURL = Parameter(
        "providers.<name>.searchURL", .text, default: nil,
        summary: "The URL of the API's search host, if searches have a host of their own (\(searchHosts)).",
        advice: "To use a stand-in, set both this and baseURL.")
    static let providerKey = Parameter(
        "providers.<name>.key", .text, default: nil,
        summary: "The API's key: file:/path, env:NAME or the key itself.",
        advice: """
            If the file is missing or cannot be read, the provider stays unconfigured until it can be read. A file \
            <name>.key in $CREDENTIALS_DIRECTORY comes first. Without either, Larder tries the variable \
            LARDER_<NAME>_KEY, or one of the API's own: \(keyVariables).
            """,
        isSecret: true)
    static let providerKeyIn = Parameter(
        "providers.<name>.keyIn", .text, default: "bearer",
        summary:
            "Where a provider of your own takes its key: bearer, basic, header NAME, header NAME SCHEME, query NAME or "
            + "oauth2 TOKEN_URL SCOPE….",
        advice: """
            - bearer sends Authorization: Bearer KEY.
            - basic sends Authorization: Basic. The key is user:password.
            - header X-Api-Key sends that field. header Authorization Token sends Authorization: Token KEY.
            - query apikey adds that parameter to the URL. An API that repeats its URL in the data of its answers \
            tells the key to every client.
            - oauth2 https://login.example/token read gets a token for the application itself (OAuth 2 client \
            credentials, RFC 6749 §4.4) and sends Authorization: Bearer TOKEN. Scopes may follow the URL. The key is \
            client_id:client_secret and goes to the token server only. The token is kept in state.db, and renewed \
            before it expires and after a 401.
            - What a client sends in the same place is replaced. So clients need no key and share the answers.
            """)
    static let providerRequestFields = Parameter(
        "providers.<name>.requestFields", .fields, default: nil,
        summary:
            "Fields that Larder sends with every request to this API, such as { Accept: application/vnd.github+json }.",
        advice: """
            They replace what a client sends under the same name. The fields are part of the cache key: with another \
            value, everything is fetched again. User-Agent replaces fetch.userAgent for this API. The values are shown \
            like every other setting; set a secret with key. These fields are not possible: fields of the connection, \
            conditions, Range, Cache-Control, Accept-Encoding, Authorization, Cookie, and fields that describe a \
            content.
            """)
    static let providerClientSecret = Parameter(
        "providers.<name>.clientSecret", .text, default: nil,
        summary:
            "Your application's secret, for an API with a sign-in (\(signIns)): file:/path, env:NAME or the secret.",
        advice: """
            A file <name>.clientSecret in $CREDENTIALS_DIRECTORY comes first. Without either, Larder tries the \
            variable LARDER_<NAME>_CLIENTSECRET. Without a secret, a sign-in lasts as long as its first token.
            """,
        isSecret: true)
    static let providerSemantics = Parameter(
        "providers.<name>.semantics", .choice(ProviderSemantics.allCases.map(\.rawValue)), default: nil,
        summary: "What decides about freshness. ttl: these settings. rfc: the answer itself, by RFC 9111.",
        advice: "The default is ttl for built-in providers and rfc for passthrough.")
    static let providerCDNCacheControl = Parameter(
        "providers.<name>.cdnCacheControl", .flag, default: "false",
        summary: "Under rfc, whether Larder obeys CDN-Cache-Control in answers without Larder-Cache-Control.")
    static let providerForwardCookies = Parameter(
        "providers.<name>.forwardCookies", .flag, default: "false",
        summary: "Whether cookies of requests below /raw/<name>/ are sent to this provider of your own.",
        advice: """
            To a browser, all providers below /raw are one host, and it also sends the cookies of this machine's other \
            ports there. On a listener bound to the provider, cookies are sent without this setting.
            """)
    static let providerCookies = Parameter(
        "providers.<name>.cookies", .choice(ProviderCookies.allCases.map(\.rawValue)), default: "strict",
        summary: "Under rfc, whether answers that set cookies are stored.",
        advice: """
            - strict: stored without cookies if the answer says public or s-maxage.
            - drop: stored without cookies if the answer says how long it is fresh.
            - keep: stored with cookies, for an API whose cookies are the same for all.
            """)
    static let providerPersonalCookies = Parameter(
        "providers.<name>.personalCookies", .flag, default: "true",
        summary:
            "Whether cookies may change what a request reads. false removes them if the cache may answer the request.",
        advice: """
            A request with cookies gets a stored answer only if that answer says public, s-maxage or must-revalidate. \
            With false, Larder removes the cookies of GET and HEAD. It also removes those of QUERY and of POST by \
            readOnlyPosts if the content is part of the key. All other requests keep their cookies.
            """)
    static let providerKeyCredentials = Parameter(
        "providers.<name>.keyCredentials", .flag, default: "true",
        summary: "Whether request fields that look like credentials, such as X-Api-Key, are part of the cache key.",
        advice: """
            A field looks like a credential if its name ends with key, token, secret, auth, password, signature, \
            session, jwt or the like. With true, each caller has stored answers of its own. With false, all callers \
            share the answers, as RFC 9111 permits. Authorization and cookies have their own rules.
            """)
    static let providerKeyFields = Parameter(
        "providers.<name>.keyFields", .texts, default: nil,
        summary: "Further request fields that are part of the cache key, such as [X-Tenant].",
        advice: """
            - Under rfc, all fields go to the API, and its Vary says which of them select an answer. Name here what \
            Vary leaves out.
            - Under ttl, only these fields of a read go to the API, beside Accept, Accept-Language, Authorization, \
            cookies and what looks like a credential. Accept and Accept-Language are part of the key.
            - A field whose value is new in each request ends all hits.
            """)
    static let providerUpgrades = Parameter(
        "providers.<name>.upgrades", .texts, default: nil,
        summary: "Protocols that a request may change its connection to, besides websocket, such as [tcp, SPDY/3.1].",
        advice: """
            After the API's answer 101 the connection is a tunnel, with the limits of proxy.idleTimeout, \
            proxy.totalTimeout and proxy.maxTunnels. The request counts as a call, and nothing of it is stored. h2c is \
            never passed on.
            """)
    static let providerReadOnlyPosts = Parameter(
        "providers.<name>.readOnlyPosts", .readOnlyPosts, default: nil,
        summary: "Under rfc, POST endpoints that only read, such as { path: /graphql, ttl: 1min, kind: graphql }.",
        advice: """
            - path is below baseURL, and may contain * and ** as in ttl.
            - ttl is for answers that do not say how long they are fresh. no-store and private apply as always.
            - kind: any treats every POST to the path as one that changes nothing.
            - kind: graphql treats only queries so, and does not store answers with errors. Mutations, subscriptions \
            and requests whose operation is uncertain are passed on. Each such request removes what is stored for the \
            URL.
            - The operation is uncertain if the content is longer than cache.maxQueryBody, if it holds no valid \
            document, if the document is named by its hash or id (persistedQuery), or if the URL has a parameter whose \
            name contains query, operation, method, doc and the like.
            - A POST that asks for another method, by a field, a parameter or a form, or that has a condition, is \
            passed on.
            - The cache key holds the URL, the content, Content-Type, Content-Encoding, Content-Language and every \
            other field of the request except User-Agent, Accept-Encoding, Cache-Control, Date, Priority, \
            X-Request-Id, traceparent, tracestate, conditions, Range, the fields of the connection, and credentials \
            and cookies that are not sent to the API. A client that sends a new value in any other field with each \
            request never gets a hit.
            """)
    static let providerTTL = Parameter(
        "providers.<name>.ttl", .ttl, default: nil,
        summary: "Under ttl, how long answers are fresh: one duration, or one for each endpoint (\"*\" is the rest).",
        advice: """
            - Each answer's time is shorter by up to cache.jitter percent.
            - For a pass-through API, the mapping has paths below baseURL, such as { "/items/*": 1h, "/files/**": 7d, \
            "*": 10min }. A segment * stands for any one segment, and ** at the end for everything below. If several \
            paths match, the one that is more exact from the left counts.
            - Under rfc, it counts for answers of a pass-through API that do not say how long they are fresh, in place \
            of a guess from Last-Modified. no-store, private and no-cache apply as always.
            - Under ttl, a shorter time applies at once to what is stored too. A longer time, and any time under rfc, \
            applies to what is stored from then on.
            """)
    static let providerEmptyTTL = Parameter(
        "providers.<name>.emptyTTL", .duration(.zero...year), default: nil,
        summary: "Under ttl, how long an answer without results is fresh; for passthrough, one without content (204).")
    static let providerNegativeTTL = Parameter(
        "providers.<name>.negativeTTL", .duration(.zero...year), default: nil,
        summary: "Under ttl, how long Larder remembers that a thing does not exist.")
    static let providerStaleFor = Parameter(
        "providers.<name>.staleFor", .duration(.zero...year), default: nil,
        summary: "A stale entry may be served for this long if the API fails, is slow or must not be called.",
        advice: """
            Under rfc it is served if no answer comes from the API. An error that the API sends is passed on, unless \
            the stored answer permits otherwise by stale-if-error.
            """)
    static let providerStaleWhileRefresh = Parameter(
        "providers.<name>.staleWhileRefresh", .duration(.zero...year), default: nil,
        summary:
            "A stale entry is served at once for this long and is refreshed. After that, clients wait for the API.",
        advice:
            "The default is 1d, and never longer than staleFor. Under rfc the answer's stale-while-revalidate decides."
    )
    static let providerRate = Parameter(
        "providers.<name>.rate", .rate, default: nil,
        summary: "The most upstream calls in any window of time, such as 20/min or 20/10s, or off.",
        advice: """
            Only calls count, not hits and joined requests. An API can lower the limit with RateLimit and \
            RateLimit-Policy, even if this is off: until its reset, at most a day ahead, Larder makes no more calls \
            than the API says remain. It cannot raise the limit. RateLimit fields in answers to a client's own \
            credentials do not count.
            """)
    static let providerQuota = Parameter(
        "providers.<name>.quota", .rate, default: nil,
        summary: "A second, longer limit on upstream calls, such as 100/day, or off. Restarts keep the count.")
    static let providerDeadline = Parameter(
        "providers.<name>.deadline", .duration(.milliseconds(100) ... .seconds(600)), default: nil,
        summary: "Time limit for the head of an answer of this API; for a built-in API, for the whole answer.",
        advice: "The default is fetch.deadline.")
    static let providerIdleTimeout = Parameter(
        "providers.<name>.idleTimeout", .duration(.zero ... .seconds(86_400)), default: "30s",
        summary: "A body of this API is given up if no byte of it arrives for this long. 0s permits any silence.",
        advice: """
            An event stream (text/event-stream) may be silent for as long as it likes. Silence before the head, as of \
            a long poll, is limited by deadline.
            """)
    static let providerMaxConnections = Parameter(
        "providers.<name>.maxConnections", .count(1...1024), default: "8",
        summary: "The most ordinary exchanges with this API at once. Further ones wait for a place.",
        advice: "At most half of fetch.maxTransfers; the rest is for the other providers.")
    static let providerMaxStreams = Parameter(
        "providers.<name>.maxStreams", .count(1...4096), default: "32",
        summary:
            "The most exchanges at once whose pace a client sets: uploads, event streams, long answers not stored.",
        advice: """
            They come on top of maxConnections. At most half of fetch.maxStreams. A further upload or event stream (a \
            request that asks for one with Accept) waits unsent, and is answered with 503 and Retry-After if it gets \
            no place in time. Any other long answer takes a place of maxConnections, until a fetch waits for that \
            place.
            """)
    static let providerMaxQueue = Parameter(
        "providers.<name>.maxQueue", .count(0...100_000), default: "500",
        summary: "The most fetches that wait for a place with this API. Streams are counted apart.",
        advice: """
            A further fetch gets 503 at once. At most half of fetch.maxQueue. If the queue is full, a client with \
            fewer waiting fetches takes the place of the last fetch of the client that has the most.
            """)
    static let providerImageHosts = Parameter(
        "providers.<name>.imageHosts", .texts, default: nil,
        summary: "The hosts its images may come from: a host, *.suffix, * (any public host), or a full origin.",
        advice: """
            A full origin such as http://127.0.0.1:9000 permits only itself, private or not. A host, *.suffix or * may \
            have a stand-in, private or not: with i.imgur.com=http://127.0.0.1:9000/pictures an image at \
            https://i.imgur.com/a.jpg is fetched from http://127.0.0.1:9000/pictures/i.imgur.com/a.jpg. Not for \
            passthrough.
            """)

    static let providerShared = Parameter(
        "providers.<name>.shared", .flag, default: "true",
        summary: "Whether its answers go to and come from the shared tier, if there is one (shared.url).",
        advice: """
            The default is false for a provider of your own whose baseURL is on this machine (localhost, a loopback \
            address), because another host may have another service there.
            """)
}
