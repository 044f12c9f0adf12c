// The memory tier: ready responses by the raw bytes of their request, for all loops of the process.
// Sixteen shards by hash, each behind its own lock; a hit hashes, locks, probes, compares, sets a mark and goes.
//
// Bytes are promised before an entry goes in and given back after it came out, so the sum of what is held never exceeds
// the budget. An entry is charged its head, target and a fixed overhead for its records; its body is charged once for
// all entries of the same canonical key with the same body. No lock is taken inside another.
import LarderCore
import Synchronization

/// Figures about the memory tier.
public struct MemoryStatistics: Sendable, Hashable {
    public var entries = 0
    /// Bytes charged, and allowed.
    public var bytes = 0
    public var budget = 0
    /// Different bodies held; entries beyond that share one.
    public var bodies = 0

    public init() {}
}

/// Ready responses in memory, chosen for eviction by SIEVE.
public final class MemoryTier: ReadySource {
    /// What an entry's records cost besides its bytes: the entry, its places in table and queue, the response object
    /// and the array headers.
    public static let entryOverhead = 512
    /// An entry larger than this part of the budget is not taken: it would drive out too much at once.
    public static let largestShare = 8

    private static let skew = ConfiguredReuse.clockSkew.milliseconds
    private let shards: [Lock<MemoryShard>]
    private let shardShift: UInt64
    private let seed: UInt64
    private let generations = MemoryGenerations()
    /// Of what was removed only; what is written anew does not count here.
    private let removals = MemoryGenerations()
    private let bodies = MemoryBodies()
    private let budget: Atomic<Int>
    /// Bytes promised or held.
    private let used = Atomic<Int>(0)
    /// Where the next eviction begins, so that all shards give in turn.
    private let turn = Atomic<Int>(0)
    private let insertions = CounterCell()
    private let evictions = CounterCell()
    private let expirations = CounterCell()
    private let invalidations = CounterCell()
    private let refusals = CounterCell()
    private let deferrals = CounterCell()

    /// - Parameters:
    ///   - budget: bytes; 0 switches the tier off.
    ///   - shards: rounded up to a power of two, at most 256.
    ///   - seed: of the hash; random unless a test wants the same places each time.
    public init(budget: Int, shards: Int = 16, seed: UInt64 = .random(in: .min ... .max)) {
        var bits: UInt64 = 0
        while 1 << bits < min(max(shards, 1), 256) { bits += 1 }
        self.shards = (0..<1 << bits).map { _ in Lock(MemoryShard()) }
        self.shardShift = 64 - bits
        self.seed = seed
        self.budget = Atomic(max(0, budget))
    }

    /// The high bits choose the shard, the low ones the place in it.
    private func shard(_ hash: UInt64) -> Lock<MemoryShard> {
        // A shift by 64 gives 0: the only shard.
        shards[Int(truncatingIfNeeded: hash >> shardShift)]
    }

    // MARK: Answering

    /// The response for this request, if there is a fresh one of the current generation. What is found expired or
    /// invalidated is taken out on the way.
    public func ready(_ query: ReadyQuery) -> ReadyResponse? {
        let hash = TargetHash.of(query.target, scope: UInt64(query.listener), seed: seed)
        let found = shard(hash).withLock {
            $0.find(query, hash: hash, generations: generations, skew: Self.skew)
        }
        switch found {
        case .hit(let response): return response
        case .nothing: return nil
        case .removed(let entry, let isExpired):
            (isExpired ? expirations : invalidations).add()
            giveBack(entry)
            return nil
        }
    }

    /// Nothing is ever taken: what would be given need not be made.
    public var isOff: Bool { budget.load(ordering: .relaxed) == 0 }

    // MARK: Filling

    /// The present state of all that an answer made of these keys will depend on. Take it before reading what the answer
    /// is made from: an invalidation in between then keeps the answer out. A merged answer names all its keys.
    public func readyStamp(_ keys: [Digest]) -> ReadyStamp { generations.readyStamp(keys) }
    /// The same for an answer made of one key.
    public func readyStamp(_ key: Digest) -> ReadyStamp { generations.readyStamp(key) }

    /// Whether nothing that the stamp names was invalidated since it was taken.
    public func isCurrent(_ stamp: ReadyStamp) -> Bool { generations.isCurrent(stamp) }

    /// The state of removals: purges, and what an unsafe request made invalid. What is written anew does not count here.
    public func removalStamp(_ key: Digest) -> RemovalStamp { removals.removalStamp(key) }

    /// Whether nothing of it was removed since.
    public func isCurrent(_ stamp: RemovalStamp) -> Bool { removals.isCurrent(stamp) }

    /// The entry is being removed: for memory, and for what is under way.
    public func remove(_ key: Digest) {
        removals.raise(key)
        generations.raise(key)
    }

    /// The same for everything.
    public func removeAll() {
        removals.raiseAll()
        generations.raiseAll()
    }

    /// Keeps a response for requests of exactly that listener and target. Where others would have to go for it, it must
    /// have been asked for before: the first time it is only remembered.
    ///
    /// When a stored answer is replaced, call `invalidate` first: other spellings of it may still be held. The order is
    /// write, invalidate, take a stamp, read or make the response, insert.
    ///
    /// - Parameters:
    ///   - takesGzip: where the response was chosen by content coding, whether it is for clients that take gzip
    ///     (`ContentCoding.acceptsGzip`) or for those that do not; nil where it fits any request.
    ///   - key: digest of the canonical key it answers; equal bodies under one key are kept once.
    ///   - rows: the stored entries it was made from, which its hits keep from being evicted; the key's own where nil.
    ///   - stamp: taken before the stored answer was read.
    /// - Returns: whether it was taken: not when expired, invalidated since, too large for the budget, or new while
    ///   there is no room.
    @discardableResult
    // More than six parameters: what is asked for, what answers it, and what both hang on.
    public func insert(
        listener: UInt16, target: Bytes, takesGzip: Bool?, response: ReadyResponse, key: Digest,
        rows: [Digest]? = nil, stamp: ReadyStamp, now: WallTime
    ) -> Bool {
        let own = Self.entryOverhead + response.headCount + target.count
        let whole = own + response.body.count
        let limit = budget.load(ordering: .relaxed)
        guard limit > 0, whole <= limit / Self.largestShare, response.freshUntil > now, generations.isCurrent(stamp)
        else {
            refusals.add()
            return false
        }
        let hash = target.withUnsafeBufferPointer { TargetHash.of($0, scope: UInt64(listener), seed: seed) }
        if used.load(ordering: .relaxed) + whole > limit, !shard(hash).withLock({ $0.admits(hash: hash) }) {
            deferrals.add()
            return false
        }
        guard promise(whole) else {
            refusals.add()
            return false
        }
        let held = bodies.hold(response.body, key: key)
        let bytesFreed = held.freed + (held.isNew ? 0 : response.body.count)
        if bytesFreed > 0 { used.subtract(bytesFreed, ordering: .relaxed) }
        let kept = held.isNew ? response : ReadyResponse(response, body: held.bytes)
        let entry = MemoryShard.Entry(
            hash: hash, listener: listener, target: target, takesGzip: takesGzip, response: kept,
            stamp: stamp, hold: held.hold, charge: own, rows: rows ?? [key])
        let replaced = shard(hash).withLock { $0.insert(entry) }
        if let replaced { giveBack(replaced) }
        insertions.add()
        // The budget may have been lowered since the promise.
        trim()
        return true
    }

    /// The stored entries whose ready forms were hit since this was last asked: memory answers without the store, which
    /// would otherwise take its most wanted entries for the least used. For a timer, not for the hot path.
    public func takeUsed() -> [Digest] {
        shards.flatMap { shard in shard.withLock { $0.takeUsed() } }
    }

    // MARK: Invalidating

    /// Nothing made from that key before this call is a hit after it.
    public func invalidate(_ key: Digest) { generations.raise(key) }

    // MARK: Room

    /// Changes the budget; a smaller one is kept to on return. 0 empties the tier and switches it off.
    public func setBudget(_ bytes: Int) {
        budget.store(max(0, bytes), ordering: .sequentiallyConsistent)
        trim()
    }

    /// Counts bytes as used if they fit, evicting until they do; false where nothing is left to evict.
    private func promise(_ bytes: Int) -> Bool {
        var present = used.load(ordering: .relaxed)
        while true {
            if present + bytes <= budget.load(ordering: .relaxed) {
                let (done, original) = used.compareExchange(
                    expected: present, desired: present + bytes, ordering: .acquiringAndReleasing)
                if done { return true }
                present = original
            } else {
                guard evictOne() else { return false }
                present = used.load(ordering: .relaxed)
            }
        }
    }

    private func trim() {
        while used.load(ordering: .relaxed) > budget.load(ordering: .sequentiallyConsistent), evictOne() {}
    }

    /// Evicts one entry of the next shard that has any.
    private func evictOne() -> Bool {
        for _ in shards {
            let next = turn.wrappingAdd(1, ordering: .relaxed).oldValue & (shards.count - 1)
            if let entry = shards[next].withLock({ $0.evict(generations: generations) }) {
                evictions.add()
                giveBack(entry)
                return true
            }
        }
        return false
    }

    private func giveBack(_ entry: MemoryShard.Entry) {
        used.subtract(entry.charge + bodies.release(entry.hold), ordering: .relaxed)
    }

    // MARK: Telling

    /// What is held now. Takes every lock once, one after the other.
    public func statistics() -> MemoryStatistics {
        var figures = MemoryStatistics()
        figures.entries = shards.reduce(0) { sum, shard in sum + shard.withLock { $0.count } }
        figures.bytes = used.load(ordering: .relaxed)
        figures.budget = budget.load(ordering: .relaxed)
        figures.bodies = bodies.count
        return figures
    }

    /// Puts this tier's figures into the registry.
    public func register(in registry: CounterRegistry) {
        registry.gauge(CacheCounters.memoryBytes) { [self] in Double(used.load(ordering: .relaxed)) }
        registry.gauge(CacheCounters.memoryBudget) { [self] in Double(budget.load(ordering: .relaxed)) }
        registry.gauge(CacheCounters.memoryEntries) { [self] in Double(statistics().entries) }
        registry.gauge(CacheCounters.memoryInsertions) { [insertions] in Double(insertions.current) }
        registry.gauge(CacheCounters.memoryEvictions) { [evictions] in Double(evictions.current) }
        registry.gauge(CacheCounters.memoryExpirations) { [expirations] in Double(expirations.current) }
        registry.gauge(CacheCounters.memoryInvalidations) { [invalidations] in Double(invalidations.current) }
        registry.gauge(CacheCounters.memoryRefusals) { [refusals] in Double(refusals.current) }
        registry.gauge(CacheCounters.memoryDeferrals) { [deferrals] in Double(deferrals.current) }
    }
}
