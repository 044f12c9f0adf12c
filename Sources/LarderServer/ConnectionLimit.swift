// How many connections there are, over all loops. At the limit the server stops accepting and the kernel's queue holds
// the rest; whoever gives one back wakes those who stopped. A client costs nothing by being idle, so idle ones must not
// shut out others: near the limit some are closed (`Shedding`). The last places are for Unix sockets alone, by which the
// machine's owner looks at the daemon and changes it.
import LarderCore
import LarderIO
import Synchronization

/// How a limit of connections is shared out. Pure.
struct ConnectionShares: Sendable, Hashable {
    /// Connections of all kinds.
    let most: Int

    /// Places that only Unix sockets take: one in sixteen, and no more than this. A limit below 16 has none to spare.
    private static let mostReserved = 64

    /// Connections that others than Unix sockets may have.
    var shared: Int { most - min(Self.mostReserved, most / 16) }

    func limit(isUnix: Bool) -> Int { isUnix ? most : shared }

    /// Connections that are to be closed where so many are open: those beyond fifteen sixteenths of the shared places,
    /// and at least one where somebody waits at a full limit.
    func excess(open: Int, somebodyWaits: Bool) -> Int {
        let mark = shared - shared / 16
        return max(0, open - (somebodyWaits ? min(mark, shared - 1) : mark))
    }

    /// One loop's part of the excess, rounded up.
    static func part(of excess: Int, own: Int, open: Int) -> Int {
        open > 0 ? (excess * own + open - 1) / open : 0
    }
}

/// Counts connections against a limit. Shared by all loops.
final class ConnectionLimit: Sendable {
    private let open = Atomic<Int>(0)
    private let most: Atomic<Int>
    /// Loops that have stopped accepting, by kind of listener.
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

    /// Whether one more may be opened; it is counted then.
    func take(isUnix: Bool) -> Bool {
        let count = open.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        if count > shares.limit(isUnix: isUnix) {
            open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            return false
        }
        gauge.add()
        return true
    }

    /// Gives one back. Whether some loop waits for it.
    func give() -> Bool {
        open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        gauge.add(-1)
        return waitingUnix.load(ordering: .sequentiallyConsistent) > 0
            || waiting.load(ordering: .sequentiallyConsistent) > 0 && hasRoom(isUnix: false)
    }

    /// Whether one more could be opened now. To be asked again after `beginWaiting`, or a wake could be missed.
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

    /// Whether a loop has stopped accepting. Each stops as soon as the last place is taken, with or without anybody in
    /// the kernel's queue.
    var hasStopped: Bool { waiting.load(ordering: .relaxed) + waitingUnix.load(ordering: .relaxed) > 0 }

    /// Connections that are to be closed for others, over all loops.
    func excess(somebodyWaits: Bool) -> Int { shares.excess(open: count, somebodyWaits: somebodyWaits) }

    func set(_ limit: Int) {
        most.store(limit, ordering: .relaxed)
        limitGauge.set(limit)
    }

    var count: Int { open.load(ordering: .relaxed) }
}
