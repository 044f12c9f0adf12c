// The accepted answers that are not yet committed. An answer is in the overlay before anybody is told that it is
// stored. It leaves only after its commit, or after a tombstone stands for it. A look-up asks the overlay first and
// begins its read transaction afterwards, so it always finds one of the two.
//
// The overlay is bounded by the writer's queue, where each of these answers has its weight.
import LarderCore
import Synchronization

final class WriteOverlay: Sendable {
    /// The accepted answers of one key. A class: a value in a dictionary would be moved out and in again for each change.
    private final class Slot {
        /// The newest one.
        var order: WriteOrder
        /// Earlier answers that are not committed yet either; seldom any.
        var earlier: [WriteOrder] = []

        init(_ order: WriteOrder) { self.order = order }
    }
    private struct State {
        var slots: [Digest: Slot] = Dictionary(minimumCapacity: 8)
        /// How many of the answers were made from the entry of this digest, or are variants of its URL.
        var children: [Digest: Int] = [:]
        /// The keys of the slots with variants, by their URL.
        var variants: [Digest: [Digest]] = [:]
        /// Watches whether the answers are committed in time.
        var watch: CommitWatch?
        /// The number of the latest answer.
        var latest: UInt64 = 0
        /// Keys whose last commit failed, the oldest first.
        var failed: [Digest] = []
    }
    /// The most failed keys that are remembered, for explanations.
    static let mostFailed = 256
    private let state = Lock(State())
    private let held = Atomic<Int>(0)

    var isEmpty: Bool { held.load(ordering: .acquiring) == 0 }

    /// How many answers wait for their commit.
    var count: Int { held.load(ordering: .relaxed) }

    // MARK: Accepting

    /// Takes an answer in. From now on look-ups find it, unless a newer answer of its key is here.
    /// - Returns: a watch to add to `BoundedWaits`, if none is running yet.
    func accept(_ order: WriteOrder) -> CommitWatch? {
        state.withLock { state in
            put(order, &state)
            guard state.watch == nil else { return nil }
            let watch = CommitWatch(order.number)
            state.watch = watch
            return watch
        }
    }

    private func put(_ order: WriteOrder, _ state: inout State) {
        held.add(1, ordering: .releasing)
        state.latest = max(state.latest, order.number)
        let digest = order.entry.key.digest
        if let slot = state.slots[digest] {
            let isNewer = slot.order.number < order.number
            slot.earlier.append(isNewer ? slot.order : order)
            if isNewer { slot.order = order }
        } else {
            state.slots[digest] = Slot(order)
            if let variant = order.entry.variant { state.variants[variant.url, default: []].append(digest) }
        }
        for parent in order.entry.relatives { state.children[parent, default: 0] += 1 }
    }

    /// Confirms that nothing concerning the answer was removed before it was accepted. A later removal finds the answer
    /// here, so its condition need not be asked any more.
    /// - Parameter order: the same order without its condition.
    func confirm(_ order: WriteOrder) {
        state.withLock { state in
            guard let slot = state.slots[order.entry.key.digest], slot.order.number == order.number else { return }
            slot.order = order
        }
    }

    /// Takes an answer out: it is committed, or a tombstone stands for it.
    /// - Parameter failed: whether the disk did not take the answer.
    /// - Returns: a watch for the commits of the answers that are left.
    func leave(_ order: WriteOrder, failed: Bool = false) -> CommitWatch? {
        let (gone, next) = state.withLock { state -> (WriteOrder?, CommitWatch?) in
            if failed {
                let digest = order.entry.key.digest
                state.failed.removeAll { $0 == digest }
                state.failed.append(digest)
                if state.failed.count > Self.mostFailed { state.failed.removeFirst() }
            }
            let gone = take(order, &state)
            guard let watch = state.watch, order.number >= watch.number else { return (gone, nil) }
            watch.end()
            state.watch = state.slots.isEmpty ? nil : CommitWatch(state.latest)
            return (gone, state.watch)
        }
        // The order is released outside the lock, because that ends its place.
        _ = gone
        return next
    }

    /// Takes an answer out, because it is not accepted after all. An earlier answer of its key is found again.
    func retract(_ order: WriteOrder) {
        let gone = state.withLock { state -> WriteOrder? in
            if let watch = state.watch, order.number == watch.number {
                watch.end()
                state.watch = nil
            }
            return take(order, &state)
        }
        _ = gone
    }

    /// Notes that an answer of this key, accepted or not, was committed: earlier failures of the key are forgotten.
    func stored(_ digest: Digest) {
        state.withLock { state in
            if !state.failed.isEmpty { state.failed.removeAll { $0 == digest } }
        }
    }

    private func take(_ order: WriteOrder, _ state: inout State) -> WriteOrder? {
        let digest = order.entry.key.digest
        guard let slot = state.slots[digest] else { return nil }
        let taken: WriteOrder
        if slot.order.number == order.number {
            taken = slot.order
            if let newest = slot.earlier.indices.max(by: { slot.earlier[$0].number < slot.earlier[$1].number }) {
                slot.order = slot.earlier.remove(at: newest)
            } else {
                state.slots[digest] = nil
                if let url = taken.entry.variant?.url {
                    state.variants[url]?.removeAll { $0 == digest }
                    if state.variants[url]?.isEmpty == true { state.variants[url] = nil }
                }
            }
        } else if let place = slot.earlier.firstIndex(where: { $0.number == order.number }) {
            taken = slot.earlier.remove(at: place)
        } else {
            return nil
        }
        Self.forgetParents(of: taken.entry, &state)
        held.subtract(1, ordering: .releasing)
        return taken
    }

    private static func forgetParents(of entry: StoredResponse, _ state: inout State) {
        for parent in entry.relatives {
            let left = (state.children[parent] ?? 0) - 1
            state.children[parent] = left > 0 ? left : nil
        }
    }

    // MARK: Asking

    /// The accepted answer of this key, unless it has been removed or overtaken since.
    func find(_ key: CacheKey) -> StoredResponse? {
        if isEmpty { return nil }
        guard let order = state.withLock({ $0.slots[key.digest]?.order }), order.entry.key == key, !order.isRefused
        else {
            return nil
        }
        return order.entry
    }

    /// The accepted answers of a URL.
    func orders(of url: Digest) -> [WriteOrder] {
        if isEmpty { return [] }
        return state.withLock { state in
            ([url] + (state.variants[url] ?? [])).compactMap { state.slots[$0]?.order }
        }
    }

    /// What is accepted of the URL with that key.
    func look(_ key: CacheKey) -> StoredLook {
        var look = StoredLook()
        for order in orders(of: key.digest) {
            if order.isRefused {
                look.missing = max(look.missing, order.entry.arrival)
            } else if order.entry.variant != nil {
                look.variants.append(order.entry)
            } else if order.entry.key == key {
                look.entry = order.entry
            }
        }
        look.settle()
        return look
    }

    /// Whether an answer of that key waits for its commit.
    func holds(_ digest: Digest) -> Bool {
        !isEmpty && state.withLock { $0.slots[digest] != nil }
    }

    /// Whether anything of a URL waits for its commit.
    func holdsVariants(of url: Digest) -> Bool {
        !isEmpty && state.withLock { $0.variants[url] != nil || $0.slots[url] != nil }
    }

    /// What became of the last answer of that key that counted as stored.
    func fate(of digest: Digest) -> CommitFate {
        state.withLock { state in
            if state.slots[digest] != nil { return .accepted }
            return state.failed.contains(digest) ? .failed : .committed
        }
    }

    /// The orders whose answers, once given out, leave older entries of no more use (`StoreWriter.answer`).
    fileprivate func replacing() -> [WriteOrder] {
        state.withLock { state in state.slots.values.map { $0.order.misleading } }
    }

    /// The keys of the answers that the selector names, and of those made from a named one. An answer made from a
    /// committed entry counts as named too, because its parent is not here to be asked.
    func named(by selector: PurgeSelector) -> [Digest] {
        if isEmpty { return [] }
        return state.withLock { state in
            if case .digest(let digest) = selector {
                guard state.children[digest] != nil else { return state.slots[digest] == nil ? [] : [digest] }
                return state.slots.filter { $0.key == digest || $0.value.order.entry.relatives.contains(digest) }
                    .map(\.key)
            }
            let named = state.slots.filter {
                Removals.isMeant(EntryFacts($0.value.order.entry), by: selector)
            }
            if state.children.isEmpty { return Array(named.keys) }
            let made = state.slots.filter { slot in
                slot.value.order.entry.relatives.contains { named[$0] != nil || state.slots[$0] == nil }
            }
            return Array(Set(named.keys).union(made.keys))
        }
    }
}

/// What became of an answer that counts as stored.
public enum CommitFate: String, Sendable {
    case accepted, committed, failed
}

/// Makes late commits noticed even though nobody waits for these answers.
final class CommitWatch: Sendable {
    /// The number of an answer that was under way when the watch was made.
    let number: UInt64
    private let over = Atomic<Bool>(false)

    fileprivate init(_ number: UInt64) { self.number = number }

    fileprivate var isOver: Bool { over.load(ordering: .relaxed) }
    fileprivate func end() { over.store(true, ordering: .relaxed) }
}

extension StoreShared {
    func add(_ watch: CommitWatch) {
        waits.add(Late({ !watch.isOver }, then: { [self] in commitsAreLate() }), .commit)
    }

    /// Removes what the accepted answers replace, because they are not committed in time. They are found in the overlay
    /// meanwhile, but a kill would bring the replaced answers back. So each of these gets a tombstone, and the mark
    /// says so until the commit of its successor.
    fileprivate func commitsAreLate() {
        for order in overlay.replacing() { supersede(order, isLate: true) }
    }

    /// Accepts an answer before its commit if the store is in order. If it is not, the answer waits for its commit, as
    /// long as the store's patience lasts.
    /// - Returns: nil if the answer is not accepted. The writer commits an accepted answer within `commitWithin`, or
    ///   makes a tombstone for it.
    func accept(_ order: WriteOrder) -> WriteOutcome? {
        // While removals wait for the disk nothing newer is accepted.
        guard waits.commitsBehind, !waits.isLate, removals.snapshot()?.holdAnswers != true,
            degraded.withLock({ $0 == nil })
        else { return nil }
        let watch = overlay.accept(order)
        // A removal announces itself before it looks here. So `isWanted` reports it now, or the removal finds the
        // answer here.
        guard order.isWanted?() ?? true else {
            overlay.retract(order)
            meters.count(.refused(.removed))
            return .refused(.removed)
        }
        var confirmed = order
        confirmed.isWanted = nil
        overlay.confirm(confirmed)
        guard offer(.write(confirmed, nil), isPatient: true) else {
            overlay.retract(order)
            return nil
        }
        if let watch { add(watch) }
        return .accepted
    }
}

extension SQLiteStore {
    /// Returns when everything accepted before is committed or has failed, or when the disk takes too long.
    public func commit() async {
        if shared.overlay.isEmpty { return }
        await shared.waits.ask(.write, late: {}, refused: {}) { shared.writes.insist(.commit($0)) }
    }

    /// What became of the last answer of this key that counted as stored. Only the latest 256 failures are known.
    public func fate(of digest: Digest) -> CommitFate { shared.overlay.fate(of: digest) }

    /// Like `commit()`, if the selector names an accepted answer. A purge then counts it like a committed one.
    public func commit(_ selector: PurgeSelector) async {
        if !shared.overlay.named(by: selector).isEmpty { await commit() }
    }
}
