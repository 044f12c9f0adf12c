// When the heap gives back what a burst has left. Freed pieces lie between live ones, and glibc returns the top of its heap
// only; the rest stays resident until somebody has it walk through all of it (Docs/Decisions/0015).
//
// That is done when nothing moves: the process is as large as ten seconds ago, and far larger than what of its heap is in
// use. Asking how much that is walks through the free pieces as well, so it is not done more than once a minute unless the
// process has grown or shrunk in between.
import LarderCore
import LarderIO

/// The rule, by value.
struct HeapWatch: Sendable {
    /// Between two looks.
    static let interval = Duration.seconds(10)
    /// What may be resident beyond what is in use: as much as the heap keeps free by its own rule (`ProcessMemory.shapeHeap`).
    static let slack = 16 << 20
    /// A process that changed by no more than this since the last look stands still.
    static let still = 4 << 20
    /// Between two measures that found nothing to give back.
    static let pause = Duration.seconds(60)

    private let start: Int
    private var last: Int
    /// What is resident beyond what of the heap is in use, and cannot be given back: code, stacks, and the rest of pages of
    /// which a part is in use.
    private var overhead: Int
    private var nextMeasure = MonotonicTime.distantPast

    init(resident: Int, used: Int) {
        start = resident
        last = resident
        overhead = resident - used
    }

    /// Whether it is time to measure what of the heap is in use.
    mutating func isDue(resident: Int, now: MonotonicTime) -> Bool {
        let change = resident - last
        last = resident
        guard abs(change) <= Self.still else {
            nextMeasure = .distantPast
            return false
        }
        guard resident - start >= Self.slack, now >= nextMeasure else { return false }
        nextMeasure = now + Self.pause
        return true
    }

    /// Whether giving back what is free is worth it.
    func hasSlack(resident: Int, used: Int) -> Bool { resident - used - overhead >= Self.slack }

    /// What was free has been given back, as far as it can be.
    mutating func trimmed(resident: Int, used: Int) {
        last = resident
        overhead = resident - used
    }
}

/// Looks at the process's own memory, and acts. Away from the loops.
final class HeapKeeper: Sendable {
    private let watch: Lock<HeapWatch?>
    private let time: any TimeSource
    private let log: Logger
    private let trims: CounterCell
    private let returned: CounterCell

    init(time: any TimeSource, log: Logger, counters: CounterRegistry) {
        self.time = time
        self.log = log
        trims = counters.cell(HeapCounters.trims)
        returned = counters.cell(HeapCounters.returned)
        watch = Lock(
            ProcessMemory.resident().map { HeapWatch(resident: $0, used: ProcessMemory.used()) })
    }

    func look() {
        guard let resident = ProcessMemory.resident() else { return }
        let now = time.monotonic()
        guard watch.withLock({ $0?.isDue(resident: resident, now: now) }) == true else { return }
        let used = ProcessMemory.used()
        guard watch.withLock({ $0?.hasSlack(resident: resident, used: used) }) == true else { return }
        ProcessMemory.trim()
        let left = ProcessMemory.resident() ?? resident
        watch.withLock { $0?.trimmed(resident: left, used: used) }
        trims.add()
        returned.add(max(0, resident - left))
        log.debug(
            "free memory given back",
            [
                "from": Units.format(size: Int64(resident)), "to": Units.format(size: Int64(left)),
                "took": Units.format(duration: time.monotonic() - now),
            ])
    }
}

/// What is counted of it.
enum HeapCounters {
    static let trims = MetricFamily(
        "larder_heap_trims_total", help: "Times that free memory of the heap was given back to the system.")
    static let returned = MetricFamily(
        "larder_heap_returned_bytes_total", help: "Bytes by which the process became smaller by that.")
}
