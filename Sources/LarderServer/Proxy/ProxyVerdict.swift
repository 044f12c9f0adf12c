// What happens to a request through the proxy. The server asks its handler, which knows the rules, and carries out the
// verdict.
import LarderCore
import LarderHTTP
import LarderIO
import LarderTLS

/// A host whose requests the cache answers.
public struct ProxiedOrigin: Sendable, Hashable {
    public let target: ProxyTarget
    /// Stands for the number of a listener in the memory tier's key: two hosts must not share the answers to one path.
    public let number: UInt16
    /// The same in the key of ready responses in the database.
    public let scope: UInt64

    /// - Parameter provider: the one that answers. Requests of other rules to the same origin have another provider, and
    ///   find nothing of its answers.
    public init(target: ProxyTarget, number: UInt16, provider: String) {
        self.target = target
        self.number = number
        scope = ReadyScope.of("proxy:\(target.origin) \(provider)")
    }
}

/// A request of `larder run`.
public struct ProxyRun: Sendable, Hashable {
    /// Whether the user of the daemon names an address of this machine, which the run could reach without the daemon.
    public var isLocal: Bool
    /// The run's process, if the kernel tells.
    public var process: Int32?

    public init(isLocal: Bool = false, process: Int32? = nil) {
        self.isLocal = isLocal
        self.process = process
    }
}

/// The decision about one request.
public enum ProxyVerdict: Sendable {
    /// The handler answers it, as a request to this path of this provider.
    case answer(ProxiedOrigin, provider: String, path: String)
    /// The bytes pass unread.
    case tunnel
    /// TLS ends here, and the requests inside are judged one by one. Nil if the host's certificate is not made yet.
    case endTLS(HostContext?)
    /// The same for a CONNECT in which requests come in plain.
    case readPlain
    case refuse(ClientFacingError)
}

/// Limits of tunnels.
public struct TunnelLimits: Sendable, Hashable {
    /// The longest time in which no byte passes.
    public var idle: Duration
    /// The longest life of a tunnel; nil for no limit.
    public var total: Duration?
    /// The most tunnels at once, over all loops.
    public var count: Int

    public init(idle: Duration = .seconds(600), total: Duration? = nil, count: Int = 1024) {
        self.idle = idle
        self.total = total
        self.count = count
    }
}

/// What a tunnel was, once it has ended.
public struct TunnelRecord: Sendable {
    public var id: RequestID
    public var target: ProxyTarget
    public var peer: Peer
    public var receivedAt: WallTime
    public var took: Duration
    /// Bytes that came from the client, and from the host.
    public var sent: Int
    public var received: Int
    public var ending: TunnelEnding
    /// The status that the client got.
    public var status = 200
    /// The request that changed the protocol and its handler's response; nil if the tunnel is none of a handler's.
    public var upgraded: (request: ServerRequest, response: ServerResponse)?
}

/// Why a tunnel ended.
public enum TunnelEnding: String, Sendable, Hashable, CaseIterable {
    /// Both sides ended their output.
    case whole
    /// One side was reset.
    case broken
    case idle
    case tooLong
    /// The server stopped.
    case stopped
}

extension ClientFacingError {
    /// The error for a request that is not in the form in which clients ask a proxy. A page can only send this form.
    static let onlyProxied = ClientFacingError(
        status: 421, code: "proxyOnly",
        detail: "This address is a proxy: set http_proxy and https_proxy to it. Larder's own pages are at its other "
            + "addresses.", closesConnection: true)

    /// The error for a request inside a tunnel to another host than the tunnel's (RFC 9110 §15.5.20).
    static func otherHost(than authority: String) -> ClientFacingError {
        ClientFacingError(
            status: 421, code: "otherHost",
            detail: "This connection was opened to \(authority), and the request names another host.",
            parameter: "Host", closesConnection: true)
    }

    /// The error for a client that has not shown the proxy's password (RFC 9110 §15.5.8).
    static let proxyPassword = ClientFacingError(
        status: 407, code: "proxyAuthentication",
        detail: "This proxy demands the password of the setting proxy.password.",
        fields: ["Proxy-Authenticate": "Basic realm=\"larder\", charset=\"UTF-8\""])
}
