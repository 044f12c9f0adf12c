// The order of answers to one key while they are on their way to the database. An answer that waits for the disk may be
// overtaken: a newer one is given out and then not stored. The older one must not be stored afterwards, since it would
// be answered in place of the newer one.
//
// Only keys with an answer on its way are held, so that there are no more of them than jobs that wait.
import LarderCore
import Synchronization

/// The place of one answer among those of its key; its end takes it out.
final class WritePlace: Sendable {
    private let orders: WriteOrders
    private let digest: Digest
    /// Rises with every answer of the store.
    let number: UInt64

    fileprivate init(_ orders: WriteOrders, _ digest: Digest, _ number: UInt64) {
        self.orders = orders
        self.digest = digest
        self.number = number
    }

    deinit { orders.leave(digest) }

    /// A newer answer of that key was given out and is not known to be stored.
    var isOvertaken: Bool { orders.isOvertaken(digest, number) }
}

final class WriteOrders: Sendable {
    private struct Line {
        var waiting = 0
        /// Answers below that number are overtaken.
        var least: UInt64 = 0
    }
    private struct State {
        var latest: UInt64 = 0
        var lines: [Digest: Line] = [:]
    }
    private let state = Lock(State())

    /// How many keys are held.
    var count: Int { state.withLock { $0.lines.count } }

    func enter(_ digest: Digest) -> WritePlace {
        let number = state.withLock { state -> UInt64 in
            state.latest += 1
            state.lines[digest, default: Line()].waiting += 1
            return state.latest
        }
        return WritePlace(self, digest, number)
    }

    /// An entry on its way, and its companion, each with a place. That of the companion is the lower one: where it takes an
    /// older row's place, what was made from that row is overtaken, and the entry names it as its parent.
    func order(
        _ entry: StoredResponse, with companion: Companion?, supersedes: Bool = true,
        when isWanted: (@Sendable () -> Bool)?
    ) -> WriteOrder {
        let companionPlace = companion.map { enter($0.entry.key.digest) }
        return WriteOrder(
            entry: entry, companion: companion, companionPlace: companionPlace, supersedes: supersedes,
            isWanted: isWanted, place: enter(entry.key.digest))
    }

    /// Overtakes what is older than the answer of that number; without one, everything that is on its way now.
    /// - Returns: the number, and whether another answer of that key is on its way.
    func overtake(_ digest: Digest, by place: WritePlace?) -> (number: UInt64, isAnotherUnderWay: Bool) {
        state.withLock { state in
            if place == nil { state.latest += 1 }
            let number = place?.number ?? state.latest
            guard var line = state.lines[digest] else { return (number, false) }
            line.least = max(line.least, number)
            state.lines[digest] = line
            return (number, line.waiting > (place == nil ? 0 : 1))
        }
    }

    /// A number above those of all answers that are on their way now.
    func bound() -> UInt64 {
        state.withLock { state in
            state.latest += 1
            return state.latest
        }
    }

    /// Overtakes the answers of that key with lower numbers.
    func overtake(_ digest: Digest, below bound: UInt64) {
        state.withLock { state in
            guard var line = state.lines[digest] else { return }
            line.least = max(line.least, bound)
            state.lines[digest] = line
        }
    }

    fileprivate func isOvertaken(_ digest: Digest, _ number: UInt64) -> Bool {
        state.withLock { number < $0.lines[digest]?.least ?? 0 }
    }

    fileprivate func leave(_ digest: Digest) {
        state.withLock { state in
            guard var line = state.lines[digest] else { return }
            line.waiting -= 1
            state.lines[digest] = line.waiting > 0 ? line : nil
        }
    }
}
