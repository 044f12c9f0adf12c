// When the heap returns memory that a burst has left free. Free blocks lie between live ones, and a heap returns little of
// them by itself. The rest stays resident until it is told to return it (Docs/Decisions/0015, 0045).
//
// The trim runs when the process is at rest: its size is that of ten seconds ago, and far above the part of its heap in
// use. Measuring the part in use walks through the free blocks as well. It is done at most once a minute, unless the
// process has grown or shrunk in between.
import LarderCore
import LarderIO

/// The rule as a value.
struct HeapWatch: Sendable {
    /// The time between two looks.
    static let interval = Duration.seconds(10)
    /// The free resident bytes allowed.
    static let slack = 16 << 20
    /// The process is at rest if its size has changed by at most this many bytes since the last look.
    static let still = 4 << 20
    /// The time between two measurements that found nothing to return.
    static let pause = Duration.seconds(60)

    private let start: Int
    private var last: Int
    /// Resident bytes that are not part of the heap in use and cannot be returned: code, stacks, and the rest of pages
    /// that are partly in use.
    private var overhead: Int
    private var nextMeasure = MonotonicTime.distantPast

    init(resident: Int, used: Int) {
        start = resident
        last = resident
        overhead = resident - used
    }

    /// Whether it is time to measure how much of the heap is in use.
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

    /// Whether returning the free memory is worthwhile.
    func hasSlack(resident: Int, used: Int) -> Bool { resident - used - overhead >= Self.slack }

    /// Notes that the free memory has been returned, as far as possible.
    mutating func trimmed(resident: Int, used: Int) {
        last = resident
        overhead = resident - used
    }
}

/// Watches the process's memory and trims the heap. Runs outside the event loops.
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
            "free memory returned to the system",
            [
                "from": Units.format(size: Int64(resident)), "to": Units.format(size: Int64(left)),
                "took": Units.format(duration: time.monotonic() - now),
            ])
    }
}

/// The counters of heap trims.
enum HeapCounters {
    static let trims = MetricFamily(
        "larder_heap_trims_total", help: "Times that free heap memory was returned to the system.")
    static let returned = MetricFamily(
        "larder_heap_returned_bytes_total", help: "Bytes by which heap trims made the process smaller.")
}
