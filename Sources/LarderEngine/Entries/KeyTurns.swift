// One after the other for what reads a row, changes it and writes it: two at a time would both read the older one, and the
// second to write would undo the first. Turns are of one process, as the database is.
import LarderCore

/// A line for each key that somebody is at. There are no more lines than there are callers, which are flights.
final class KeyTurns: Sendable {
    private let lines = Lock<[Digest: [CheckedContinuation<Bool, Never>]]>([:])
    private let limit: Int

    /// - Parameter limit: of those who wait for one key.
    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the turn, first come, first served.
    ///
    /// - Returns: false where too many wait already. Whoever got true gives the turn back by `leave`.
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

    /// Gives the turn to the next.
    func leave(_ key: Digest) {
        let next: CheckedContinuation<Bool, Never>? = lines.withLock { lines in
            guard let first = lines[key]?.first else {
                lines[key] = nil
                return nil
            }
            lines[key]?.removeFirst()
            return first
        }
        next?.resume(returning: true)
    }

    /// Keys that somebody is at.
    var count: Int { lines.withLock { $0.count } }

    /// Who waits for the key, besides whose turn it is.
    func waiting(for key: Digest) -> Int { lines.withLock { $0[key]?.count ?? 0 } }
}
