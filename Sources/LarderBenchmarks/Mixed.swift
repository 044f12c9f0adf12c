// The mixed workload: many objects of real sizes, some popular and most not, some requested for the first time, and
// more bytes than fit in memory. Every server gets the same requests in the same order.
import LarderCore

/// The figures of one server; samples over the rounds.
struct MixedFigures {
    var perSecond = Sample()
    /// In microseconds.
    var p50 = Sample()
    var p99 = Sample()
    /// The share of its core that the server used. If it is well below 1, the load was the limit.
    var busy = Sample()
    /// The share of requests that caused no request to the origin.
    var hitRatio = Sample()
    /// The memory of all processes of the server after the last round, in KiB.
    var anonymous = 0
    var greatestResident = 0
    /// The disk space of the server's files in bytes.
    var disk = 0
    /// How long it took to request every object once, in seconds.
    var fillSeconds = 0.0
}

struct MixedRun {
    let stand: Stand
    private var arguments: Arguments { stand.arguments }

    /// The servers that are suitable for a store larger than memory. Varnish's memory is bounded like larder's.
    static let kinds: [ServerKind] = [.nginx, .varnish, .larder]

    func measure() throws(Failure) -> [ServerKind: MixedFigures] {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var figures: [ServerKind: MixedFigures] = [:]
        var servers: [Server] = []
        defer { servers.reversed().forEach { $0.process.stop() } }
        for kind in Self.kinds where arguments.servers.contains(kind) {
            let server = try kind.start(on: stand, origin: origin.port, job: .mixed)
            servers.append(server)
            let filled = try load(server, .fill(first: 0), count: arguments.objects, seconds: 900)
            guard filled.count == arguments.objects else {
                throw .failed(kind.title, "took more than 15 minutes for \(arguments.objects) objects")
            }
            var found = MixedFigures()
            found.fillSeconds = Double(filled.elapsed) / 1e9
            figures[kind] = found
            note("mixed, \(kind.title): filled in \(Figures.fixed(found.fillSeconds, 1)) s")
            _ = try load(server, order(0), count: arguments.mixedRequests / 4, seconds: 300)
        }
        for round in 1...arguments.rounds {
            for place in servers.indices {
                let server = servers[(place + round) % servers.count]
                let before = try origin.requestCount()
                let cpuBefore = ProcessTree.cpuSeconds(server.process.pid)
                let found = try load(server, order(round), count: arguments.mixedRequests, seconds: 300)
                let misses = try origin.requestCount() - before
                let ratio = 1 - Double(misses) / Double(max(found.count, 1))
                let cpu = ProcessTree.cpuSeconds(server.process.pid) - cpuBefore
                figures[server.kind, default: MixedFigures()].add(found, hitRatio: ratio)
                figures[server.kind, default: MixedFigures()].busy.add(cpu * 1e9 / Double(found.elapsed))
                note(
                    "mixed, round \(round)/\(arguments.rounds), \(server.kind.title): "
                        + "\(Figures.grouped(found.perSecond))/s, \(Figures.fixed(ratio * 100, 1)) % hits")
            }
        }
        for server in servers {
            let memory = ProcessTree.memory(server.process.pid)
            figures[server.kind, default: MixedFigures()].anonymous = memory.anonymous
            figures[server.kind, default: MixedFigures()].greatestResident = ProcessTree.peak(server.process.pid)
            let disk = server.directory.isEmpty ? 0 : Files.diskUse(server.directory)
            figures[server.kind, default: MixedFigures()].disk = disk
        }
        return figures
    }

    /// Each round has its own part of the sequence and its own new objects.
    private func order(_ round: Int) -> Order {
        .zipf(objects: arguments.objects, seed: 7 + round, new: arguments.objects + round * arguments.mixedRequests)
    }

    private func load(_ server: Server, _ order: Order, count: Int, seconds: Int) throws(Failure) -> LoadRound {
        try Load(
            port: server.port, size: nil, order: order, count: count, seconds: seconds,
            connections: arguments.connections
        ).run(on: stand)
    }
}

extension MixedFigures {
    mutating func add(_ round: LoadRound, hitRatio ratio: Double) {
        perSecond.add(round.perSecond)
        p50.add(Double(round.p50) / 1000)
        p99.add(Double(round.p99) / 1000)
        hitRatio.add(ratio)
    }
}
