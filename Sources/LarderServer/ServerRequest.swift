// What a handler receives and returns: complete values without a socket behind them.
import LarderCore
import LarderHTTP
import LarderIO
import LarderTLS

/// One whole request.
public struct ServerRequest: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        public var id: RequestID
        public var method: Method
        /// The bytes of the request target as received.
        public var target: Bytes
        /// The path, percent-encoded as received ("/" for an absolute target without a path, "*" for `OPTIONS *`). What the
        /// client should have encoded is encoded here (`RequestTarget`). Decoding shows whether bytes above ASCII are text.
        public var path: String
        /// The query without "?", encoded like the path; nil if there is none.
        public var query: String?
        public var fields: HeaderFields
        /// The decoded body. Empty if there is none or if the body is streamed.
        public var body: Bytes
        /// The streamed body, if there is one and the handler asked for it (`RequestHandler.takesStream`). A client that
        /// waits for "100 Continue" gets it when the first piece is requested.
        public var upload: Upload?
        /// The number of the listener that the request came in by, and the provider that the listener is bound to.
        public var listener: UInt16
        public var listenerProvider: String?
        /// The host that the client asks, if it asks through the proxy. The path is then that below the provider's root.
        public var proxied: ProxiedOrigin?
        public var peer: Peer
        public var receivedAt: WallTime
        public var isVersion10: Bool
        /// Sends an interim response before the final one (RFC 9110 §15.2). An interim response that comes too late is
        /// dropped. Nil for an HTTP/1.0 client. May be called on any thread.
        public var interim: (@Sendable (InterimHead) -> Void)?
        /// Tells when the client ends its input. Nil if that must not matter, as for an unsafe method.
        public var halfClose: HalfClose?
        /// Free for the handler's use.
        public var mark: UInt64 = 0
    }

    public var content: Shared<Content>

    // More than six parameters: one for each part of a request that the parser or the connection knows.
    public init(
        id: RequestID, method: Method = .get, target: Bytes, path: String, query: String? = nil,
        fields: HeaderFields = [:], body: Bytes = [], listener: UInt16 = 0, listenerProvider: String? = nil,
        peer: Peer = .tcp(nil), receivedAt: WallTime, isVersion10: Bool = false
    ) {
        content = Shared(
            Content(
                id: id, method: method, target: target, path: path, query: query, fields: fields, body: body,
                listener: listener, listenerProvider: listenerProvider, peer: peer, receivedAt: receivedAt,
                isVersion10: isVersion10))
    }
}

/// The body of a response.
public enum ResponseBody: Sendable {
    case empty
    case bytes(Bytes)
    /// Pieces that are written in order without being joined first.
    case slices([Bytes])
    /// A streamed body. Without a length it is sent chunked, or to an HTTP/1.0 client until the connection closes. If
    /// the reader fails, or its bytes do not match the length, the connection is cut.
    case stream(any BodyReader, length: Int64?)

    /// The length in bytes if it is known; 0 for a stream of unknown length.
    public var count: Int {
        switch self {
        case .stream(_, let length): Int(clamping: length ?? 0)
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .slices(let pieces): pieces.reduce(0) { $0 + $1.count }
        }
    }
}

extension ResponseBody {
    /// The bytes that the body keeps in memory until it is written.
    public var heldBytes: Int { if case .stream = self { 0 } else { count } }
}

extension ResponseBody {
    /// The length for the response head; nil for a stream of unknown length.
    var length: Int? {
        if case .stream(_, nil) = self { nil } else { count }
    }

    /// Tells a stream's reader that its body will not be read.
    func abandon() {
        if case .stream(let reader, _) = self { reader.abandon() }
    }
}

extension ResponseBody: Equatable {
    /// Two streams are equal if they have the same reader and length.
    public static func == (left: ResponseBody, right: ResponseBody) -> Bool {
        switch (left, right) {
        case (.empty, .empty): true
        case (.bytes(let one), .bytes(let other)): one == other
        case (.slices(let one), .slices(let other)): one == other
        case (.stream(let one, let length), .stream(let other, let otherLength)):
            one === other && length == otherLength
        default: false
        }
    }
}

/// Parts that few responses have. One object holds them, so copying a response counts one reference for all.
private final class RareParts: Sendable {
    let interim: [InterimHead]
    let hold: (any AnyObject & Sendable)?
    let loggedPath: String?
    let upgrade: UpgradeOffer?

    init(
        _ interim: [InterimHead], _ hold: (any AnyObject & Sendable)?, _ loggedPath: String?, _ upgrade: UpgradeOffer?
    ) {
        self.interim = interim
        self.hold = hold
        self.loggedPath = loggedPath
        self.upgrade = upgrade
    }
}

/// One whole response. The server adds `Content-Length`, `X-Request-Id`, `Date` if it is absent, and `Connection:
/// close` if the connection ends. Framing fields in `fields` are dropped.
public struct ServerResponse: Sendable {
    public var status: Int
    /// The reason phrase; nil for the standard one.
    public var reason: String?
    public var fields: HeaderFields
    /// Not sent in response to HEAD, nor with 204 or 304.
    public var body: ResponseBody
    /// In response to HEAD: the length of the GET body, if `body` does not hold that body.
    public var contentLength: Int?
    /// For the access log and the counters, like the two properties below.
    public var outcome: CacheOutcome
    public var provider: String?
    public var route: RouteName
    /// Nil in most responses.
    private var rare: RareParts?
    /// Whether the connection must end with this response.
    public var closesConnection: Bool

    public init(
        status: Int, reason: String? = nil, fields: HeaderFields = [:], body: ResponseBody = .empty,
        contentLength: Int? = nil, outcome: CacheOutcome = .none, provider: String? = nil, route: RouteName = .unnamed,
        closesConnection: Bool = false
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
        self.contentLength = contentLength
        self.outcome = outcome
        self.provider = provider
        self.route = route
        self.closesConnection = closesConnection
    }

    /// The upstream's interim responses, sent before this one to an HTTP/1.1 client (RFC 9110 §15.2).
    public var interim: [InterimHead] {
        get { rare?.interim ?? [] }
        set { if rare != nil || !newValue.isEmpty { rare = RareParts(newValue, hold, loggedPath, upgrade) } }
    }

    /// An object, such as a memory reservation, that is held until the body is written or the connection has ended.
    public var hold: (any AnyObject & Sendable)? {
        get { rare?.hold }
        set { if rare != nil || newValue != nil { rare = RareParts(interim, newValue, loggedPath, upgrade) } }
    }

    /// Replaces the path in the access log if the path itself is a secret.
    public var loggedPath: String? {
        get { rare?.loggedPath }
        set { if rare != nil || newValue != nil { rare = RareParts(interim, hold, newValue, upgrade) } }
    }

    /// The connection to a host that may change the protocol. It stands in for a final response, with the status 101.
    public var upgrade: UpgradeOffer? {
        get { rare?.upgrade }
        set { if rare != nil || newValue != nil { rare = RareParts(interim, hold, loggedPath, newValue) } }
    }
}

/// Answers the requests that memory does not answer.
public protocol RequestHandler: Sendable {
    /// Answers one request, in a task that prefers the connection's loop, so it must not block.
    func respond(to request: ServerRequest) async -> ServerResponse
    /// Begins to answer one request. Called on the connection's loop. By default this makes a task for `respond`.
    /// - Parameter done: gets the response once, on that loop, after this method has returned.
    /// - Returns: what cancels the work if the client leaves before the response begins, which is then dropped. The end
    ///   of the client's input alone is no leaving.
    func begin(
        _ request: ServerRequest, on loop: EventLoop, _ done: @escaping @Sendable (ServerResponse) -> Void
    ) -> @Sendable () -> Void
    /// Whether the handler reads this body as a stream. Otherwise the body is first read whole, up to the limit.
    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool
    /// What happens to a request that came to a proxy listener. Called on the connection's loop, for each request.
    /// - Parameters:
    ///   - path: the path and query of the target, percent-encoded as received; empty for CONNECT.
    ///   - run: not nil if the request came from `larder run`, over a Unix socket.
    func verdict(on target: ProxyTarget, path: String, run: ProxyRun?) -> ProxyVerdict
    /// Connects to the host of a tunnel. Called in a task of its own, which is cancelled if the client leaves.
    /// - Returns: a connected, non-blocking socket. The caller closes it.
    func connect(to target: ProxyTarget) async throws(ClientFacingError) -> Int32
    /// Makes the certificate of a host for which `verdict` said to end TLS. Called in a task of its own.
    func certify(_ target: ProxyTarget) async throws(ClientFacingError) -> HostContext
    /// Notes what a tunnel was. Called on the connection's loop.
    func ended(_ tunnel: TunnelRecord)
}

extension RequestHandler {
    public func begin(
        _ request: ServerRequest, on loop: EventLoop, _ done: @escaping @Sendable (ServerResponse) -> Void
    ) -> @Sendable () -> Void {
        let task = Task(executorPreference: loop) { done(await respond(to: request)) }
        return { task.cancel() }
    }
    public func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool { false }
    public func verdict(on target: ProxyTarget, path: String, run: ProxyRun?) -> ProxyVerdict {
        .refuse(.notAProxy(status: 421))
    }
    public func connect(to target: ProxyTarget) async throws(ClientFacingError) -> Int32 {
        throw .notAProxy(status: 501)
    }
    public func certify(_ target: ProxyTarget) async throws(ClientFacingError) -> HostContext {
        throw .notAProxy(status: 501)
    }
    public func ended(_ tunnel: TunnelRecord) {}
}

extension ServerRequest {
    /// The path as logs and explanations show it: with the host, if the client asks through the proxy.
    /// - Parameter path: what stands for the path if that is a secret.
    public func shownPath(_ path: String?) -> String {
        guard let proxied = self.proxied else { return path ?? self.path }
        if let path { return proxied.target.origin + path }
        let end = self.target.firstIndex(of: 0x3F) ?? self.target.endIndex
        return proxied.target.origin + HeaderField.text(self.target[..<end])
    }

    /// The part of a ready response's key that says what the client's address serves.
    public var readyScope: UInt64 { self.proxied?.scope ?? ReadyScope.of(self.listenerProvider) }
}

/// The parts of a request target (RFC 9112 §3.2).
struct TargetParts {
    var path: String
    var query: String?
    /// The authority of an absolute target. It replaces the Host field (RFC 9112 §3.2.2).
    var authority: Bytes?
    /// Whether an absolute target has the scheme https.
    var isSecure = false
    /// Where path and query begin in the target.
    var start = 0

    /// The target of CONNECT has neither path nor query (RFC 9112 §3.2.3).
    static let connect = TargetParts(path: "")

    private init(path: String) { self.path = path }

    /// Nil if the target has no form that this server accepts.
    init?(_ target: UnsafeBufferPointer<UInt8>) {
        var origin = target[...]
        if target.first != 0x2F {
            if target.count == 1, target.first == 0x2A {
                (path, query, authority) = ("*", nil, nil)
                return
            }
            let scheme = target.prefix(8).map(ASCII.lowercased)
            let skipped = scheme.starts(with: "http://".utf8) ? 7 : scheme.starts(with: "https://".utf8) ? 8 : 0
            let rest = target[skipped...]
            let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
            guard skipped > 0, end > rest.startIndex else { return nil }
            authority = Bytes(rest[..<end])
            (isSecure, start) = (skipped == 8, end)
            origin = rest[end...]
        }
        let mark = origin.firstIndex(of: 0x3F)
        let text = RequestTarget.encoded(origin[..<(mark ?? origin.endIndex)])
        path = text.isEmpty ? "/" : text
        query = mark.map { RequestTarget.encoded(origin[origin.index(after: $0)...]) }
    }
}
