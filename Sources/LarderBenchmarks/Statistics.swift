// Medians and spreads. The mean is never used, because one disturbed round would move it.

/// The values of one measure over its rounds.
struct Sample {
    private(set) var values: [Double] = []

    init(_ values: [Double] = []) {
        self.values = values
    }

    mutating func add(_ value: Double) { values.append(value) }

    /// The middle value; for an even number of values, the mean of the two middle values. Nil if there are no values.
    var median: Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    var least: Double? { values.min() }
    var greatest: Double? { values.max() }

    /// This sample divided by another, round by round. Influences on both rounds, such as a slow minute, cancel out.
    func ratio(to other: Sample) -> Sample {
        Sample(zip(values, other.values).map { $0 / $1 })
    }
}

/// The nearest-rank percentile of a sorted list; nil if the list is empty.
func percentile(_ share: Double, of sorted: [Int64]) -> Int64? {
    guard !sorted.isEmpty else { return nil }
    let rank = (share * Double(sorted.count)).rounded(.up)
    return sorted[min(max(Int(rank) - 1, 0), sorted.count - 1)]
}
