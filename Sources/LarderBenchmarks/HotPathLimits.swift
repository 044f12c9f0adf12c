// The limits for the cost of one request: Benchmarks/hot-path-limits.txt. Only a person changes this file. A row is a
// raw value of `HotPathCase`, then instructions, allocations and reference counts of one request.
import LarderCore

/// The committed limits.
struct HotPathLimits {
    struct Row: Equatable {
        var instructions: Double
        var allocations: Double
        var references: Double
    }

    /// A build of the same code may have a slightly different layout. A difference above this share is a change of the
    /// code. How many misses share a commit depends on the machine.
    static func tolerance(_ one: HotPathCase) -> Double { one == .miss ? 0.1 : 0.05 }

    private(set) var rows: [HotPathCase: Row] = [:]

    init(_ text: String) throws(Failure) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 4, let one = HotPathCase(rawValue: String(words[0])),
                let instructions = Double(words[1]), let allocations = Double(words[2]),
                let references = Double(words[3])
            else { throw .failed("hot-path limits", "not understood: \(line)") }
            rows[one] = Row(instructions: instructions, allocations: allocations, references: references)
        }
    }

    /// Returns one line for each figure that exceeds its limit (`failures`), and one for each figure so far below its
    /// limit that the limit no longer protects anything (`hints`).
    func findings(_ one: HotPathCase, _ cost: RequestCost) -> (failures: [String], hints: [String]) {
        guard let row = rows[one] else { return (["\(one.rawValue): has no limit"], []) }
        var failures: [String] = []
        var hints: [String] = []
        let tolerance = Self.tolerance(one)
        // Timers and other threads add a few calls in a thousand requests.
        let figures = [
            ("instructions", cost.instructions, row.instructions, row.instructions * tolerance),
            ("allocations", cost.allocations, row.allocations, max(row.allocations * tolerance, 0.05)),
            ("reference counts", cost.references, row.references, max(row.references * tolerance, 0.05)),
        ]
        for (what, found, limit, slack) in figures {
            let text =
                "\(one.rawValue): \(Figures.fixed(found, 2)) \(what) a request, \(Figures.fixed(limit, 2)) committed"
            if found > limit + slack { failures.append(text) }
            if found < limit - slack { hints.append(text) }
        }
        return (failures, hints)
    }

    /// The text of the file for these costs.
    static func text(_ costs: [HotPathCase: RequestCost]) -> String {
        var text = """
            # What one request costs in the release binary, counted by callgrind: scripts/check-hot-path fails where a
            # figure is more than 5 % above, that of a miss 10 %. `scripts/check-hot-path --update` writes this file; say in the commit why
            # a figure rose.
            # case instructions allocations reference-counts

            """
        for one in HotPathCase.allCases {
            guard let cost = costs[one] else { continue }
            let figures = [cost.instructions, cost.allocations, cost.references]
            text += "\(one.rawValue) \(Figures.fixed(figures[0], 0)) \(Figures.fixed(figures[1], 1)) "
            text += "\(Figures.fixed(figures[2], 1))\n"
        }
        return text
    }
}
