// Counters are records: `/metrics`, `/v1/status` and the manual come from the same table. Label values come from names
// that the configuration knows, so no request can add a series. Otherwise the number of series would be unbounded.
import Synchronization

/// The meaning of a family of counters. Each room declares its own families as static members.
public struct MetricFamily: Sendable, Hashable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    /// The Prometheus name, `larder_…`; counters end in `_total`, histograms in `_seconds`.
    public var name: String
    public var kind: Kind
    /// One line that says exactly what one increment, or the value, means.
    public var help: String
    /// The names of the labels. Each label has a bounded set of values.
    public var labels: [String]
    /// The divisor from the counted to the shown unit: 1000 if milliseconds are counted and seconds are shown.
    public var scale: Int

    public init(_ name: String, _ kind: Kind = .counter, help: String, labels: [String] = [], scale: Int = 1) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.scale = scale
    }
}

/// One running number. Adding is a relaxed atomic addition.
public final class CounterCell: Sendable {
    @usableFromInline let value = Atomic<Int>(0)

    public init() {}

    @inlinable
    public func add(_ amount: Int = 1) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Sets the number. Used by gauges.
    @inlinable
    public func set(_ figure: Int) {
        value.store(figure, ordering: .relaxed)
    }

    @inlinable
    public var current: Int { value.load(ordering: .relaxed) }
}

/// All counters of one daemon.
public final class CounterRegistry: Sendable {
    private struct Series {
        var family: MetricFamily
        var labels: [String]
        var read: @Sendable () -> Double
    }

    private struct HistogramSeries {
        var family: MetricFamily
        var labels: [String]
        var cell: HistogramCell
    }

    /// The key of a cell: family name and label values.
    private struct SeriesName: Hashable {
        var family: String
        var first = ""
        var second = ""
        var others: [String] = []

        init(_ family: String, _ first: String, _ second: String) {
            (self.family, self.first, self.second) = (family, first, second)
        }

        init(_ family: String, _ labels: [String]) {
            self.family = family
            first = labels.first ?? ""
            second = labels.dropFirst().first ?? ""
            if labels.count > 2 { others = Array(labels[2...]) }
        }

        static let indexes = 256

        /// An index that tells the names of one daemon's busy series apart, at the cost of a few additions.
        var index: Int { Self.index(family, first, second) }

        static func index(_ family: String, _ first: String, _ second: String) -> Int {
            // Of labels of one length, the first letters differ: "2xx" and "4xx", "hit" and "raw".
            func mark(_ text: String) -> Int { text.utf8.count &* 31 &+ Int(text.utf8.first ?? 0) &* 7 }
            return (family.utf8.count &* 59 &+ mark(first) &* 3 &+ mark(second)) & (indexes - 1)
        }

        func isOf(_ family: String, _ first: String, _ second: String) -> Bool {
            self.first == first && self.second == second && self.family == family && others.isEmpty
        }

        /// Family names are long. Their lengths distinguish most of them, so only the length is hashed and `==`
        /// compares the names last.
        func hash(into hasher: inout Hasher) {
            hasher.combine(family.utf8.count)
            hasher.combine(first)
            hasher.combine(second)
        }

        static func == (left: SeriesName, right: SeriesName) -> Bool {
            left.first == right.first && left.second == right.second && left.others == right.others
                && left.family == right.family
        }
    }

    /// A cell that was looked up lately. A class: taking it from the table counts one reference.
    private final class Recent<Cell: Sendable>: Sendable {
        let name: SeriesName
        let cell: Cell

        init(_ name: SeriesName, _ cell: Cell) { (self.name, self.cell) = (name, cell) }
    }

    private struct Table {
        var series: [Series] = []
        var cells: [SeriesName: CounterCell] = [:]
        var histograms: [SeriesName: HistogramCell] = [:]
        var histogramSeries: [HistogramSeries] = []
        /// Cells that were looked up lately, each at the index that its name gives. Requests ask for the same few.
        var recentCells = [Recent<CounterCell>?](repeating: nil, count: SeriesName.indexes)
        var recentHistograms = [Recent<HistogramCell>?](repeating: nil, count: SeriesName.indexes)

        mutating func cell(_ name: SeriesName) -> CounterCell? {
            let index = name.index
            if let recent = recentCells[index], recent.name == name { return recent.cell }
            guard let cell = cells[name] else { return nil }
            recentCells[index] = Recent(name, cell)
            return cell
        }

        mutating func histogram(_ name: SeriesName) -> HistogramCell? {
            let index = name.index
            if let recent = recentHistograms[index], recent.name == name { return recent.cell }
            guard let cell = histograms[name] else { return nil }
            recentHistograms[index] = Recent(name, cell)
            return cell
        }
    }

    private let table = Lock(Table())

    public init() {}

    /// Returns the cell of a family and its label values. The same values always give the same cell.
    public func cell(_ family: MetricFamily, _ labels: String...) -> CounterCell {
        precondition(labels.count == family.labels.count, "\(family.name) has other labels")
        return cell(SeriesName(family.name, labels), family, labels)
    }

    /// Returns the cell for two label values without building an array of them. Some cells are looked up per request.
    public func cell(_ family: MetricFamily, _ first: String, _ second: String) -> CounterCell {
        let index = SeriesName.index(family.name, first, second)
        let recent = table.withLock { $0.recentCells[index] }
        // The cells of every request are found so, without making a name.
        if let recent, recent.name.isOf(family.name, first, second) { return recent.cell }
        precondition(family.labels.count == 2, "\(family.name) has other labels")
        return cell(SeriesName(family.name, first, second), family, [first, second])
    }

    private func cell(
        _ name: SeriesName, _ family: MetricFamily, _ labels: @autoclosure () -> [String]
    ) -> CounterCell {
        known(name) ?? add(name, family, labels())
    }

    private func known(_ name: SeriesName) -> CounterCell? { table.withLock { $0.cell(name) } }

    private func add(_ name: SeriesName, _ family: MetricFamily, _ labels: [String]) -> CounterCell {
        table.withLock { table in
            if let known = table.cells[name] { return known }
            let cell = CounterCell()
            table.cells[name] = cell
            table.series.append(
                Series(family: family, labels: labels, read: { Double(cell.current) / Double(family.scale) }))
            return cell
        }
    }

    /// Returns the histogram of a family and its two label values. The same values always give the same histogram.
    public func histogram(_ family: MetricFamily, _ first: String, _ second: String) -> HistogramCell {
        let index = SeriesName.index(family.name, first, second)
        let recent = table.withLock { $0.recentHistograms[index] }
        if let recent, recent.name.isOf(family.name, first, second) { return recent.cell }
        precondition(family.kind == .histogram && family.labels.count == 2, "\(family.name) has other labels")
        let name = SeriesName(family.name, first, second)
        return table.withLock { table in
            if let known = table.histogram(name) { return known }
            let cell = HistogramCell()
            table.histograms[name] = cell
            table.histogramSeries.append(HistogramSeries(family: family, labels: [first, second], cell: cell))
            return cell
        }
    }

    /// Adds a gauge whose value is read when a snapshot asks for it.
    public func gauge(_ family: MetricFamily, _ labels: String..., read: @escaping @Sendable () -> Double) {
        precondition(labels.count == family.labels.count, "\(family.name) has other labels")
        table.withLock { $0.series.append(Series(family: family, labels: labels, read: read)) }
    }

    /// Every series with its current value. The series of a family stand together.
    public func snapshot() -> [(family: MetricFamily, labels: [String], value: Double)] {
        let all = table.withLock { $0.series }
        var order: [String: Int] = [:]
        for one in all where order[one.family.name] == nil { order[one.family.name] = order.count }
        return all.enumerated()
            .sorted { (order[$0.1.family.name] ?? 0, $0.0) < (order[$1.1.family.name] ?? 0, $1.0) }
            .map { ($0.1.family, $0.1.labels, $0.1.read()) }
    }

    /// The current values of the series of one family.
    public func figures(_ family: MetricFamily) -> [(labels: [String], value: Double)] {
        let all = table.withLock { $0.series.filter { $0.family.name == family.name } }
        return all.map { ($0.labels, $0.read()) }
    }

    /// The current readings of the histograms of one family.
    public func readings(_ family: MetricFamily) -> [(labels: [String], reading: HistogramCell.Reading)] {
        let all = table.withLock { $0.histogramSeries.filter { $0.family.name == family.name } }
        return all.map { ($0.labels, $0.cell.current) }
    }

    /// Every histogram with its current reading. The histograms of a family stand together.
    public func histograms() -> [(family: MetricFamily, labels: [String], reading: HistogramCell.Reading)] {
        let all = table.withLock { $0.histogramSeries }
        return all.enumerated()
            .sorted { ($0.1.family.name, $0.0) < ($1.1.family.name, $1.0) }
            .map { ($0.1.family, $0.1.labels, $0.1.cell.current) }
    }
}
