// What goes to an API and what comes back, as values. Credentials are joined when the request is sent, by Fetch:
// nothing here holds one but `FetchOrder.secretFields` and `secretQuery`, which are never part of a key, a label, a row or
// a log line.

/// A request to a provider in its canonical form: the identity of a raw entry.
public struct UpstreamRequest: Sendable, Hashable {
    public var method: Method
    /// Percent-encoded path relative to the provider's base URL, beginning with "/".
    public var path: String
    /// The canonical query without "?", nil where there is none.
    public var query: String?
    /// Fields that this request sends beyond those every request carries. Never secret.
    public var fields: HeaderFields
    public var body: Bytes?

    public init(
        method: Method = .get, path: String, query: String? = nil, fields: HeaderFields = [:], body: Bytes? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
    }

    /// Path and query as they follow the base URL.
    public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

/// Where a fetch may connect to.
public enum AddressPolicy: Sendable, Hashable {
    /// The origin was written in the configuration: it may be private.
    case configured
    /// The origin came out of an answer: public addresses only.
    case publicOnly
}

/// One order for the fetcher: everything it needs and nothing it must look up.
public struct FetchOrder: Sendable {
    /// Absolute http or https URL.
    public var url: String
    public var method: Method
    public var fields: HeaderFields
    /// Credentials: sent, never logged, never put in an error, not sent on to another origin by a redirect.
    public var secretFields: HeaderFields
    /// Credentials of an API that takes them in the query only, with the same care: the answer's `url` is without them,
    /// fields of the answer that repeat one are dropped, and no redirect is followed with them.
    public var secretQuery = QueryParameters()
    public var body: Bytes?
    public var addresses: AddressPolicy
    /// Answers with a larger body are broken off.
    public var maxBody: Int
    /// The whole exchange, redirects and retry included, ends within this. It begins when the first request is sent: the
    /// time for which the exchange waits for a place is not the upstream's.
    public var deadline: Duration
    /// Redirects followed by us, each target passed to `permits` first; 0 hands a 3xx back as the answer.
    public var maxRedirects: Int
    /// Whether a redirect's target may be followed, and with which address policy.
    public var permits: @Sendable (_ url: String) -> AddressPolicy?
    /// At most one more try for what may pass (see Fetch's retry table).
    public var mayRetry: Bool
    /// Whether a 502, 503 or 504 is a failure that may be tried again. Else it is an answer like any other.
    public var retriesAnswers = true
    /// Whether an answer of that head is taken at its client's pace, so that it may last as long as a client likes. Asked
    /// by `open`.
    public var isPacedByClient: @Sendable (_ head: UpstreamHead) -> Bool = { _ in true }
    /// Told of each interim answer when it comes, on the fetcher's loop, by `open`. The final head repeats them all.
    public var interim: (@Sendable (InterimHead) -> Void)?
    /// The provider whose places the exchange takes; without one, they are those of the URL's origin.
    public var provider: String?
    /// For whom it is made: the clients that wait for places of one provider take turns.
    public var client = ""
    /// Asked once, when the exchange has its place and before anything is sent. False ends it as `cancelled` and unsent.
    public var beforeSending: (@Sendable () async -> Bool)?
    /// Asked on the fetcher's loop before `beforeSending`, for an answer that needs no waiting. Nil leaves it to
    /// `beforeSending`, which is not asked otherwise.
    public var beforeSendingAtOnce: (@Sendable () -> Bool?)?
    /// Told on the fetcher's loop when the exchange begins to wait for its place or for `beforeSending`, and when it no
    /// longer does.
    public var waits: (@Sendable (_ isWaiting: Bool, _ at: MonotonicTime) -> Void)?
    /// Told on the fetcher's loop of each stage of each transfer, when the transfer has ended.
    public var stages: (@Sendable (Timeline.Stage, _ began: MonotonicTime, _ ended: MonotonicTime) -> Void)?

    // More than six parameters: one for each thing that an order may say.
    public init(
        url: String, method: Method = .get, fields: HeaderFields = [:], secretFields: HeaderFields = [:],
        body: Bytes? = nil, addresses: AddressPolicy, maxBody: Int, deadline: Duration, maxRedirects: Int = 0,
        mayRetry: Bool = true, permits: @escaping @Sendable (_ url: String) -> AddressPolicy? = { _ in nil }
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.secretFields = secretFields
        self.body = body
        self.addresses = addresses
        self.maxBody = maxBody
        self.deadline = deadline
        self.maxRedirects = maxRedirects
        self.mayRetry = mayRetry
        self.permits = permits
    }
}

/// A whole upstream answer.
public struct UpstreamResponse: Sendable {
    public var status: Int
    public var reason: String
    /// As received, hop-by-hop fields included.
    public var fields: HeaderFields
    /// As received: no content coding is undone.
    public var body: Bytes
    public var requestTime: WallTime
    public var responseTime: WallTime
    /// The URL that answered, after redirects, in the fetcher's own spelling.
    public var url: String
    /// Redirects followed on the way: each was a call beside the one that answered.
    public var redirects: Int
    /// The body's room in memory, to be kept for as long as the body is in use; nil where it needs none.
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

/// An interim answer (1xx) that came before the final one.
public struct InterimHead: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields

    public init(status: Int, fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
}

/// The head of an upstream answer whose body may still be on its way.
public struct UpstreamHead: Sendable {
    public var status: Int
    public var reason: String
    /// As received, hop-by-hop fields included.
    public var fields: HeaderFields
    /// The answer came over HTTP/1.0.
    public var isVersion10 = false
    /// Interim answers other than 100 and 101, in their order; at most a few.
    public var interim: [InterimHead] = []
    public var requestTime: WallTime
    public var responseTime: WallTime
    /// The URL that answered, after redirects, in the fetcher's own spelling.
    public var url: String = ""
    /// Redirects followed on the way.
    public var redirects = 0
    /// The body's length where the head tells it; nil where it ends with the last chunk or the connection. 0 where the
    /// answer has no body by its kind (HEAD, 204, 304).
    public var length: Int64?

    public init(
        status: Int, reason: String = "", fields: HeaderFields = [:], requestTime: WallTime, responseTime: WallTime
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

extension UpstreamHead {
    /// The answer as far as its head tells.
    public var response: UpstreamResponse {
        UpstreamResponse(
            status: status, reason: reason, fields: fields, requestTime: requestTime, responseTime: responseTime,
            url: url)
    }

    /// Server-sent events: a body that ends when somebody leaves.
    public var isEventStream: Bool {
        fields.first("Content-Type")?.lowercased().hasPrefix("text/event-stream") == true
    }
}

/// An upstream answer as it comes: its head, and its body on a tape. Nobody reading the tape any more cancels the
/// transfer; so does `cancel`.
public struct UpstreamStream: Sendable {
    public var head: UpstreamHead
    public var body: BodyTape
    /// Ends the transfer; the tape fails. No effect after the end.
    public var cancel: @Sendable () -> Void
    /// The body's readers set its pace from now on. Where the fetcher has no place for that and others wait, the tape may
    /// fail. No effect after the end.
    public var becamePaced: @Sendable () -> Void = {}

    public init(head: UpstreamHead, body: BodyTape, cancel: @escaping @Sendable () -> Void) {
        self.head = head
        self.body = body
        self.cancel = cancel
    }
}

/// A request body that is passed on while it is received.
public struct Upload: Sendable {
    public var reader: any BodyReader
    /// Nil: sent in chunks.
    public var length: Int64?
    /// The request goes out with `Expect: 100-continue`, and the body is not read before the upstream asks for it, or says
    /// nothing for a second.
    public var expectsContinue: Bool

    public init(reader: any BodyReader, length: Int64?, expectsContinue: Bool) {
        self.reader = reader
        self.length = length
        self.expectsContinue = expectsContinue
    }
}

/// A fetch that brought no whole answer, by the stage that failed.
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
        /// The head or framing of the answer was not HTTP as we accept it, or it redirects for ever.
        case malformed
        /// An address, scheme or redirect that is not allowed.
        case forbidden
        /// Nobody waits for it any more.
        case cancelled
        /// There is no place for the transfer, or no memory for its answer: the upstream is not to blame.
        case overloaded
    }

    public var stage: Stage
    /// Scheme, host and port; never path, query or credentials.
    public var origin: String
    /// libcurl's code, 0 where libcurl did not fail.
    public var curlCode: Int
    /// A sentence for a person, without secrets.
    public var message: String
    /// No request went out, not even before a redirect: the upstream has counted no call.
    public var isUnsent = false
    /// Redirects that were followed before it: each was a request too.
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
    /// Performs one exchange: waits for a place, asks `order.beforeSending`, sends. Cancelling the task cancels it in any
    /// of these (`.cancelled`).
    func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse
    /// Performs one exchange and returns with the final head. `order.deadline` ends with the head; after it, the transfer
    /// fails when nothing comes for `stall` while the tape has room. `order.maxBody` bounds the body.
    /// - Parameter upload: takes the place of `order.body`. Its reader is abandoned when the exchange ends before it.
    func open(_ order: FetchOrder, upload: Upload?, stall: Duration) async throws(FetchError) -> UpstreamStream
}
