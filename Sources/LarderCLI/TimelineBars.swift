// Shows the stages of a request as bars on one scale. Pure: an explanation in, lines out.
import LarderCore

/// The stages of a request and their durations, from an explanation.
struct TimelineBars {
    private struct Span {
        var stage: String
        var provider: String
        var start: Double
        var took: Double
    }

    /// The greatest length of a bar, in columns.
    private static let scale = 40

    private let spans: [Span]
    private let leftOut: Int

    init(_ explanation: JSONValue) {
        spans = (explanation["timeline"]?.elements.map { $0 } ?? []).compactMap { span in
            guard let stage = span["stage"]?.string, let start = span["startMilliseconds"]?.double,
                let took = span["milliseconds"]?.double
            else { return nil }
            return Span(stage: stage, provider: span["provider"]?.string ?? "", start: start, took: took)
        }
        leftOut = Int(explanation["timelineLeftOut"]?.integer ?? 0)
    }

    /// One line for each stage; none if no stages were recorded.
    func lines(width: Int) -> [String] {
        guard let end = spans.map({ $0.start + $0.took }).max() else { return [] }
        var table = TableLayout(columns: [
            TableLayout.Column("stage"), TableLayout.Column("provider"), TableLayout.Column("ms", isRight: true),
            TableLayout.Column("when"),
        ])
        // A narrow terminal has no room for the bars. The numbers give the same information.
        let scale = min(Self.scale, width - 34)
        table.rows = spans.map { span in
            [
                Console.printable(span.stage), Console.printable(span.provider), Self.text(span.took),
                scale < 10
                    ? ""
                    : Self.bar(
                        from: span.start / max(end, 0.001), to: (span.start + span.took) / max(end, 0.001), scale),
            ]
        }
        var lines = table.lines(width: width)
        if leftOut > 0 { lines.append("and \(leftOut) more stages") }
        return lines
    }

    /// A bar between two fractions of the scale, at least one character long.
    private static func bar(from start: Double, to end: Double, _ scale: Int) -> String {
        let first = min(scale - 1, Int((start * Double(scale)).rounded(.down)))
        let last = max(first + 1, min(scale, Int((end * Double(scale)).rounded(.up))))
        return String(repeating: " ", count: first) + String(repeating: "█", count: last - first)
    }

    /// Milliseconds with two decimal digits, or none from 100 on.
    private static func text(_ milliseconds: Double) -> String {
        let hundredths = Int((milliseconds * 100).rounded())
        guard milliseconds < 100 else { return String(Int(milliseconds.rounded())) }
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
