// The daemon's figures over time, in slots of fixed length: the last hour by 5 seconds and the last 30 days by the hour. A pure
// machine: it is told the counters and both clocks, and says what is to be kept.
//
// Slots are aligned to the wall clock, so that those of two runs fit together: a run that ends within a slot and the one
// that begins in it add up. What was counted between two looks belongs to the slot of the first look. A slot without counts
// still exists while the daemon runs; one of a time without looks (the daemon was down, the machine slept, the clock was
// set forward) does not.
//
// A wall clock that is set back makes slots later than now. Where it was set back by less than a slot they are added to the
// present one; else they are dropped, since they are dated by a clock that was wrong.
import LarderCore

/// Figures over the last hour and the last 30 days.
public struct TrafficHistory: Sendable {
    /// One ring of slots.
    public enum Span: String, Sendable, CaseIterable {
        case hour
        case month

        /// The length of a slot in seconds.
        public var step: Int64 {
            switch self {
            case .hour: 5
            case .month: 3600
            }
        }

        /// Slots of each ring.
        public static let slots: Int64 = 720

        func slot(_ at: WallTime) -> Int64 {
            let quotient = at.seconds / step
            return at.seconds % step < 0 ? quotient - 1 : quotient
        }

        func start(_ slot: Int64) -> WallTime { WallTime(seconds: slot * step) }

        /// The beginning of the oldest slot that is kept at that instant.
        public func begin(at now: WallTime) -> WallTime { start(slot(now) - Self.slots + 1) }
    }

    /// One slot, as it is kept.
    public struct Row: Sendable, Hashable {
        public var span: Span
        /// Its beginning.
        public var at: WallTime
        public var figures: TrafficFigures

        public init(span: Span, at: WallTime, figures: TrafficFigures) {
            self.span = span
            self.at = at
            self.figures = figures
        }
    }

    /// A time during which the daemon looked at its counters without a pause: slots in it without a row had no counts.
    public struct Run: Sendable, Hashable {
        public var began: WallTime
        public var ended: WallTime

        public init(began: WallTime, ended: WallTime) {
            self.began = began
            self.ended = ended
        }
    }

    /// What is to be written.
    public struct Unsaved: Sendable, Hashable {
        public var rows: [Row]
        public var runs: [Run]
    }

    /// One slot, as it is shown.
    public struct Point: Sendable, Hashable {
        public var at: WallTime
        public var figures: TrafficFigures
        /// The slot of now, which is not over.
        public var isOpen: Bool
    }

    /// Between two looks; what is longer is a gap.
    public static let longestPause = Duration.seconds(30)
    /// Runs that are kept, the newest ones.
    public static let mostRuns = 720

    private struct Look {
        var figures: TrafficFigures
        var wall: WallTime
        var monotonic: MonotonicTime
    }

    private var rings: [Span: [Int64: TrafficFigures]] = [.hour: [:], .month: [:]]
    private var runs: [Run] = []
    private var last: Look?
    private var unsaved: [Span: Set<Int64>] = [:]
    private var unsavedRuns: Set<WallTime> = []

    /// - Parameters:
    ///   - rows: as an earlier run left them, in any order. What is out of its ring or later than now is left out.
    ///   - runs: the same.
    public init(rows: [Row] = [], runs: [Run] = [], at now: WallTime) {
        for row in rows where row.at <= now && row.at >= row.span.begin(at: now) {
            rings[row.span]?[row.span.slot(row.at)] = row.figures
        }
        self.runs = runs.filter { $0.began <= now && $0.began <= $0.ended }.map { run in
            Run(began: run.began, ended: min(run.ended, now))
        }.sorted { $0.began < $1.began }.suffix(Self.mostRuns)
        for run in self.runs {
            for span in Span.allCases { cover(span, from: run.began, to: run.ended, at: now) }
        }
    }

    /// Makes empty slots where there are none.
    private mutating func cover(_ span: Span, from: WallTime, to: WallTime, at now: WallTime) {
        let first = span.slot(max(from, span.begin(at: now)))
        let end = span.slot(min(to, now))
        guard first <= end else { return }
        for slot in first...end where rings[span]?[slot] == nil { rings[span]?[slot] = TrafficFigures() }
    }

    // MARK: Looking

    /// Takes a look at the counters.
    /// - Parameter reading: as they stand now; they begin at zero with the first look.
    public mutating func look(_ reading: TrafficFigures, wall: WallTime, monotonic: MonotonicTime) {
        let now = Look(figures: reading, wall: wall, monotonic: monotonic)
        defer { last = now }
        guard let last else {
            for span in Span.allCases { count(reading, span, span.slot(wall)) }
            return beginRun(wall)
        }
        let growth = reading.since(last.figures)
        let isBack = wall < last.wall
        if isBack { goBack(by: last.wall - wall, to: wall) }
        let isContinuous =
            !isBack && wall - last.wall <= Self.longestPause
            && monotonic - last.monotonic <= Self.longestPause
        for span in Span.allCases {
            count(growth, span, span.slot(isBack ? wall : last.wall))
            cover(span, from: isContinuous ? last.wall : wall, to: wall, at: wall)
            forget(span, since: last.wall, at: wall)
        }
        if isContinuous, let end = runs.indices.last {
            runs[end].ended = wall
            unsavedRuns.insert(runs[end].began)
        } else {
            beginRun(wall)
        }
    }

    private mutating func count(_ growth: TrafficFigures, _ span: Span, _ slot: Int64) {
        rings[span]?[slot, default: TrafficFigures()].add(growth)
        if growth.isNews { unsaved[span, default: []].insert(slot) }
    }

    /// Drops the slots that have left a ring since the last look.
    private mutating func forget(_ span: Span, since: WallTime, at now: WallTime) {
        let (from, to) = (span.slot(since) - Span.slots + 1, span.slot(now) - Span.slots + 1)
        guard from < to else { return }
        if to - from < Span.slots {
            for slot in from..<to {
                rings[span]?[slot] = nil
                unsaved[span]?.remove(slot)
            }
        } else {
            rings[span] = rings[span]?.filter { $0.key >= to }
            unsaved[span] = unsaved[span]?.filter { $0 >= to }
        }
    }

    private mutating func beginRun(_ wall: WallTime) {
        // Two that begin at one instant are one.
        if runs.last?.began != wall { runs.append(Run(began: wall, ended: wall)) }
        if runs.count > Self.mostRuns { runs.removeFirst(runs.count - Self.mostRuns) }
        unsavedRuns.insert(wall)
    }

    /// The wall clock was set back.
    private mutating func goBack(by step: Duration, to wall: WallTime) {
        for span in Span.allCases {
            let present = span.slot(wall)
            let later = rings[span]?.filter { $0.key > present } ?? [:]
            for (slot, figures) in later {
                rings[span]?[slot] = nil
                unsaved[span]?.remove(slot)
                if step < .seconds(span.step) { count(figures, span, present) }
            }
        }
        runs = runs.filter { $0.began <= wall }.map { Run(began: $0.began, ended: min($0.ended, wall)) }
        unsavedRuns = unsavedRuns.filter { $0 <= wall }
    }

    // MARK: Keeping

    /// What has changed since this was last asked; nil where nothing was counted. Slots without counts are no reason to
    /// write: the end of the run, which is written with the next counts, covers them.
    /// - Parameter isLast: the daemon stops: its run is kept in any case.
    public mutating func takeUnsaved(isLast: Bool = false) -> Unsaved? {
        let rows = Span.allCases.flatMap { span in
            (unsaved[span] ?? []).sorted().compactMap { slot in
                rings[span]?[slot].map { Row(span: span, at: span.start(slot), figures: $0) }
            }
        }
        guard !rows.isEmpty || isLast && !unsavedRuns.isEmpty else { return nil }
        let runs = runs.filter { unsavedRuns.contains($0.began) }
        unsaved = [:]
        unsavedRuns = []
        return Unsaved(rows: rows, runs: runs)
    }

    /// It could not be written: it is told again.
    public mutating func putBack(_ rest: Unsaved) {
        for row in rest.rows {
            let slot = row.span.slot(row.at)
            if rings[row.span]?[slot] != nil { unsaved[row.span, default: []].insert(slot) }
        }
        unsavedRuns.formUnion(rest.runs.map(\.began))
    }

    // MARK: Telling

    /// The slots that there are, the oldest first.
    public func points(_ span: Span, at now: WallTime) -> [Point] {
        let present = span.slot(now)
        let oldest = present - Span.slots + 1
        return (rings[span] ?? [:]).filter { $0.key >= oldest && $0.key <= present }
            .sorted { $0.key < $1.key }
            .map { Point(at: span.start($0.key), figures: $0.value, isOpen: $0.key == present) }
    }
}
