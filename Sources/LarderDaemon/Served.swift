// An answer out of the cache and how it came to be: the one value for raw, normalised, artwork, pooled and pass-through
// entries, from which every route makes its HTTP answer.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// How an answer came to be.
struct Provenance: Sendable {
    var outcome: CacheOutcome
    /// Why it went forward, where it did, and what the upstream answered.
    var forward: ForwardReason?
    var forwardStatus: Int?
    /// Whether the fetched answer was stored, or is being written into the store while it goes out.
    var isStored = false
    var isBeingStored = false
    /// By which rule it was used, or was not and went forward; by which it was stored, or was not.
    var rule: CacheRule?
    var storing: CacheRule?
    /// A word of our own for how the cache answered.
    var detail: String?
    /// The failure that a stale answer covers for.
    var failure: UpstreamFailure? {
        get { covered?.failure }
        set { covered = newValue.map(Covered.init) }
    }
    /// A failure is large and rare: it lies in an object of its own.
    private var covered: Covered?

    private final class Covered: Sendable {
        let failure: UpstreamFailure

        init(_ failure: UpstreamFailure) { self.failure = failure }
    }

    init(
        outcome: CacheOutcome, forward: ForwardReason? = nil, forwardStatus: Int? = nil, isStored: Bool = false,
        rule: CacheRule? = nil, storing: CacheRule? = nil, failure: UpstreamFailure? = nil, detail: String? = nil
    ) {
        self.outcome = outcome
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.isStored = isStored
        self.rule = rule
        self.storing = storing
        self.detail = detail
        if let failure { covered = Covered(failure) }
    }
}

/// An answer out of the cache.
struct Served: Sendable {
    var entry: StoredResponse
    /// Where the body is read from while the entry does not hold it.
    var tape: TapeBody?
    var provenance: Provenance
    /// Under which memory may keep it; nil keeps it out.
    var ready: ReadyStamp?
    /// The room in memory of what the upstream sent.
    var hold: BodyHold?
    /// It was drawn from a pool for this asker: nobody keeps it, the client neither.
    var isDrawn = false
    /// The head is as it came for this request alone.
    var isOwn = false
    var interim: [InterimHead] = []
    /// The list of variants that chose it, where it was read with one.
    var list: StoredRow?

    init(_ entry: StoredResponse, _ provenance: Provenance, ready: ReadyStamp? = nil, hold: BodyHold? = nil) {
        self.entry = entry
        self.provenance = provenance
        self.ready = ready
        self.hold = hold
    }

    /// Where its body is read from.
    var body: BodySource { tape.map { .tape($0) } ?? entry.source }
    var outcome: CacheOutcome { provenance.outcome }
    var failure: UpstreamFailure? { provenance.failure }

    /// Whether a row stands behind it. A normalised row is made from raw rows only: what was not kept raw is not kept in
    /// normal form.
    var hasRow: Bool {
        outcome != .miss || provenance.isStored || ready != nil
    }

    /// What is to be told of it afterwards.
    func explained(_ key: [KeyParameter]) -> ExplainedPart {
        var part = ExplainedPart(provider: entry.provider)
        part.key = key
        part.digest = entry.key.digest
        part.tell(provenance)
        part.tell(entry)
        // Of other entries the status is our own.
        if entry.layer != .raw { part.upstreamStatus = nil }
        return part
    }
}

extension ExplainedPart {
    /// How the answer came to be.
    mutating func tell(_ provenance: Provenance) {
        outcome = provenance.outcome
        forward = provenance.forward
        upstreamStatus = provenance.forwardStatus
        rule = provenance.rule
        storing = provenance.storing
        if provenance.outcome.isFetched { isStored = provenance.isStored }
        isBeingStored = provenance.isBeingStored
        note(provenance.failure)
    }

    /// Of the entry that answered.
    mutating func tell(_ entry: StoredResponse) {
        receivedAt = entry.responseTime
        initialAge = entry.initialAge
        freshUntil = entry.freshUntil
        staleUntil = entry.staleUntil
    }
}

extension StoredResponse {
    /// Where its body is read from.
    var source: BodySource { large.map { .large($0) } ?? .bytes(body) }
}
