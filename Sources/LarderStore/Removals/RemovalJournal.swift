// The journal's thread, `store-j`. A disk that stands still holds up no other thread.
import LarderCore
import Synchronization

/// How many checks of the file are skipped after it could not be made anew, since each try asks the disk for a whole
/// file. A removal that must be kept tries at once.
struct JournalRest {
    /// Checks come about once a second.
    static let longest = 64

    private var left = 0
    private var next = 1

    mutating func isDue() -> Bool {
        if left == 0 { return true }
        left -= 1
        return false
    }

    mutating func tried(isMade: Bool) {
        left = isMade ? 0 : next
        next = isMade ? 1 : min(next * 2, Self.longest)
    }
}

/// Whether the file may hold records. It counts jobs instead of keeping a flag: a job that is queued while the file is
/// cleared writes to the file later, and must be cleared too.
struct JournalUse {
    /// Jobs that may leave records in the file. What an earlier run left counts as one.
    private var asked = 1
    /// How many of these jobs' records are cleared.
    private var cleared = 0

    var mayHoldRecords: Bool { asked != cleared }

    mutating func ask() { asked += 1 }

    /// - Parameter handled: how many of the jobs were done before the file was cleared.
    mutating func clear(_ handled: Int) { cleared = handled }
}

final class RemovalJournal: Sendable {
    /// What the thread asks its owner, and what it reports.
    struct Owner {
        /// Returns all tombstones that are not committed.
        var pending: () -> [Tombstone]
        /// The tombstone of this number is safe now; nil if one is not.
        var kept: (UInt64?) -> Void
        /// The file had lost its name, and was made anew.
        var renewed: () -> Void
    }

    private enum Job: Sendable {
        case keep(Tombstone, Reply<Bool>?)
        case clear(upTo: UInt64)
        /// Check whether the file is still in place.
        case check
        /// The same at the end, whenever it was last tried.
        case checkAtLast
        /// Make the file in a new directory.
        case renew
        case flush(RemovalMark)
    }

    private let jobs = WorkQueue<Job>(capacity: .max, crowd: .max, threads: 1)
    /// Ends together with the thread.
    private let life = WorkQueue<Never>(capacity: 1, crowd: 1, threads: 1)
    private let use = Lock(JournalUse())
    /// Whether a check of the file is requested and has not begun.
    private let isChecking = Atomic<Bool>(false)
    /// Whether a flush of the mark is requested and has not begun.
    private let isFlushing = Atomic<Bool>(false)

    /// Writes a tombstone, unless that is done and the file is still in place. Returns false if that failed or takes
    /// too long.
    func keep(_ tombstone: Tombstone, _ waits: BoundedWaits) async -> Bool {
        use.withLock { $0.ask() }
        return await handover { continuation in
            let reply = Reply(continuation, late: { false })
            guard jobs.insist(.keep(tombstone, reply)) else { return _ = reply.resume(returning: false) }
            waits.add(reply, .removal)
        }
    }

    /// Queues a tombstone to be written; nobody waits.
    func note(_ tombstone: Tombstone) {
        use.withLock { $0.ask() }
        _ = jobs.insist(.keep(tombstone, nil))
    }

    /// Clears the file: tombstones up to this number are committed, and there is no other.
    func clear(upTo number: UInt64) {
        if use.withLock({ $0.mayHoldRecords }) { _ = jobs.insist(.clear(upTo: number)) }
    }

    /// Checks whether the file is still in place, and makes it anew if it is not.
    func check() {
        if !isChecking.exchange(true, ordering: .acquiringAndReleasing) { _ = jobs.insist(.check) }
    }

    /// Checks once more while the store closes: a file that is missing at the next start costs the database.
    func checkAtLast() { _ = jobs.insist(.checkAtLast) }

    /// Flushes the mark of a removal that is committed. Nobody waits.
    func flush(_ mark: RemovalMark) {
        if !isFlushing.exchange(true, ordering: .acquiringAndReleasing) { _ = jobs.insist(.flush(mark)) }
    }

    /// Makes the file in a new directory, with all tombstones that are not committed.
    func renew() {
        use.withLock { $0.ask() }
        _ = jobs.insist(.renew)
    }

    /// Accepts no more jobs. Those that wait are still done.
    func end() { jobs.end() }

    /// Waits until the thread has ended. Returns false if the disk takes longer, by that clock. On the writer's thread.
    func waitForEnd(within limit: Duration, by time: any TimeSource) -> Bool {
        let end = time.monotonic() + limit
        var seen = 0
        while true {
            // A clock that a test sets wakes nobody, so the time is looked at again soon.
            let left = max(.zero, end - time.monotonic())
            let rest = min(left, .milliseconds(250))
            if case .ended = life.take(upTo: 1, timeout: rest, seen: &seen) { return true }
            if rest == left { return false }
        }
    }

    /// Makes the file anew if it is not in place. Returns whether it tried, which counts as a job.
    private func check(_ file: JournalFile, _ owner: Owner, isLast: Bool, _ rest: inout JournalRest) -> Bool {
        if !isLast { isChecking.store(false, ordering: .releasing) }
        if file.isInPlace || !isLast && !rest.isDue() { return false }
        // Counted before the pending tombstones are read: those committed from then on must be cleared.
        use.withLock { $0.ask() }
        let before = file.renewals
        if !file.renew(owner.pending()) { owner.kept(nil) }
        if file.renewals > before { owner.renewed() }
        rest.tried(isMade: file.renewals > before)
        return true
    }

    /// The main loop of the thread.
    func run(_ file: JournalFile, _ owner: Owner) {
        var seen = 0
        var latest: UInt64 = 0
        // What an earlier run left counts as one job.
        var handled = 1
        var rest = JournalRest()
        while true {
            switch jobs.take(upTo: 256, seen: &seen) {
            case .ended: return life.end()
            case .nothing: break
            case .jobs(let taken):
                var run: [(Tombstone, Reply<Bool>?)] = []
                func write() {
                    guard !run.isEmpty else { return }
                    let before = file.renewals
                    let isKept = file.append(run.map(\.0).filter { !$0.isKept }, pending: owner.pending)
                    if file.renewals > before {
                        owner.renewed()
                        rest = JournalRest()
                    }
                    for (tombstone, reply) in run {
                        owner.kept(isKept ? tombstone.number : nil)
                        reply?.resume(returning: isKept)
                    }
                    run = []
                }
                for job in taken {
                    switch job {
                    case .keep(let tombstone, let reply):
                        latest = max(latest, tombstone.number)
                        handled += 1
                        run.append((tombstone, reply))
                    case .clear(let number):
                        write()
                        if latest <= number {
                            file.clear()
                            use.withLock { $0.clear(handled) }
                        }
                    case .check, .checkAtLast:
                        write()
                        let isLast = if case .checkAtLast = job { true } else { false }
                        if check(file, owner, isLast: isLast, &rest) { handled += 1 }
                    case .flush(let mark):
                        // After the records, which somebody may wait for.
                        write()
                        isFlushing.store(false, ordering: .releasing)
                        mark.flush()
                    case .renew:
                        write()
                        handled += 1
                        if !file.renew(owner.pending()) { owner.kept(nil) }
                    }
                }
                write()
            }
        }
    }
}
