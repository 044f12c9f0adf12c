// The writer thread, which alone owns the only writing connection of the database.
//
// Writes that wait together share a transaction of bounded size. Each write is answered after its commit. If a shared
// transaction fails it is rolled back and each write is tried alone, so that one write cannot spoil another. Upkeep
// (eviction, sweeping, purging, checkpoints) runs in slices between the jobs.
import LarderCore

final class StoreWriter {
    /// The most jobs and body bytes that share a transaction.
    static let groupJobs = 256
    static let groupBytes = 4 << 20

    /// One job of a shared transaction, waiting for the commit.
    struct Step {
        var job: WriteJob
        var outcome = WriteOutcome.stored
    }

    /// The open database. `StoreWriter.database` is nil while none could be opened.
    struct Database {
        var connection: DatabaseConnection
        var rows: EntryRows
        var bodies: BodyFiles
    }

    let shared: StoreShared
    var database: Database?
    var purges: [PurgeWork] = []
    var upkeep: Upkeep
    var removing = RemovalUpkeep()
    /// What could not be done before the end.
    var left = LeftUndone()
    var closing: TaskContinuation<Void, Never>?
    /// What the present transaction has written: the number of the answer, by the digest of its key.
    var written: [Digest: UInt64] = [:]

    init(_ shared: StoreShared, _ database: Database?) {
        self.shared = shared
        self.database = database
        upkeep = Upkeep(now: shared.time.monotonic())
        equip()
    }

    /// Opens or makes the database. Reads only what it must: the time does not grow with the number of entries.
    /// - Parameter locks: how locks of other processes are waited for.
    static func openDatabase(
        _ files: DatabaseFiles, locks: LockWaits = LockWaits()
    ) throws(StoreError) -> Database {
        let loss: String? =
            if files.hasLostLog {
                "its write-ahead log was removed, and with it the last commits"
            } else if files.mark.isInherited, files.sizes.file > 0 {
                "the last run ended before all removals were committed"
            } else {
                nil
            }
        if let loss {
            throw StoreError.damage(loss)
        }
        files.mark.dropInherited()
        let first = files.mark.first
        let connection = try CacheSchema.openWriter(files.path, first: first, locks: locks)
        do {
            try files.mark.adopt(connection, first: first)
            try adopt(files.arrivals, connection)
            let bodies = BodyFiles(files, generation: try BodyTable.generation(connection))
            let rows = try EntryRows(connection)
            rows.files = bodies
            try rows.prepare()
            return Database(connection: connection, rows: rows, bodies: bodies)
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
    }

    /// Goes on above the numbers of the database's entries.
    private static func adopt(_ arrivals: ArrivalNumbers, _ connection: DatabaseConnection) throws(StoreError) {
        let found = try connection.number("SELECT arrival FROM bodies") ?? -1
        guard let latest = UInt64(exactly: found), latest < ArrivalNumbers.largest else {
            throw StoreError.damage("the number of its last response was changed")
        }
        arrivals.goOn(above: latest)
        connection.arrivals = arrivals
    }

    /// Connects the present database with the objects that it shares with other threads.
    func equip() {
        database?.connection.commits = shared.commits
        database?.rows.keys = shared.keys
        database?.rows.damaged = shared.damaged
        database?.rows.generation = shared.gate.present
        shareBodies()
        database?.bodies.table.onWriterWork.set { [weak shared] in _ = shared?.writes.insist(.closeBodies) }
    }

    /// Publishes the files of the present database. Must be called before readers may enter it.
    func shareBodies() {
        shared.bodies.withLock { $0 = database?.bodies }
        // Read after the bodies are published: `SQLiteStore.permitOpenBodies` sets the limit first and then looks for
        // the bodies.
        database?.bodies.table.permit(shared.openBodies.withLock { $0 })
    }

    /// The main loop of the thread.
    func run() {
        database?.connection.adopt()
        database?.connection.faults = shared.faults
        database?.connection.wait(as: shared.ending.locks)
        lookAtFileBytes()
        var done = 0
        var seen = 0
        while true {
            var wasCalled = false
            switch shared.writes.take(upTo: Self.groupJobs, releasing: done, timeout: sleepTime(), seen: &seen) {
            case .ended:
                end()
                return
            case .nothing:
                done = 0
            case .jobs(let jobs):
                done = jobs.reduce(0) { $0 + $1.weight }
                wasCalled = true
                perform(jobs)
            }
            // Upkeep that is still due is done at the next start.
            if shared.ending.hasBegun { continue }
            slicePurges(others: wasCalled)
            retryRemovals(isIdle: !shared.writes.hasDue)
            work(isIdle: !shared.writes.hasDue, afterJobs: wasCalled)
        }
    }

    /// How long the thread may sleep without jobs; nil for no limit.
    func sleepTime() -> Duration? {
        [waitingTime(), removalWait(), placeWait(), purgeWait()].compactMap { $0 }.min()
    }

    /// Performs jobs in their order. Consecutive writes share transactions.
    func perform(_ jobs: [WriteJob]) {
        var group: [Step] = []
        var bytes = 0
        func flush() {
            guard !group.isEmpty else { return }
            commit(group)
            group = []
            bytes = 0
        }
        for job in jobs {
            switch job {
            case .write(let order, _) where order.entry.body.count <= EntryRows.commitSize:
                if bytes + order.bodyBytes > Self.groupBytes { flush() }
                bytes += order.bodyBytes
                group.append(Step(job: job))
            case .freshen, .rewrite, .ready:
                group.append(Step(job: job))
            case .closeBodies:
                database?.bodies.closeUnused()
            default:
                flush()
                performAlone(job)
            }
        }
        flush()
    }

    /// Performs a job that shares no transaction.
    private func performAlone(_ job: WriteJob) {
        switch job {
        case .write(let order, _): writeLarge(order, job)
        case .freshen, .rewrite, .ready: commit([Step(job: job)])
        case .begin(let length, let continuation):
            let begun = beginBody(length)
            // A caller that waited too long has already given the body up. That is not counted as left. The same holds
            // below.
            if case .failure(let refusal) = begun, !continuation.isGiven { noteIfLeft(.refused(refusal)) }
            continuation.resume(returning: begun)
        case .append(let part, let continuation):
            let outcome = append(part)
            if outcome != .stored { shared.meters.count(outcome) }
            if !continuation.isGiven { noteIfLeft(outcome) }
            continuation.resume(returning: outcome)
        case .complete(let part, let order, let reply): answer(order, reply, complete(part, order))
        case .commit(let reply): reply.resume(returning: ())
        case .closeBodies: database?.bodies.closeUnused()
        case .removal(let number):
            shared.removals.change { $0.markDue(number) }
            performRemovals()
        case .look:
            shared.beginLook()
            checkPlace()
        case .damaged(let generation, let error):
            if generation == shared.gate.present { recover(from: error) }
        case .maintain(let continuation):
            while !purges.isEmpty, !shared.ending.hasBegun { stepPurges() }
            maintainNow()
            continuation.resume()
        case .limitPages(let pages, let continuation):
            attempt { () throws(StoreError) in
                try database?.connection.execute("PRAGMA max_page_count = \(pages)")
                database?.bodies.room.withLock {
                    $0 = Int64(pages) * (database?.connection.pageSize ?? CacheSchema.pageSize)
                }
            }
            continuation.resume()
        case .index(let continuation):
            indexAll(within: IndexingUpkeep.patience)
            continuation.resume(returning: ())
        case .close(let continuation): closing = continuation
        }
    }

    // MARK: Groups

    /// - Parameter mayRepeat: whether the steps are tried once more in a new database if this one proves damaged.
    private func commit(_ steps: [Step], mayRepeat: Bool = true) {
        var steps = steps
        var hasBegun = false
        do throws(StoreError) {
            if isOver { return answer(steps, .refused(.closed)) }
            guard let connection = database?.connection else {
                return answer(steps, .refused(.failed))
            }
            if let refused = refusalOfRemovals() { return answer(steps, refused) }
            try transact(connection) { () throws(StoreError) in
                hasBegun = true
                for index in steps.indices { steps[index].outcome = try apply(steps[index].job) }
            }
            shared.meters.transactions.add()
            noteUnindexed(steps)
            // A refused write does not count as a write: it must not postpone the upkeep of idle time.
            if steps.contains(where: { $0.outcome == .stored }) {
                upkeep.wrote(at: shared.time.monotonic())
                storingWorks()
            } else {
                upkeep.logIsLong = true
                upkeep.mayVacuum = true
            }
            for step in steps { answer(step.job, step.outcome) }
        } catch {
            database?.rows.forgetProviders()
            // If the transaction could not even begin, as on a locked file, each write alone would only wait for the
            // same lock.
            if steps.count > 1 && !error.isDamage && hasBegun {
                for step in steps { commit([Step(job: step.job)]) }
            } else {
                let outcome = failed(error)
                if error.isDamage && mayRepeat && database != nil { return commit(steps, mayRepeat: false) }
                answer(steps, outcome)
            }
        }
    }

    private func answer(_ steps: [Step], _ outcome: WriteOutcome) {
        for step in steps { answer(step.job, outcome) }
    }

    func answer(_ job: WriteJob, _ outcome: WriteOutcome) {
        switch job {
        case .write(let order, let reply):
            answer(order, reply, outcome)
        case .freshen(_, _, _, let continuation):
            continuation.resume(returning: outcome == .stored)
        case .rewrite(_, let continuation):
            continuation.resume(returning: outcome == .stored)
        case .ready:
            (outcome == .stored ? shared.meters.readyWritten : shared.meters.readyDropped).add()
        default:
            break
        }
    }

    /// Performs one job, inside a transaction.
    private func apply(_ job: WriteJob) throws(StoreError) -> WriteOutcome {
        switch job {
        case .write(let order, _):
            return try write(order)
        case .freshen(let digest, let fresh, let stale, _):
            try database?.rows.freshen(digest, freshUntil: fresh, staleUntil: stale)
            return .stored
        case .rewrite(let order, _):
            if let isWanted = order.isWanted, !isWanted() { return .refused(.removed) }
            let isDone = try database?.rows.rewrite(order)
            return isDone == true ? .stored : .refused(.failed)
        case .ready(let order, let data):
            return try keepReady(order, data)
        default:
            return .stored
        }
    }
}
