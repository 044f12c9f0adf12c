// Turns for code that reads a row, changes it and writes it. Two at a time would both read the older row, and the
// second write would undo the first. Turns work within one process, as the database does.
import LarderCore

/// A queue for each key whose turn is taken. There are no more queues than callers, and callers are flights.
final class KeyTurns: Sendable {
    private let lines = Lock<[Digest: [TaskContinuation<Bool, Never>]]>([:])
    private let limit: Int

    /// - Parameter limit: how many callers may wait for one key.
    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the turn of a key: first come, first served.
    ///
    /// - Returns: false if too many callers wait already. After true, the caller must give the turn back with `leave`.
    func enter(_ key: Digest) async -> Bool {
        await lines.wait { lines, waiter in
            guard let line = lines[key] else {
                lines[key] = []
                return true
            }
            guard line.count < limit else { return false }
            lines[key] = line + [waiter]
            return nil
        }
    }

    /// Gives the turn to the next caller.
    func leave(_ key: Digest) {
        let next: TaskContinuation<Bool, Never>? = lines.withLock { lines in
            guard let first = lines[key]?.first else {
                lines[key] = nil
                return nil
            }
            lines[key]?.removeFirst()
            return first
        }
        next?.resume(returning: true)
    }

    /// The number of keys whose turn is taken.
    var count: Int { lines.withLock { $0.count } }

    /// The number of callers that wait for the key, without the one whose turn it is.
    func waiting(for key: Digest) -> Int { lines.withLock { $0[key]?.count ?? 0 } }
}
