// Counters as Prometheus reads them: the text exposition format, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).

/// A page of metrics; the series of a family stand together.
public struct PrometheusText: Sendable {
    /// The value of `Content-Type`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// What was written so far.
    public private(set) var text = ""
    private var family = ""

    /// A page without series.
    public init() {}

    /// All that a registry holds.
    public init(_ registry: CounterRegistry) {
        for (family, labels, value) in registry.snapshot() { add(family, labels, value) }
        for (family, labels, reading) in registry.histograms() { add(family, labels, reading) }
    }

    /// Adds one series. Those of a family are added one after the other.
    public mutating func add(_ record: MetricFamily, _ labels: [String], _ value: Double) {
        begin(record)
        sample(record.name, record.labels, labels, Self.figure(value))
    }

    /// Adds one histogram.
    public mutating func add(_ record: MetricFamily, _ labels: [String], _ reading: HistogramCell.Reading) {
        begin(record)
        let names = record.labels + ["le"]
        let bounds = HistogramCell.bounds.map(\.seconds) + ["+Inf"]
        for (bound, count) in zip(bounds, reading.cumulative) {
            sample(record.name + "_bucket", names, labels + [bound], String(count))
        }
        sample(record.name + "_sum", record.labels, labels, Self.figure(Double(reading.sum) / 1e6))
        sample(record.name + "_count", record.labels, labels, String(reading.cumulative.last ?? 0))
    }

    private mutating func begin(_ record: MetricFamily) {
        guard record.name != family else { return }
        family = record.name
        text += "# HELP \(record.name) \(Self.escaped(record.help, quotes: false))\n"
        text += "# TYPE \(record.name) \(record.kind.rawValue)\n"
    }

    private mutating func sample(_ name: String, _ names: [String], _ values: [String], _ figure: String) {
        let pairs = zip(names, values).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",")
        text += pairs.isEmpty ? "\(name) \(figure)\n" : "\(name){\(pairs)} \(figure)\n"
    }

    private static func figure(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    /// Help texts and label values may not break a line, and a value ends at its quote.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || quotes && $0 == 0x22 }) else { return text }
        var out = ""
        // By scalars: "\r\n" is one character.
        for letter in text.unicodeScalars {
            switch letter {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.unicodeScalars.append(letter)
            }
        }
        return out
    }
}
