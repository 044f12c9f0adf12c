// What a person may set about fetching. A change takes effect with the next transfer; those under way keep theirs.
import LarderCore

/// How the fetcher behaves towards every upstream.
public struct FetchSettings: Sendable, Hashable {
    /// Default `larder/1`. Sent as `User-Agent` where the order has none of its own; empty sends none.
    public var userAgent: String
    /// Default 5 s. Name, connection and TLS together have this long; the order's deadline ends them sooner.
    /// See https://curl.se/libcurl/c/CURLOPT_CONNECTTIMEOUT_MS.html
    public var connectTimeout: Duration
    /// Default 64. Exchanges at a time that their upstream paces, of all providers; more wait.
    public var maxTransfers: Int
    /// Default 128. Exchanges at a time that a client paces: uploads, and answers that are passed on as they come. More
    /// uploads wait; such an answer keeps its place among the others until one of those waits for it.
    public var maxStreams: Int
    /// Default 1,000. Fetches that may wait for their turn, of each of the two kinds; one more is refused as `overloaded`.
    public var maxQueue: Int
    /// Default 10 s. Whoever has waited for its turn that long is refused as `overloaded`. Nothing was sent then.
    public var queueTimeout: Duration
    /// What each provider may have of all that, by name.
    public var providers: [String: ExchangeLimits]
    /// What an origin may have that is called for no provider, or for one that is not named above.
    public var standard: ExchangeLimits
    /// Default 1 MiB. Bytes of a body under way that are kept in memory before its upstream must wait.
    public var streamWindow: Int
    /// Default 256 MiB. Bytes of whole answers in memory, of all fetches together and for as long as they are in use; one
    /// that finds no room ends as `overloaded`. Answers of up to 64 KiB, and those on a tape, are not counted.
    public var maxMemory: Int
    /// Idle connections that each loop keeps at most, one at least. Default: as many as calls may leave.
    public var maxKept: Int
    /// Default nil: a direct connection. Never taken from the environment. May hold credentials, so it is never shown.
    /// With a proxy the far address cannot be seen: it is the proxy that must keep answers' URLs from private hosts;
    /// here only private address literals and local names are refused.
    /// See https://curl.se/libcurl/c/CURLOPT_PROXY.html
    public var proxy: String?
    /// Default nil: the system's certificate authorities. A PEM file that replaces them.
    public var caFile: String?

    /// Settings; what is left out has its default.
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

/// How many exchanges of one provider there may be at a time, and how many of its fetches may wait for their turn.
public struct ExchangeLimits: Sendable, Hashable {
    /// Default 8. Exchanges that the upstream paces.
    public var maxConnections: Int
    /// Default 32. Exchanges that a client paces.
    public var maxStreams: Int
    /// Default 500. Fetches that wait, of each of the two kinds.
    public var maxQueue: Int

    /// Limits; what is left out has its default.
    public init(maxConnections: Int = 8, maxStreams: Int = 32, maxQueue: Int = 500) {
        self.maxConnections = maxConnections
        self.maxStreams = maxStreams
        self.maxQueue = maxQueue
    }
}

extension FetchSettings {
    /// Providers with fewer places of a kind than is usual. Whoever sets that wants few connections to the API. Each loop keeps
    /// connections of its own, so what is fetched of these on several loops would have that number on each of them.
    var confined: Set<String> {
        let usual = ExchangeLimits()
        return Set(
            providers.filter { $1.maxConnections < usual.maxConnections || $1.maxStreams < usual.maxStreams }.keys)
    }
}

// MARK: Connections

extension FetchSettings {
    /// Exchanges at a time, of both kinds. Each has a connection.
    public var mostExchanges: Int { maxTransfers + maxStreams }

    /// Idle connections that the home loop and so many loops of clients keep, at most. They come on top of those in use: a loop may
    /// keep all of its own to other hosts than those that are called.
    public func mostKept(clientLoops: Int) -> Int {
        mostKept(sharers: 1) + clientLoops * mostKept(sharers: clientLoops)
    }

    /// Those of one loop. The loops of clients share a number among them, of which each has some in any case; where few files
    /// may be open, few. libcurl counts those in use, too, and closes the oldest idle one beyond the number. Not none, which it
    /// takes for its own default (CURLMOPT_MAXCONNECTS).
    func mostKept(sharers: Int) -> Int { max(1, min(maxKept, max(16, mostExchanges / max(1, sharers)))) }
}
