// The tables of memory hits beside something slow, and their verdicts.
import LarderCore

extension Report {
    var stalls: String {
        let causes = StallCause.allCases.compactMap { cause in results.stalls[cause].map { (cause, $0) } }
        let write: (Double) -> String = { Figures.grouped($0) }
        let hits = causes.flatMap { cause, found in
            [("without", found.without), ("with", found.with)].map { word, samples in
                [
                    "\(word) \(cause.title)", Figures.grouped(found.rate), Figures.spread(samples.p50, write),
                    Figures.spread(samples.p99, write), Figures.spread(samples.greatest, write),
                    word == "with" ? Self.two(found.ratio) : "", "\(samples.unanswered)", share(samples),
                    Figures.spread(samples.p99OfAll, write), word == "with" ? Self.two(found.ratioOfAll) : "",
                ]
            }
        }
        let aside = causes.map { cause, found in
            [
                cause.title, "\(cause.rate)", Figures.spread(found.asked, write), Figures.spread(found.answered, write),
                Figures.spread(found.p50) { Figures.fixed($0, 2) },
                Figures.spread(found.greatest) { Figures.fixed($0, 1) }, done(cause, found),
            ]
        }
        return title("Memory hits of 1 KB beside something slow, latency in µs")
            + "Open loop at a quarter of what larder reached over as many connections; the rounds with and without in turn. "
            + "Not counted is what waited for the load rather than for larder, as far as the load can tell; "
            + "the last two columns count every hit.\n\n"
            + Figures.table(
                [
                    [
                        "Hits", "Requests/s", "p50", "p99", "greatest", "p99 with / without", "Unanswered",
                        "Not counted", "p99 of all", "of all with / without",
                    ]
                ] + hits)
            + "\nThe slow requests of a round:\n\n"
            + Figures.table(
                [["Beside the hits", "a second", "sent", "answered", "p50, ms", "slowest, ms", "What was done"]] + aside
            )
            + "\nGoal for larder: p99 with at most \(Figures.fixed(Goal.p99BesideStalls, 0)) times that without.\n"
    }

    fileprivate static func two(_ sample: Sample) -> String { Figures.spread(sample) { Figures.fixed($0, 2) } }

    private func share(_ samples: StallSamples) -> String {
        let all = Double(max(samples.counted + samples.discounted, 1))
        return Figures.fixed(Double(samples.discounted) / all * 100, 1) + " %"
    }

    private func done(_ cause: StallCause, _ found: StallFigures) -> String {
        switch cause {
        case .cold: "MiB read from the disk: " + Figures.spread(found.done) { Figures.fixed($0 / 1_048_576, 1) }
        case .names: "names looked up: " + Figures.spread(found.done, Figures.grouped)
        case .handshakes: "whole handshakes: " + Figures.spread(found.done, Figures.grouped)
        }
    }
}

extension Verdicts {
    var stalls: [Verdict] {
        StallCause.allCases.flatMap { cause -> [Verdict] in
            let measure = "p99 of memory hits beside \(cause.title) / without"
            let goal = "≤ \(Figures.fixed(Goal.p99BesideStalls, 2))"
            guard let found = results.stalls[cause], let median = found.ratio.median else {
                return absent(measure, goal, .stalls)
            }
            return [
                Verdict(
                    measure: measure, goal: goal,
                    figure: "\(Report.two(found.ratio)); of all hits \(Report.two(found.ratioOfAll))",
                    word: found.emptiness.map { "not measured: \($0)" } ?? Self.word(median, found.ratioOfAll.median))
            ]
        }
    }

    /// Hits that are not counted may have waited for larder as well. If they decide the verdict, both verdicts are
    /// given.
    private static func word(_ counted: Double, _ all: Double?) -> String {
        let word = Verdict.word(counted, atMost: Goal.p99BesideStalls)
        guard let all, case let other = Verdict.word(all, atMost: Goal.p99BesideStalls), other != word else {
            return word
        }
        return "\(word); of all hits \(other)"
    }
}
