// Kills or stops the engine while clients send requests: memory hits on one host in an open loop, and misses on all
// hosts beside them.
import LarderCore

struct OutageRun {
    let stand: Stand
    /// True if the engine is killed and started empty. False if it is stopped and continues with all its data.
    let isKilled: Bool
    private var arguments: Arguments { stand.arguments }
    /// The seconds before the outage and after it.
    private static let margin = 5

    func measure() throws(Failure) -> OutageFigures {
        let ground = try SharedGround(stand, hosts: SharedRun.hosts, isShared: true, SharedGround.setup)
        defer { ground.stop() }
        var figures = OutageFigures(title: isKilled ? "killed, back empty" : "stopped, goes on")
        let rate = try saturation(ground) / 4
        var load = try SharedLoad(ground, perHost: 2)
        for isLost in [false, true] {
            let found = try round(ground, rate, isLost: isLost, &load, &figures)
            let (p50, p99) = (Double(found.hits.p50) / 1000, Double(found.hits.p99) / 1000)
            let ofAll = Double(found.p99OfAll) / 1000
            if isLost { (figures.p50.lost, figures.p99.lost, figures.p99OfAll.lost) = (p50, p99, ofAll) }
            if !isLost { (figures.p50.quiet, figures.p99.quiet, figures.p99OfAll.quiet) = (p50, p99, ofAll) }
            figures.hits += found.hits.count
            figures.discounted += found.discounted
            figures.unanswered += found.hits.unanswered
            note("fleet, engine \(isLost ? figures.title : "there"): p99 of hits \(Figures.fixed(p99, 1)) µs")
        }
        figures.requests = load.answered + load.errors
        (figures.errors, figures.firstError) = (load.errors, load.firstError)
        return figures
    }

    private static let hit = SharedGround.path(-1)

    /// Hits a second with a closed loop over as many connections. wrk would find the same value.
    private func saturation(_ ground: SharedGround) throws(Failure) -> Double {
        let port = ground.hosts[0].ownPort
        let client = try ProbeClient(port: port)
        for _ in 0..<20 { _ = try client.get(Self.hit, port: port) }
        // Requests go to the bound provider. Its hits take the same path, and the load knows its bodies.
        return try Load(
            port: ground.hosts[0].port, size: 1024, order: .uniform(objects: 1, stride: 1, seed: 1), count: .max,
            seconds: 1, connections: arguments.connections
        ).run(on: stand).perSecond
    }

    private func round(
        _ ground: SharedGround, _ rate: Double, isLost: Bool, _ load: inout SharedLoad, _ figures: inout OutageFigures
    ) throws(Failure) -> StallRound {
        let seconds = arguments.outage + 2 * Self.margin
        // The same part as for `stalls`, with nothing beside it. The load shares its core, so hits that waited for the
        // load are not counted.
        let port = "\(ground.hosts[0].ownPort)"
        let child = try stand.startPinned(
            ["stalls", port, Self.hit, "\(rate)", "\(seconds)", "\(arguments.connections)"]
                + [StallCause.cold.rawValue, port, "0", "0", "1"])
        defer { child.stop() }
        var sequence = ObjectSequence(.zipf(objects: 500, seed: isLost ? 2 : 1, new: isLost ? 2_000_000 : 1_000_000))
        let began = monotonicNanoseconds()
        var backAt: Int64?
        var isAway = false
        var looked = began
        while child.isRunning {
            let now = monotonicNanoseconds()
            let passed = Double(now - began) / 1e9
            if isLost, !isAway, backAt == nil, passed >= Double(Self.margin) {
                if isKilled { ground.engine?.killOutright() } else { ground.engine?.freeze() }
                isAway = true
            }
            if isAway, passed >= Double(Self.margin + arguments.outage) {
                if isKilled { try ground.engine?.start() } else { ground.engine?.goOn() }
                (isAway, backAt) = (false, monotonicNanoseconds())
            }
            try load.wave((0..<load.width).map { _ in sequence.next() })
            // The quiet round does this too, so that it has the same cost.
            if now - looked > 1_000_000_000 {
                looked = now
                let isInUse = try ground.isEngineInUse()
                if isInUse, let backAt, figures.returned == nil { figures.returned = Double(now - backAt) / 1e9 }
            }
            try stand.pauseWhole(milliseconds: 20)
        }
        guard let found = StallRound(lines: try child.finish(seconds: 10)) else { throw .failed("fleet", "no result") }
        // The pause of the breaker may be half a minute.
        while let back = backAt, figures.returned == nil, monotonicNanoseconds() - back < 45_000_000_000 {
            try load.wave((0..<load.width).map { _ in sequence.next() })
            if try ground.isEngineInUse() { figures.returned = Double(monotonicNanoseconds() - back) / 1e9 }
            try stand.pauseWhole(milliseconds: 100)
        }
        return found
    }
}

/// A budget that three hosts share. It is spent while the engine is killed, stopped, and comes back.
struct BudgetFigures {
    var limit = 0
    var calls = 0
    var answered = 0
    var refused = 0
    var errors = 0
    var firstError = ""
}

struct BudgetRun {
    /// In calls an hour. The window is longer than the run, so every call counts.
    static let limit = 200
    let stand: Stand

    func measure() throws(Failure) -> BudgetFigures {
        var setup = SharedGround.setup
        setup.iTunesRate = "\(Self.limit)/h"
        let ground = try SharedGround(stand, hosts: SharedRun.hosts, isShared: true, setup)
        defer { ground.stop() }
        var load = try SharedLoad(ground, perHost: 2, mayRefuse: true)
        var term = 0
        /// Requests new terms until this many calls were made or the time is over.
        func spend(upTo calls: Int, seconds: Int) throws(Failure) {
            let end = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
            while try ground.calls() < calls, monotonicNanoseconds() < end {
                try load.wave((0..<load.width).map { term + $0 })
                term += load.width
                try stand.pauseWhole(milliseconds: 50)
            }
        }
        let away = max(2, min(stand.arguments.outage, 15))
        try spend(upTo: Self.limit / 4, seconds: 20)
        ground.engine?.killOutright()
        try spend(upTo: .max, seconds: away)
        try ground.engine?.start()
        try spend(upTo: Self.limit / 2, seconds: 60)
        ground.engine?.freeze()
        try spend(upTo: .max, seconds: away)
        ground.engine?.goOn()
        try spend(upTo: Self.limit, seconds: 60)
        // A host that exceeds the budget would do so now.
        try spend(upTo: .max, seconds: 5)
        let calls = try ground.calls()
        note("fleet, a budget of \(Self.limit): \(calls) calls")
        return BudgetFigures(
            limit: Self.limit, calls: calls, answered: load.answered, refused: load.refused, errors: load.errors,
            firstError: load.firstError)
    }
}
