// Durations as a Prometheus histogram (https://prometheus.io/docs/concepts/metric_types/#histogram). The buckets are
// fixed, so histograms of several daemons can be added up. Observing is two relaxed atomic additions.
import Synchronization

/// One histogram of durations.
public final class HistogramCell: Sendable {
    /// The upper bounds of the buckets, in microseconds and as text in seconds. They range from a database hit to a
    /// slow API.
    public static let bounds: [(microseconds: Int64, seconds: String)] = [
        (100, "0.0001"), (250, "0.00025"), (500, "0.0005"), (1000, "0.001"), (2500, "0.0025"), (5000, "0.005"),
        (10_000, "0.01"), (25_000, "0.025"), (50_000, "0.05"), (100_000, "0.1"), (250_000, "0.25"), (500_000, "0.5"),
        (1_000_000, "1"), (2_500_000, "2.5"), (5_000_000, "5"), (10_000_000, "10"), (30_000_000, "30"),
    ]

    /// One count for each bound and one for longer durations. Not cumulative.
    private let counts = (0...bounds.count).map { _ in CounterCell() }
    private let sum = CounterCell()

    /// A histogram without observations.
    public init() {}

    /// Adds one observation. A negative duration, from a clock that was set back, counts as zero.
    public func observe(_ duration: Duration) { observe(microseconds: duration.wholeMicroseconds) }

    /// Adds one observation in microseconds.
    public func observe(microseconds: Int64) {
        let figure = max(0, microseconds)
        counts[Self.bounds.firstIndex { figure <= $0.microseconds } ?? Self.bounds.count].add()
        sum.add(Int(clamping: figure))
    }

    /// The observations so far.
    public struct Reading: Sendable, Equatable {
        /// For each bound, the number of observations up to it. The last element counts all observations.
        public var cumulative: [Int]
        /// The sum of all observations in microseconds.
        public var sum: Int
    }

    /// The observations so far. Cumulative counts never decrease from one bound to the next, even if observations are
    /// added during the reading.
    public var current: Reading {
        var all = 0
        let cumulative = counts.map { cell -> Int in
            all += cell.current
            return all
        }
        return Reading(cumulative: cumulative, sum: sum.current)
    }
}

extension Duration {
    /// Microseconds, rounded towards zero. Saturates beyond 64 bits.
    public var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : whole &+ attoseconds / 1_000_000_000_000
    }
}
