// What a person may set about fetching. A change takes effect with the next transfer; those under way keep theirs.
import LarderCore

/// How the fetcher behaves towards every upstream.
public struct FetchSettings: Sendable, Hashable {
    /// Default `larder/1`. Sent as `User-Agent` where the order has none of its own; empty sends none.
    public var userAgent: String
    /// Default 5 s. Name, connection and TLS together have this long; the order's deadline ends them sooner.
    /// See https://curl.se/libcurl/c/CURLOPT_CONNECTTIMEOUT_MS.html
    public var connectTimeout: Duration
    /// Default 8. Transfers to one origin (scheme, host, port) at a time that the upstream paces; more wait.
    public var maxConnectionsPerHost: Int
    /// Default 64. Such transfers at a time to all origins; more wait.
    public var maxTransfers: Int
    /// Default 32. Transfers to one origin at a time that a client paces: uploads, and answers that are passed on as they
    /// come. More uploads wait; such an answer keeps its place among the others until one of those waits for it.
    public var maxStreamsPerHost: Int
    /// Default 128. Such transfers at a time to all origins.
    public var maxStreams: Int
    /// Default 1,000. Fetches that may wait for their turn, of each of the two kinds; one more is refused as `overloaded`.
    public var maxWaiting: Int
    /// Default 1 MiB. Bytes of a body under way that are kept in memory before its upstream must wait.
    public var streamWindow: Int
    /// Default 256 MiB. Bytes of whole answers in memory, of all fetches together and for as long as they are in use; one
    /// that finds no room ends as `overloaded`. Answers of up to 64 KiB, and those on a tape, are not counted.
    public var maxMemory: Int
    /// Default nil: a direct connection. Never taken from the environment. May hold credentials, so it is never shown.
    /// With a proxy the far address cannot be seen: it is the proxy that must keep answers' URLs from private hosts;
    /// here only private address literals and local names are refused.
    /// See https://curl.se/libcurl/c/CURLOPT_PROXY.html
    public var proxy: String?
    /// Default nil: the system's certificate authorities. A PEM file that replaces them.
    public var caFile: String?

    /// Settings; what is left out has its default.
    public init(
        userAgent: String = "larder/1", connectTimeout: Duration = .seconds(5), maxConnectionsPerHost: Int = 8,
        maxTransfers: Int = 64, maxStreamsPerHost: Int = 32, maxStreams: Int = 128, maxWaiting: Int = 1000,
        streamWindow: Int = 1 << 20, maxMemory: Int = 256 << 20, proxy: String? = nil,
        caFile: String? = nil
    ) {
        self.userAgent = userAgent
        self.connectTimeout = connectTimeout
        self.maxConnectionsPerHost = maxConnectionsPerHost
        self.maxTransfers = maxTransfers
        self.maxStreamsPerHost = maxStreamsPerHost
        self.maxStreams = maxStreams
        self.maxWaiting = maxWaiting
        self.streamWindow = streamWindow
        self.maxMemory = maxMemory
        self.proxy = proxy
        self.caFile = caFile
    }
}
