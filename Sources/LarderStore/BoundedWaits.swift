// Bounds the time that callers wait for the store. A stalled disk holds up the store's threads; it must not hold up
// answers. Each wait has one of a few lengths, so the waits of each length form a queue in the order of their ends. One
// thread watches the queues, and sleeps while nobody waits.
import LarderCore
import Synchronization

final class BoundedWaits: Sendable {
    /// What is waited for. Each span is a multiple of `patience`, and some have a least length.
    enum Length: Int, CaseIterable, Sendable {
        /// The commit of a write.
        case write
        /// The commit of an answer that counts as stored already.
        case commit
        /// A look-up.
        case read
        /// The flush of the mark, or a purge of many entries.
        case removal
        /// A part of a large body. The stream stands still meanwhile. The span is longer than that of an answer for its
        /// commit.
        case part
        /// A full-text search, including its time in the line.
        case search
        /// A stretch of a body that is being sent. The client has the beginning already, and loses it if the wait
        /// lapses.
        case stretch

        var factor: Int64 {
            switch self {
            case .write, .commit: 1
            case .read: 5
            case .removal, .part: 20
            case .search: 40
            case .stretch: 200
            }
        }

        /// In nanoseconds. A short setting may let an answer go out early, but must not cut a body or fail a search.
        var least: Int64 {
            switch self {
            case .search, .stretch: 2_000_000_000
            case .write, .commit, .read, .removal, .part: 0
            }
        }

        /// The length of the wait; both numbers in nanoseconds.
        func span(of patience: Int64) -> Int64 { max(patience &* factor, least) }

        /// Whether a commit is waited for. If one commit is late, the next one is hardly in time.
        var isWrite: Bool { self == .write || self == .part || self == .commit }
    }

    private struct Wait {
        var end: MonotonicTime
        var reply: any Lapsing
        var isWrite: Bool
    }

    /// A queue whose first index moves.
    private struct Line {
        var waits: [Wait] = []
        var first = 0

        var head: Wait? { first < waits.count ? waits[first] : nil }

        mutating func drop() {
            first += 1
            if first == waits.count {
                waits.removeAll(keepingCapacity: true)
                first = 0
            } else if first >= 64, first * 2 >= waits.count {
                waits.removeFirst(first)
                first = 0
            }
        }
    }

    private struct State {
        var lines = Array(repeating: Line(), count: Length.allCases.count)
        /// When the thread looks next; nil while it sleeps until it is called.
        var looksAt: MonotonicTime?
        /// When commits count as stalled, unless a commit is quick before.
        var stallsAt: MonotonicTime?
    }

    private let state = Lock(State())
    private let bell = WorkQueue<Int>(capacity: 1, crowd: 1, threads: 1)
    private let nanoseconds: Atomic<Int64>
    private let behind: Atomic<Int64>
    // Changed under the state's lock only: a quick commit clears both, whatever the thread is about to report.
    private let late = Atomic<Bool>(false)
    private let stalled = Atomic<Bool>(false)
    private let time: any TimeSource

    init(patience: Duration, commitWithin: Duration = .zero, time: any TimeSource) {
        nanoseconds = Atomic(patience.nanoseconds)
        behind = Atomic(commitWithin.nanoseconds)
        self.time = time
    }

    /// How long an answer waits for its commit.
    var patience: Duration {
        get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
        set { nanoseconds.store(newValue.nanoseconds, ordering: .relaxed) }
    }

    /// How long after its acceptance an answer is committed; zero if no answer is accepted before its commit.
    var commitWithin: Duration {
        get { .nanoseconds(behind.load(ordering: .relaxed)) }
        set { behind.store(newValue.nanoseconds, ordering: .relaxed) }
    }

    var commitsBehind: Bool { behind.load(ordering: .relaxed) > 0 }

    func span(_ length: Length) -> Duration { .nanoseconds(nanoseconds(of: length)) }

    private func nanoseconds(of length: Length) -> Int64 {
        let span = length.span(of: nanoseconds.load(ordering: .relaxed))
        return length == .commit ? span &+ behind.load(ordering: .relaxed) : span
    }

    /// Whether a wait for a commit has lapsed, and no commit has been quick since.
    var isLate: Bool { late.load(ordering: .relaxed) }

    /// Whether commits have been late for a while. Then nobody waits for commits at all.
    var isStalled: Bool { stalled.load(ordering: .relaxed) }

    /// Lets the reply lapse when the time has passed. If commits are stalled, a wait for a commit lapses at once.
    func add(_ reply: any Lapsing, _ length: Length) {
        if length.isWrite, isStalled { return reply.lapse() }
        // Computed without `Duration`, whose arithmetic has 128 bits: each look-up runs this code.
        let end = MonotonicTime(nanoseconds: time.monotonic().nanoseconds &+ nanoseconds(of: length))
        let calls = state.withLock { state -> Bool in
            var cleared = 0
            while cleared < 4, state.lines[length.rawValue].head?.reply.isGiven == true {
                state.lines[length.rawValue].drop()
                cleared += 1
            }
            state.lines[length.rawValue].waits.append(Wait(end: end, reply: reply, isWrite: length.isWrite))
            if let at = state.looksAt, at <= end { return false }
            state.looksAt = end
            return true
        }
        if calls { bell.nudge() }
    }

    /// Notes that a commit was quick again.
    func wasQuick() {
        guard isLate else { return }
        state.withLock { state in
            state.stallsAt = nil
            stalled.store(false, ordering: .relaxed)
            late.store(false, ordering: .relaxed)
        }
    }

    /// When the first wait of this length ends. For tests.
    func nextEnd(_ length: Length) -> MonotonicTime? {
        state.withLock { state in
            let line = state.lines[length.rawValue]
            return line.waits[line.first...].first { !$0.reply.isGiven }?.end
        }
    }

    // MARK: The thread

    /// - Parameter stalls: called once when commits have stalled.
    func run(_ stalls: () -> Void) {
        var seen = 0
        while true {
            let now = time.monotonic()
            let (lapsed, next, hasStalled) = look(now)
            for wait in lapsed { wait.reply.lapse() }
            // A commit may have been quick meanwhile.
            if hasStalled, isStalled { stalls() }
            // A clock that a test sets wakes nobody, so the thread looks again soon.
            let rest = next.map { max(.milliseconds(1), min($0 - now, .milliseconds(250))) }
            if case .ended = bell.take(upTo: 1, timeout: rest, seen: &seen) { return }
        }
    }

    private func look(_ now: MonotonicTime) -> (lapsed: [Wait], next: MonotonicTime?, hasStalled: Bool) {
        state.withLock { state in
            var lapsed: [Wait] = []
            var next: MonotonicTime?
            for place in state.lines.indices {
                while let head = state.lines[place].head, head.reply.isGiven || head.end <= now {
                    if !head.reply.isGiven { lapsed.append(head) }
                    state.lines[place].drop()
                }
                if let end = state.lines[place].head?.end { next = min(next ?? end, end) }
            }
            if lapsed.contains(where: \.isWrite), !isLate {
                late.store(true, ordering: .relaxed)
                state.stallsAt = now + (span(.read) - span(.write))
            }
            var hasStalled = false
            if let at = state.stallsAt {
                hasStalled = at <= now
                if hasStalled {
                    state.stallsAt = nil
                    stalled.store(true, ordering: .relaxed)
                } else {
                    next = min(next ?? at, at)
                }
            }
            state.looksAt = next
            return (lapsed, next, hasStalled)
        }
    }

    func end() { bell.end() }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
