// The one owner of state.db. Jobs that wait together share a transaction, since each commit waits for the disk; each is
// answered after that commit, so what was answered is durable. Where the transaction cannot begin or commit, all of them
// fail; where one of them fails, each is done alone. A job that meets damage is done once more, in the new
// database: what it asks for is lost then, and `lostAt` says so before it is answered.
import LarderCore

/// One piece of work on the state database: a body inside a transaction, and its answer after the commit.
struct StateJob: Sendable {
    /// Runs inside the transaction and returns what to do once it is committed. May run again after a roll-back.
    var run: @Sendable (DatabaseConnection) throws(StoreError) -> (@Sendable () -> Void)
    var fail: @Sendable (StoreError) -> Void
}

final class StateWriter {
    /// Jobs that share a transaction.
    static let group = 256
    /// Jobs that may wait.
    static let capacity = 4096

    private let files: DatabaseFiles
    private let queue: WorkQueue<StateJob>
    private let log: Logger
    private let commits: CounterCell
    private let setAside: CounterCell
    private let leftAtClose: CounterCell
    /// Jobs that failed while it closed.
    private var left = 0
    private let time: any TimeSource
    private let loss: Lock<WallTime?>
    private var connection: DatabaseConnection?
    private let ending: StoreEnding
    private let trouble: Lock<StateTrouble>
    /// When it last looked whether it can be written again.
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

    /// The thread's life.
    func run() {
        connection?.adopt()
        var done = 0
        var seen = 0
        while true {
            let rest = trouble.withLock { $0.failure } == nil ? nil : StateTrouble.probePause
            switch queue.take(upTo: Self.group, releasing: done, timeout: rest, seen: &seen) {
            case .ended:
                // A checkpoint at the close waits for the disk.
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
            // Jobs that only read may come too often for the pause after which it looks by itself.
            if trouble.withLock({ $0.failure }) != nil, isProbeDue { probe() }
        } catch {
            // Undone whole: each alone, so that one cannot spoil another. Where none of them failed but the transaction itself,
            // as on a locked file, each alone would only wait for the same.
            let isOfAJob = hasBegun && answers.count < jobs.count
            trouble.withLock { $0.failed(error, isOfAJob: isOfAJob) }
            if jobs.count > 1, isOfAJob || error.isDamage {
                for job in jobs { perform([job]) }
                return
            }
            // First, so that who is told of the damage finds it mended.
            if error.isDamage {
                recover(error)
                if mayRepeat { return perform(jobs, mayRepeat: false) }
            }
            fail(jobs, error)
        }
    }

    /// Not after each of many jobs that are done alone: a try asks the disk for a transaction.
    private var isProbeDue: Bool { probedAt.map { time.monotonic() >= $0 + StateTrouble.probePause } ?? true }

    /// Looks whether it can be written again. A row comes and goes: without a change SQLite writes nothing.
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
            // It stays as it is; damage is for the next job to meet.
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

    /// The database closes, and there is no time left.
    private var isOver: Bool { ending.isOver(at: time.monotonic()) }

    private func present() throws(StoreError) -> DatabaseConnection {
        if let connection { return connection }
        let made = try StateSchema.open(files.path)
        made.adopt()
        made.wait(as: ending.locks)
        connection = made
        return made
    }

    /// Damage met while running: what the daemon knows it still has in memory, so a new database is begun.
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
