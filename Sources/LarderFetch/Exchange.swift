// One call of `fetch` from order to outcome: the hops and tries it makes, and the one answer it gives to who asked.
import LarderCore
import LarderIO

/// Confined to the fetch loop; `FetchCore` moves it along.
final class Exchange {
    /// What it is at, with what that owns.
    enum Phase {
        /// Between two steps, within one call.
        case idle
        /// In the queue for a slot.
        case waiting
        /// Holds a slot of its hop's origin.
        case transferring(CurlTransfer)
        /// Rests before its second try.
        case pausing(TimerToken)
    }

    let id: UInt64
    let order: FetchOrder
    let deadline: MonotonicTime
    var hop: Hop
    var phase = Phase.idle
    var deadlineTimer: TimerToken?
    var redirects = 0
    /// Tries beyond the first, of the whole exchange; libcurl's own resending counts.
    var retries = 0
    private var visited: Set<FetchURL>
    private var continuation: CheckedContinuation<Result<UpstreamResponse, FetchError>, Never>?

    init(
        id: UInt64, order: FetchOrder, hop: Hop, deadline: MonotonicTime,
        continuation: CheckedContinuation<Result<UpstreamResponse, FetchError>, Never>
    ) {
        self.id = id
        self.order = order
        self.hop = hop
        self.deadline = deadline
        self.continuation = continuation
        visited = [hop.url]
    }

    /// Requests that the next transfer may send: one, and one more where a retry is still to be had.
    var maxSends: Int {
        order.mayRetry && RetryPolicy.isRepeatable(hop.method) && retries + 1 < RetryPolicy.tries ? 2 : 1
    }

    /// Gives the outcome; a second one is dropped.
    func resume(_ outcome: Result<UpstreamResponse, FetchError>) {
        let counted = outcome.map { response in
            var response = response
            response.redirects = redirects
            return response
        }
        continuation.take()?.resume(returning: counted)
    }

    func fault(_ stage: FetchError.Stage, _ message: String) -> FetchError {
        FetchError(stage: stage, origin: hop.url.origin.description, message: message)
    }

    /// The next hop where an answer points elsewhere and may be followed; nil where it is the answer.
    func next(after response: UpstreamResponse) throws(FetchError) -> Hop? {
        guard order.maxRedirects > 0,
            let target = Redirect.location(status: response.status, method: hop.method, fields: response.fields)
        else { return nil }
        guard Set(response.fields.all("Location")).count == 1 else {
            throw fault(.malformed, "The answer redirects to several places.")
        }
        guard redirects < order.maxRedirects else {
            throw fault(.forbidden, "The answer redirects more than \(order.maxRedirects) times.")
        }
        let url: FetchURL
        do {
            url = try hop.url.resolving(target.reference)
        } catch {
            throw fault(.forbidden, "The answer redirects to what cannot be followed. \(error.message)")
        }
        // Without cookies the same request has the same answer.
        guard visited.insert(url).inserted || target.method != hop.method else {
            throw fault(.forbidden, "The answer redirects in a circle.")
        }
        guard let addresses = order.permits(url.text) else {
            throw fault(.forbidden, "The answer redirects to \(url.origin), which is not allowed.")
        }
        return Redirect.follow(hop, to: url, method: target.method, addresses: addresses)
    }
}
