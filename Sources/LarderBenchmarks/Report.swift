// The tables of a run. Every figure has its spread, and ratios have their goals beside them.
import LarderCore

struct Report {
    let stand: Stand
    let results: Results

    var arguments: Arguments { stand.arguments }
    private var sizes: [BodySize] { arguments.sizes }

    /// The whole document.
    var text: String {
        var sections = ["# Benchmark results\n\n" + head, goals]
        if !results.hits.isEmpty { sections += [hits, ratios] }
        if !results.latency.isEmpty { sections.append(latency) }
        if !results.misses.isEmpty { sections.append(misses) }
        if !results.idleMemory.isEmpty { sections.append(memory) }
        sections.append(contentsOf: workloads)
        if !results.micro.isEmpty { sections.append(micro) }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private var head: String {
        Machine.facts(stand, results).map { "- \($0): \($1)\n" }.joined()
            + "- Every figure is the median of the rounds, the least and the greatest in parentheses.\n"
    }

    /// All goals of the project, with the results.
    private var goals: String {
        title("Goals")
            + Figures.table(
                [["Measure", "Goal", "Figure", "Verdict"]]
                    + Verdicts(results: results, arguments: arguments).rows.map {
                        [$0.measure, $0.goal, $0.figure, $0.word]
                    })
    }

    func title(_ text: String) -> String { "## \(text)\n\n" }

    private var hits: String {
        let rows = arguments.servers.map { server in
            [server.title]
                + sizes.map { Figures.spread(results.hits[Cell(server: server, size: $0)], Figures.grouped) }
        }
        let busy = arguments.servers.map { server in
            [server.title]
                + sizes.map { size in
                    let median = results.busy[Cell(server: server, size: size)]?.median
                    return median.map { Figures.fixed($0 * 100, 0) + " %" } ?? "–"
                }
        }
        return title("Hits a second, one core") + Figures.table([["Server"] + sizes.map(\.title)] + rows)
            + "\nHow busy the server's core was; well below 100 % the load was the limit:\n\n"
            + Figures.table([["Server"] + sizes.map(\.title)] + busy)
    }

    private var ratios: String {
        var rows: [[String]] = []
        for goal in Goal.all where arguments.servers.contains(goal.server) && arguments.servers.contains(goal.peer) {
            var cells = ["\(goal.server.title) / \(goal.peer.title)"]
            for size in sizes {
                guard let own = results.hits[Cell(server: goal.server, size: size)],
                    let peer = results.hits[Cell(server: goal.peer, size: size)]
                else { continue }
                let ratio = own.ratio(to: peer)
                var cell = Figures.spread(ratio) { Figures.fixed($0, 2) }
                if let least = goal.least[size], let median = ratio.median {
                    cell += median >= least ? ", goal \(least)" : ", short of \(least)"
                }
                cells.append(cell)
            }
            if cells.count == sizes.count + 1 { rows.append(cells) }
        }
        guard !rows.isEmpty else { return "" }
        return title("Ratios, taken round by round") + Figures.table([["Ratio"] + sizes.map(\.title)] + rows)
    }

    private var latency: String {
        var rows: [[String]] = []
        for size in sizes {
            for server in arguments.servers {
                guard let found = results.latency[Cell(server: server, size: size)],
                    let rate = results.latencyRates[size]
                else { continue }
                let write: (Double) -> String = { Figures.grouped($0) }
                rows.append([
                    server.title, size.title, Figures.grouped(rate), Figures.spread(found.p50, write),
                    Figures.spread(found.p99, write), Figures.spread(found.p999, write), "\(found.unanswered)",
                ])
            }
        }
        return title("Latency of hits in µs, open loop at half of nginx's rate")
            + "Counted from the instant a request was due, not from when it was sent.\n\n"
            + Figures.table([["Server", "Body", "Requests/s", "p50", "p99", "p99.9", "Unanswered"]] + rows)
            + "\nGoal for larder: p99 not above that of nginx.\n"
    }

    private var misses: String {
        let rows = arguments.servers.filter(\.isCache).map { server in
            [server.title]
                + sizes.map { size in
                    Figures.spread(results.misses[Cell(server: server, size: size)], Figures.grouped)
                }
        }
        return title("Added by a miss in µs, against a direct fetch on a kept connection")
            + Figures.table([["Server"] + sizes.map(\.title)] + rows)
            + "\nGoals for larder: at most "
            + sizes.compactMap { Goal.addedByMiss[$0].map { Figures.fixed($0, 1) } }.joined(separator: ", ")
            + " of what nginx adds, and \(Figures.grouped(Goal.addedBySmallMiss)) µs with the smallest body.\n"
    }

    private var memory: String {
        let rows = arguments.servers.compactMap { server in
            results.idleMemory[server].map {
                [server.title, Figures.grouped(Double($0.resident)), Figures.grouped(Double($0.anonymous))]
            }
        }
        return title("Memory before the first request, in KiB, all its processes")
            + Figures.table([["Server", "Resident", "Anonymous"]] + rows)
            + "\nGoal for larder: at most \(Figures.grouped(Double(Goal.idleResident))) resident, "
            + "\(Figures.grouped(Double(Goal.idleAnonymous))) anonymous.\n"
    }

    private var micro: String {
        let rows = results.micro.map { [$0.title, Figures.spread($0.nanoseconds) { Figures.fixed($0, 1) }] }
        return title("Small operations, ns each, \(Micro.runs) runs") + Figures.table([["Operation", "ns"]] + rows)
    }
}
