// The history: figures over time. The counters are sampled every 5 seconds, and changes are written to `state.db` once
// a minute. If nothing was counted, nothing is written, so an idle daemon does not wake the disk. `TrafficHistory`
// makes the decisions.
import LarderCache
import LarderCore
import LarderEngine
import LarderServer
import LarderStore
import Synchronization

final class HistoryRecorder: Sendable {
    /// The number of 5 s slots in a minute.
    static let looksPerSave = 12

    private let state: StateStore
    private let counters: CounterRegistry
    private let time: any TimeSource
    private let log: Logger
    private let history: Lock<TrafficHistory>
    /// True while a look runs. Looks must not overlap: an older reading must not be recorded after a newer one.
    private let isLooking = Atomic<Bool>(false)

    init(state: StateStore, counters: CounterRegistry, time: any TimeSource, log: Logger) {
        self.state = state
        self.counters = counters
        self.time = time
        self.log = log
        history = Lock(TrafficHistory(at: time.wall()))
    }

    /// Loads the history of earlier runs. Must be called before the first look.
    func open() async {
        do {
            let kept = try await state.history()
            let rows = kept.rows.compactMap { row -> TrafficHistory.Row? in
                guard let span = TrafficHistory.Span(rawValue: row.ring),
                    let figures = TrafficFigures(encoded: row.figures)
                else { return nil }
                return TrafficHistory.Row(span: span, at: row.at, figures: figures)
            }
            let runs = kept.runs.map { TrafficHistory.Run(began: $0.began, ended: $0.ended) }
            let restored = TrafficHistory(rows: rows, runs: runs, at: time.wall())
            history.withLock { $0 = restored }
        } catch {
            log.warning("the figures of earlier runs cannot be read", ["error": "\(error)"])
        }
        look()
    }

    /// The time until the current 5 s slot ends.
    var untilNextLook: Duration {
        let step = TrafficHistory.Span.hour.step * 1000
        let rest = time.wall().milliseconds % step
        return .milliseconds(step - (rest < 0 ? rest + step : rest))
    }

    /// Takes a sample.
    /// - Returns: false if another look is running. That one may have read the counters before this call.
    @discardableResult
    func look() -> Bool {
        guard !isLooking.exchange(true, ordering: .acquiring) else { return false }
        defer { isLooking.store(false, ordering: .releasing) }
        let reading = Self.reading(counters)
        let (wall, monotonic) = (time.wall(), time.monotonic())
        history.withLock { $0.look(reading, wall: wall, monotonic: monotonic) }
        return true
    }

    /// - Parameter isLast: whether the daemon is stopping.
    func save(isLast: Bool = false) async {
        guard let unsaved = history.withLock({ $0.takeUnsaved(isLast: isLast) }) else { return }
        let now = time.wall()
        var bounds = HistoryBounds(oldest: [:], newest: now, runs: TrafficHistory.mostRuns)
        for span in TrafficHistory.Span.allCases { bounds.oldest[span.rawValue] = span.begin(at: now) }
        do {
            try await state.writeHistory(
                unsaved.rows.map { HistoryRow(ring: $0.span.rawValue, at: $0.at, figures: $0.figures.encoded) },
                runs: unsaved.runs.map { HistoryRun(began: $0.began, ended: $0.ended) }, within: bounds)
        } catch {
            log.debug("the figures over time could not be written", ["error": "\(error)"])
            history.withLock { $0.putBack(unsaved) }
        }
    }

    func points(_ span: TrafficHistory.Span, at now: WallTime) -> [TrafficHistory.Point] {
        history.withLock { $0.points(span, at: now) }
    }

    /// Reads the counters. The daemon's own pages are left out, because watchdogs and consoles request them all the
    /// time. They have no outcome, and neither have failed requests, which are counted apart. Hits that a loop answers
    /// at once are not timed; they count with the shortest duration.
    private static func reading(_ counters: CounterRegistry) -> TrafficFigures {
        let none = CacheOutcome.none.rawValue
        var reading = TrafficFigures(durations: Array(repeating: 0, count: HistogramCell.bounds.count + 1))
        for (labels, value) in counters.figures(ServerCounters.requests) where labels != [none] {
            reading.requests[labels[0], default: 0] += Int(value)
        }
        reading.requests[TrafficFigures.failed] = counters.figures(DaemonCounters.failures).reduce(0) {
            $0 + Int($1.value)
        }
        let hits = counters.figures(ServerCounters.memoryHits).reduce(0) { $0 + Int($1.value) }
        reading.requests[CacheOutcome.hit.rawValue, default: 0] += hits
        for (labels, value) in counters.figures(EngineCounters.upstreamCalls) {
            reading.upstream[labels[0], default: 0] += Int(value)
        }
        for (labels, value) in counters.figures(DaemonCounters.requests) where labels[1] == "5xx" {
            reading.errors += Int(value)
        }
        reading.bytes = counters.figures(ServerCounters.sentBytes).reduce(0) { $0 + Int($1.value) }
        for (labels, histogram) in counters.readings(ServerCounters.durations) where labels[1] != none {
            var below = 0
            for (index, cumulative) in histogram.cumulative.enumerated() {
                reading.durations[index] += cumulative - below
                below = cumulative
            }
        }
        reading.durations[0] += hits
        return reading
    }
}
