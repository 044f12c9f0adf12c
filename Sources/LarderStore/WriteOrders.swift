// The order of the answers to one key on their way to the database. An answer that waits for the disk may be overtaken:
// a newer answer is given out and then not stored. Then the older one must not be stored either, since it would be
// served in place of the newer one.
//
// Only keys with an answer on its way are held, so there are never more of them than waiting jobs.
import LarderCore

/// The place of one answer among those of its key. Its deinit takes it out.
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

    /// Whether a newer answer of this key was given out and is not known to be stored.
    var isOvertaken: Bool { orders.isOvertaken(digest, number) }
}

final class WriteOrders: Sendable {
    private struct Line {
        var waiting = 0
        /// Answers with lower numbers are overtaken.
        var least: UInt64 = 0
    }
    private struct State {
        var latest: UInt64 = 0
        var lines: [Digest: Line] = Dictionary(minimumCapacity: 8)
    }
    private let state = Lock(State())

    /// Number of keys held.
    var count: Int { state.withLock { $0.lines.count } }

    func enter(_ digest: Digest) -> WritePlace {
        let number = state.withLock { state -> UInt64 in
            state.latest += 1
            state.lines[digest, default: Line()].waiting += 1
            return state.latest
        }
        return WritePlace(self, digest, number)
    }

    /// Makes the order of an entry, with a place.
    func order(
        _ entry: StoredResponse, supersedes: Superseded = .entry, when isWanted: (@Sendable () -> Bool)?
    ) -> WriteOrder {
        WriteOrder(entry: entry, supersedes: supersedes, isWanted: isWanted, place: enter(entry.key.digest))
    }

    /// A number above those of all answers that are on their way now.
    func bound() -> UInt64 {
        state.withLock { state in
            state.latest += 1
            return state.latest
        }
    }

    /// Overtakes the answers of this key with numbers below `bound`.
    func overtake(_ digest: Digest, below bound: UInt64) {
        state.withLock { state in
            guard let line = state.lines[digest] else { return }
            state.lines[digest]?.least = max(line.least, bound)
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
