// What a handler is given and what it gives back: values, complete, without a socket behind them.
import LarderCore
import LarderHTTP
import LarderIO

/// One whole request.
public struct ServerRequest: Sendable {
    public var id: RequestID
    public var method: Method
    /// The request target's bytes as received.
    public var target: Bytes
    /// The path, percent-encoded as received ("/" for an absolute target without one, "*" for OPTIONS of all). Bytes
    /// above ASCII, which a client should have encoded, are encoded here: decoding tells whether they are text.
    public var path: String
    /// The query without "?", in the same form; nil where there is none.
    public var query: String?
    public var fields: HeaderFields
    /// Decoded; empty where there was none, or where it is streamed.
    public var body: Bytes
    /// The body as it comes, where the handler asked for that (`RequestHandler.takesStream`) and there is one. A client
    /// that waits for "100 Continue" is sent it when the first piece is asked for.
    public var upload: Upload?
    /// Number of the listener it came in by, and the provider that listener is bound to.
    public var listener: UInt16
    public var listenerProvider: String?
    public var peer: Peer
    public var receivedAt: WallTime
    public var isVersion10: Bool
    /// Sends an interim answer while the final one is made (RFC 9110 §15.2); one that comes too late is dropped. Nil where the
    /// client knows none. May be called on any thread.
    public var interim: (@Sendable (InterimHead) -> Void)?
    /// For the handler's own use.
    public var mark: UInt64 = 0

    public init(
        id: RequestID, method: Method = .get, target: Bytes, path: String, query: String? = nil,
        fields: HeaderFields = [:], body: Bytes = [], listener: UInt16 = 0, listenerProvider: String? = nil,
        peer: Peer = .tcp(nil), receivedAt: WallTime, isVersion10: Bool = false
    ) {
        self.id = id
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.listener = listener
        self.listenerProvider = listenerProvider
        self.peer = peer
        self.receivedAt = receivedAt
        self.isVersion10 = isVersion10
    }
}

/// A response's body.
public enum ResponseBody: Sendable {
    case empty
    case bytes(Bytes)
    /// Pieces that are written one after the other, without being joined first.
    case slices([Bytes])
    /// Pieces as they come. Without a length it goes out in chunks, or to a 1.0 client until the connection closes. Where
    /// the reader fails, or ends at another length than was said, the connection is cut.
    case stream(any BodyReader, length: Int64?)

    /// The length where it is known; 0 for a stream of unknown length.
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
    /// Bytes that are in memory for as long as it is not written.
    public var heldBytes: Int { if case .stream = self { 0 } else { count } }
}

extension ResponseBody {
    /// The length as the head says it; nil for a stream of unknown length.
    var length: Int? {
        if case .stream(_, nil) = self { nil } else { count }
    }

    /// Tells a stream's reader that nobody will read it.
    func abandon() {
        if case .stream(let reader, _) = self { reader.abandon() }
    }
}

extension ResponseBody: Equatable {
    /// Streams are equal where they are the same one.
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

/// What few answers have. It lies apart, so that a copy of an answer counts one reference for all of it.
private final class RareParts: Sendable {
    let interim: [InterimHead]
    let hold: (any AnyObject & Sendable)?
    let loggedPath: String?

    init(_ interim: [InterimHead], _ hold: (any AnyObject & Sendable)?, _ loggedPath: String?) {
        self.interim = interim
        self.hold = hold
        self.loggedPath = loggedPath
    }
}

/// One whole response. The server adds `Date` where absent, `Content-Length`, `X-Request-Id` and, where the connection
/// ends, `Connection: close`; what `fields` say about framing is dropped.
public struct ServerResponse: Sendable {
    public var status: Int
    /// The reason phrase; nil for the standard one.
    public var reason: String?
    public var fields: HeaderFields
    /// Not sent to HEAD, nor with 204 and 304.
    public var body: ResponseBody
    /// To HEAD: the length that the body of the GET has, where `body` does not hold it.
    public var contentLength: Int?
    /// For the access log and the counters.
    public var outcome: CacheOutcome
    public var provider: String?
    public var route: RouteName
    /// Nil in most answers.
    private var rare: RareParts?
    /// The connection must end with this response.
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

    /// Interim answers of the upstream's, sent before this one to a client of HTTP/1.1 (RFC 9110 §15.2).
    public var interim: [InterimHead] {
        get { rare?.interim ?? [] }
        set { if rare != nil || !newValue.isEmpty { rare = RareParts(newValue, hold, loggedPath) } }
    }

    /// Kept until the last of the body was written to the socket, or its connection has ended: its room in memory.
    public var hold: (any AnyObject & Sendable)? {
        get { rare?.hold }
        set { if rare != nil || newValue != nil { rare = RareParts(interim, newValue, loggedPath) } }
    }

    /// Takes the path's place in the access log, where the path itself is a secret.
    public var loggedPath: String? {
        get { rare?.loggedPath }
        set { if rare != nil || newValue != nil { rare = RareParts(interim, hold, newValue) } }
    }
}

/// Who answers what memory does not.
public protocol RequestHandler: Sendable {
    /// Answers one request. Runs in a task of its own that prefers the connection's loop, so it must not block; the
    /// task is cancelled when the client leaves before the answer began, and its answer is then dropped.
    func respond(to request: ServerRequest) async -> ServerResponse
    /// Calls `start`, once, which makes the request's task. A handler binds task-local values around this call: bound in the
    /// task itself, around an `await`, they would cost it four changes of executor.
    func begin(_ request: ServerRequest, _ start: () -> Task<Void, Never>) -> Task<Void, Never>
    /// Whether that request's body is wanted as it comes; else it is read whole first, up to the server's limit.
    func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool
}

extension RequestHandler {
    public func begin(_ request: ServerRequest, _ start: () -> Task<Void, Never>) -> Task<Void, Never> { start() }
    public func takesStream(method: Method, path: String, listenerProvider: String?) -> Bool { false }
}

/// The parts of a request target (RFC 9112 §3.2).
struct TargetParts {
    var path: String
    var query: String?
    /// The authority of an absolute target, which takes the place of the Host field (RFC 9112 §3.2.2).
    var authority: Bytes?

    /// Nil for a target in no form that this server is asked in.
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
            origin = rest[end...]
        }
        let mark = origin.firstIndex(of: 0x3F)
        let text = Self.encoded(origin[..<(mark ?? origin.endIndex)])
        path = text.isEmpty ? "/" : text
        query = mark.map { Self.encoded(origin[origin.index(after: $0)...]) }
    }

    private static func encoded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var out = Bytes()
        for byte in bytes {
            if byte < 0x80 {
                out.append(byte)
            } else {
                out.append(0x25)
                out.append(contentsOf: Hex.encode([byte]).utf8)
            }
        }
        return out.lossyText
    }
}
