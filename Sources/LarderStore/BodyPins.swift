// Which large bodies somebody reads, and which are being swept: what keeps the pieces of a removed body until its last
// reader has left.
//
// The race to keep out: a reader finds a row in its snapshot while the writer removes the row and its pieces. So the
// writer condemns a body before it touches a piece of it, and condemns none that is pinned; a reader pins before it
// leaves its snapshot, and cannot pin what is condemned, nor when a sweep ended since the snapshot began. It then looks
// again with a new snapshot.
import LarderCore

/// One body of one database: ids begin anew with each database that is set aside.
struct BodyName: Sendable, Hashable {
    var generation: Int
    var id: Int64
}

/// The pins of a store. Bounded by the bodies that are being read, written or swept.
final class BodyPins: Sendable {
    private struct State {
        var counts: [BodyName: Int] = [:]
        var condemned: Set<BodyName> = []
        /// Bodies that are to be swept as soon as nobody reads them.
        var owed: Set<BodyName> = []
        /// What the writer's present transaction condemned, and what it finished.
        var fresh: [BodyName] = []
        var finished: [BodyName] = []
        var epoch = 0
    }
    private let state = Lock(State())

    /// Rises with every sweep that ends. Asked before a snapshot is taken.
    var epoch: Int { state.withLock { $0.epoch } }

    /// How many bodies are pinned, for tests.
    var count: Int { state.withLock { $0.counts.count } }

    /// - Parameter epoch: from before the snapshot in which the body was found; nil for a body not yet begun.
    func pin(_ name: BodyName, since epoch: Int?) -> Bool {
        state.withLock { state in
            guard !state.condemned.contains(name), epoch.map({ $0 == state.epoch }) ?? true else { return false }
            state.counts[name, default: 0] += 1
            return true
        }
    }

    /// True where the body waits for nothing but this to be swept.
    func release(_ name: BodyName) -> Bool {
        state.withLock { state in
            guard let count = state.counts[name] else { return false }
            if count > 1 {
                state.counts[name] = count - 1
                return false
            }
            state.counts[name] = nil
            return state.owed.remove(name) != nil
        }
    }

    // MARK: The writer's side

    /// The body is to be swept when its last reader leaves, unless it is completed.
    func owe(_ name: BodyName) {
        state.withLock { _ = $0.owed.insert(name) }
    }

    func completed(_ name: BodyName) {
        state.withLock { _ = $0.owed.remove(name) }
    }

    /// Inside a transaction: whether the body may be swept; from then on it cannot be pinned.
    func condemn(_ name: BodyName) -> Bool {
        state.withLock { state in
            if state.condemned.contains(name) { return true }
            guard state.counts[name] == nil else {
                state.owed.insert(name)
                return false
            }
            state.condemned.insert(name)
            state.fresh.append(name)
            return true
        }
    }

    /// Inside a transaction: the last piece of a condemned body is gone.
    func finished(_ name: BodyName) {
        state.withLock { $0.finished.append(name) }
    }

    /// The transaction has ended.
    func settle(committed: Bool) {
        state.withLock { state in
            guard !state.fresh.isEmpty || !state.finished.isEmpty else { return }
            for name in committed ? state.finished : state.fresh { state.condemned.remove(name) }
            if committed && !state.finished.isEmpty { state.epoch += 1 }
            state.fresh = []
            state.finished = []
        }
    }

    /// The database was set aside: pins of its bodies are only waited out.
    func beginAnew() {
        state.withLock { state in
            state.condemned = []
            state.owed = []
            state.fresh = []
            state.finished = []
            state.epoch += 1
        }
    }
}

/// One pin, held for as long as the object lives.
final class BodyPin: Sendable {
    let name: BodyName
    let shared: StoreShared

    /// Nil where the body is being swept.
    init?(_ shared: StoreShared, _ name: BodyName, since epoch: Int?) {
        guard shared.pins.pin(name, since: epoch) else { return nil }
        self.name = name
        self.shared = shared
    }

    deinit {
        if shared.pins.release(name) { _ = shared.writes.insist(.sweep) }
    }
}
