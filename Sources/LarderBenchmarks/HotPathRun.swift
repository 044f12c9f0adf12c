// The commands `scripts/check-hot-path`, `scripts/check-generics` and `scripts/profile`: what they do with the counts.
import LarderCore

enum HotPathRun {
    /// The first word is the command; the rest are the harness's options.
    static func main(_ words: [String]) throws(Failure) {
        guard let mode = words.first else { throw .usage("--hot-path needs check, update, generics or profile") }
        let stand = try Stand(try Arguments(Array(words.dropFirst())), try Signals())
        defer { stand.remove() }
        let path = HotPath(stand: stand, requests: stand.arguments.hits)
        switch mode {
        case "check":
            let cases = HotPathCase.allCases
            let costs = try leastOfSome(cases, path, stand)
            try report([try limits(costs, cases, stand), try lasting(costs, path)].flatMap { $0 })
        case "update":
            let costs = try path.measure(HotPathCase.allCases)
            try Files.write(Bytes(text: HotPathLimits.text(costs)), to: limitsFile(stand))
            note("wrote \(limitsFile(stand))")
        case "generics":
            try report(try lasting(try path.measure(HotPathCase.allCases.filter(\.isHot)), path))
        case "profile":
            let costs = try path.measure([.memory, .sqlite, .miss])
            let text = try profile(costs, path)
            print(text, terminator: "")
            if let output = stand.arguments.output { try Files.write(Bytes(text: text), to: output) }
        default: throw .usage("--hot-path takes check, update, generics or profile")
        }
    }

    /// Measures cases that exceed their limit again, twice at most, and keeps the least. The daemon's timers fall into
    /// a count by chance, and more of them on a slower machine. The cost of the request itself is the same in each
    /// count.
    private static func leastOfSome(
        _ cases: [HotPathCase], _ path: HotPath, _ stand: Stand
    ) throws(Failure) -> [HotPathCase: RequestCost] {
        let limits = try HotPathLimits(Files.text(of: limitsFile(stand)))
        var costs = try path.measure(cases)
        for _ in 0..<2 {
            let above = cases.filter { one in costs[one].map { !limits.findings(one, $0).failures.isEmpty } ?? false }
            if above.isEmpty { break }
            note("counted again: \(above.map(\.title).joined(separator: ", "))")
            for (one, cost) in try path.measure(above) {
                if let known = costs[one], known.instructions <= cost.instructions { continue }
                costs[one] = cost
            }
        }
        return costs
    }

    /// The objections that three counts have in common. A function that a timer calls falls into one count by chance.
    private static func lasting(_ costs: [HotPathCase: RequestCost], _ path: HotPath) throws(Failure) -> [String] {
        var found = try generics(costs, path)
        for _ in 0..<2 where !found.isEmpty {
            note("counted again: \(found.values.sorted().joined(separator: "; "))")
            let again = try generics(try path.measure(HotPathCase.allCases.filter(\.isHot)), path)
            found = found.filter { again[$0.key] != nil }
        }
        return found.values.sorted()
    }

    private static func limitsFile(_ stand: Stand) -> String { "\(stand.arguments.templates)/hot-path-limits.txt" }

    private static func report(_ failures: [String]) throws(Failure) {
        guard !failures.isEmpty else { return note("the hot path costs what it did") }
        throw .failed("hot path", "\n" + failures.joined(separator: "\n"))
    }

    private static func limits(
        _ costs: [HotPathCase: RequestCost], _ cases: [HotPathCase], _ stand: Stand
    ) throws(Failure) -> [String] {
        let limits = try HotPathLimits(Files.text(of: limitsFile(stand)))
        var failures: [String] = []
        var rows = [["Request", "instructions", "limit", "allocations", "limit", "reference counts", "limit"]]
        for one in cases {
            guard let cost = costs[one] else { continue }
            let found = limits.findings(one, cost)
            failures += found.failures
            for hint in found.hints {
                note("better than the limit, which scripts/check-hot-path --update lowers: \(hint)")
            }
            let row = limits.rows[one]
            rows.append([
                one.title, Figures.grouped(cost.instructions), row.map { Figures.grouped($0.instructions) } ?? "–",
                Figures.fixed(cost.allocations, 2), row.map { Figures.fixed($0.allocations, 1) } ?? "–",
                Figures.fixed(cost.references, 2), row.map { Figures.fixed($0.references, 1) } ?? "–",
            ])
        }
        print(Figures.table(rows), terminator: "")
        return failures
    }

    /// The objections, keyed by case and function.
    private static func generics(
        _ costs: [HotPathCase: RequestCost], _ path: HotPath
    ) throws(Failure) -> [String: String] {
        let file = "\(path.stand.arguments.templates)/hot-path-allowed.txt"
        let allowed = try HotPathGenerics.allowed(Files.text(of: file))
        var used: Set<String> = []
        var failures: [String: String] = [:]
        let hot = HotPathCase.allCases.filter { $0.isHot && costs[$0] != nil }
        let names = try path.demangled(Set(hot.flatMap { costs[$0]?.reached ?? [] }).sorted())
        for one in hot {
            guard let cost = costs[one] else { continue }
            for mangled in cost.reached {
                let name = names[mangled] ?? mangled
                guard let objection = HotPathGenerics.objection(mangled: mangled, demangled: name) else { continue }
                let calls = cost.functions[mangled]?.calls ?? 0
                let row = allowed.first { $0.covers(mangled: mangled, demangled: name, calls: calls) }
                if let row {
                    used.insert(row.name)
                } else {
                    let often = Figures.fixed(calls, 2)
                    failures["\(one.rawValue) \(mangled)"] =
                        "\(one.rawValue): \(objection), \(often) calls a request: \(name)"
                }
            }
        }
        // An unused permission would hide the next function that matches it.
        if hot.count > 1 {
            for row in allowed where !used.contains(row.name) {
                failures[row.name] = "\(file): nothing on the hot path is called \(row.name)"
            }
        }
        note("\(names.count) functions on the way of a hit")
        return failures
    }

    private static func profile(_ costs: [HotPathCase: RequestCost], _ path: HotPath) throws(Failure) -> String {
        var text = "# Where a request's instructions go\n\n"
        text +=
            "Counted by callgrind in the release binary (`scripts/profile`): instructions of the function itself, for\n"
        text += "one request, the kernel's not among them. Functions below one percent are left out.\n"
        for one in HotPathCase.allCases {
            guard let cost = costs[one] else { continue }
            let whole = max(cost.instructions, 1)
            let top = cost.functions.filter { $0.value.instructions >= whole / 100 }
                .sorted { ($0.value.instructions, $1.key) > ($1.value.instructions, $0.key) }.prefix(40)
            let makers = cost.makers.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(15)
            let names = try path.demangled(top.map(\.key) + makers.map(\.key), isSimplified: true)
            text += "\n## \(one.title)\n\n"
            text += "\(Figures.grouped(whole)) instructions, \(Figures.fixed(cost.allocations, 1)) allocations, "
            text += "\(Figures.fixed(cost.references, 1)) reference counts a request.\n\n"
            let rows = top.map { name, function in
                [
                    "`\(names[name] ?? name)`", Figures.grouped(function.instructions),
                    Figures.fixed(function.instructions / whole * 100, 1) + " %", Figures.fixed(function.calls, 1),
                ]
            }
            text += Figures.table([["Function", "instructions", "share", "calls"]] + rows)
            guard !makers.isEmpty else { continue }
            text += "\nObjects are made by:\n\n"
            text += Figures.table(
                [["Function", "objects"]] + makers.map { ["`\(names[$0] ?? $0)`", Figures.fixed($1, 1)] })
        }
        return text
    }
}
