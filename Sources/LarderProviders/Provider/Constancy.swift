// Some requests ask for a random result ("a random joke"). Their answer must not be given to the next client or stored
// as the answer. To avoid a call for each request, Larder keeps several answers in a pool and deals them out. The
// provider describes the pool here; the daemon keeps it.
import LarderCore

/// How the answer to a request may be reused.
public enum Constancy: Sendable {
    /// The request always has the same answer. The answer is stored and shared.
    case constant
    /// Each call gives a different answer. Answers are neither stored nor shared.
    case fleeting
    /// Each call gives a different answer. Several are stored in a pool and dealt out.
    case pooled(PoolTerms)
}

/// How a pool is filled and how large it is.
public struct PoolTerms: Sendable {
    /// The canonical request that fetches more answers. It identifies the pool.
    public var refill: UpstreamRequest
    /// The number of answers that one refill call returns.
    public var perCall: Int
    /// The number of answers that the pool gathers before the first is dealt, if the budget allows. With a single
    /// answer, every client would get the same one.
    public var least: Int
    /// The largest number of answers in the pool.
    public var most: Int
    /// The shortest time between two refills of a pool that is being dealt from.
    public var pause: Duration
    /// Splits a refill's answer, whose content coding is undone, into single answers, one for each request.
    public var answers: @Sendable (UpstreamResponse) -> [PooledAnswer]

    public init(
        refill: UpstreamRequest, perCall: Int, least: Int, most: Int, pause: Duration,
        answers: @escaping @Sendable (UpstreamResponse) -> [PooledAnswer]
    ) {
        self.refill = refill
        self.perCall = perCall
        self.least = least
        self.most = most
        self.pause = pause
        self.answers = answers
    }
}

/// One answer of a pool.
public struct PooledAnswer: Sendable, Hashable {
    /// The identity of this answer within the pool.
    public var id: String
    /// A JSON text: the body that a direct answer to the request would have.
    public var body: Bytes

    public init(id: String, body: Bytes) {
        self.id = id
        self.body = body
    }
}
