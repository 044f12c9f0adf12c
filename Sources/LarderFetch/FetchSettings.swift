// The settings of the fetcher. A change takes effect with the next transfer; transfers under way keep their settings.
import LarderCore

/// How the fetcher behaves towards every upstream.
public struct FetchSettings: Sendable, Hashable {
    /// Default `larder/1`. Sent as `User-Agent` if the order has none of its own. An empty text sends none.
    public var userAgent: String
    /// Default 5 s. The limit for name resolution, connection and TLS together. The order's deadline may end them
    /// sooner. See https://curl.se/libcurl/c/CURLOPT_CONNECTTIMEOUT_MS.html
    public var connectTimeout: Duration
    /// Default 64. The most simultaneous exchanges paced by their upstream, of all providers. Further exchanges wait.
    public var maxTransfers: Int
    /// Default 128. The most simultaneous exchanges paced by a client: uploads, and responses that are passed on as
    /// they come. Further uploads wait. A further response keeps its upstream-paced place until another exchange waits
    /// for it.
    public var maxStreams: Int
    /// Default 1,000. The most fetches that wait for their turn, for each kind of place. A further fetch fails as
    /// `overloaded`.
    public var maxQueue: Int
    /// Default 10 s. A fetch that has waited this long for its turn fails as `overloaded`. Nothing was sent then.
    public var queueTimeout: Duration
    /// The limits of each provider, by name.
    public var providers: [String: ExchangeLimits]
    /// The limits of an origin that belongs to no provider, and of a provider that is not in `providers`.
    public var standard: ExchangeLimits
    /// Default 1 MiB. The bytes of a body under way that are kept in memory before its upstream must wait.
    public var streamWindow: Int
    /// Default 256 MiB. The bytes of whole responses in memory, of all fetches together and for as long as they are in
    /// use. A response that finds no room fails as `overloaded`. Responses of up to 64 KiB, and those on a tape, are
    /// not counted.
    public var maxMemory: Int
    /// The most idle connections that each loop keeps; at least one is kept. Default: no limit beyond that of
    /// `mostKept`.
    public var maxKept: Int
    /// Default nil: a direct connection. Never taken from the environment. May contain credentials, so it is never
    /// shown. With a proxy the address of the origin cannot be seen. The proxy must then keep URLs found in responses
    /// away from private hosts; only private address literals and local names are refused here.
    /// See https://curl.se/libcurl/c/CURLOPT_PROXY.html
    public var proxy: String?
    /// Default nil: the system's certificate authorities. Otherwise a PEM file that replaces them.
    public var caFile: String?
    /// Default nil. Where hosts are connected to instead.
    public var detour: Detour?
    /// PEM files that replace `caFile` for the calls of a provider, by its name.
    public var caFiles: [String: String] = [:]

    /// Makes settings. Omitted parameters have their defaults.
    public init(
        userAgent: String = "larder/1", connectTimeout: Duration = .seconds(5), maxTransfers: Int = 64,
        maxStreams: Int = 128, maxQueue: Int = 1000, queueTimeout: Duration = .seconds(10),
        providers: [String: ExchangeLimits] = [:], standard: ExchangeLimits = ExchangeLimits(),
        streamWindow: Int = 1 << 20, maxMemory: Int = 256 << 20, maxKept: Int = .max, proxy: String? = nil,
        caFile: String? = nil
    ) {
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
        self.maxTransfers = maxTransfers
        self.maxStreams = maxStreams
        self.maxQueue = maxQueue
        self.queueTimeout = queueTimeout
        self.providers = providers
        self.standard = standard
        self.streamWindow = streamWindow
        self.maxMemory = maxMemory
        self.maxKept = maxKept
        self.proxy = proxy
        self.caFile = caFile
    }
}

/// Other places for connections than those of their hosts. A class, because the settings are copied for each transfer.
public final class Detour: Sendable, Hashable {
    /// "HOST:PORT:OTHER-HOST:OTHER-PORT": calls to the first are connected to the second. Name, certificate and `Host` stay
    /// those of the first. See https://curl.se/libcurl/c/CURLOPT_CONNECT_TO.html
    let hosts: [String]
    /// The path of a Unix socket at which every connection ends, whatever its host.
    /// See https://curl.se/libcurl/c/CURLOPT_UNIX_SOCKET_PATH.html
    let unixSocket: String?

    public init(hosts: [String] = [], unixSocket: String? = nil) {
        self.hosts = hosts
        self.unixSocket = unixSocket
    }

    public static func == (one: Detour, other: Detour) -> Bool {
        one.hosts == other.hosts && one.unixSocket == other.unixSocket
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(hosts)
        hasher.combine(unixSocket)
    }
}

/// The limits of one provider: its simultaneous exchanges, and its fetches that wait for their turn.
public struct ExchangeLimits: Sendable, Hashable {
    /// Default 8. The most simultaneous exchanges paced by the upstream.
    public var maxConnections: Int
    /// Default 32. The most simultaneous exchanges paced by a client.
    public var maxStreams: Int
    /// Default 500. The most fetches that wait, for each kind of place.
    public var maxQueue: Int

    /// Makes limits. Omitted parameters have their defaults.
    public init(maxConnections: Int = 8, maxStreams: Int = 32, maxQueue: Int = 500) {
        self.maxConnections = maxConnections
        self.maxStreams = maxStreams
        self.maxQueue = maxQueue
    }
}

extension FetchSettings {
    /// The providers with fewer places of a kind than the default. Such a setting asks for few connections to the API.
    /// Each loop keeps its own connections, so fetching from several loops would multiply that number.
    var confined: Set<String> {
        let usual = ExchangeLimits()
        return Set(
            providers.filter { $1.maxConnections < usual.maxConnections || $1.maxStreams < usual.maxStreams }.keys)
    }
}

// MARK: Connections

extension FetchSettings {
    /// The most simultaneous exchanges of both kinds. Each has a connection.
    public var mostExchanges: Int { maxTransfers + maxStreams }

    /// The most idle connections that the home loop and this many client loops keep. They come on top of the
    /// connections in use: all those that a loop keeps may lead to other hosts than those being called.
    public func mostKept(clientLoops: Int) -> Int {
        mostKept(sharers: 1) + clientLoops * mostKept(sharers: clientLoops)
    }

    /// The most connections that one loop keeps. The client loops share `mostExchanges`, but each gets at least 16.
    /// `maxKept` lowers the number if few files may be open. libcurl counts connections in use too, and closes the
    /// oldest idle one beyond the number. The number is never 0, which libcurl takes for its own default
    /// (CURLMOPT_MAXCONNECTS).
    func mostKept(sharers: Int) -> Int { max(1, min(maxKept, max(16, mostExchanges / max(1, sharers)))) }
}

extension FetchSettings {
    /// A hop with the authorities that count for it.
    func vouched(_ hop: Hop, of order: FetchOrder) -> Hop {
        var hop = hop
        hop.caFile = caFile(for: order, at: hop.url)
        return hop
    }

    /// The file of the authorities that count for a hop; nil means libcurl's own.
    func caFile(for order: FetchOrder, at url: FetchURL) -> String? {
        if let provider = order.provider { return caFiles[provider] ?? caFile }
        guard let authorities = order.authorities, let file = caFiles[authorities.provider],
            let host = try? FetchURL(authorities.baseURL).origin.host, host == url.origin.host
        else { return caFile }
        return file
    }
}
