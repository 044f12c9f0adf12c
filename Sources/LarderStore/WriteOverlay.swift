// Answers that are accepted and not yet committed. An answer is in it before anybody hears that it is stored, and leaves it
// only after its commit, or after a tombstone stands for it: a look-up asks here first and begins its read transaction
// afterwards, so there is no instant at which it finds neither.
//
// What it holds is bounded by the queue of the writer, where each of these answers has its weight.
import LarderCore
import Synchronization

final class WriteOverlay: Sendable {
    private struct State {
        /// The newest accepted answer of each key.
        var orders: [Digest: WriteOrder] = [:]
        /// How many of these were made from the entry of that digest.
        var children: [Digest: Int] = [:]
        /// Looks whether the oldest of them is committed in time.
        var watch: CommitWatch?
        /// Keys whose last commit failed, the oldest first.
        var failed: [Digest] = []
    }
    /// Failures that are remembered for explanations.
    static let mostFailed = 256
    private let state = Lock(State())
    private let held = Atomic<Int>(0)

    var isEmpty: Bool { held.load(ordering: .acquiring) == 0 }

    /// How many answers wait for their commit.
    var count: Int { held.load(ordering: .relaxed) }

    // MARK: Accepting

    /// Takes an answer in; from now on look-ups find it.
    /// - Returns: what is to be told when commits are late, where nobody watches them yet.
    func accept(_ order: WriteOrder) -> CommitWatch? {
        state.withLock { state in
            let replaced = state.orders.updateValue(order, forKey: order.entry.key.digest)
            if let replaced {
                Self.forgetParents(of: replaced.entry, &state)
            } else {
                held.add(1, ordering: .releasing)
            }
            for parent in order.entry.parents { state.children[parent, default: 0] += 1 }
            guard state.watch == nil, let number = order.place?.number else { return nil }
            let watch = CommitWatch(number)
            state.watch = watch
            return watch
        }
    }

    /// Nothing that concerns the answer was removed before it was taken in. Who removes something later finds it here, so
    /// that it need not be asked any more whether it is wanted.
    func confirm(_ order: WriteOrder) {
        let digest = order.entry.key.digest
        state.withLock { state in
            if state.orders[digest]?.place?.number == order.place?.number { state.orders[digest]?.isWanted = nil }
        }
    }

    /// The answer is committed, or a tombstone stands for it.
    /// - Parameter failed: the disk did not take it.
    func leave(_ order: WriteOrder, failed: Bool = false) {
        let number = order.place?.number ?? 0
        let gone = state.withLock { state -> WriteOrder? in
            if let watch = state.watch, number >= watch.number {
                watch.end()
                state.watch = nil
            }
            let digest = order.entry.key.digest
            if failed || !state.failed.isEmpty {
                state.failed.removeAll { $0 == digest }
                if failed { state.failed.append(digest) }
                if state.failed.count > Self.mostFailed { state.failed.removeFirst() }
            }
            guard let present = state.orders[digest], present.place?.number == number else { return nil }
            state.orders[digest] = nil
            Self.forgetParents(of: present.entry, &state)
            held.subtract(1, ordering: .releasing)
            return present
        }
        // Its place ends outside the lock.
        _ = gone
    }

    private static func forgetParents(of entry: StoredResponse, _ state: inout State) {
        for parent in entry.parents {
            let left = (state.children[parent] ?? 0) - 1
            state.children[parent] = left > 0 ? left : nil
        }
    }

    // MARK: Asking

    /// The accepted answer of that key, unless it was removed or overtaken since.
    func find(_ key: CacheKey) -> StoredResponse? {
        if isEmpty { return nil }
        guard let order = state.withLock({ $0.orders[key.digest] }), order.entry.key == key, !order.isRefused else {
            return nil
        }
        return order.entry
    }

    /// Whether an answer of that key waits for its commit.
    func holds(_ digest: Digest) -> Bool {
        !isEmpty && state.withLock { $0.orders[digest] != nil }
    }

    /// What became of the last answer of that key that counted as stored.
    func fate(of digest: Digest) -> CommitFate {
        state.withLock { state in
            if state.orders[digest] != nil { return .accepted }
            return state.failed.contains(digest) ? .failed : .committed
        }
    }

    /// The keys of those answers that the selector names, what was made from a named one included. What was made from a
    /// committed one counts as named, too: its parent is not here to be asked.
    func named(by selector: PurgeSelector) -> [Digest] {
        if isEmpty { return [] }
        return state.withLock { state in
            if case .digest(let digest) = selector {
                guard state.children[digest] != nil else { return state.orders[digest] == nil ? [] : [digest] }
                return state.orders.filter { $0.key == digest || $0.value.entry.parents.contains(digest) }.map(\.key)
            }
            let named = state.orders.filter {
                Removals.isMeant($0.value.entry.provider, $0.value.entry.label, by: selector)
            }
            if state.children.isEmpty { return Array(named.keys) }
            let made = state.orders.filter { order in
                order.value.entry.parents.contains { named[$0] != nil || state.orders[$0] == nil }
            }
            return Array(Set(named.keys).union(made.keys))
        }
    }
}

/// What became of an answer that counts as stored.
public enum CommitFate: String, Sendable {
    case accepted, committed, failed
}

/// Looks at the clock for answers that nobody waits for: late commits are late though no answer is held up.
final class CommitWatch: Lapsing {
    /// Of the oldest answer under way when it was made.
    let number: UInt64
    private let over = Atomic<Bool>(false)

    fileprivate init(_ number: UInt64) { self.number = number }

    var isGiven: Bool { over.load(ordering: .relaxed) }
    func lapse() {}
    fileprivate func end() { over.store(true, ordering: .relaxed) }
}

extension StoreShared {
    /// Takes an answer in before its commit, where the store is in order. Where it is not, the answer waits for its commit,
    /// as long as the store's patience lasts.
    /// - Returns: nil where it is not taken in. The writer commits what is accepted within `commitWithin`, or makes a tombstone
    ///   for it.
    func accept(_ order: WriteOrder) -> WriteOutcome? {
        // While removals wait for the disk nothing newer is promised.
        guard waits.commitsBehind, !waits.isLate, !removals.isAny, degraded.withLock({ $0 == nil }) else { return nil }
        let watch = overlay.accept(order)
        // Who removes something says so before looking here. So either it is heard of now, or the answer is found there.
        guard order.isWanted?() ?? true else {
            overlay.leave(order)
            meters.count(.refused("removed"))
            return .refused("removed")
        }
        overlay.confirm(order)
        var confirmed = order
        confirmed.isWanted = nil
        let job = WriteJob.write(confirmed, nil)
        guard writes.offer(job, weight: job.weight, isPatient: true) else {
            overlay.leave(order)
            return nil
        }
        if let watch { waits.add(watch, .commit) }
        return .accepted
    }

    /// The writer could not begin with an accepted answer, for a reason that passes: it is tried again, and found meanwhile.
    /// - Returns: false where it is over.
    func acceptAgain(_ order: WriteOrder) -> Bool {
        let job = WriteJob.write(order, nil)
        return !ending.hasBegun && writes.insist(job, weight: job.weight, isPatient: true)
    }
}

extension SQLiteStore {
    /// What is accepted by now is committed when it returns, or has failed, or the disk takes too long.
    public func commit() async {
        let shared = shared
        if shared.overlay.isEmpty { return }
        await handover { continuation in
            let reply = Reply(continuation, late: { () })
            if shared.writes.insist(.commit(reply)) { return shared.waits.add(reply, .write) }
            reply.resume(returning: ())
        }
    }

    /// What became of the last answer of that key that counted as stored. Of a failure only the latest few hundred are known.
    public func fate(of digest: Digest) -> CommitFate { shared.overlay.fate(of: digest) }

    /// The same where something is accepted that the selector names: a purge then counts it as it counts what is committed.
    public func commit(_ selector: PurgeSelector) async {
        if !shared.overlay.named(by: selector).isEmpty { await commit() }
    }
}
