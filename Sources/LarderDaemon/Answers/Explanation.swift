// Why a request was answered as it was: what is noted while it is decided, to be read afterwards by its request id.
// Notes hold no credentials, and of a pass-through query the names only: who may ask is anybody on this machine.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderShared

/// One source's part in an answer.
struct ExplainedPart: Sendable {
    var provider: String

    init(provider: String) {
        self.provider = provider
    }

    /// A source's part that is a failure and nothing else.
    init(_ failure: UpstreamFailure) {
        provider = failure.provider
        note(failure)
    }

    /// What went wrong, where something did, whatever was answered all the same.
    mutating func note(_ failure: UpstreamFailure?) {
        self.failure = failure?.failure
        detail = failure?.detail
    }

    /// What makes the entry's identity, by name; of a pass-through request put together only when somebody asks.
    var key: [KeyParameter] {
        get { target?.keyParts ?? named }
        set { named = newValue }
    }
    private var named: [KeyParameter] = []
    var target: PassTarget?
    var digest: Digest?
    var outcome: CacheOutcome = .none
    /// Why the request went forward, where it did, and what the upstream answered.
    var forward: ForwardReason?
    var upstreamStatus: Int?
    /// What credentials went upstream with a request that went upstream without using the cache.
    var sent: SentCredentials = .asItCame

    enum SentCredentials: Sendable {
        /// Those of the client, where it sent any.
        case asItCame
        case configuredKey
        /// The token of the account that is signed in.
        case account
    }
    /// By which rule a stored answer was used, or why it was not.
    var rule: CacheRule?
    /// By which rule the upstream's answer was stored, or why it was not.
    var storing: CacheRule?
    /// What else was done, by which rule.
    var further: [CacheRule] = []
    /// The part of the tier that hosts share.
    var shared = SharedPart.none
    var isStored: Bool?
    /// It is written into the store while it goes out.
    var isBeingStored = false
    /// Of the entry that answered.
    var receivedAt: WallTime?
    var initialAge: Int64?
    var freshUntil: WallTime?
    var staleUntil: WallTime?
    /// The body was read from stored parts; nothing of it came from the upstream.
    var isOfParts = false
    /// The request allows no refresh of the stale answer that it got.
    var isLeftStale = false
    /// The range that the upstream was asked for.
    var asked: String?
    /// What the upstream says of the end of its resource.
    var deprecation: Deprecation?
    /// What went wrong.
    var failure: FailureClass?
    var detail: String?
}

/// One request's explanation.
struct Explanation: Sendable {
    var id: RequestID
    var at: WallTime
    var method = ""
    var path = ""
    var route = RouteName.unnamed
    var status = 0
    var parts: [ExplainedPart] = []
    /// The trace that the client said it is a part of (W3C Trace Context).
    var trace: String?
    /// What took how long; none where a loop answered without a task.
    var timeline: Timeline?
    /// The request was refused before any provider had a part in it.
    var refusal: Refusal?
    /// What else is known once it is answered.
    var answered: AnsweredRequest?

    /// What was wrong with a request.
    struct Refusal: Sendable {
        var code: String
        var detail: String
        var parameter: String?
        var allowed: [String]
    }
}

/// What is noted of every request that had a task, when its answer is there.
struct AnsweredRequest: Sendable {
    /// Where among those that were answered; they are numbered from 1.
    var number: UInt64 = 0
    /// At most so much of it as is told (`SeenTarget.noted`). A path is as long as a target may be.
    var query: String?
    /// The path stands for one that nobody is told.
    var isPathHidden = false
    var peer: Peer
    /// Of the body; nil where its length is not known yet.
    var bytes: Int?
    /// From the handler's beginning until the answer was there to be written.
    var took: Duration
    var outcome: CacheOutcome
    var provider: String?
}

/// What request an answer was made for that is kept ready: a loop's record of a hit has no room for it. Of several that one
/// entry answers, the last.
struct KeptRequest: Sendable {
    var path: String
    /// At most so much of it as is told (`SeenTarget.noted`).
    var query: String?
    var listenerProvider: String?
    var route: RouteName
    var bytes: Int
}
