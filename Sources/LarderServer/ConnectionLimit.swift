// Limits the number of connections over all loops. At the limit the server stops accepting, and the kernel's queue
// holds further clients; closing a connection wakes the listeners that stopped. Idle connections must not shut out
// other clients, so near the limit some are closed (`Shedding`). The last places are reserved for Unix sockets: the
// machine's owner must always be able to inspect and change the daemon.
import LarderCore
import LarderIO
import Synchronization

/// How a connection limit is divided. Pure.
struct ConnectionShares: Sendable, Hashable {
    /// The limit for connections of all kinds.
    let most: Int

    /// One place in sixteen is for Unix sockets only, up to this number. A limit below 16 reserves none.
    private static let mostReserved = 64

    /// The limit for connections that are not on Unix sockets.
    var shared: Int { most - min(Self.mostReserved, most / 16) }

    func limit(isUnix: Bool) -> Int { isUnix ? most : shared }

    /// The number of connections to close at this number of open ones: those above fifteen sixteenths of the shared
    /// places, and at least one if a client waits at a full limit.
    func excess(open: Int, somebodyWaits: Bool) -> Int {
        let mark = shared - shared / 16
        return max(0, open - (somebodyWaits ? min(mark, shared - 1) : mark))
    }

    /// One loop's part of the excess, in proportion to its connections and rounded up.
    static func part(of excess: Int, own: Int, open: Int) -> Int {
        open > 0 ? (excess * own + open - 1) / open : 0
    }
}

/// Counts connections against a limit. All loops share it.
final class ConnectionLimit: Sendable {
    private let open = Atomic<Int>(0)
    private let most: Atomic<Int>
    /// The number of listeners that have stopped accepting, by kind: TCP here, Unix sockets below.
    private let waiting = Atomic<Int>(0)
    private let waitingUnix = Atomic<Int>(0)
    private let gauge: CounterCell
    private let limitGauge: CounterCell

    init(_ most: Int, cells: ServerCells) {
        self.most = Atomic(most)
        gauge = cells.open
        limitGauge = cells.connectionsLimit
        limitGauge.set(most)
    }

    private var shares: ConnectionShares { ConnectionShares(most: most.load(ordering: .relaxed)) }

    /// Counts one more connection and returns true, or returns false at the limit.
    func take(isUnix: Bool) -> Bool {
        let count = open.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        if count > shares.limit(isUnix: isUnix) {
            open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            return false
        }
        gauge.add()
        return true
    }

    /// Gives one place back. Returns true if a listener waits for it.
    func give() -> Bool {
        open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        gauge.add(-1)
        return waitingUnix.load(ordering: .sequentiallyConsistent) > 0
            || waiting.load(ordering: .sequentiallyConsistent) > 0 && hasRoom(isUnix: false)
    }

    /// Whether one more connection could be opened now. Ask again after `beginWaiting`, or a wake may be missed.
    func hasRoom(isUnix: Bool) -> Bool { open.load(ordering: .sequentiallyConsistent) < shares.limit(isUnix: isUnix) }

    func beginWaiting(isUnix: Bool) { wait(isUnix, 1) }
    func endWaiting(isUnix: Bool) { wait(isUnix, -1) }

    private func wait(_ isUnix: Bool, _ change: Int) {
        if isUnix {
            waitingUnix.wrappingAdd(change, ordering: .sequentiallyConsistent)
        } else {
            waiting.wrappingAdd(change, ordering: .sequentiallyConsistent)
        }
    }

    /// Whether a listener has stopped accepting. A listener stops as soon as the last place is taken, even if no client
    /// is in the kernel's queue.
    var hasStopped: Bool { waiting.load(ordering: .relaxed) + waitingUnix.load(ordering: .relaxed) > 0 }

    /// The number of connections to close over all loops, to make room for other clients.
    func excess(somebodyWaits: Bool) -> Int { shares.excess(open: count, somebodyWaits: somebodyWaits) }

    func set(_ limit: Int) {
        most.store(limit, ordering: .relaxed)
        limitGauge.set(limit)
    }

    var count: Int { open.load(ordering: .relaxed) }
}
