// One call of `fetch` or `open`, from order to outcome: the hops and tries it makes, and the one response or failure
// that it delivers to its caller.
import LarderCore
import LarderHTTP
import LarderIO

/// The waiting caller, and what it asked for.
enum Asker {
    case whole(TaskContinuation<Result<UpstreamResponse, FetchError>, Never>)
    case stream(@Sendable (Result<UpstreamStream, FetchError>) -> Void)
}

/// What a response leads to.
enum Verdict {
    case answer
    case redirect(Hop)
    case retry(Duration)
    case failed(FetchError)
}

/// Confined to one loop; `FetchCore` advances it.
final class Exchange {
    /// The step the exchange is at, with what that step owns.
    enum Phase {
        /// Between two steps, within one call.
        case idle
        /// The request body is being gathered before the exchange asks for a place.
        case gathering
        /// In the queue for a place.
        case waiting
        /// The exchange has its place. Its caller is asked whether it may be sent.
        case reserving
        case transferring(CurlTransfer)
        /// Pausing before the retry.
        case pausing(TimerToken)
    }

    let id: UInt64
    let order: FetchOrder
    /// Where the exchange stands among those that wait. Its urgency may rise.
    var turn: CallTurn
    /// The owner of the exchange's places. The exchange has one place from its turn to its end, across redirects and a
    /// retry.
    let holder: Admission.Holder
    var hasPlace = false
    /// Set again when the exchange is sent.
    var deadline: MonotonicTime
    var hop: Hop
    var phase = Phase.idle
    var deadlineTimer: TimerToken?
    /// Ends the wait for a place. `waitingSince` is when that wait began.
    var queueTimer: TimerToken?
    var waitingSince: MonotonicTime?
    /// Fires when the exchange checks, during that wait, whether a client still waits for it.
    var clientTimer: TimerToken?
    /// Whether the caller was last told that the exchange waits.
    private var isWaiting = false
    var redirects = 0
    /// Tries beyond the first, of the whole exchange. A request that libcurl resends itself counts.
    var retries = 0
    /// The longest silence from the upstream after the head; nil if it has no limit. Used only for streams.
    var stall: Duration?
    let feed: UploadFeed?
    /// Decided at the head, and kept while the rest of a response that nobody will see is read.
    var verdict: Verdict?
    /// The tape that was handed out and is still being filled.
    var tape: BodyTape?
    var stallTimer: TimerToken?
    /// The number of body bytes that had come at the last look at a full tape.
    var unreadMark: Int?
    /// The number of interim responses that the caller was told of.
    var interimTold = 0
    /// Ends the wait for a 100.
    var holdTimer: TimerToken?
    /// Checks whether the request body still moves although its response is complete.
    var earlyTimer: TimerToken?
    /// Fires when the response no longer counts as short, or must give up its place to other fetches.
    var placeTimer: TimerToken?
    /// The kind of place that the exchange has or asks for.
    var pace: Admission.Pace
    /// Whether the readers of the response set its pace, whatever place it has.
    var isPacedByReaders = false
    /// Whether the response must leave. `FetchCore.moment` after this is set, the response keeps a place of the other
    /// kind only while no exchange waits for it.
    var mustLeave = false
    /// The number of requests sent by those of its transfers that have ended.
    var sends = 0
    let isStream: Bool
    /// The request asks for an event stream, which lasts as long as its client wants.
    let wantsEvents: Bool
    /// The URLs of the hops before this one, at most as many as redirects are followed.
    private var visited: [FetchURL] = []
    private var asker: Asker?

    init(
        id: UInt64, order: FetchOrder, hop: Hop, deadline: MonotonicTime, asker: Asker, stall: Duration? = nil,
        feed: UploadFeed? = nil
    ) {
        self.id = id
        self.order = order
        turn = order.turn
        holder = order.provider.map { .provider($0) } ?? .origin(hop.url.origin)
        self.hop = hop
        self.deadline = deadline
        self.asker = asker
        self.stall = stall.map { max($0, .milliseconds(1)) }
        self.feed = feed
        if case .stream = asker { isStream = true } else { isStream = false }
        wantsEvents = isStream && Self.asksForEvents(order.fields)
        // With an upload the client decides how fast it sends. With an event stream it decides how long it stays.
        pace = feed != nil || wantsEvents ? .client : .upstream
    }

    private static func asksForEvents(_ fields: HeaderFields) -> Bool {
        let type = "text/event-stream"
        var isLongEnough = false
        fields.visit(.accept) { line in
            if line.value.count >= type.utf8.count { isLongEnough = true }
            return true
        }
        guard isLongEnough else { return false }
        return FieldList.members(fields.all(.accept)).contains { ASCII.hasPrefixFolded($0, type) }
    }

    /// The time until the next look at a response body: whether the upstream is silent or a reader does not advance.
    var nextLook: Duration { min(stall ?? .seconds(30), .seconds(30)) }

    /// Tells the caller when the exchange begins or ceases to wait before it is sent.
    func tell(isWaiting: Bool, at now: MonotonicTime) {
        guard self.isWaiting != isWaiting else { return }
        self.isWaiting = isWaiting
        order.watcher?.waits(isWaiting, at: now)
    }

    func cancelTimers(on loop: EventLoop) {
        func cancel(_ timer: TimerToken?) { if let timer { loop.cancel(timer) } }
        cancel(deadlineTimer)
        cancel(queueTimer)
        cancel(clientTimer)
        cancel(stallTimer)
        cancel(holdTimer)
        cancel(earlyTimer)
        cancel(placeTimer)
        (deadlineTimer, queueTimer, clientTimer, stallTimer) = (nil, nil, nil, nil)
        (holdTimer, earlyTimer, placeTimer) = (nil, nil, nil)
    }

    /// Whether the caller has its response or failure.
    var isAnswered: Bool { asker == nil }

    /// The number of requests that the next transfer may send: 1, or 2 if a retry is still available.
    var maxSends: Int {
        mayRetry && RetryPolicy.isRepeatable(hop.method) && retries + 1 < RetryPolicy.tries ? 2 : 1
    }

    /// A body that is read while it is sent can be sent only once.
    var mayRetry: Bool { order.mayRetry && feed == nil }

    /// Goes on at the target of a redirect.
    func follow(_ next: Hop) {
        hop = next
        redirects += 1
        // No retry is left if this hop too meets a kept connection that its origin is about to close.
        if retries > 0 { hop.needsFreshConnection = true }
    }

    /// Delivers the whole response. A second outcome is ignored.
    func resume(_ response: UpstreamResponse) {
        guard case .whole(let continuation)? = asker.take() else { return }
        var response = response
        response.redirects = redirects
        continuation.resume(returning: .success(response))
    }

    /// Delivers the head and the tape. A second outcome is ignored.
    func resume(_ stream: UpstreamStream) {
        guard case .stream(let done)? = asker.take() else { return }
        var stream = stream
        if redirects > 0 { stream.head.redirects = redirects }
        done(.success(stream))
    }

    /// Delivers the failure to the caller, or to the tape that the caller already has.
    func fail(_ error: FetchError) {
        var error = error
        error.redirects = redirects
        tape?.fail(BodyFailure(error))
        switch asker.take() {
        case .whole(let continuation): continuation.resume(returning: .failure(error))
        case .stream(let done): done(.failure(error))
        case nil: break
        }
    }

    func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: hop.url.origin.description, message: message)
    }

    /// The next hop if a response redirects and may be followed; nil if it is the final response.
    func next(after response: UpstreamResponse) throws(FetchError) -> Hop? {
        // A secret in the query belongs to the request that was ordered. Nobody can say what it would become elsewhere.
        guard order.maxRedirects > 0, feed == nil, hop.secretQuery == nil,
            let target = Redirect.location(status: response.status, method: hop.method, fields: response.fields)
        else { return nil }
        guard Set(response.fields.all(.location)).count == 1 else {
            throw fault(.malformed, "The answer redirects to several places.")
        }
        guard redirects < order.maxRedirects else {
            throw fault(.malformed, "The answer redirects more than \(order.maxRedirects) times.")
        }
        let url: FetchURL
        do {
            url = try hop.url.resolving(target.reference)
        } catch {
            throw fault(.forbidden, "The answer redirects to a URL that cannot be followed. \(error.message)")
        }
        visited.append(hop.url)
        // No cookies are kept between hops, so the same request would get the same response.
        guard !visited.contains(url) || target.method != hop.method else {
            throw fault(.malformed, "The answer redirects in a circle.")
        }
        guard let addresses = order.permits(url.text) else {
            throw fault(.forbidden, "The answer redirects to \(url.origin), which is not allowed.")
        }
        return Redirect.follow(hop, to: url, method: target.method, addresses: addresses)
    }
}
