// The writer of state.db, which alone owns its connection. Jobs that wait together share a transaction, since each
// commit waits for the disk. Each job is answered after that commit, so its result is durable. If the transaction
// cannot begin or commit, all its jobs fail. If one job fails, each is done alone. A job that meets damage is done once
// more, in the new database: the data it asks for is lost then, and `lostAt` says so before the job is answered.
import LarderCore

/// One piece of work on the state database: a body inside a transaction, and its answer after the commit.
struct StateJob: Sendable {
    /// Runs inside the transaction and returns what to do after the commit. May run again after a roll-back.
    var run: @Sendable (DatabaseConnection) throws(StoreError) -> (@Sendable () -> Void)
    var fail: @Sendable (StoreError) -> Void
}

final class StateWriter {
    /// The most jobs that share a transaction.
    static let group = 256
    /// The most jobs that may wait.
    static let capacity = 4096

    private let files: DatabaseFiles
    private let queue: WorkQueue<StateJob>
    private let log: Logger
    private let commits: CounterCell
    private let setAside: CounterCell
    private let leftAtClose: CounterCell
    /// Jobs that failed during the close.
    private var left = 0
    private let time: any TimeSource
    private let loss: Lock<WallTime?>
    private var connection: DatabaseConnection?
    private let ending: StoreEnding
    private let trouble: Lock<StateTrouble>
    /// When `probe` last checked whether the database can be written again.
    private var probedAt: MonotonicTime?
    private let ended: @Sendable () -> Void

    init(
        files: DatabaseFiles, queue: WorkQueue<StateJob>, log: Logger, counters: CounterRegistry,
        time: any TimeSource, loss: Lock<WallTime?>, connection: DatabaseConnection,
        ending: StoreEnding = StoreEnding(),
        trouble: Lock<StateTrouble> = Lock(StateTrouble()), ended: @escaping @Sendable () -> Void
    ) {
        self.files = files
        self.queue = queue
        self.log = log
        commits = counters.cell(StoreCounters.stateCommits)
        setAside = counters.cell(StoreCounters.setAside, "state")
        leftAtClose = counters.cell(StoreCounters.leftAtClose, "state")
        self.time = time
        self.loss = loss
        self.connection = connection
        self.ending = ending
        self.trouble = trouble
        self.ended = ended
    }

    /// The main loop of the thread.
    func run() {
        connection?.adopt()
        var done = 0
        var seen = 0
        while true {
            let rest = trouble.withLock { $0.failure } == nil ? nil : StateTrouble.probePause
            switch queue.take(upTo: Self.group, releasing: done, timeout: rest, seen: &seen) {
            case .ended:
                // A checkpoint at the close waits for the disk, so there is none if no time is left.
                connection?.close(keepsLog: isOver)
                connection = nil
                tellWhatIsLeft()
                files.unlock()
                ended()
                return
            case .nothing:
                done = 0
                if rest != nil { probe() }
            case .jobs(let jobs):
                done = jobs.count
                perform(jobs)
            }
        }
    }

    private func perform(_ jobs: [StateJob], mayRepeat: Bool = true) {
        if isOver {
            return fail(jobs, .stateIsClosed)
        }
        var hasBegun = false
        var answers: [@Sendable () -> Void] = []
        trouble.withLock { $0.began(at: time.monotonic()) }
        do throws(StoreError) {
            let connection = try present()
            let before = connection.pagesWritten
            try connection.transaction { () throws(StoreError) in
                hasBegun = true
                for job in jobs { answers.append(try job.run(connection)) }
            }
            commits.add()
            let hasWritten = connection.pagesWritten != before
            trouble.withLock { $0.committed(hasWritten: hasWritten) }
            for answer in answers { answer() }
            // Jobs that only read may come so often that the timeout of `take` never passes.
            if trouble.withLock({ $0.failure }) != nil, isProbeDue { probe() }
        } catch {
            // The whole transaction is undone. Each job is tried alone, so that one cannot spoil another. If no job
            // failed but the transaction itself, as on a locked file, each job alone would only wait for the same lock.
            let isOfAJob = hasBegun && answers.count < jobs.count
            trouble.withLock { $0.failed(error, isOfAJob: isOfAJob) }
            if jobs.count > 1, isOfAJob || error.isDamage {
                for job in jobs { perform([job]) }
                return
            }
            // Recovered first, so that a caller who is told of the damage finds it mended.
            if error.isDamage {
                recover(error)
                if mayRepeat { return perform(jobs, mayRepeat: false) }
            }
            fail(jobs, error)
        }
    }

    /// Keeps many jobs that are done alone from probing each time: a probe asks the disk for a transaction.
    private var isProbeDue: Bool { probedAt.map { time.monotonic() >= $0 + StateTrouble.probePause } ?? true }

    /// Checks whether the database can be written again. A row comes and goes: without a change SQLite writes nothing.
    private func probe() {
        probedAt = time.monotonic()
        do throws(StoreError) {
            let connection = try present()
            let before = connection.pagesWritten
            try ending.locks.withoutWaiting { () throws(StoreError) in
                try connection.transaction { () throws(StoreError) in
                    try connection.execute("INSERT OR IGNORE INTO total (name, amount) VALUES ('', 0)")
                    try connection.execute("DELETE FROM total WHERE name = ''")
                }
            }
            let hasWritten = connection.pagesWritten != before
            trouble.withLock { $0.committed(hasWritten: hasWritten) }
        } catch {
            // The trouble stays as it is. The next job meets the damage, if there is any.
        }
    }

    private func fail(_ jobs: [StateJob], _ error: StoreError) {
        if ending.hasBegun { left += jobs.count }
        for job in jobs { job.fail(error) }
    }

    private func tellWhatIsLeft() {
        guard left > 0 else { return }
        leftAtClose.add(left)
        log.warning("state.close.left", ["jobs": String(left)])
    }

    /// Whether the database closes and no time is left.
    private var isOver: Bool { ending.isOver(at: time.monotonic()) }

    private func present() throws(StoreError) -> DatabaseConnection {
        if let connection { return connection }
        let made = try StateSchema.open(files.path)
        made.adopt()
        made.wait(as: ending.locks)
        connection = made
        return made
    }

    /// Begins a new database after damage. What the daemon knows is still in its memory.
    private func recover(_ error: StoreError) {
        connection?.close(keepsLog: true)
        connection = nil
        let now = time.wall()
        let path = files.setAside(at: now)
        loss.withLock { $0 = now }
        setAside.add()
        log.warning("state.setAside", ["error": error.description, "path": path])
    }
}
