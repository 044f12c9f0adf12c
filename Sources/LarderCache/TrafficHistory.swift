// The daemon's figures over time, in slots: the last hour in 5 seconds, the last 2 days in 4 minutes, the last 30 days
// in one hour. A pure machine: it is told the counters and both clocks, and says what to store. Slots are aligned to
// the wall clock, so that those of two runs add up. Counts between two looks belong to the slot of the first. While the
// daemon runs, a slot without counts exists; for a time without looks (the daemon was down, the machine slept) none
// does.
//
// If the wall clock is set back by less than a slot, later slots are added to the present one. Otherwise they are
// dropped, because a wrong clock dated them.
import LarderCore

/// Figures over the last hour, the last 2 days and the last 30 days.
public struct TrafficHistory: Sendable {
    /// One ring of slots.
    public enum Span: String, Sendable, CaseIterable {
        case hour
        case days
        case month

        /// The length of a slot in seconds.
        public var step: Int64 {
            switch self {
            case .hour: 5
            case .days: 240
            case .month: 3600
            }
        }

        /// The number of slots in each ring.
        public static let slots: Int64 = 720

        func slot(_ at: WallTime) -> Int64 {
            let quotient = at.seconds / step
            return at.seconds % step < 0 ? quotient - 1 : quotient
        }

        func start(_ slot: Int64) -> WallTime { WallTime(seconds: slot * step) }

        /// The beginning of the oldest slot that is kept at this time.
        public func begin(at now: WallTime) -> WallTime { start(slot(now) - Self.slots + 1) }
    }

    /// One slot, as it is stored.
    public struct Row: Sendable, Hashable {
        public var span: Span
        /// The beginning of the slot.
        public var at: WallTime
        public var figures: TrafficFigures

        public init(span: Span, at: WallTime, figures: TrafficFigures) {
            self.span = span
            self.at = at
            self.figures = figures
        }
    }

    /// A time during which the daemon looked at its counters without a gap. Slots in it without a row had no counts.
    public struct Run: Sendable, Hashable {
        public var began: WallTime
        public var ended: WallTime

        public init(began: WallTime, ended: WallTime) {
            self.began = began
            self.ended = ended
        }
    }

    /// The rows and runs that have not been written yet.
    public struct Unsaved: Sendable, Hashable {
        public var rows: [Row]
        public var runs: [Run]
    }

    /// One slot, as it is shown.
    public struct Point: Sendable, Hashable {
        public var at: WallTime
        public var figures: TrafficFigures
        /// Whether this is the present slot, which is not over.
        public var isOpen: Bool
    }

    /// The longest time between two looks. A longer time is a gap.
    public static let longestPause = Duration.seconds(30)
    /// The most runs that are kept, the newest ones.
    public static let mostRuns = 720

    private struct Look {
        var figures: TrafficFigures
        var wall: WallTime
        var monotonic: MonotonicTime
    }

    private var rings: [Span: [Int64: TrafficFigures]] = [.hour: [:], .days: [:], .month: [:]]
    private var runs: [Run] = []
    private var last: Look?
    private var unsaved: [Span: Set<Int64>] = [:]
    private var unsavedRuns: Set<WallTime> = []

    /// - Parameters:
    ///   - rows: the rows of earlier runs, in any order. Rows outside their ring or later than now are left out.
    ///   - runs: the earlier runs, in any order. Runs that began later than now are left out.
    public init(rows: [Row] = [], runs: [Run] = [], at now: WallTime) {
        for row in rows where row.at <= now && row.at >= row.span.begin(at: now) {
            rings[row.span]?[row.span.slot(row.at)] = row.figures
        }
        let unknown = hoursWithoutDetail
        self.runs = runs.filter { $0.began <= now && $0.began <= $0.ended }.map { run in
            Run(began: run.began, ended: min(run.ended, now))
        }.sorted { $0.began < $1.began }.suffix(Self.mostRuns)
        for run in self.runs {
            for span in Span.allCases { cover(span, from: run.began, to: run.ended, at: now) }
        }
        rings[.days] = rings[.days]?.filter { !unknown.contains(Self.hour(of: $0.key)) }
    }

    /// The hours with counts of which no slot of 4 minutes is stored. An earlier version counted in them. They are gaps
    /// in that ring, not times without counts.
    private var hoursWithoutDetail: Set<Int64> {
        Set(rings[.month, default: [:]].keys).subtracting(rings[.days, default: [:]].keys.map(Self.hour(of:)))
    }

    private static func hour(of slot: Int64) -> Int64 { Span.month.slot(Span.days.start(slot)) }

    /// Makes empty slots for the times that have none.
    private mutating func cover(_ span: Span, from: WallTime, to: WallTime, at now: WallTime) {
        let first = span.slot(max(from, span.begin(at: now)))
        let end = span.slot(min(to, now))
        guard first <= end else { return }
        for slot in first...end where rings[span]?[slot] == nil { rings[span]?[slot] = TrafficFigures() }
    }

    // MARK: Reading the counters

    /// Takes a reading of the counters and adds what was counted since the last one.
    /// - Parameter reading: the present counters. They began at zero before the first reading.
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
        // Two runs that begin at the same time are one.
        if runs.last?.began != wall { runs.append(Run(began: wall, ended: wall)) }
        if runs.count > Self.mostRuns { runs.removeFirst(runs.count - Self.mostRuns) }
        unsavedRuns.insert(wall)
    }

    /// Handles a wall clock that was set back.
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

    // MARK: Saving

    /// What has changed since the last call; nil if nothing was counted. Slots without counts are not written: the end
    /// of the run, which is written with the next counts, covers them.
    /// - Parameter isLast: whether the daemon stops. Its run is then written in any case.
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

    /// Takes back what could not be written. The next call of `takeUnsaved` returns it again.
    public mutating func putBack(_ rest: Unsaved) {
        for row in rest.rows {
            let slot = row.span.slot(row.at)
            if rings[row.span]?[slot] != nil { unsaved[row.span, default: []].insert(slot) }
        }
        unsavedRuns.formUnion(rest.runs.map(\.began))
    }

    // MARK: Reporting

    /// The existing slots, oldest first.
    public func points(_ span: Span, at now: WallTime) -> [Point] {
        let present = span.slot(now)
        let oldest = present - Span.slots + 1
        return (rings[span] ?? [:]).filter { $0.key >= oldest && $0.key <= present }
            .sorted { $0.key < $1.key }
            .map { Point(at: span.start($0.key), figures: $0.value, isOpen: $0.key == present) }
    }
}
