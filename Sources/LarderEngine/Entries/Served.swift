// An answer out of the cache and how it came to be: the one value for raw, normalised, artwork, pooled and pass-through
// entries, from which every route makes its HTTP answer.
import LarderCache
import LarderCore
import LarderHTTP
import LarderShared
import LarderStore

/// How an answer came to be.
public struct Provenance: Sendable {
    /// How the cache answered.
    public var outcome: CacheOutcome
    /// Why it went forward, where it did, and what the upstream answered.
    public var forward: ForwardReason?
    /// See `forward`.
    public var forwardStatus: Int?
    /// Whether the fetched answer was stored, or is being written into the store while it goes out.
    public var isStored = false
    /// It is written while it goes out.
    public var isBeingStored = false
    /// By which rule it was used, or was not and went forward; by which it was stored, or was not.
    public var rule: CacheRule?
    /// By which rule it was stored, or was not.
    public var storing: CacheRule?
    /// A word of our own for how the cache answered.
    public var detail: String?
    /// The range that the upstream was asked for.
    public var asked: String?
    /// The part of the tier that hosts share.
    public var shared = SharedPart.none
    /// The failure that a stale answer covers for.
    public var failure: UpstreamFailure? {
        get { covered?.failure }
        set { covered = newValue.map(Covered.init) }
    }
    /// A failure is large and rare: it lies in an object of its own.
    private var covered: Covered?

    private final class Covered: Sendable {
        let failure: UpstreamFailure

        init(_ failure: UpstreamFailure) { self.failure = failure }
    }

    /// What is not said is not so.
    public init(
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
public struct Served: Sendable {
    /// What answered, with its body where that is in memory.
    public var entry: StoredResponse
    /// Where the body is read from while the entry does not hold it.
    public var tape: TapeBody?
    /// How it came to be.
    public var provenance: Provenance
    /// Under which memory may keep it; nil keeps it out.
    public var ready: ReadyStamp?
    /// The room in memory of what the upstream sent.
    public var hold: BodyHold?
    /// It was drawn from a pool for this asker: nobody keeps it, the client neither.
    public var isDrawn = false
    /// The head is as it came for this request alone.
    public var isOwn = false
    /// It came from the upstream, or from the tier that hosts share, in a flight that this request led, and not out of this host's
    /// own store or from a flight that had begun before.
    public var isBroughtNow = false
    /// Interim answers that came before it, for this request alone.
    public var interim: [InterimHead] = []
    /// The list of variants that chose it, where it was read with one.
    public var list: StoredRow?

    /// - Parameter hold: the room in memory of its body.
    public init(_ entry: StoredResponse, _ provenance: Provenance, ready: ReadyStamp? = nil, hold: BodyHold? = nil) {
        self.entry = entry
        self.provenance = provenance
        self.ready = ready
        self.hold = hold
    }

    /// It is put together of stored parts, or of some and of what was fetched.
    public var isOfParts: Bool { entry.large is PartsBody }
    /// Where its body is read from.
    public var body: BodySource { tape.map { .tape($0) } ?? entry.source }
    /// See `Provenance.outcome`.
    public var outcome: CacheOutcome { provenance.outcome }
    var failure: UpstreamFailure? { provenance.failure }

    /// Whether a row stands behind it. A normalised row is made from raw rows only: what was not kept raw is not kept in
    /// normal form.
    var hasRow: Bool {
        outcome != .miss || provenance.isStored || ready != nil
    }
}

extension StoredResponse {
    /// Where its body is read from.
    var source: BodySource { large.map { .large($0) } ?? .bytes(body) }
}
