// The one owner of what is kept: ready answers in memory over entries in the database. Whoever reads, writes, freshens or
// removes an entry does it here, so that memory and database tell the same at every instant.
//
// Two states are compared, and each has its type. A `ReadyStamp`, taken before an entry is read, tells whether an answer
// made of that entry may go into memory: not where it was written anew, hidden or removed since. A `RemovalStamp`, taken
// before something is fetched, tells whether what came is an answer of before: a purge, an unsafe request or other
// settings passed in between. What is merely written anew does not count there.
import LarderCache
import LarderCore
import LarderShared
import LarderStore
import Synchronization

/// Memory tier and database as one.
public final class EntryCache: Sendable {
    /// For the daemon's own life with it, for searches in it and for its figures; entries go by the functions here.
    public let store: SQLiteStore
    /// For the server, which asks it without a task.
    public let memory: MemoryTier
    let log: Logger
    let time: any TimeSource
    /// For the lists of variants. More at a time than a list has places would only drive each other out of it.
    let turns = KeyTurns(limit: VariantIndex.limit)
    /// For the answers of one URL that come at the same time.
    let answers = AnswerOrders()
    /// Rises with each change of the settings.
    let settingsEpoch = Atomic<UInt64>(0)
    /// A look-up that failed was logged: no more of it until then.
    private let mutedUntil = Lock(MonotonicTime.distantPast)
    /// The tier that hosts share, where there is one.
    let sharedTier = Lock<SharedTier?>(nil)

    /// Over a memory tier and a database that are open.
    public init(store: SQLiteStore, memory: MemoryTier, log: Logger, time: any TimeSource) {
        self.store = store
        self.memory = memory
        self.log = log
        self.time = time
    }

    // MARK: Reading

    /// What a look-up found, and what was in force when it began.
    struct Found: Sendable {
        var entry: StoredResponse?
        /// What is stored and is not for the client: an error does not take its place.
        var hidden: StoredResponse?
        /// The entry is used only after a validation (`Displacement.putsOthersInDoubt`).
        var isInDoubt = false
        /// What is stored of it in parts, where no whole answer is stored.
        var parts: PartsLook?
        /// The look-up found nothing stored in parts. That holds as long as `ready` is current.
        var lacksParts = false
        /// The variants that are stored under a URL, where it has any.
        var index: VariantIndex?
        /// Why the entry answers, where neither the URL nor the request's fields select it.
        var chosenBy: CacheRule?
        /// Other requests for the same target and coding get the entry, too, whatever their other fields.
        var isForAll = true
        /// The row of that list, where it chose the entry.
        var list: StoredRow?
        /// Under which memory may keep an answer made of the entry; not current any more where what was found may not be
        /// what is there.
        var ready: ReadyStamp
        /// Removals up to the look-up.
        let began: RemovalStamp
    }

    /// Looks an entry up for an answer.
    func lookUp(_ key: CacheKey) async -> Found {
        // Before the database is read: a purge in between then keeps the answer out of memory.
        let ready = memory.readyStamp(key.digest)
        let began = memory.removalStamp(key.digest)
        return Found(entry: await read(key), ready: ready, began: began)
    }

    /// The stored entry, whole. A database that cannot be read is a miss, so that service goes on; the log says so once a
    /// minute at most, and the store counts each.
    public func read(_ key: CacheKey) async -> StoredResponse? {
        do {
            return try await store.read(key)
        } catch {
            return unreadable(error)
        }
    }

    /// The same, with a large body left where it is.
    func open(_ key: CacheKey) async -> StoredResponse? {
        do {
            return try await store.open(key)
        } catch {
            return unreadable(error)
        }
    }

    /// Whether an entry of that key may be stored: see `SQLiteStore.mayHold`.
    func mayHold(_ key: CacheKey) async -> Bool { await store.mayHold(key) }

    /// The stored entry as it is, for a person who looks at it: a large body is left where it is.
    public func stored(_ key: CacheKey) async -> StoredResponse? { await open(key) }

    /// The stored entry where it answers as it is.
    public func fresh(_ key: CacheKey, _ directives: ClientDirectives, _ rule: FreshnessRule) async -> StoredResponse? {
        guard let entry = await read(key), isFresh(entry, directives, rule) else { return nil }
        return entry
    }

    /// Whether an entry answers as it is. One that is fresh, but older than this client accepts, does not.
    func isFresh(_ entry: StoredResponse, _ directives: ClientDirectives, _ rule: FreshnessRule) -> Bool {
        switch ConfiguredReuse.decide(entry: entry, directives: directives, rule: rule, now: time.wall()).decision {
        case .fresh, .negative: true
        case .stale, .unusable: false
        }
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

    /// An entry answered a request: it is spared longer when room is made.
    func used(_ digest: Digest) { store.touch(digest) }

    /// Memory answers without the database, which would take its most wanted entries for the least used. For a timer.
    public func noteUsesOfMemory() {
        for digest in memory.takeUsed() { store.touch(digest) }
    }

    // MARK: The state of a key

    /// The state of removals now, for what is fetched or read from here on.
    public func begin(_ key: CacheKey) -> RemovalStamp { begin(key.digest) }
    func begin(_ digest: Digest) -> RemovalStamp { memory.removalStamp(digest) }

    /// Whether nothing was removed since that concerns it. False makes what came since an answer of before.
    public func isCurrent(_ began: RemovalStamp) -> Bool { memory.isCurrent(began) }

    /// The state on which an answer made of these entries depends, from here on.
    func readyStamp(_ digests: [Digest]) -> ReadyStamp { memory.readyStamp(digests) }
    func readyStamp(_ digest: Digest) -> ReadyStamp { memory.readyStamp(digest) }

    /// Whether nothing was written anew, hidden or removed since.
    func isCurrent(_ ready: ReadyStamp) -> Bool { memory.isCurrent(ready) }
}
