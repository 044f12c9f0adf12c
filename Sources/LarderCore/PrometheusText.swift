// Writes counters in the Prometheus text exposition format, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).

/// A page of metrics. The series of a family stand together.
public struct PrometheusText: Sendable {
    /// The value of `Content-Type`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text written so far.
    public private(set) var text = ""
    private var family = ""

    /// Creates a page without series.
    public init() {}

    /// Creates a page with everything in a registry.
    public init(_ registry: CounterRegistry) {
        for (family, labels, value) in registry.snapshot() { add(family, labels, value) }
        for (family, labels, reading) in registry.histograms() { add(family, labels, reading) }
    }

    /// Adds one series. The series of a family must be added one after the other.
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

    /// Escapes a help text or a label value. It must not break a line, and a label value must not end at a quote inside
    /// it.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || quotes && $0 == 0x22 }) else { return text }
        var out = ""
        // Iterates over scalars because "\r\n" is one character.
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
