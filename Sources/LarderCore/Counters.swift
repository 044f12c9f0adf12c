// Counters are records: `/metrics`, `/v1/status` and the manual come from the same table. Every label set is made at
// start from names the configuration knows, so no request can add a series (a limit on what would be unbounded).
import Synchronization

/// What a family of counters means. Each room declares its own as static members.
public struct MetricFamily: Sendable, Hashable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    /// The Prometheus name, `larder_…`; counters end in `_total`, histograms in `_seconds`.
    public var name: String
    public var kind: Kind
    /// One line: exactly what one increment, or the figure, means.
    public var help: String
    /// Names of the labels, whose values are bounded.
    public var labels: [String]
    /// How many of what is counted make one of what is shown: 1000 where milliseconds are counted and seconds shown.
    public var scale: Int

    public init(_ name: String, _ kind: Kind = .counter, help: String, labels: [String] = [], scale: Int = 1) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.scale = scale
    }
}

/// One running figure. Adding is a relaxed atomic addition.
public final class CounterCell: Sendable {
    @usableFromInline let value = Atomic<Int>(0)

    public init() {}

    @inlinable
    public func add(_ amount: Int = 1) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// For gauges.
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

    /// What a cell is found by.
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

        /// The names of families are long: their lengths tell most apart, and they are compared last.
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

    private struct Table {
        var series: [Series] = []
        var cells: [SeriesName: CounterCell] = [:]
        var histograms: [SeriesName: HistogramCell] = [:]
        var histogramSeries: [HistogramSeries] = []
    }

    private let table = Lock(Table())

    public init() {}

    /// The cell of a family and its label values; the same cell for the same values.
    public func cell(_ family: MetricFamily, _ labels: String...) -> CounterCell {
        precondition(labels.count == family.labels.count, "\(family.name) has other labels")
        return cell(SeriesName(family.name, labels), family, labels)
    }

    /// The same for two labels, without a list of them: some are looked up for each request.
    public func cell(_ family: MetricFamily, _ first: String, _ second: String) -> CounterCell {
        precondition(family.labels.count == 2, "\(family.name) has other labels")
        return cell(SeriesName(family.name, first, second), family, [first, second])
    }

    private func cell(
        _ name: SeriesName, _ family: MetricFamily, _ labels: @autoclosure () -> [String]
    ) -> CounterCell {
        known(name) ?? add(name, family, labels())
    }

    private func known(_ name: SeriesName) -> CounterCell? { table.withLock { $0.cells[name] } }

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

    /// The histogram of a family and its two label values; the same one for the same values.
    public func histogram(_ family: MetricFamily, _ first: String, _ second: String) -> HistogramCell {
        precondition(family.kind == .histogram && family.labels.count == 2, "\(family.name) has other labels")
        let name = SeriesName(family.name, first, second)
        return table.withLock { table in
            if let known = table.histograms[name] { return known }
            let cell = HistogramCell()
            table.histograms[name] = cell
            table.histogramSeries.append(HistogramSeries(family: family, labels: [first, second], cell: cell))
            return cell
        }
    }

    /// A figure that is read when it is asked for.
    public func gauge(_ family: MetricFamily, _ labels: String..., read: @escaping @Sendable () -> Double) {
        precondition(labels.count == family.labels.count, "\(family.name) has other labels")
        table.withLock { $0.series.append(Series(family: family, labels: labels, read: read)) }
    }

    /// Every series with its present figure, families together.
    public func snapshot() -> [(family: MetricFamily, labels: [String], value: Double)] {
        let all = table.withLock { $0.series }
        var order: [String: Int] = [:]
        for one in all where order[one.family.name] == nil { order[one.family.name] = order.count }
        return all.enumerated()
            .sorted { (order[$0.1.family.name] ?? 0, $0.0) < (order[$1.1.family.name] ?? 0, $1.0) }
            .map { ($0.1.family, $0.1.labels, $0.1.read()) }
    }

    /// The present figures of one family's series.
    public func figures(_ family: MetricFamily) -> [(labels: [String], value: Double)] {
        let all = table.withLock { $0.series.filter { $0.family.name == family.name } }
        return all.map { ($0.labels, $0.read()) }
    }

    /// What the histograms of one family hold.
    public func readings(_ family: MetricFamily) -> [(labels: [String], reading: HistogramCell.Reading)] {
        let all = table.withLock { $0.histogramSeries.filter { $0.family.name == family.name } }
        return all.map { ($0.labels, $0.cell.current) }
    }

    /// Every histogram with what it holds, families together.
    public func histograms() -> [(family: MetricFamily, labels: [String], reading: HistogramCell.Reading)] {
        let all = table.withLock { $0.histogramSeries }
        return all.enumerated()
            .sorted { ($0.1.family.name, $0.0) < ($1.1.family.name, $1.0) }
            .map { ($0.1.family, $0.1.labels, $0.1.cell.current) }
    }
}
