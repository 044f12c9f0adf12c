// The thread that flushes the mark, `store-m`. A disk that stands still holds up no other thread, unless the mark lost its
// name and must be made anew: then the writer's next commit waits for that.
import LarderCore
import Synchronization

final class MarkFlusher: Sendable {
    private enum Job: Sendable {
        /// Make the mark say that the removals up to this one may not be committed.
        case hold(UInt64, Reply<Bool>?)
        /// Flush the commit of a removal.
        case flush
    }

    private let jobs = WorkQueue<Job>(capacity: .max, crowd: .max, threads: 1)
    /// Ends together with the thread.
    private let life = WorkQueue<Never>(capacity: 1, crowd: 1, threads: 1)
    /// Whether a flush is requested and has not begun.
    private let isFlushing = Atomic<Bool>(false)

    /// Makes a removal survive a kill before its commit. Returns false if that failed or takes too long.
    func hold(_ number: UInt64, _ waits: BoundedWaits) async -> Bool {
        await waits.ask(.removal, late: { false }, refused: { false }) { jobs.insist(.hold(number, $0)) }
    }

    /// The same; nobody waits.
    func note(_ number: UInt64) { _ = jobs.insist(.hold(number, nil)) }

    /// Flushes the commit of a removal. Nobody waits.
    func flush() {
        if !isFlushing.exchange(true, ordering: .acquiringAndReleasing) { _ = jobs.insist(.flush) }
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

    /// The main loop of the thread.
    /// - Parameter failed: called if a removal may not survive a kill.
    func run(_ files: DatabaseFiles, _ faults: StoreFaults, failed: () -> Void) {
        var seen = 0
        while true {
            switch jobs.take(upTo: 256, seen: &seen) {
            case .ended: return life.end()
            case .nothing: break
            case .jobs(let taken):
                var replies: [Reply<Bool>] = []
                var latest: UInt64?
                var flushes = false
                for job in taken {
                    switch job {
                    case .hold(let number, let reply):
                        latest = max(latest ?? 0, number)
                        if let reply { replies.append(reply) }
                    case .flush: flushes = true
                    }
                }
                // First the removals, which somebody may wait for.
                if let latest {
                    // Another process's directory by now says nothing about this process's removals.
                    let isHeld = faults.passMark() && files.isDirectoryInPlace && files.mark.hold(latest)
                    if !isHeld { failed() }
                    for reply in replies { reply.resume(returning: isHeld) }
                }
                if flushes {
                    isFlushing.store(false, ordering: .releasing)
                    files.mark.flush()
                }
            }
        }
    }
}
