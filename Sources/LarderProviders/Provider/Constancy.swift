// Some requests ask for anything at all ("a random joke"): their answer must not be handed to the next asker, nor kept as
// the answer. What can be done without a call for each is to keep a few and deal them out: the provider says here how;
// the daemon keeps the pool.
import LarderCore

/// What may be done with the answer to a request.
public enum Constancy: Sendable {
    /// One question, one answer: it is kept and shared.
    case constant
    /// Another answer each time: neither kept nor shared.
    case fleeting
    /// Another answer each time, of which a few are kept and dealt out.
    case pooled(PoolTerms)
}

/// How a pool is filled and how large it is.
public struct PoolTerms: Sendable {
    /// The canonical request that brings more: the pool's identity.
    public var refill: UpstreamRequest
    /// How many one such call brings.
    public var perCall: Int
    /// So many are there before the first is dealt, where the budget allows: with one only, everyone would get the same.
    public var least: Int
    /// Never more than this.
    public var most: Int
    /// A pool that is dealt from fills up by one call in this span at most.
    public var pause: Duration
    /// Splits a refill's answer into single answers, one for each request. Its content coding is undone.
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
    /// What tells it from the others.
    public var id: String
    /// A JSON text: the body that the request would have been answered with.
    public var body: Bytes

    public init(id: String, body: Bytes) {
        self.id = id
        self.body = body
    }
}
