// Why a request was answered as it was: what is noted while it is decided, to be read afterwards by its request id.
// Notes hold no credentials, and of a pass-through query the names only: who may ask is anybody on this machine.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

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
    /// What credentials went upstream with a request that passed beside the cache.
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
    var isStored: Bool?
    /// It is written into the store while it goes out.
    var isBeingStored = false
    /// Of the entry that answered.
    var receivedAt: WallTime?
    var initialAge: Int64?
    var freshUntil: WallTime?
    var staleUntil: WallTime?
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
    /// The request was refused before any provider had a part in it.
    var refusal: Refusal?

    /// What was wrong with a request.
    struct Refusal: Sendable {
        var code: String
        var detail: String
        var parameter: String?
        var allowed: [String]
    }
}

/// The last explanations, the oldest forgotten first. Memory hits are not here: their loops keep records of their own.
final class ExplanationLog: Sendable {
    /// Enough for a person to ask about what was just seen; a few hundred bytes each.
    static let capacity = 1024

    private struct Pages {
        var slots: [Explanation] = []
        var next = 0
        var places: [RequestID: Int] = [:]
        /// What memory was given, by the entry's digest: a loop's record of a hit names no more than that.
        var ready: [Digest: ExplainedPart] = [:]
        var readyOrder: [Digest] = []
    }
    private let pages = Lock(Pages())

    /// Adds what is known of one source's part.
    func note(_ id: RequestID, at now: WallTime, _ part: ExplainedPart) {
        change(id, now) { $0.parts.append(part) }
    }

    /// An error ended the request. Of a provider whose part is known already it says nothing new.
    func note(_ id: RequestID, at now: WallTime, _ error: ClientFacingError) {
        change(id, now) { explanation in
            guard error.failure != nil || error.provider != nil else {
                explanation.refusal = Explanation.Refusal(
                    code: error.code, detail: error.detail, parameter: error.parameter, allowed: error.allowed)
                return
            }
            let provider = error.provider ?? ""
            guard !explanation.parts.contains(where: { $0.provider == provider && $0.detail == error.detail }) else {
                return
            }
            var part = ExplainedPart(provider: provider)
            part.failure = error.failure
            part.detail = error.detail
            explanation.parts.append(part)
        }
    }

    /// The request has been answered.
    func close(_ id: RequestID, at now: WallTime, method: Method, path: String, route: RouteName, status: Int) {
        change(id, now) { explanation in
            explanation.method = method.name
            explanation.path = path
            explanation.route = route
            explanation.status = status
        }
    }

    /// An answer is kept ready in memory.
    func keep(_ digest: Digest, _ part: ExplainedPart) {
        pages.withLock { pages in
            if pages.ready.updateValue(part, forKey: digest) == nil { pages.readyOrder.append(digest) }
            guard pages.readyOrder.count > 2 * Self.capacity else { return }
            for old in pages.readyOrder.prefix(Self.capacity) { pages.ready[old] = nil }
            pages.readyOrder.removeFirst(Self.capacity)
        }
    }

    /// What is known of an entry that memory answers from.
    func ready(_ digest: Digest) -> ExplainedPart? {
        pages.withLock { $0.ready[digest] }
    }

    func find(_ id: RequestID) -> Explanation? {
        pages.withLock { pages in pages.places[id].map { pages.slots[$0] } }
    }

    private func change(_ id: RequestID, _ now: WallTime, _ body: (inout Explanation) -> Void) {
        pages.withLock { pages in
            if let place = pages.places[id] { return body(&pages.slots[place]) }
            var fresh = Explanation(id: id, at: now)
            body(&fresh)
            if pages.slots.count < Self.capacity {
                pages.places[id] = pages.slots.count
                pages.slots.append(fresh)
                return
            }
            pages.places[pages.slots[pages.next].id] = nil
            pages.slots[pages.next] = fresh
            pages.places[id] = pages.next
            pages.next = (pages.next + 1) % Self.capacity
        }
    }
}
