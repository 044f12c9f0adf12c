// One call of `fetch` or `open` from order to outcome: the hops and tries it makes, and the one answer it gives to who
// asked.
import LarderCore
import LarderHTTP
import LarderIO

/// Who asked, and for what.
enum Asker {
    case whole(CheckedContinuation<Result<UpstreamResponse, FetchError>, Never>)
    case stream(CheckedContinuation<Result<UpstreamStream, FetchError>, Never>)
}

/// What `open` asks for beside its order.
struct StreamDemand: Sendable {
    var upload: Upload?
    var stall: Duration
}

/// What an answer leads to.
enum Verdict {
    case answer
    case redirect(Hop)
    case retry(Duration)
    case failed(FetchError)
}

/// Confined to one loop; `FetchCore` moves it along.
final class Exchange {
    /// What it is at, with what that owns.
    enum Phase {
        /// Between two steps, within one call.
        case idle
        /// Its request's body is gathered before it asks for a place.
        case gathering
        /// In the queue for a place.
        case waiting
        /// Has its place. Its caller is asked whether it may be sent.
        case reserving
        case transferring(CurlTransfer)
        /// Rests before its second try.
        case pausing(TimerToken)
    }

    let id: UInt64
    let order: FetchOrder
    /// Whose places it takes. It has one from its turn to its end, over redirects and the second try.
    let holder: Admission.Holder
    var hasPlace = false
    /// Set when it is sent.
    var deadline: MonotonicTime
    var hop: Hop
    var phase = Phase.idle
    var deadlineTimer: TimerToken?
    /// Ends the wait for its turn; when that began.
    var queueTimer: TimerToken?
    var waitingSince: MonotonicTime?
    /// Its caller was told that it waits.
    private var isWaiting = false
    var redirects = 0
    /// Tries beyond the first, of the whole exchange; libcurl's own resending counts.
    var retries = 0
    /// Only for streams.
    let stall: Duration
    let feed: UploadFeed?
    /// Decided at the head, while the rest of an answer that nobody will see is read.
    var verdict: Verdict?
    /// What was handed out and is still being filled.
    var tape: BodyTape?
    var stallTimer: TimerToken?
    /// How much had come when nobody was seen to read.
    var unreadMark: Int?
    /// Interim answers that its caller was told of.
    var interimTold = 0
    /// Ends the wait for a 100.
    var holdTimer: TimerToken?
    /// Looks whether the request's body still moves although its answer is whole.
    var earlyTimer: TimerToken?
    /// When its answer is no longer a brief one, or must give its place to others.
    var placeTimer: TimerToken?
    /// Which kind of place its transfer has, or asks for.
    var pace: Admission.Pace
    /// The answer's readers set its pace, whatever place it has.
    var isPacedByReaders = false
    /// A moment after this was set it keeps a place of the other kind only while nobody waits for that.
    var mustLeave = false
    /// Requests that went out, of all its transfers that ended.
    var sends = 0
    let isStream: Bool
    /// The request asks for an event stream, which lasts for as long as its client likes.
    let wantsEvents: Bool
    private var visited: Set<FetchURL>
    private var asker: Asker?

    init(
        id: UInt64, order: FetchOrder, hop: Hop, deadline: MonotonicTime, asker: Asker, stall: Duration = .zero,
        feed: UploadFeed? = nil
    ) {
        self.id = id
        self.order = order
        holder = order.provider.map { .provider($0) } ?? .origin(hop.url.origin)
        self.hop = hop
        self.deadline = deadline
        self.asker = asker
        self.stall = max(stall, .milliseconds(1))
        self.feed = feed
        if case .stream = asker { isStream = true } else { isStream = false }
        wantsEvents = isStream && order.fields.lines.contains(where: Self.asksForEvents)
        // The client sends it as slowly as it likes, or says that it means to stay.
        pace = feed != nil || wantsEvents ? .client : .upstream
        visited = [hop.url]
    }

    private static func asksForEvents(_ field: HeaderField) -> Bool {
        guard ASCII.equalFolded(field.name, "Accept") else { return false }
        return FieldList.members([field.value]).contains { ASCII.hasPrefixFolded($0, "text/event-stream") }
    }

    /// Tells its caller whether it waits before it is sent.
    func tell(isWaiting: Bool, at now: MonotonicTime) {
        guard self.isWaiting != isWaiting else { return }
        self.isWaiting = isWaiting
        order.waits?(isWaiting, now)
    }

    func cancelTimers(on loop: EventLoop) {
        for timer in [deadlineTimer, queueTimer, stallTimer, holdTimer, earlyTimer, placeTimer] {
            timer.map(loop.cancel)
        }
        (deadlineTimer, queueTimer, stallTimer, holdTimer) = (nil, nil, nil, nil)
        (earlyTimer, placeTimer) = (nil, nil)
    }

    /// Whether who asked has been answered.
    var isAnswered: Bool { asker == nil }

    /// Requests that the next transfer may send: one, and one more where a retry is still to be had.
    var maxSends: Int {
        mayRetry && RetryPolicy.isRepeatable(hop.method) && retries + 1 < RetryPolicy.tries ? 2 : 1
    }

    /// A body that is read while it is sent can be sent once.
    var mayRetry: Bool { order.mayRetry && feed == nil }

    /// Gives the whole answer; a second outcome is dropped.
    func resume(_ response: UpstreamResponse) {
        guard case .whole(let continuation)? = asker.take() else { return }
        var response = response
        response.redirects = redirects
        continuation.resume(returning: .success(response))
    }

    /// Gives the head and the tape; a second outcome is dropped.
    func resume(_ stream: UpstreamStream) {
        guard case .stream(let continuation)? = asker.take() else { return }
        var stream = stream
        stream.head.redirects = redirects
        continuation.resume(returning: .success(stream))
    }

    /// Gives the failure to who asked, or to the tape that they hold.
    func fail(_ error: FetchError) {
        tape?.fail(BodyFailure(error.message))
        var error = error
        error.redirects = redirects
        switch asker.take() {
        case .whole(let continuation): continuation.resume(returning: .failure(error))
        case .stream(let continuation): continuation.resume(returning: .failure(error))
        case nil: break
        }
    }

    func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: hop.url.origin.description, message: message)
    }

    /// The next hop where an answer points elsewhere and may be followed; nil where it is the answer.
    func next(after response: UpstreamResponse) throws(FetchError) -> Hop? {
        // A secret in the query is for the request that was ordered: what it would become elsewhere nobody can say.
        guard order.maxRedirects > 0, feed == nil, hop.secretQuery == nil,
            let target = Redirect.location(status: response.status, method: hop.method, fields: response.fields)
        else { return nil }
        guard Set(response.fields.all("Location")).count == 1 else {
            throw fault(.malformed, "The answer redirects to several places.")
        }
        guard redirects < order.maxRedirects else {
            throw fault(.malformed, "The answer redirects more than \(order.maxRedirects) times.")
        }
        let url: FetchURL
        do {
            url = try hop.url.resolving(target.reference)
        } catch {
            throw fault(.forbidden, "The answer redirects to what cannot be followed. \(error.message)")
        }
        // Without cookies the same request has the same answer.
        guard visited.insert(url).inserted || target.method != hop.method else {
            throw fault(.malformed, "The answer redirects in a circle.")
        }
        guard let addresses = order.permits(url.text) else {
            throw fault(.forbidden, "The answer redirects to \(url.origin), which is not allowed.")
        }
        return Redirect.follow(hop, to: url, method: target.method, addresses: addresses)
    }
}
