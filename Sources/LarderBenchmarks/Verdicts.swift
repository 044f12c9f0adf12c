// Every measure with its goal, its figure, and whether the goal was met. A missed goal says by how much. A measure that
// this run did not take says which command takes it.
import LarderCore

/// One row of the table of goals.
struct Verdict {
    var measure: String
    var goal: String
    var figure: String
    /// "met", "missed by …", or the reason for neither.
    var word: String

    /// The verdict on a figure that must be at least, or at most, its goal. The shortfall is given in percent of the
    /// goal.
    static func word(_ found: Double, atLeast goal: Double) -> String {
        found >= goal ? "met" : "missed by \(Figures.fixed((1 - found / goal) * 100, 1)) %"
    }

    static func word(_ found: Double, atMost goal: Double) -> String {
        if found <= goal { return "met" }
        return goal > 0
            ? "missed by \(Figures.fixed((found / goal - 1) * 100, 1)) %" : "missed by \(Figures.fixed(found, 0))"
    }
}

/// All rows of a run.
struct Verdicts {
    let results: Results
    let arguments: Arguments

    var rows: [Verdict] {
        ratios + latency + misses + mixed + crowd + million + eviction + idle + kills + large + stalls + fleet
            + elsewhere
    }

    func absent(_ measure: String, _ goal: String, _ part: Arguments.Part) -> [Verdict] {
        [
            Verdict(
                measure: measure, goal: goal, figure: "–",
                word: "not in this run: scripts/bench --only \(part.rawValue)")
        ]
    }

    func two(_ value: Double) -> String { Figures.fixed(value, 2) }

    private var ratios: [Verdict] {
        Goal.all.flatMap { goal -> [Verdict] in
            goal.least.isEmpty ? [] : BodySize.allCases.compactMap { ratio(goal, $0) }
        }
    }

    private func ratio(_ goal: Goal, _ size: BodySize) -> Verdict? {
        guard let least = goal.least[size] else { return nil }
        let measure = "\(goal.server.title) / \(goal.peer.title), \(size.title)"
        guard let own = results.hits[Cell(server: goal.server, size: size)],
            let peer = results.hits[Cell(server: goal.peer, size: size)],
            case let ratio = own.ratio(to: peer), let median = ratio.median
        else { return absent(measure, "≥ \(two(least))", .hits)[0] }
        return Verdict(
            measure: measure, goal: "≥ \(two(least))", figure: Figures.spread(ratio, two),
            word: Verdict.word(median, atLeast: least))
    }

    private var latency: [Verdict] {
        BodySize.allCases.map { size in
            let measure = "p99 at half of nginx's rate, \(size.title), µs"
            guard let own = results.latency[Cell(server: .larder, size: size)],
                let peer = results.latency[Cell(server: .nginx, size: size)], let found = own.p99.median,
                let goal = peer.p99.median
            else { return absent(measure, "not above nginx's", .latency)[0] }
            return Verdict(
                measure: measure, goal: "≤ \(Figures.spread(peer.p99, Figures.grouped))",
                figure: Figures.spread(own.p99, Figures.grouped), word: Verdict.word(found, atMost: goal))
        }
    }

    private var misses: [Verdict] {
        var rows: [Verdict] = BodySize.allCases.compactMap { size in
            guard let most = Goal.addedByMiss[size] else { return nil }
            let measure = "added by a miss / by one of \(ServerKind.nginx.title), \(size.title)"
            guard let own = results.misses[Cell(server: .larder, size: size)],
                let peer = results.misses[Cell(server: .nginx, size: size)], case let ratio = own.ratio(to: peer),
                let median = ratio.median
            else { return absent(measure, "≤ \(two(most))", .misses)[0] }
            return Verdict(
                measure: measure, goal: "≤ \(two(most))", figure: Figures.spread(ratio, two),
                word: Verdict.word(median, atMost: most))
        }
        let small = "added by a miss, \(BodySize.one.title), µs"
        let most = "≤ \(Figures.grouped(Goal.addedBySmallMiss))"
        if let found = results.misses[Cell(server: .larder, size: .one)], let median = found.median {
            rows.append(
                Verdict(
                    measure: small, goal: most, figure: Figures.spread(found, Figures.grouped),
                    word: Verdict.word(median, atMost: Goal.addedBySmallMiss)))
        } else {
            rows += absent(small, most, .misses)
        }
        let measure = "added by a search of 200 iTunes results, ms"
        if let found = results.normalising, let median = found.median {
            rows.append(
                Verdict(
                    measure: measure, goal: "≤ \(two(Goal.addedByNormalising))", figure: Figures.spread(found, two),
                    word: Verdict.word(median, atMost: Goal.addedByNormalising)))
        } else {
            rows += absent(measure, "≤ \(two(Goal.addedByNormalising))", .misses)
        }
        return rows
    }

    private var mixed: [Verdict] {
        var rows: [Verdict] = MixedRun.kinds.compactMap { peer in
            guard let least = Goal.mixed[peer] else { return nil }
            let measure = "mixed workload, \(ServerKind.larder.title) / \(peer.title)"
            guard let own = results.mixed[.larder], let other = results.mixed[peer],
                case let ratio = own.perSecond.ratio(to: other.perSecond), let median = ratio.median
            else { return absent(measure, "≥ \(two(least))", .mixed)[0] }
            return Verdict(
                measure: measure, goal: "≥ \(two(least))", figure: Figures.spread(ratio, two),
                word: Verdict.word(median, atLeast: least))
        }
        let measure = "mixed workload: seconds to fill"
        if let own = results.mixed[.larder], let other = results.mixed[.nginx] {
            rows.append(
                Verdict(
                    measure: measure, goal: "≤ \(Figures.fixed(other.fillSeconds, 1)), as \(ServerKind.nginx.title)",
                    figure: Figures.fixed(own.fillSeconds, 1),
                    word: Verdict.word(own.fillSeconds, atMost: other.fillSeconds)))
        } else {
            rows += absent(measure, "not above nginx's", .mixed)
        }
        return rows
    }

    private var crowd: [Verdict] {
        let measure = "upstream calls of \(CrowdRun.clients) identical misses"
        guard let found = results.crowds[.larder], let most = found.upstreamCalls.greatest else {
            return absent(measure, "1", .collapse)
        }
        return [
            Verdict(
                measure: measure, goal: "1", figure: Figures.spread(found.upstreamCalls, Figures.grouped),
                word: Verdict.word(most, atMost: 1))
        ]
    }

    private var million: [Verdict] {
        guard let found = results.million, let start = found.start.median,
            case let ratio = found.largeHits.ratio(to: found.smallHits), let median = ratio.median
        else {
            return absent("one million entries: start to ready, ms", "≤ 100", .million)
                + absent("one million entries: SQLite hits against 1,000 entries", "≥ 0.90", .million)
                + absent("one million entries: memory, bytes an entry", "≤ 200", .million)
        }
        let entries = Figures.grouped(Double(found.entries))
        let bytes = max(found.bytesFilled, found.bytesServing)
        return [
            Verdict(
                measure: "\(entries) entries: start to first hit, ms", goal: "≤ 100",
                figure: Figures.spread(found.start) { Figures.fixed($0, 1) }, word: Verdict.word(start, atMost: 100)),
            Verdict(
                measure: "\(entries) entries: SQLite hits against 1,000 entries", goal: "≥ 0.90",
                figure: Figures.spread(ratio, two), word: Verdict.word(median, atLeast: 0.9)),
            Verdict(
                measure: "\(entries) entries: memory, bytes an entry", goal: "≤ 200", figure: Figures.fixed(bytes, 1),
                word: Verdict.word(bytes, atMost: 200)),
        ]
    }

    private var eviction: [Verdict] {
        guard let found = results.eviction else {
            return absent("eviction: bytes above the cap", "≤ one object", .eviction)
                + absent("eviction: p99 of a miss at the cap, µs", "≤ twice that below it", .eviction)
                + absent("eviction: write-ahead log, MiB", "≤ 64", .eviction)
        }
        return [
            Verdict(
                measure: "eviction: bytes above the cap", goal: "≤ \(Figures.grouped(Double(found.largestObject)))",
                figure: Figures.grouped(Double(found.aboveCap)),
                word: Verdict.word(Double(found.aboveCap), atMost: Double(found.largestObject))),
            Verdict(
                measure: "eviction: p99 of a miss at the cap, µs", goal: "≤ \(Figures.grouped(found.p99Before * 2))",
                figure: Figures.grouped(found.p99Full), word: Verdict.word(found.p99Full, atMost: found.p99Before * 2)),
            Verdict(
                measure: "eviction: write-ahead log, MiB", goal: "≤ 64",
                figure: Figures.fixed(Double(found.log) / 1_048_576, 1),
                word: Verdict.word(Double(found.log) / 1_048_576, atMost: 64)),
        ]
    }

    private var idle: [Verdict] {
        guard let found = results.idleMemory[.larder] else {
            return absent("idle memory, anonymous and resident, KiB", "≤ 10,240 and 32,768", .hits)
        }
        return [
            Verdict(
                measure: "idle memory, anonymous, KiB", goal: "≤ \(Figures.grouped(Double(Goal.idleAnonymous)))",
                figure: Figures.grouped(Double(found.anonymous)),
                word: Verdict.word(Double(found.anonymous), atMost: Double(Goal.idleAnonymous))),
            Verdict(
                measure: "idle memory, resident, KiB", goal: "≤ \(Figures.grouped(Double(Goal.idleResident)))",
                figure: Figures.grouped(Double(found.resident)),
                word: Verdict.word(Double(found.resident), atMost: Double(Goal.idleResident))),
        ]
    }

    private var kills: [Verdict] {
        let measure = "kill -9 while writing"
        let goal = "1,000 times, nothing wrong, nothing lost that was acknowledged 100 ms before, every start clean"
        guard let found = results.kills else { return absent(measure, goal, .kill) }
        let faults = found.lost + found.uncleanStarts
        let word =
            faults > 0 || found.checked == 0
            ? "missed by \(faults)"
            : found.kills >= 1000 ? "met" : "met so far: scripts/bench --only kill --kills 1000 is the whole"
        return [
            Verdict(
                measure: measure, goal: goal,
                figure: "\(found.kills) kills, \(found.acknowledged) acknowledged, \(found.checked) checked, "
                    + "\(found.lost) lost, \(found.uncleanStarts) unclean starts; of \(found.recent.checked) later ones "
                    + "\(found.recent.gone) gone", word: word)
        ]
    }

    private var large: [Verdict] {
        guard !results.large.isEmpty else { return absent("1 GiB body, peak resident memory, MiB", "≤ 64", .large) }
        var rows = results.large.map { found in
            Verdict(
                measure: "1 GiB body, \(found.title): peak resident memory, MiB", goal: "≤ 64",
                figure: Figures.fixed(Double(found.peak) / 1024, 1),
                word: found.fault.map { "missed: \($0)" } ?? Verdict.word(Double(found.peak) / 1024, atMost: 64))
        }
        if let stored = results.large.first(where: { $0.title == LargeRun.stored }) {
            rows.append(
                Verdict(
                    measure: "1 GiB body, \(stored.title): MB/s",
                    goal: "≥ \(Figures.grouped(Goal.storedLargeBody))",
                    figure: Figures.fixed(stored.megabytesPerSecond, 0),
                    word: stored.fault.map { "missed: \($0)" }
                        ?? Verdict.word(stored.megabytesPerSecond, atLeast: Goal.storedLargeBody)))
        }
        return rows
    }

    /// The measures that other commands take. Their last result is repeated from the file that they left.
    private var elsewhere: [Verdict] {
        func last(_ file: String) -> String {
            let text = Files.text(of: file).split(separator: "\n").last.map(String.init)
            return text ?? "–"
        }
        let rows = Files.text(of: "Docs/conformance.md").split(separator: "\n").filter {
            $0.hasPrefix("|") && !$0.hasPrefix("| -") && !$0.hasPrefix("|-")
        }.count
        return [
            Verdict(
                measure: "caching semantics in pass-through", goal: "a scenario for every MUST and SHOULD",
                figure: rows > 0 ? "\(rows) rows in Docs/conformance.md" : "–", word: "held by make test"),
            Verdict(
                measure: "parsers, normalisers, settings under fuzzing", goal: "no crash",
                figure: last(".build/fuzz/summary"), word: "held by scripts/fuzz"),
            Verdict(
                measure: "thread and address sanitizers", goal: "whole suite, no finding",
                figure: last(".build/sanitizers"), word: "held by make sanitize"),
        ]
    }
}
