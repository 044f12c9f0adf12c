// Measures three hosts with a real engine: what sharing saves, what it costs, and what the loss of the engine causes.
import Glibc
import LarderCore

/// The loss of the engine under load, compared with the same load without the loss.
struct OutageFigures {
    var title: String
    /// The latency of memory hits on one host, in microseconds.
    var p50 = (quiet: 0.0, lost: 0.0)
    var p99 = (quiet: 0.0, lost: 0.0)
    /// The same, including the hits that are not counted because they waited for the load rather than for larder.
    var p99OfAll = (quiet: 0.0, lost: 0.0)
    var hits = 0
    var discounted = 0
    var unanswered = 0
    /// Requests to all hosts beside the hits, most of them misses.
    var requests = 0
    var errors = 0
    var firstError = ""
    /// The seconds from the engine's return until every host asked it again; nil if they did not within the given time.
    var returned: Double?

    var ratio: Double { p99.lost / max(p99.quiet, 0.001) }
}

struct SharedFigures {
    /// A sequence of requests, how many of them are different, and the calls for them with and without sharing.
    var zipf = (requests: 0, different: 0, shared: 0, alone: 0)
    /// From the request to the last byte of one answer, in milliseconds; medians of rounds.
    var sharedHit = Sample()
    var localHit = Sample()
    var added = Sample()
    /// Memory hits a second, without the tier and with a dead tier, in alternating rounds.
    var rate = (without: Sample(), dead: Sample())
    /// The instructions of one memory hit; nil if valgrind is missing.
    var instructions: (without: Double, dead: Double)?
    var outages: [OutageFigures] = []
    var budget = BudgetFigures()
}

struct SharedRun {
    static let hosts = 3
    static let zipfObjects = 2000
    static let hitsOfRound = 100
    let stand: Stand
    private var arguments: Arguments { stand.arguments }

    func measure() throws(Failure) -> SharedFigures {
        var figures = SharedFigures()
        figures.zipf = try zipf()
        try measureHits(&figures)
        try measureDead(&figures)
        figures.outages = [
            try OutageRun(stand: stand, isKilled: true).measure(),
            try OutageRun(stand: stand, isKilled: false).measure(),
        ]
        figures.budget = try BudgetRun(stand: stand).measure()
        return figures
    }

    // MARK: Calls

    /// Sends the same sequence to hosts that share and to hosts that do not.
    private func zipf() throws(Failure) -> (requests: Int, different: Int, shared: Int, alone: Int) {
        let requests = max(3000, min(arguments.mixedRequests, arguments.rounds * arguments.seconds * 1000))
        var calls: [Int] = []
        var terms: Set<Int> = []
        for isShared in [true, false] {
            let ground = try SharedGround(stand, hosts: Self.hosts, isShared: isShared, SharedGround.setup)
            defer { ground.stop() }
            var load = try SharedLoad(ground, perHost: 4)
            var sequence = ObjectSequence(.zipf(objects: Self.zipfObjects, seed: 9, new: Self.zipfObjects))
            while load.answered + load.errors < requests {
                let wave = (0..<load.width).map { _ in sequence.next() }
                terms.formUnion(wave)
                try load.wave(wave)
            }
            guard load.errors == 0 else { throw .failed("fleet", load.firstError) }
            calls.append(try ground.calls())
            note("fleet, \(isShared ? "shared" : "each for itself"): \(calls[calls.count - 1]) calls")
        }
        return (requests, terms.count, calls[0], calls[1])
    }

    // MARK: A shared hit

    /// One host fetches the answers. Another reads them from the engine, and then from its own database.
    private func measureHits(_ figures: inout SharedFigures) throws(Failure) {
        var setup = SharedGround.setup
        setup.memorySize = "0"
        let ground = try SharedGround(stand, hosts: 2, isShared: true, setup)
        defer { ground.stop() }
        let (one, two) = (ground.hosts[0].ownPort, ground.hosts[1].ownPort)
        let clients = (try ProbeClient(port: one), try ProbeClient(port: two))
        for round in 0...arguments.rounds {
            let terms = (0..<Self.hitsOfRound).map { round * Self.hitsOfRound + $0 }
            for term in terms { _ = try clients.0.get(SharedGround.path(term), port: one) }
            try ground.waitForPublished(terms.count * (round + 1), by: 0)
            var times: (shared: [Int64], local: [Int64]) = ([], [])
            for term in terms {
                let shared = try timed(clients.1, term, two, ground.page)
                // If the machine was too busy to publish or read an answer in time, the answer is not a shared hit.
                if shared.status.contains("detail=shared") { times.shared.append(shared.time) }
            }
            guard times.shared.count * 2 >= terms.count else {
                throw .failed("fleet", "\(times.shared.count) of \(terms.count) answers were shared hits")
            }
            // After this pause the stored answers are committed.
            try stand.pauseWhole(milliseconds: 300)
            for term in terms {
                let local = try timed(clients.1, term, two, ground.page)
                guard local.status.contains("; hit"), !local.status.contains("shared") else {
                    throw .failed("fleet", "no hit: \(local.status)")
                }
                times.local.append(local.time)
            }
            guard round > 0, let shared = percentile(0.5, of: times.shared.sorted()),
                let local = percentile(0.5, of: times.local.sorted())
            else { continue }
            figures.sharedHit.add(Double(shared) / 1e6)
            figures.localHit.add(Double(local) / 1e6)
            figures.added.add(Double(shared - local) / 1e6)
            note("fleet, a shared hit adds \(Figures.fixed(Double(shared - local) / 1e6, 3)) ms")
        }
    }

    private func timed(
        _ client: ProbeClient, _ term: Int, _ port: UInt16, _ page: Bytes
    ) throws(Failure) -> (time: Int64, status: String) {
        let began = monotonicNanoseconds()
        let reply = try client.get(SharedGround.path(term), port: port)
        let time = monotonicNanoseconds() - began
        guard reply.status == 200, reply.body == page else { throw .failed("fleet", "status \(reply.status)") }
        return (time, reply.fields.combined(.cacheStatus) ?? "")
    }

    // MARK: A tier that is configured and dead

    private func measureDead(_ figures: inout SharedFigures) throws(Failure) {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var dead = LarderSetup()
        dead.sharedURL = "unix:\(stand.directory)/nobody"
        let servers = [
            try MeasuredLarder.start(LarderSetup(), on: stand, origin: origin.port),
            try MeasuredLarder.start(dead, on: stand, origin: origin.port),
        ]
        defer { servers.forEach { $0.process.stop() } }
        for round in 0...arguments.rounds {
            for place in round % 2 == 0 ? [0, 1] : [1, 0] {
                let found = try Load(
                    port: servers[place].port, size: 1024, order: .uniform(objects: 1, stride: 1, seed: 1), count: .max,
                    seconds: arguments.seconds, connections: arguments.connections
                ).run(on: stand)
                guard round > 0 else { continue }
                if place == 0 {
                    figures.rate.without.add(found.perSecond)
                } else {
                    figures.rate.dead.add(found.perSecond)
                }
            }
        }
        guard access("/usr/bin/valgrind", X_OK) == 0 else { return note("fleet: no valgrind, so no instructions") }
        // A difference of one percent must be visible. With this many requests the cost of timers is negligible.
        let path = HotPath(stand: stand, requests: 20 * arguments.hits)
        figures.instructions = (
            try path.instructions(.memory, with: LarderSetup()),
            try path.instructions(.memory, with: dead)
        )
        if let found = figures.instructions {
            note(
                "fleet, a memory hit: \(Figures.grouped(found.without)) and \(Figures.grouped(found.dead)) instructions"
            )
        }
    }
}
