// What must outlive a lost cache: upstream calls made, suspensions, secrets, running totals. It has its own database
// and its own thread (`state-w`): a miss of a provider without budget never waits for it, and a busy cache never delays
// it.
import CSQLite
import LarderCore

/// Larder's state database, `state.db`. Call `close` before releasing it: its thread keeps it alive.
public final class StateStore: Sendable {
    /// Whether the database was found damaged at this open and set aside.
    public let wasSetAside: Bool
    /// When the record of calls was last lost with a database set aside, in this run or an earlier one. Budgets count
    /// as spent for one window from then on, whatever restarts come in between. Nil if that never happened, or if
    /// somebody has removed the databases set aside.
    public var lostAt: WallTime? { loss.withLock { $0 } }
    private let loss: Lock<WallTime?>
    private let queue: WorkQueue<StateJob>
    private let closing = Lock<TaskContinuation<Void, Never>?>(nil)
    private let isClosed = Lock(false)
    let ending = StoreEnding()
    private let trouble = Lock(StateTrouble())
    /// Why calls cannot be written down: the database is locked, or its disk is full or stands still. Nil if they can.
    public var degraded: String? { trouble.withLock { $0.reason(at: time.monotonic()) } }
    private let time: any TimeSource

    private init(wasSetAside: Bool, lostAt: WallTime?, time: any TimeSource) {
        self.wasSetAside = wasSetAside
        self.time = time
        loss = Lock(lostAt)
        queue = WorkQueue(capacity: StateWriter.capacity, crowd: .max, threads: 1)
    }

    /// Opens `state.db` in the directory, brings it up to date and locks it. Makes both if they are absent (file mode
    /// 0600). A damaged database is set aside and begun anew, with a warning. So is an empty file beside a cache that
    /// is not empty: the database was lost, not made just now.
    /// - Parameter cacheDirectory: the directory of the cache's database, if there is one.
    /// - Throws: SQLITE_BUSY if another daemon has the directory; SQLITE_CANTOPEN if the database is from a later
    ///   version or cannot be made.
    public static func open(
        directory: String, cacheDirectory: String? = nil, log: Logger, counters: CounterRegistry,
        time: any TimeSource = SystemTime()
    ) throws(StoreError) -> StateStore {
        let log = log.labelled("state")
        let files = try DatabaseFiles(directory: directory, name: "state")
        files.capAside(at: time.wall())
        if let type = files.networkFileSystem {
            log.warning("the state directory is on a network file system", ["path": directory, "type": type])
        }
        let connection: DatabaseConnection
        var wasSetAside = false
        do throws(StoreError) {
            if let cacheDirectory, files.isEmptied, DatabaseFiles.isFilled(cacheDirectory, "cache") {
                throw StoreError(SQLITE_NOTADB, "opening", "the file is empty, but the cache is not")
            }
            connection = try StateSchema.open(files.path)
        } catch {
            guard error.isDamage else { throw error }
            let path = files.setAside(at: time.wall())
            counters.cell(StoreCounters.setAside, "state").add()
            log.warning("state.setAside", ["error": error.description, "path": path])
            wasSetAside = true
            connection = try StateSchema.open(files.path)
        }
        let store = StateStore(
            wasSetAside: wasSetAside, lostAt: files.lastSetAside ?? (wasSetAside ? time.wall() : nil),
            time: time)
        counters.gauge(StoreCounters.waiting, "state") { [queue = store.queue] in Double(queue.count) }
        connection.wait(as: store.ending.locks)
        let writer = Handover(
            StateWriter(
                files: files, queue: store.queue, log: log, counters: counters, time: time, loss: store.loss,
                connection: connection, ending: store.ending, trouble: store.trouble,
                ended: { store.closing.withLock { $0 }?.resume() }))
        do {
            try NamedThread.start("state-w") { writer.take()?.run() }
        } catch {
            connection.close()
            throw error
        }
        return store
    }

    /// Says that the daemon stops: from now on every wait for another process's lock is short, including one under way.
    public func expectClose() { ending.locks.shorten() }

    /// Finishes the jobs that wait, as far as there is time (`StoreEnding`), and closes. Later calls fail with
    /// SQLITE_BUSY.
    public func close() async {
        let isFirst = isClosed.withLock { (closed: inout Bool) -> Bool in
            defer { closed = true }
            return !closed
        }
        guard isFirst else { return }
        ending.begin(at: time.monotonic())
        await handover { continuation in
            closing.withLock { $0 = continuation }
            queue.end()
        }
    }

    // MARK: Calls

    /// The calls of a provider that are dated at or after an instant, oldest first.
    public func calls(of provider: String, since: WallTime) async throws(StoreError) -> [WallTime] {
        try await perform { (connection) throws(StoreError) in
            try connection.rows(
                "SELECT at FROM call WHERE provider = ?1 AND at >= ?2 ORDER BY at", provider, since.milliseconds
            ) { WallTime(milliseconds: $0.int(0)) }
        }
    }

    /// Records one call that is about to be made, as `reserveCalls` does.
    public func reserveCall(_ provider: String, at: WallTime) async throws(StoreError) {
        try await reserveCalls(provider, at: [at])
    }

    /// Records calls that are about to be made, all in one transaction; durable when this returns. If it throws, the
    /// caller must make none of them.
    public func reserveCalls(_ provider: String, at instants: [WallTime]) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            for at in instants {
                try connection.run("INSERT INTO call (provider, at) VALUES (?1, ?2)", provider, at.milliseconds)
            }
        }
    }

    /// Takes reserved calls off the record, one for each instant, because they were never made.
    public func releaseCalls(_ provider: String, at instants: [WallTime]) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            for at in instants {
                try connection.run(
                    "DELETE FROM call WHERE rowid = (SELECT rowid FROM call WHERE provider = ?1 AND at = ?2 LIMIT 1)",
                    provider, at.milliseconds)
            }
        }
    }

    /// Moves calls that are dated after `now` to `now`. For the start of a run: if the clock was set back, calls of
    /// earlier runs are dated ahead, though all of them have happened.
    public func capCalls(at now: WallTime) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            try connection.run("UPDATE call SET at = ?1 WHERE at > ?1", now.milliseconds)
        }
    }

    /// Forgets calls made before an instant, because no window reaches them any more.
    public func forgetCalls(before: WallTime) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            try connection.run("DELETE FROM call WHERE at < ?1", before.milliseconds)
        }
    }

    // MARK: Values

    /// The bytes kept under a name, or nil.
    public func value(_ name: String) async throws(StoreError) -> Bytes? {
        try await perform { (connection) throws(StoreError) in try Self.value(connection, name) }
    }

    /// Keeps bytes under a name, or removes them if nil; durable when this returns.
    public func setValue(_ name: String, _ value: Bytes?) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in try Self.set(connection, name, value) }
    }

    /// Removes the values whose names begin with a text, except some; durable when this returns.
    public func removeValues(beginning text: String, except kept: Set<String>) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            let names = try connection.rows("SELECT name FROM value") { $0.text(0) }
            for name in names where name.hasPrefix(text) && !kept.contains(name) {
                try Self.set(connection, name, nil)
            }
        }
    }

    /// Bytes that nobody can guess, made at first use. Durable when this returns, and the same ever after.
    public func secret(_ name: String, length: Int) async throws(StoreError) -> Bytes {
        let fresh = Secrets.random(length)
        return try await perform { (connection) throws(StoreError) in
            if let known = try Self.value(connection, "secret." + name), known.count == length { return known }
            try Self.set(connection, "secret." + name, fresh)
            return fresh
        }
    }

    private static func value(_ connection: DatabaseConnection, _ name: String) throws(StoreError) -> Bytes? {
        try connection.first("SELECT bytes FROM value WHERE name = ?1", name) { $0.bytes(0) }
    }

    private static func set(_ connection: DatabaseConnection, _ name: String, _ value: Bytes?) throws(StoreError) {
        if let value {
            try connection.run(
                """
                INSERT INTO value (name, bytes) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes
                """, name, value)
        } else {
            try connection.run("DELETE FROM value WHERE name = ?1", name)
        }
    }

    // MARK: Totals

    /// Adds to running totals. A failure loses the deltas: totals are only for display.
    public func addTotals(_ deltas: [String: Int64]) async {
        do throws(StoreError) {
            try await perform { (connection) throws(StoreError) in
                for (name, delta) in deltas {
                    try connection.run(
                        """
                        INSERT INTO total (name, amount) VALUES (?1, ?2)
                        ON CONFLICT (name) DO UPDATE SET amount = amount + excluded.amount
                        """, name, delta)
                }
            }
        } catch {}
    }

    /// All running totals.
    public func totals() async throws(StoreError) -> [String: Int64] {
        try await perform { (connection) throws(StoreError) in
            let rows = try connection.rows("SELECT name, amount FROM total") { ($0.text(0), $0.int(1)) }
            // Names that differ in SQLite may be equal as text, if they are damaged.
            return Dictionary(rows) { $1 }
        }
    }

    // MARK: The thread

    /// Runs the body on the state thread inside a transaction and returns its result after the commit.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let queue = queue
        let answer: Swift.Result<Result, StoreError> = await handover { continuation in
            let job = StateJob(
                run: { (connection) throws(StoreError) in
                    let result = try body(connection)
                    return { continuation.resume(returning: .success(result)) }
                },
                fail: { continuation.resume(returning: .failure($0)) })
            if !queue.offer(job) { continuation.resume(returning: .failure(.stateIsClosed)) }
        }
        return try answer.get()
    }
}

extension StoreError {
    static let stateIsClosed = StoreError(
        SQLITE_BUSY, "using the state database", "it is closed, or too many jobs are waiting")
}
