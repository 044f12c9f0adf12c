// A response from the cache and how it was made. Every route makes its HTTP response from this type, for raw,
// normalised, artwork, pooled and pass-through entries.
import LarderCache
import LarderCore
import LarderHTTP
import LarderShared
import LarderStore

/// How a response was made.
public struct Provenance: Sendable {
    /// How the cache answered.
    public var outcome: CacheOutcome
    /// Why the request went upstream, if it did.
    public var forward: ForwardReason?
    /// The status of the upstream's response, if the request went upstream.
    public var forwardStatus: Int?
    /// Whether the fetched response is in the database, or accepted and committed soon.
    public var isStored = false
    /// Whether the response is written to the store while it goes out.
    public var isBeingStored = false
    /// The rule by which a stored response was used, or was not used and the request went upstream.
    public var rule: CacheRule?
    /// The rule by which the fetched response was stored or not stored.
    public var storing: CacheRule?
    /// Larder's own word for how the cache answered.
    public var detail: String?
    /// The range that the upstream was asked for.
    public var asked: String?
    /// The part that the shared tier played.
    public var shared = SharedPart.none
    /// The failure that a stale response stands in for.
    public var failure: UpstreamFailure?

    /// Values that are not given are false or nil.
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
        self.failure = failure
    }
}

/// A response from the cache.
public struct Served: Sendable {
    /// The entry that answered, with its body if that is in memory.
    public var entry: StoredResponse
    /// Where the body is read from while the entry does not hold it.
    public var tape: TapeBody?
    /// How the response was made.
    public var provenance: Provenance
    /// The stamp under which memory may keep the response. Nil keeps it out of memory.
    public var ready: ReadyStamp?
    /// The memory reservation of the upstream's response.
    public var hold: BodyHold?
    /// It was drawn from a pool for this request. No cache may keep it, not even the client's.
    public var isDrawn = false
    /// The head is as it came for this request alone.
    public var isOwn = false
    /// It came from the upstream or the shared tier, in a flight that this request led. It did not come from this
    /// host's own store, or from a flight that had begun before.
    public var isBroughtNow = false
    /// The interim responses that came before it, for this request alone.
    public var interim: [InterimHead] = []

    /// - Parameter hold: the memory reservation of its body.
    public init(_ entry: StoredResponse, _ provenance: Provenance, ready: ReadyStamp? = nil, hold: BodyHold? = nil) {
        self.entry = entry
        self.provenance = provenance
        self.ready = ready
        self.hold = hold
    }

    /// It is made of stored parts, or of stored parts and what was fetched.
    public var isOfParts: Bool { entry.large is PartsBody }
    /// Where its body is read from.
    public var body: BodySource { tape.map { .tape($0) } ?? entry.source }
    /// See `Provenance.outcome`.
    public var outcome: CacheOutcome { provenance.outcome }
    var failure: UpstreamFailure? { provenance.failure }

    /// Whether a row is stored for it. Only raw rows make normalised rows: what has no raw row gets no normalised one.
    var hasRow: Bool {
        outcome != .miss || provenance.isStored || ready != nil
    }
}

extension Provenance {
    /// Whether a 304 confirmed a stored variant of another request, which was then stored for this one.
    public var confirmsOtherVariant: Bool {
        outcome == .revalidated && rule == .variantMiss && storing != .validated
    }
}

extension StoredResponse {
    /// Where its body is read from.
    var source: BodySource { self.large.map { .large($0) } ?? .bytes(self.body) }
}
