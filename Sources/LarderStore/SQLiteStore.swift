// The disk cache's interface for the rooms above. Every call hands a job to a thread of the store and returns on the
// caller's executor; no call blocks that. Reads go to a few reader threads (`store-r0`…), everything else to the writer
// (`store-w`), which alone may change the database.
import CSQLite
import Glibc
import LarderCore

/// Larder's cache database. Call `close` before releasing it: its threads keep it alive.
public final class SQLiteStore: Sendable {
    /// The version of the loaded SQLite library, such as "3.40.1".
    public static let libraryVersion = String(cString: sqlite3_libversion())

    let shared: StoreShared

    private init(_ shared: StoreShared) { self.shared = shared }

    /// Opens `cache.db` in the directory and locks the directory. Makes both if they are absent.
    ///
    /// Opening takes the same short time whatever the database holds. A damaged database, or one of another schema, is
    /// set aside beside the new one, with a warning. If the disk has no room for what opening writes, or another
    /// program has the database open for longer than 5 s, the store begins degraded, without a database: reads miss, and
    /// opening is tried again.
    /// - Throws: `StoreError` with SQLITE_BUSY if another daemon has locked the directory; the error of SQLite or of
    ///   the system if the database can neither be opened nor made.
    public static func open(
        directory: String, settings: StoreSettings, log: Logger, counters: CounterRegistry,
        time: any TimeSource = SystemTime()
    ) throws(StoreError) -> SQLiteStore {
        let files = try DatabaseFiles(directory: directory, name: "cache", time: time)
        let shared = StoreShared(
            files: files, settings: settings, counters: counters, log: log.labelled("store"), time: time)
        if let type = files.networkFileSystem {
            shared.log.warning("the cache directory is on a network file system", ["path": directory, "type": type])
        }
        unlink(directory + "/cache.removals")
        var database: StoreWriter.Database?
        var lacking: StoreError?
        do {
            database = try StoreWriter.openOrSetAside(shared) { () throws(StoreError) in
                try StoreWriter.openDatabase(shared.files)
            }
            shared.files.noteOpened()
        } catch  where error.isLackOfDisk || error.code == SQLITE_BUSY || files.lacksInodes {
            lacking = error
        }
        shared.renew(shared.files.sizes)
        let owner = StoreWriter(shared, database)
        if let lacking { owner.beginWithoutDatabase(lacking) }
        let writer = Handover(owner)
        let store = SQLiteStore(shared)
        counters.gauge(StoreCounters.waiting, "read") { [reads = shared.reads] in Double(reads.count) }
        counters.gauge(StoreCounters.waiting, "write") { [writes = shared.writes] in Double(writes.count) }
        counters.gauge(StoreCounters.uncommitted) { [overlay = shared.overlay] in Double(overlay.count) }
        counters.gauge(StoreCounters.openBodies) { [shared] in
            Double(shared.bodies.withLock { $0 }?.table.count ?? 0)
        }
        counters.gauge(StoreCounters.pendingRemovals) { [removals = shared.removals] in Double(removals.count) }
        do {
            for number in 0..<max(1, settings.readers) {
                try NamedThread.start("store-r\(number)") { StoreReader(shared).run() }
            }
            try shared.startHelpers()
            try NamedThread.start("store-w") { writer.take()?.run() }
        } catch {
            shared.reads.end()
            shared.waits.end()
            shared.flusher.end()
            if let connection = database?.connection {
                // Closing the connection removes the write-ahead log. It has been written back, so nothing is lost.
                if connection.writeLogBack() { files.isInUse = false }
                connection.close()
            }
            throw error
        }
        return store
    }

    /// Applies new settings. A lower `maxSize` is reached by evicting in idle time and at the next write. `readers`
    /// stays.
    public func apply(_ settings: StoreSettings) {
        shared.settings.withLock { $0 = settings }
        shared.waits.patience = settings.patience
        shared.waits.commitWithin = settings.commitWithin
        shared.writes.collect(for: settings.commitWithin / 2)
        shared.writes.nudge()
    }

    /// Finishes the waiting writes, writes uses down, and closes. Waiting and later reads miss. Later writes are
    /// refused (`closed`), and so are waiting writes for which no time is left (`StoreEnding`).
    public func close() async {
        let isFirst = shared.isClosed.withLock { (closed: inout Bool) -> Bool in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        shared.ending.begin(at: shared.time.monotonic())
        shared.reads.end()
        await handover { continuation in
            if !shared.writes.insist(.close(continuation)) { continuation.resume() }
            shared.writes.end()
        }
    }

    /// Returns the entry with that key, body included, or nil. Expired entries are returned too: the caller decides
    /// about reuse.
    public func read(_ key: CacheKey) async throws(StoreError) -> StoredResponse? {
        try await look(key, opens: false).entry
    }

    /// Returns what is stored of the URL with that key: the entry of the key, or the variants of the URL.
    public func find(_ url: CacheKey) async throws(StoreError) -> StoredLook {
        try await look(url, opens: true, isOfURL: true)
    }

    /// Whether certainly nothing of the URL with that digest is stored or being written. Does not wait. False if only a
    /// look-up can tell.
    public func lacks(_ url: Digest) -> Bool {
        guard !shared.overlay.holdsVariants(of: url), shared.keys.lacks(url) else { return false }
        shared.meters.absent.add()
        return true
    }

    /// Whether something of the URL with this key might be stored. False only if it is known that there is nothing; a
    /// look-up that takes too long returns true.
    public func mayHold(_ key: CacheKey) async -> Bool {
        do {
            return try await !look(key, opens: true, isOfURL: true, isLateFailure: true).isEmpty
        } catch {
            return true
        }
    }

    /// How many accepted answers could not be committed. It only grows.
    public var failedCommits: Int { shared.meters.uncommitted.current }

    /// - Parameters:
    ///   - isOfURL: whether the variants of the URL are wanted too.
    ///   - isLateFailure: whether a look-up that takes too long throws an error instead of missing.
    func look(
        _ key: CacheKey, opens: Bool, isOfURL: Bool = false, isLateFailure: Bool = false
    ) async throws(StoreError) -> StoredLook {
        let shared = shared
        // Accepted entries come first: their commit might happen before the read transaction begins.
        let accepted = isOfURL ? shared.overlay.look(key) : StoredLook(entry: shared.overlay.find(key))
        if accepted.entry != nil || shared.keys.lacks(key.digest) {
            (accepted.isEmpty ? shared.meters.absent : shared.meters.foundAccepted).add()
            return accepted
        }
        let answer: Result<StoredLook, StoreError> = await shared.waits.ask(
            .read,
            late: {
                let missed = shared.lateRead()
                return isLateFailure ? .failure(shared.overloaded("reading")) : missed
            },
            refused: {
                shared.meters.readRefused.add()
                return shared.refusedRead()
            }
        ) { shared.reads.offer(.entry(key, opens: opens, isOfURL: isOfURL, $0)) }
        var look = try answer.get()
        if !accepted.isEmpty { look.add(accepted) }
        return look
    }

    /// Writes or replaces an entry in one transaction. A response that no request field selects replaces the variants of
    /// its URL, and a variant replaces such a response.
    /// - Parameters:
    ///   - superseded: what older becomes useless even if this entry is not stored.
    ///   - isWanted: asked inside the transaction. If it returns false, the entry is refused (`removed`).
    public func write(
        _ entry: StoredResponse, supersedes superseded: Superseded = .entry,
        when isWanted: (@Sendable () -> Bool)? = nil
    ) async -> WriteOutcome {
        var order = shared.orders.order(entry, supersedes: superseded, when: isWanted)
        order.timeline = Timeline.current.map { ($0, shared.time.monotonic()) }
        return await Self.write(order, to: shared)
    }

    /// Accepts an entry before its commit, without waiting for anything.
    /// - Returns: false if the store does not accept it now, or if it must not be stored. `write` tells which.
    public func accept(
        _ entry: StoredResponse, supersedes superseded: Superseded = .entry,
        when isWanted: @escaping @Sendable () -> Bool
    ) -> Bool {
        var order = shared.orders.order(entry, supersedes: superseded, when: isWanted)
        order.timeline = Timeline.current.map { ($0, shared.time.monotonic()) }
        if case .outcome(.accepted) = shared.begin(order) { return true }
        return false
    }

    static func write(_ order: WriteOrder, to shared: StoreShared) async -> WriteOutcome {
        switch shared.begin(order) {
        case .outcome(let outcome): return outcome
        case .tooLarge:
            shared.meters.count(.refused(.tooLarge))
            shared.supersede(order)
            return .refused(.tooLarge)
        case .waits: break
        }
        return await shared.waits.ask(
            .write, late: { shared.lateWrite(order) },
            refused: {
                let refused = WriteOutcome.refused(shared.refusalOfQueue)
                shared.meters.count(refused)
                shared.supersede(order)
                return refused
            }
        ) { shared.offer(.write(order, $0)) }
    }

    /// Records a use of the entry. Uses are written in batches; this method never waits.
    public func touch(_ digest: Digest) {
        switch shared.notes.withLock({ $0.note(digest) }) {
        case .more: break
        case .first, .batchIsFull: shared.writes.nudge()
        case .dropped: shared.meters.touchesDropped.add()
        }
    }

    /// Changes the freshness of an entry after a validation or a failed refresh. No effect if the entry is gone.
    /// - Returns: whether the change is known to be committed.
    @discardableResult
    public func updateFreshness(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) async -> Bool {
        await shared.waits.ask(.write, late: { false }, refused: { false }) {
            shared.offer(.freshen(digest, freshUntil, staleUntil, $0))
        }
    }

    /// The store's current figures.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let shared = shared
        // Accepted entries count as stored, so they are committed before the rows are counted.
        if !shared.waits.isLate { await commit() }
        let answer: Result<StoreStatistics, StoreError> = await shared.waits.ask(
            .read, late: { .success(shared.lateStatistics()) },
            refused: { .failure(shared.overloaded("reading statistics")) }
        ) { shared.reads.offer(.statistics($0)) }
        return try answer.get()
    }

    /// Stops the stored entry of this entry's key from being served until a newer answer is stored.
    public func hide(_ entry: StoredResponse) { shared.supersede(WriteOrder(entry: entry)) }

    /// Sets what is told of each URL that gets a variant, before and after the commit. Ready answers that were chosen among
    /// fewer variants must not be kept from then on. Called on the writer's thread; it must not wait.
    public func tellOfVariants(_ told: @escaping @Sendable (Digest) -> Void) { shared.variantsChanged.set(told) }

    /// The numbers by which responses are ordered.
    public var arrivals: ArrivalNumbers { shared.files.arrivals }

    /// Number of removals that are not committed yet.
    public var pendingRemovals: Int { shared.removals.count }

    /// Does at once the upkeep of idle time: writes uses down, sweeps, evicts to the low mark, gives pages back and
    /// cuts the log.
    public func maintain() async {
        let shared = shared
        await handover { continuation in
            if !shared.offer(.maintain(continuation)) { continuation.resume() }
        }
    }
}

extension SQLiteStore {
    /// Limits the database to this many pages (sqlite.org/pragma.html#pragma_max_page_count), and the files of bodies
    /// to the same number of bytes. Simulates a full disk, for tests.
    func limitPages(_ pages: Int) async {
        let shared = shared
        await handover { continuation in
            if !shared.offer(.limitPages(pages, continuation)) { continuation.resume() }
        }
    }
}

extension StoreShared {
    /// What becomes of a write before anything is waited for.
    enum WriteStart {
        case outcome(WriteOutcome)
        case tooLarge
        /// It must wait for its commit.
        case waits
    }

    func begin(_ order: WriteOrder) -> WriteStart {
        let (most, room) = settings.withLock { ($0.maxObject, $0.highWaterBytes) }
        if Int64(order.bodyBytes) > most { return .tooLarge }
        guard EntryRows.cost(of: order.entry).all <= room, let outcome = accept(order) else { return .waits }
        return .outcome(outcome)
    }

    /// The reply to a refused read: a miss if the store is closed, an error if it is overloaded.
    func refusedRead() -> Result<StoredLook, StoreError> {
        isClosed.withLock { $0 } ? .success(StoredLook()) : .failure(overloaded("reading"))
    }

    func overloaded(_ doing: String) -> StoreError {
        let isClosed = isClosed.withLock { $0 }
        return StoreError(
            SQLITE_BUSY, doing, isClosed ? "the store is closed" : "overloaded: too many jobs are waiting")
    }
}

/// Hands one owned object over to the thread that will own it.
///
/// Unchecked `Sendable`: the object is taken once, by the thread that was started for it. Starting a thread orders
/// everything before it. The creator does not touch the object again unless the thread could not be started.
final class Handover<Value>: @unchecked Sendable {
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value? {
        defer { value = nil }
        return value
    }
}
