// The memory tier: ready responses by the raw bytes of their request, for all loops of the process. It has sixteen
// shards by hash, each behind its own lock. A hit hashes, locks, probes, compares and sets a mark.
//
// Bytes are reserved before an entry is inserted and returned after it was removed, so the sum of the held bytes never
// exceeds the budget. An entry is charged its head, its target and a fixed overhead for its records. Its body is
// charged once for all entries of the same canonical key with the same body. No lock is taken inside another.
import LarderCore
import Synchronization

/// Figures about the memory tier.
public struct MemoryStatistics: Sendable, Hashable {
    public var entries = 0
    /// The bytes charged, and the bytes allowed.
    public var bytes = 0
    public var budget = 0
    /// The number of different bodies. Further entries share one of them.
    public var bodies = 0

    public init() {}
}

/// Ready responses in memory. SIEVE selects the entries to evict.
public final class MemoryTier: ReadySource {
    /// The cost of an entry's records in bytes: the entry, its places in table and queue, the response object and the
    /// array headers.
    public static let entryOverhead = 512
    /// An entry larger than this fraction of the budget (an eighth) is not taken, because it would evict too much at
    /// once.
    public static let largestShare = 8

    private static let skew = ConfiguredReuse.clockSkew.milliseconds
    private let shards: [Lock<MemoryShard>]
    private let shardShift: UInt64
    private let seed: UInt64
    private let generations = MemoryGenerations()
    /// Counts removals only, not entries that are written anew.
    private let removals = MemoryGenerations()
    private let groups = Lock(GroupRemovals())
    /// The number of the latest removal of groups. It rises before that removal begins.
    private let latestGroup = Atomic<UInt64>(0)
    private let bodies = MemoryBodies()
    private let budget: Atomic<Int>
    /// The bytes reserved or held.
    private let used = Atomic<Int>(0)
    /// Selects the shard of the next eviction, so that all shards give in turn.
    private let turn = Atomic<Int>(0)
    private let insertions = CounterCell()
    private let evictions = CounterCell()
    private let expirations = CounterCell()
    private let invalidations = CounterCell()
    private let refusals = CounterCell()
    private let deferrals = CounterCell()

    /// - Parameters:
    ///   - budget: in bytes; 0 switches the tier off.
    ///   - shards: rounded up to a power of two, at most 256.
    ///   - seed: the seed of the hash; random unless a test needs the same places each time.
    public init(budget: Int, shards: Int = 16, seed: UInt64 = .random(in: .min ... .max)) {
        var bits: UInt64 = 0
        while 1 << bits < min(max(shards, 1), 256) { bits += 1 }
        self.shards = (0..<1 << bits).map { _ in Lock(MemoryShard()) }
        self.shardShift = 64 - bits
        self.seed = seed
        self.budget = Atomic(max(0, budget))
    }

    /// The high bits select the shard, the low bits the place in it.
    private func shard(_ hash: UInt64) -> Lock<MemoryShard> {
        // A shift by 64 gives 0, which is the only shard.
        shards[Int(truncatingIfNeeded: hash >> shardShift)]
    }

    // MARK: Answering

    /// The response for this request, if there is a fresh one that was not invalidated. An expired or invalidated entry
    /// that is found is removed.
    public func ready(_ query: ReadyQuery) -> ReadyResponse? {
        let hash = TargetHash.of(query.target, scope: UInt64(query.listener), seed: seed)
        let found = shard(hash).withLock {
            $0.find(query, hash: hash, generations: generations, skew: Self.skew)
        }
        switch found {
        case .hit(let response): return response
        case .nothing: return nil
        case .unmade(let forms, let bare):
            let response = forms.make(bare.body)
            _ = shard(hash).withLock { $0.fill(query, hash: hash, inPlaceOf: bare, response) }
            return response
        case .removed(let entry, let isExpired):
            (isExpired ? expirations : invalidations).add()
            giveBack(entry)
            return nil
        }
    }

    /// Whether the tier takes nothing. A response for it then need not be made.
    public var isOff: Bool { budget.load(ordering: .relaxed) == 0 }

    // MARK: Filling

    /// The present state of everything that a response made from these keys depends on. Take it before reading what the
    /// response is made from: a later invalidation then keeps the response out. A merged response names all its keys
    /// and providers.
    public func readyStamp(_ keys: [Digest], of providers: [String]) -> ReadyStamp {
        generations.readyStamp(keys, of: providers)
    }

    /// The same for a response that is made from two entries of one provider.
    public func readyStamp(_ key: Digest, _ other: Digest, of provider: String) -> ReadyStamp {
        generations.readyStamp(key, other, of: provider)
    }

    /// The same for a response that is made from one entry.
    public func readyStamp(_ key: Digest, of provider: String) -> ReadyStamp {
        generations.readyStamp(key, of: provider)
    }

    /// Whether nothing that the stamp covers was invalidated since it was taken.
    public func isCurrent(_ stamp: ReadyStamp) -> Bool { generations.isCurrent(stamp) }

    /// The state of removals: purges, and invalidations by unsafe requests. Entries that are written anew do not count.
    /// - Parameter folders: the folders above the key.
    public func removalStamp(_ key: Digest, below folders: [URLFolder] = []) -> RemovalStamp {
        removals.removalStamp(key, below: folders, group: latestGroup.load(ordering: .acquiring))
    }

    /// Whether nothing that the stamp covers was removed since it was taken. This does not tell of groups.
    public func isCurrent(_ stamp: RemovalStamp) -> Bool { removals.isCurrent(stamp) }

    /// The same for a response of that provider with these parents, among them its groups.
    public func isCurrent(_ stamp: RemovalStamp, of provider: String, with parents: [Digest]) -> Bool {
        guard removals.isCurrent(stamp) else { return false }
        return latestGroup.load(ordering: .acquiring) == stamp.group
            || !groups.withLock { $0.concern(parents, of: provider, after: stamp.group) }
    }

    /// The same for a response of that provider whose groups are not known yet.
    public func isCurrent(_ stamp: RemovalStamp, ofAnyGroupOf provider: String) -> Bool {
        guard removals.isCurrent(stamp) else { return false }
        return latestGroup.load(ordering: .acquiring) == stamp.group
            || !groups.withLock { $0.hasAny(of: provider, after: stamp.group) }
    }

    /// Records that groups are being removed: for the requests under way, and in memory, which does not know what
    /// belongs to a group and forgets everything of the provider. It refills from the database at once.
    public func remove(groups removed: [Digest], of provider: String) {
        groups.withLock { groups in
            groups.note(removed, of: provider)
            latestGroup.store(groups.latest, ordering: .releasing)
        }
        forgetReady(of: provider)
    }

    /// How often groups of a provider were removed.
    public func groupRemovals(of provider: String) -> UInt64 { groups.withLock { $0.count(of: provider) } }

    /// Records that the entry is being removed: in memory, and for the requests under way.
    public func remove(_ key: Digest) {
        removals.raise(key)
        generations.raise(key)
    }

    /// Records that everything below a folder is being removed, for the requests under way.
    public func remove(below folder: URLFolder) { removals.raise(folder: folder.mark) }

    /// Forgets every ready response of a provider, because it is not known which of them were made from removed entries.
    public func forgetReady(of provider: String) { generations.raise(provider: provider) }

    /// Records that everything is being removed.
    public func removeAll() {
        removals.raiseAll()
        generations.raiseAll()
    }

    /// Keeps a response for requests with exactly this listener and target. If other entries would have to be evicted
    /// for it, the target must have been requested before: the first request is only recorded.
    ///
    /// When a stored response is replaced, call `invalidate` first, because other spellings of it may still be held.
    /// The order is: write, invalidate, take a stamp, read or make the response, insert.
    ///
    /// - Parameters:
    ///   - takesGzip: if the response depends on content coding, whether it is for clients that accept gzip
    ///     (`ContentCoding.acceptsGzip`) or for those that do not; nil if it fits any request.
    ///   - key: the digest of the canonical key it answers. Equal bodies under one key are kept once.
    ///   - forms: makes the response's forms at its first hit; `response` then has none. Nil if they are made.
    ///   - rows: the stored entries it was made from, which its hits keep from being evicted; nil for the key's own.
    ///   - stamp: taken before the stored response was read.
    /// - Returns: whether it was taken. It is refused if it has expired, was invalidated since, is too large for the
    ///   budget, or is new while there is no room.
    @discardableResult
    // More than six parameters: the request, its response, and what both depend on.
    public func insert(
        listener: UInt16, target: Bytes, takesGzip: Bool?, response: ReadyResponse, forms: LateForms? = nil,
        key: Digest, rows: [Digest]? = nil, stamp: ReadyStamp, now: WallTime
    ) -> Bool {
        let own = Self.entryOverhead + (forms?.byteCount ?? response.headCount) + target.count
        let whole = own + response.body.count
        let limit = budget.load(ordering: .relaxed)
        guard limit > 0, response.file == nil, whole <= limit / Self.largestShare, response.freshUntil > now,
            generations.isCurrent(stamp)
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
            forms: forms, stamp: stamp, hold: held.hold, charge: own, rows: rows ?? [key])
        let replaced = shard(hash).withLock { $0.insert(entry) }
        if let replaced { giveBack(replaced) }
        insertions.add()
        // The budget may have been lowered since the bytes were reserved.
        trim()
        return true
    }

    /// Whether a body that lies in a file is wanted in memory: it fits, and the same was requested before, as far as is
    /// remembered. The first request is recorded. So no array is made for a body that is asked for once.
    public func wants(_ length: Int, for query: ReadyQuery) -> Bool {
        guard length + Self.entryOverhead <= budget.load(ordering: .relaxed) / Self.largestShare else { return false }
        let hash = TargetHash.of(query.target, scope: UInt64(query.listener), seed: seed)
        return shard(hash).withLock { $0.admits(hash: hash) }
    }

    /// The stored entries whose ready forms were hit since the last call. Memory answers without the store, which would
    /// otherwise see its most requested entries as the least used. For a timer, not for the hot path.
    public func takeUsed() -> [Digest] {
        shards.flatMap { shard in shard.withLock { $0.takeUsed() } }
    }

    // MARK: Invalidating

    /// Invalidates every response that was made from this key before this call.
    public func invalidate(_ key: Digest) { generations.raise(key) }

    /// Evicts every response that is held when this is called. Nothing else changes: the store keeps its entries, and a
    /// response that is being made is taken as usual.
    /// - Returns: the number of responses.
    public func empty() -> Int {
        var count = 0
        for shard in shards {
            // New responses may arrive meanwhile, so the number is taken before.
            for _ in 0..<shard.withLock({ $0.count }) {
                guard let entry = shard.withLock({ $0.evict(generations: generations) }) else { break }
                giveBack(entry)
                count += 1
            }
        }
        return count
    }

    // MARK: Budget

    /// Changes the budget. A smaller budget is met before this method returns. 0 empties the tier and switches it off.
    public func setBudget(_ bytes: Int) {
        budget.store(max(0, bytes), ordering: .sequentiallyConsistent)
        trim()
    }

    /// Counts bytes as used if they fit, and evicts until they do. Returns false if nothing is left to evict.
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

    /// Evicts one entry from the next shard that has any.
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

    // MARK: Statistics

    /// The present figures. Takes every lock once, one after the other.
    public func statistics() -> MemoryStatistics {
        var figures = MemoryStatistics()
        figures.entries = shards.reduce(0) { sum, shard in sum + shard.withLock { $0.count } }
        figures.bytes = used.load(ordering: .relaxed)
        figures.budget = budget.load(ordering: .relaxed)
        figures.bodies = bodies.count
        return figures
    }

    /// Registers this tier's figures.
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
