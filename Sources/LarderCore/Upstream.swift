// Upstream requests and responses as values. `LarderFetch` adds credentials when it sends a request. Only
// `FetchOrder.secretFields` and `secretQuery` hold any here, and these are never part of a key, a label, a row or a log
// line.

/// A request to a provider in its canonical form. It is the identity of a raw entry.
public struct UpstreamRequest: Sendable, Hashable, CopyOnWrite {
    public struct Content: Sendable, Hashable {
        public var method: Method
        /// Percent-encoded path relative to the provider's base URL, beginning with "/".
        public var path: String
        /// The canonical query without "?"; nil if there is none.
        public var query: String?
        /// Fields that this request sends in addition to those that every request carries. Never secret.
        public var fields: HeaderFields
        public var body: Bytes?
        /// Whether the request only reads though its method is POST. Its content is then part of the question.
        public var isReadOnly = false
    }

    public var content: Shared<Content>

    public init(
        method: Method = .get, path: String, query: String? = nil, fields: HeaderFields = [:], body: Bytes? = nil
    ) {
        content = Shared(Content(method: method, path: path, query: query, fields: fields, body: body))
    }

    /// Path and query, as they follow the base URL.
    public var target: String { self.query.map { "\(self.path)?\($0)" } ?? self.path }
}

/// The addresses that a fetch may connect to.
public enum AddressPolicy: Sendable, Hashable {
    /// The origin comes from the configuration, so its address may be private.
    case configured
    /// The origin comes from a response: only public addresses are allowed.
    case publicOnly
}

/// The certificate authorities of a provider, which count on one host: that of its API. On other hosts, such as those of
/// pictures, an authority of the user's own vouches for nobody.
public struct HostAuthorities: Sendable, Hashable {
    public var provider: String
    /// A URL on the host.
    public var baseURL: String

    public init(provider: String, baseURL: String) {
        self.provider = provider
        self.baseURL = baseURL
    }
}

/// Watches one exchange, and decides whether it is sent. All calls come on the fetcher's loop.
public protocol FetchWatcher: AnyObject, Sendable {
    /// The client in whose turn, among those of its tool, the exchange waits for a place. Asked only if it must wait, under
    /// the lock of the places: it takes no lock and waits for nothing.
    var client: String { get }
    /// The exchange begins to wait for a place. `rise` may be called from any thread when somebody joins for whom the
    /// exchange is more urgent.
    func begins(rise: @escaping @Sendable (Urgency) -> Void)
    /// Asked once, when the exchange has its place and before anything is sent. False ends the exchange as `cancelled`
    /// and unsent. Nil if the answer needs waiting: `maySend` is asked then.
    func maySendAtOnce() -> Bool?
    /// The same, if the answer needs waiting.
    func maySend() async -> Bool
    /// The exchange begins to wait for its place or for `maySend`, or stops waiting.
    func waits(_ isWaiting: Bool, at now: MonotonicTime)
    /// Asked from time to time while the exchange waits for its place. True ends the exchange as `cancelled` and unsent:
    /// all clients that wait for it have ended their input, and from this answer on nobody joins them.
    func isForsaken(at now: MonotonicTime) -> Bool
    /// A stage of a transfer, told after the transfer has ended.
    func took(_ stage: Timeline.Stage, from began: MonotonicTime, to ended: MonotonicTime)
}

/// By default nothing is decided and nothing is heard.
extension FetchWatcher {
    public var client: String { "" }
    public func begins(rise: @escaping @Sendable (Urgency) -> Void) {}
    public func maySendAtOnce() -> Bool? { true }
    public func maySend() async -> Bool { true }
    public func waits(_ isWaiting: Bool, at now: MonotonicTime) {}
    public func isForsaken(at now: MonotonicTime) -> Bool { false }
    public func took(_ stage: Timeline.Stage, from began: MonotonicTime, to ended: MonotonicTime) {}
}

/// One order for the fetcher. It holds everything the fetcher needs; the fetcher looks nothing up.
public struct FetchOrder: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        /// Absolute http or https URL.
        public var url: String
        public var method: Method
        public var fields: HeaderFields
        /// Credentials. They are sent, but never logged, never put in an error, and not sent to another origin by a
        /// redirect.
        public var secretFields: HeaderFields
        /// Credentials of an API that takes them in the query only. They get the same care: the response's `url` does not
        /// contain them, response fields that repeat one are dropped, and no redirect is followed with them.
        public var secretQuery = QueryParameters()
        /// The identity of the client whose token is put into `secretFields` before the order is given to the fetcher. The
        /// token of another client, which a reload may bring, is never sent.
        public var tokenOf: String?
        public var body: Bytes?
        /// The request target, if it is not that of the URL: for a proxy at a Unix socket.
        public var target: String?
        public var addresses: AddressPolicy
        /// The maximum size of a response body in bytes. A transfer with a larger body is cut off.
        public var maxBody: Int
        /// The limit for the whole exchange, redirects and retry included. It starts when the first request is sent: the
        /// time that the exchange waits for a place is not the upstream's.
        public var deadline: Duration
        /// The number of redirects that the fetcher follows. Each target is passed to `permits` first. With 0, a 3xx is
        /// returned as the response.
        public var maxRedirects: Int
        /// Returns the address policy for a redirect's target; nil forbids following it.
        public var permits: @Sendable (_ url: String) -> AddressPolicy?
        /// Whether a transient failure is retried, at most once (see the retry table of `LarderFetch`).
        public var mayRetry: Bool
        /// Whether a 502, 503 or 504 counts as a failure that may be retried. Otherwise it is a response like any other.
        public var retriesAnswers = true
        /// Whether a response with that head is read at its client's pace, so that it may last as long as the client likes.
        /// Asked by `open`.
        public var isPacedByClient: @Sendable (_ head: UpstreamHead) -> Bool = { _ in true }
        /// Called by `open`, on the fetcher's loop, for each interim response when it arrives. The final head repeats them
        /// all.
        public var interim: (@Sendable (InterimHead) -> Void)?
        /// The provider whose places the exchange uses. Without one, the exchange uses places of the URL's origin.
        public var provider: String?
        /// Whose certificate authorities count for an exchange without `provider`.
        public var authorities: HostAuthorities?
        /// For whom the exchange is made. It decides which of the exchanges that wait for places of one provider goes first.
        public var turn = CallTurn()
        /// What watches the exchange; nil if nothing does, and nothing must be asked before it is sent.
        public var watcher: (any FetchWatcher)?
    }

    public var content: Shared<Content>

    // More than six parameters: one for each thing that an order may say.
    public init(
        url: String, method: Method = .get, fields: HeaderFields = [:], secretFields: HeaderFields = [:],
        body: Bytes? = nil, addresses: AddressPolicy, maxBody: Int, deadline: Duration, maxRedirects: Int = 0,
        mayRetry: Bool = true, permits: @escaping @Sendable (_ url: String) -> AddressPolicy? = { _ in nil }
    ) {
        content = Shared(
            Content(
                url: url, method: method, fields: fields, secretFields: secretFields, body: body, addresses: addresses,
                maxBody: maxBody, deadline: deadline, maxRedirects: maxRedirects, permits: permits, mayRetry: mayRetry))
    }
}

/// A whole upstream response.
public struct UpstreamResponse: Sendable {
    public var status: Int
    public var reason: String
    /// The fields as received, hop-by-hop fields included.
    public var fields: HeaderFields
    /// The body as received. No content coding is decoded.
    public var body: Bytes
    public var requestTime: WallTime
    public var responseTime: WallTime
    /// The URL that answered, after redirects, in the fetcher's own spelling.
    public var url: String
    /// The number of redirects followed. Each was a call in addition to the one that answered.
    public var redirects: Int
    /// The body's room in memory, to be kept as long as the body is in use. Nil if the body needs none.
    public var hold: BodyHold?

    public init(
        status: Int, reason: String = "", fields: HeaderFields = [:], body: Bytes = [], requestTime: WallTime,
        responseTime: WallTime, url: String = "", redirects: Int = 0
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.url = url
        self.redirects = redirects
    }
}

/// An interim response (1xx) that came before the final one.
public struct InterimHead: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields

    public init(status: Int, fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
}

/// The head of an upstream response whose body may still be arriving.
public struct UpstreamHead: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        public var status: Int
        public var reason: String
        /// The fields as received, hop-by-hop fields included.
        public var fields: HeaderFields
        /// Whether the response came over HTTP/1.0.
        public var isVersion10 = false
        /// Interim responses other than 100 and 101, in their order. There are at most a few.
        public var interim: [InterimHead] = []
        public var requestTime: WallTime
        public var responseTime: WallTime
        /// The URL that answered, after redirects, in the fetcher's own spelling.
        public var url: String = ""
        /// The number of redirects followed.
        public var redirects = 0
        /// The body's length, if the head gives it. Nil if the body ends with the last chunk or with the connection. 0 if
        /// the response cannot have a body (HEAD, 204, 304).
        public var length: Int64?
    }

    public var content: Shared<Content>

    public init(
        status: Int, reason: String = "", fields: HeaderFields = [:], requestTime: WallTime, responseTime: WallTime
    ) {
        content = Shared(
            Content(
                status: status, reason: reason, fields: fields, requestTime: requestTime, responseTime: responseTime))
    }
}

extension UpstreamHead {
    /// The response without its body.
    public var response: UpstreamResponse {
        UpstreamResponse(
            status: self.status, reason: self.reason, fields: self.fields, requestTime: self.requestTime,
            responseTime: self.responseTime, url: self.url)
    }

    /// Whether the body is a stream of server-sent events, which ends only when one side leaves.
    public var isEventStream: Bool {
        self.fields.first(.contentType)?.lowercased().hasPrefix("text/event-stream") == true
    }
}

/// An upstream response in transit: its head, and its body on a tape. The transfer is cancelled by `cancel`, or when
/// nobody reads the tape any more.
public struct UpstreamStream: Sendable {
    public var head: UpstreamHead
    public var body: BodyTape
    /// Ends the transfer, and the tape fails. No effect after the end.
    public var cancel: @Sendable () -> Void
    /// Tells the fetcher that the body's readers set its pace from now on. If the fetcher has no place for such a
    /// transfer and others wait, the tape may fail. No effect after the end.
    public var becamePaced: @Sendable () -> Void = {}

    public init(head: UpstreamHead, body: BodyTape, cancel: @escaping @Sendable () -> Void) {
        self.head = head
        self.body = body
        self.cancel = cancel
    }
}

/// A request body that is forwarded while it is received.
public struct Upload: Sendable {
    public var reader: any BodyReader
    /// The length in bytes. A body without one is sent in chunks.
    public var length: Int64?
    /// Whether the request is sent with `Expect: 100-continue`. The body is then not read until the upstream asks for
    /// it or has said nothing for a second.
    public var expectsContinue: Bool

    public init(reader: any BodyReader, length: Int64?, expectsContinue: Bool) {
        self.reader = reader
        self.length = length
        self.expectsContinue = expectsContinue
    }
}

/// A fetch that gave no whole response, with the stage that failed.
public struct FetchError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        case resolve
        case connect
        case secure
        case send
        case receive
        /// The deadline passed.
        case timedOut
        /// The body grew past the order's limit.
        case tooLarge
        /// The head or framing of the response is not HTTP as Larder accepts it, or the redirects do not end.
        case malformed
        /// An address, scheme or redirect is not allowed.
        case forbidden
        /// Nobody waits for the response any more.
        case cancelled
        /// There is no place for the transfer, or no memory for its response. The upstream is not at fault.
        case overloaded
        /// A tape answers in place of the upstream, and has no recording of this request.
        case unrecorded

        /// Whether the failure says nothing about the upstream.
        public var saysNothing: Bool { [.cancelled, .overloaded, .unrecorded].contains(self) }
    }

    public var stage: Stage
    /// Scheme, host and port. Never path, query or credentials.
    public var origin: String
    /// libcurl's error code. 0 if libcurl did not fail.
    public var curlCode: Int
    /// A sentence for a person, without secrets.
    public var message: String
    /// Whether no request was sent, not even before a redirect. The upstream has then counted no call.
    public var isUnsent = false
    /// The number of redirects followed before the failure. Each was a request too.
    public var redirects = 0

    public init(stage: Stage, origin: String, curlCode: Int = 0, message: String) {
        self.stage = stage
        self.origin = origin
        self.curlCode = curlCode
        self.message = message
    }

    public var description: String { "\(stage.rawValue) \(origin): \(message)" }
}

/// The fetcher as other rooms see it.
public protocol Upstream: Sendable {
    /// Performs one exchange: waits for a place, asks `order.beforeSending`, and sends. Cancelling the task cancels the
    /// exchange in any of these phases (`.cancelled`).
    func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse
    /// Performs one exchange and returns the final head. `order.deadline` covers only the time until the head. After
    /// it, the transfer fails if nothing arrives for `stall` while the tape has room. Nil permits any silence, as does
    /// an event stream, which is silent while nothing happens. `order.maxBody` bounds the body.
    /// - Parameter upload: replaces `order.body`. Its reader is abandoned if the exchange ends before the body does.
    func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream
    /// What begins an order on the present loop without a task; nil if a task must open the order.
    func start(of order: FetchOrder) -> UpstreamStart?
}

/// Begins an exchange like `Upstream.open`, without an upload, for a caller that is no task. It must be called in the same
/// turn of the loop in which it was made.
/// - Parameters:
///   - order: the order for which it was made, as it is when it begins.
///   - stall: as in `open`.
///   - done: gets the outcome on that loop, once, after this call has returned.
/// - Returns: what cancels the exchange, on any thread. It does nothing once the outcome is on its way.
public typealias UpstreamStart = (
    _ order: FetchOrder, _ stall: Duration?, _ done: @escaping @Sendable (Result<UpstreamStream, FetchError>) -> Void
) -> @Sendable () -> Void

extension Upstream {
    /// Leaves every order to a task.
    public func start(of order: FetchOrder) -> UpstreamStart? { nil }
}
