// Why a request was answered as it was: notes taken during the decisions, to be read later by request id. Any user of
// this machine may read them, so they show no credentials, and only the parameter names of a pass-through query. The
// query in `AnsweredRequest` and `KeptRequest` is unredacted; only `SeenTarget` shows it, and hides values.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderShared

/// One source's part in an answer.
struct ExplainedPart: Sendable, CopyOnWrite {
    struct Content: Sendable {
        var provider: String
        var named: [KeyParameter] = []
        var target: PassTarget?
        var digest: Digest?
        var outcome: CacheOutcome = .none
        /// Why the request was forwarded, if it was, and the upstream's status.
        var forward: ForwardReason?
        var upstreamStatus: Int?
        /// Which credentials were sent with a request that went upstream without using the cache.
        var sent: SentCredentials = .asItCame
        /// The rule by which a stored response was used, or not used.
        var rule: CacheRule?
        /// The rule by which the upstream's response was stored, or not stored.
        var storing: CacheRule?
        /// The rules of further steps.
        var further: [CacheRule] = []
        /// The part that the shared tier had in the answer.
        var shared = SharedPart.none
        var isStored: Bool?
        /// Whether the response was being stored while it was sent.
        var isBeingStored = false
        /// When the response was received; like the three properties below, of the entry that answered.
        var receivedAt: WallTime?
        var initialAge: Int64?
        var freshUntil: WallTime?
        var staleUntil: WallTime?
        /// Whether the body was read from stored parts only, none of it from the upstream.
        var isOfParts = false
        /// Whether the request forbids a refresh of the stale response that it got.
        var isLeftStale = false
        /// The range that the upstream was asked for.
        var asked: String?
        /// The upstream's announcement that its resource is deprecated or will be removed.
        var deprecation: Deprecation?
        /// What went wrong: its class, and a sentence.
        var failure: FailureClass?
        var detail: String?

        /// Notes what went wrong, or nil if nothing did. A request may be answered in spite of a failure.
        mutating func note(_ failure: UpstreamFailure?) {
            self.failure = failure?.failure
            detail = failure?.detail
        }
    }

    var content: Shared<Content>

    enum SentCredentials: Sendable {
        /// The client's credentials, if it sent any.
        case asItCame
        case configuredKey
        /// The token of the signed-in account.
        case account
    }

    init(_ content: Content) { self.content = Shared(content) }

    init(provider: String) { self.init(Content(provider: provider)) }

    /// A part that consists of a failure only.
    init(_ failure: UpstreamFailure) {
        var part = Content(provider: failure.provider)
        part.note(failure)
        self.init(part)
    }

    /// What identifies the entry, by name. For a pass-through request it is put together only when somebody asks.
    var key: [KeyParameter] {
        get { self.target?.keyParts ?? self.named }
        set { self.named = newValue }
    }
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
    /// The trace that the client's request belongs to (W3C Trace Context).
    var trace: String?
    /// How long each step took; nil if a loop answered without a task.
    var timeline: Timeline?
    /// Set if the request was refused before any provider was involved.
    var refusal: Refusal?
    /// Further notes, taken when the request has been answered.
    var answered: AnsweredRequest?

    /// Why a request was refused.
    struct Refusal: Sendable {
        var code: String
        var detail: String
        var parameter: String?
        var allowed: [String]
    }
}

/// Notes on a request that had a task, taken when its response is complete.
struct AnsweredRequest: Sendable {
    /// The number of the request among those answered, from 1.
    var number: UInt64 = 0
    /// The query, shortened by `SeenTarget.noted`. The path is as long as a request target may be.
    var query: String?
    /// Whether the path is a substitute for one that must not be shown.
    var isPathHidden = false
    var peer: Peer
    /// The length of the body; nil if it is not known yet.
    var bytes: Int?
    /// The time from the start of the handler until the response was ready to be written.
    var took: Duration
    var outcome: CacheOutcome
    var provider: String?
}

/// The request whose answer is kept ready. A loop's record of a hit has no room for it. If one entry answers several
/// requests, the last one is noted.
struct KeptRequest: Sendable {
    var path: String
    /// The query, shortened by `SeenTarget.noted`.
    var query: String?
    var listenerProvider: String?
    var route: RouteName
    var bytes: Int
}
