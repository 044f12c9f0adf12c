// The tables of a fleet and their verdicts.
import LarderCore

extension Report {
    func fleet(_ found: SharedFigures) -> String {
        func three(_ value: Double) -> String { Figures.fixed(value, 3) }
        var text = title("Three hosts that share, with a real engine")
        text += Figures.table([
            ["Figure", "value"],
            ["requests by Zipf's law, all hosts", Figures.grouped(Double(found.zipf.requests))],
            ["different answers among them", Figures.grouped(Double(found.zipf.different))],
            ["calls of hosts that share", Figures.grouped(Double(found.zipf.shared))],
            ["calls of hosts that do not", Figures.grouped(Double(found.zipf.alone))],
            ["hit of the shared tier, ms", Figures.spread(found.sharedHit, three)],
            ["hit of the own database, ms", Figures.spread(found.localHit, three)],
            ["memory hits/s, no tier configured", Figures.spread(found.rate.without, Figures.grouped)],
            ["memory hits/s, tier configured and dead", Figures.spread(found.rate.dead, Figures.grouped)],
            ["the second to the first", Figures.spread(found.rate.dead.ratio(to: found.rate.without), three)],
            ["instructions of a memory hit, no tier", found.instructions.map { Figures.grouped($0.without) } ?? "–"],
            ["instructions of a memory hit, tier dead", found.instructions.map { Figures.grouped($0.dead) } ?? "–"],
        ])
        text +=
            "\nThe engine is away for \(arguments.outage) s under load: memory hits on one host, open loop at a quarter of "
        text += "what it reached, and requests on all three beside them, every fifth of them new or seldom asked for. "
        text +=
            "Latencies of the hits in µs, beside a round of the same load with the engine there; not counted is what waited for the load, "
        text += "which shares its core with the origin and the engine.\n\n"
        let rows = found.outages.map { one in
            [
                one.title, Figures.grouped(one.p50.quiet), Figures.grouped(one.p50.lost),
                Figures.grouped(one.p99.quiet),
                Figures.grouped(one.p99.lost),
                "\(Figures.grouped(one.p99OfAll.quiet)), \(Figures.grouped(one.p99OfAll.lost))",
                Figures.grouped(Double(one.hits)), Figures.grouped(Double(one.discounted)),
                Figures.grouped(Double(one.requests)),
                "\(one.errors + one.unanswered)", one.returned.map { Figures.fixed($0, 1) } ?? "not in 45",
            ]
        }
        text += Figures.table(
            [
                [
                    "Engine", "p50 there", "p50 away", "p99 there", "p99 away", "p99 of all", "Hits", "Not counted",
                    "Requests", "Errors",
                    "In use again after, s",
                ]
            ] + rows)
        text +=
            "\nA budget of \(found.budget.limit) calls an hour, spent by three hosts while the engine is killed, comes back empty, is "
        text +=
            "stopped and goes on: \(found.budget.calls) calls, \(Figures.grouped(Double(found.budget.answered))) answers, "
        text += "\(Figures.grouped(Double(found.budget.refused))) refusals, \(found.budget.errors) errors.\n"
        let errors = (found.outages.map(\.firstError) + [found.budget.firstError]).filter { !$0.isEmpty }
        if let first = errors.first { text += "\nThe first error: \(first)\n" }
        return text
    }
}

extension Verdicts {
    /// The greatest factor by which a memory hit may cost more when the tier is configured and dead.
    private static let mostForDeadTier = 1.02
    /// Two rounds of the same load differ by as much as this factor.
    private static let unchanged = 1.1

    var fleet: [Verdict] {
        guard let found = results.fleet else {
            return absent("fleet: added by a shared hit, ms", "≤ 1", .fleet)
                + absent("fleet: a memory hit with a dead tier / without", "≤ 1.02", .fleet)
                + absent("fleet: errors while the engine is away", "0", .fleet)
                + absent("fleet: calls above a shared budget", "0", .fleet)
        }
        var rows = [
            Verdict(
                measure: "fleet: calls of three hosts that share / of three that do not", goal: "fewer",
                figure: "\(found.zipf.shared) / \(found.zipf.alone)",
                word: found.zipf.shared < found.zipf.alone ? "met" : "missed"),
            Verdict(
                measure: "fleet: calls / different answers", goal: "≤ 1.10",
                figure: two(Double(found.zipf.shared) / Double(max(1, found.zipf.different))),
                word: Verdict.word(Double(found.zipf.shared) / Double(max(1, found.zipf.different)), atMost: 1.1)),
            Verdict(
                measure: "fleet: added by a shared hit, ms", goal: "≤ 1",
                figure: Figures.spread(found.added) {
                    Figures.fixed($0, 3)
                }, word: found.added.median.map { Verdict.word($0, atMost: 1) } ?? "–"),
        ]
        if let counted = found.instructions {
            let ratio = counted.dead / max(counted.without, 1)
            rows.append(
                Verdict(
                    measure: "fleet: instructions of a memory hit with a dead tier / without", goal: "≤ 1.02",
                    figure: Figures.fixed(ratio, 4), word: Verdict.word(ratio, atMost: Self.mostForDeadTier)))
        }
        for one in found.outages {
            rows.append(
                Verdict(
                    measure: "fleet: engine \(one.title): errors", goal: "0", figure: "\(one.errors + one.unanswered)",
                    word: Verdict.word(Double(one.errors + one.unanswered), atMost: 0)))
            rows.append(
                Verdict(
                    measure: "fleet: engine \(one.title): p99 of memory hits, away / there", goal: "≤ 1.10",
                    figure: two(one.ratio), word: Verdict.word(one.ratio, atMost: Self.unchanged)))
        }
        let above = max(0, found.budget.calls - found.budget.limit)
        rows.append(
            Verdict(
                measure: "fleet: calls above a shared budget", goal: "0",
                figure: "\(above) (\(found.budget.calls) of \(found.budget.limit))",
                word: Verdict.word(Double(above + found.budget.errors), atMost: 0)))
        return rows
    }
}
