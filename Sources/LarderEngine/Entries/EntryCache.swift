// The only owner of what is kept: ready responses in memory, and entries in the database behind them. All code that
// reads, writes, freshens or removes an entry does it here, so memory and database agree at every instant.
//
// Two kinds of state are compared, and each has a type. A `ReadyStamp` is taken before an entry is read. It tells
// whether a response made from that entry may go into memory: not if the entry was rewritten, hidden or removed since.
// A `RemovalStamp` is taken before something is fetched. It tells whether the result is outdated: a purge, an unsafe
// request or a change of settings came in between. An entry that was only rewritten does not count there.
import LarderCache
import LarderCore
import LarderShared
import LarderStore
import Synchronization

/// The memory tier and the database as one unit.
public final class EntryCache: Sendable {
    /// The database, for its life cycle, for searches and for statistics. For entries, callers use the methods here.
    public let store: SQLiteStore
    /// The memory tier. The server asks it without starting a task.
    public let memory: MemoryTier
    let log: Logger
    let time: any TimeSource
    /// The turns for lists of parts.
    let turns = KeyTurns(limit: 32)
    /// The order of the responses to one URL that are in progress at the same time.
    let answers: AnswerOrders
    /// Rises with each change of the settings.
    let settingsEpoch = Atomic<UInt64>(0)
    /// No failed look-up is logged before this time, because one was logged recently.
    private let mutedUntil = Lock(MonotonicTime.distantPast)
    /// The tier that hosts share, if there is one.
    let sharedTier = Lock<SharedTier?>(nil)
    /// How many commits had failed when memory last forgot a provider for that: see `mayHoldUncommitted`.
    let forgotten = Lock<[String: Int]>([:])

    /// Makes the cache from an open memory tier and an open database.
    public init(store: SQLiteStore, memory: MemoryTier, log: Logger, time: any TimeSource) {
        self.store = store
        answers = AnswerOrders(store.arrivals)
        self.memory = memory
        self.log = log
        self.time = time
        store.tellOfVariants { [memory] in memory.invalidate($0) }
    }

    /// The numbers by which responses are ordered.
    var arrivals: ArrivalNumbers { store.arrivals }

    // MARK: Reading

    /// What a look-up found, and the state when it began.
    struct Found: Sendable, CopyOnWrite {
        struct Content: Sendable {
            var entry: StoredResponse?
            /// A stored entry that is not for this client. An error does not replace it.
            var hidden: StoredResponse?
            /// The entry is used only after a validation (`Displacement.putsOthersInDoubt`).
            var isInDoubt = false
            /// What is stored in parts, if no whole response is stored.
            var parts: PartsLook?
            /// The variants that are stored under the URL, if there are any.
            var index: VariantIndex?
            /// Why the entry answers, if neither the URL nor the request's fields select it.
            var chosenBy: CacheRule?
            /// The look-up took too long or failed: something may be stored all the same.
            var isLate = false
            /// Other requests for the same target and coding get the entry too, whatever their other fields are.
            var isForAll = true
            /// The stamp under which memory may keep a response made from the entry. It is not current if the look-up might
            /// not have found what is stored.
            var ready: ReadyStamp
            /// The removal stamp from before the look-up.
            let began: RemovalStamp
        }

        var content: Shared<Content>

        /// Whether the look-up found no whole response.
        var hasNothing: Bool { self.entry == nil && self.hidden == nil && self.index == nil }

        // More than six parameters: one for each thing that a look-up may find.
        init(
            entry: StoredResponse? = nil, isInDoubt: Bool = false, index: VariantIndex? = nil, isForAll: Bool = true,
            ready: ReadyStamp, began: RemovalStamp
        ) {
            content = Shared(
                Content(
                    entry: entry, isInDoubt: isInDoubt, index: index, isForAll: isForAll, ready: ready, began: began))
        }
    }

    /// Looks up an entry for a response.
    func lookUp(_ key: CacheKey, of provider: String) async -> Found {
        // The stamp is taken before the database is read, so that a purge in between keeps the response out of memory.
        let ready = memory.readyStamp(key.digest, of: provider)
        let began = memory.removalStamp(key.digest)
        return Found(entry: await read(key), ready: ready, began: began)
    }

    /// The stored entry with its whole body. A database that cannot be read counts as a miss, so that service goes on.
    /// The log reports this at most once a minute, and the store counts every failure.
    public func read(_ key: CacheKey) async -> StoredResponse? {
        do {
            return try await store.read(key)
        } catch {
            return unreadable(error)
        }
    }

    /// The same, but a large body is not read into memory.
    public func open(_ key: CacheKey) async -> StoredResponse? {
        do {
            return try await store.open(key)
        } catch {
            return unreadable(error)
        }
    }

    /// What is stored of the URL with that key. A large body is not read into memory.
    func find(_ url: CacheKey) async -> StoredLook {
        do {
            return try await store.find(url)
        } catch {
            _ = unreadable(error)
            var look = StoredLook()
            look.isLate = true
            return look
        }
    }

    /// Whether certainly nothing of the URL with that digest is stored: see `SQLiteStore.lacks`.
    func lacks(_ url: Digest) -> Bool { store.lacks(url) }

    /// Whether something of the URL with that key may be stored: see `SQLiteStore.mayHold`.
    func mayHold(_ key: CacheKey) async -> Bool { await store.mayHold(key) }

    /// The stored entry, if it can be used without a validation.
    public func fresh(_ key: CacheKey, _ directives: ClientDirectives, _ rule: FreshnessRule) async -> StoredResponse? {
        guard let entry = await read(key), isFresh(entry, directives, rule) else { return nil }
        return entry
    }

    /// Whether an entry can be used without a validation. A fresh entry that is older than this client accepts cannot.
    func isFresh(_ entry: StoredResponse, _ directives: ClientDirectives, _ rule: FreshnessRule) -> Bool {
        ConfiguredReuse.decide(entry: entry, directives: directives, rule: rule, now: time.wall()).decision.isFresh
    }

    private func unreadable(_ error: any Error) -> StoredResponse? {
        let now = time.monotonic()
        let isMuted = mutedUntil.withLock { until -> Bool in
            guard now >= until else { return true }
            until = now + .seconds(60)
            return false
        }
        if !isMuted { log.warning("the store could not be read", ["error": "\(error)"]) }
        return nil
    }

    /// Notes that an entry answered a request, so that eviction spares it longer.
    func used(_ digest: Digest) { store.touch(digest) }

    /// Tells the store which entries memory has used. Otherwise the store would take its most wanted entries for the
    /// least used. Called by a timer.
    public func noteUsesOfMemory() {
        for digest in memory.takeUsed() { store.touch(digest) }
    }

    // MARK: The state of a key

    /// The removal stamp as of now, for what is fetched or read from here on.
    public func begin(_ key: CacheKey) -> RemovalStamp { begin(key.digest) }
    func begin(_ digest: Digest) -> RemovalStamp { memory.removalStamp(digest) }
    /// The same for a pass-through request. A removal of a folder above its URL counts too.
    func begin(_ request: PassRequest) -> RemovalStamp {
        memory.removalStamp(request.target.digest, below: request.folders)
    }

    /// Whether nothing that concerns the stamp was removed since. If false, what arrived since is outdated.
    public func isCurrent(_ began: RemovalStamp) -> Bool { memory.isCurrent(began) }

    /// The stamp as of now for a response that is made from these entries of these providers.
    func readyStamp(_ digests: [Digest], of providers: [String]) -> ReadyStamp {
        memory.readyStamp(digests, of: providers)
    }
    /// The same for a pass-through request, beside its own key.
    func readyStamp(_ request: PassRequest) -> ReadyStamp {
        memory.readyStamp(request.primary.digest, of: request.provider.name)
    }
    func readyStamp(_ request: PassRequest, _ other: Digest) -> ReadyStamp {
        request.primary.digest == other
            ? readyStamp(request) : memory.readyStamp(request.primary.digest, other, of: request.provider.name)
    }

    /// Whether nothing that concerns the stamp was rewritten, hidden or removed since.
    func isCurrent(_ ready: ReadyStamp) -> Bool { memory.isCurrent(ready) }
}
