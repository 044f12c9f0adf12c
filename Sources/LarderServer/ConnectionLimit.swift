// How many connections there are, over all loops. At the limit the server stops accepting and the kernel's queue holds
// the rest; whoever gives one back wakes those who stopped.
import LarderCore
import Synchronization

/// Counts connections against a limit. Shared by all loops.
final class ConnectionLimit: Sendable {
    private let open = Atomic<Int>(0)
    private let most: Atomic<Int>
    /// Loops that have stopped accepting.
    private let waiting = Atomic<Int>(0)
    private let gauge: CounterCell

    init(_ most: Int, gauge: CounterCell) {
        self.most = Atomic(most)
        self.gauge = gauge
    }

    /// Whether one more may be opened; it is counted then.
    func take() -> Bool {
        let count = open.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        if count > most.load(ordering: .relaxed) {
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
        return waiting.load(ordering: .sequentiallyConsistent) > 0
    }

    /// Whether one more could be opened now. To be asked again after `beginWaiting`, or a wake could be missed.
    var hasRoom: Bool { open.load(ordering: .sequentiallyConsistent) < most.load(ordering: .relaxed) }

    func beginWaiting() { waiting.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func endWaiting() { waiting.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

    func set(_ limit: Int) { most.store(limit, ordering: .relaxed) }
    var count: Int { open.load(ordering: .relaxed) }
}
