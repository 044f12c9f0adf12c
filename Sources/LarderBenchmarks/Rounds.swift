// The order of a run. Each round measures all servers in turn and begins with another server each time. So a temporary
// disturbance of the machine affects all servers alike, and no server always follows the same one.
import Glibc

/// Measures running servers.
struct Rounds {
    let stand: Stand
    let servers: [Server]
    let origin: Server
    var results: Results

    private var arguments: Arguments { stand.arguments }

    /// Calls the body for each round, size and server.
    private func eachTurn(
        _ chosen: [Server], _ body: (Int, BodySize, Server) throws(Failure) -> Void
    ) throws(Failure) {
        for round in 0..<arguments.rounds {
            for size in arguments.sizes {
                for place in chosen.indices {
                    try body(round, size, chosen[(place + round) % chosen.count])
                }
            }
        }
    }

    private func say(_ round: Int, _ size: BodySize, _ server: Server, _ what: String) {
        note("round \(round + 1)/\(arguments.rounds), \(size.title), \(server.kind.title): \(what)")
    }

    /// Loads each server for a second without measuring: threads are started, files opened, buffers grown.
    func warmUp() throws(Failure) {
        for server in servers {
            for size in arguments.sizes {
                try server.verify(size, stand: stand)
                _ = try Saturation.run(server, size, seconds: 1, stand: stand)
            }
        }
    }

    /// Measures hits a second at saturation.
    mutating func measureHits() throws(Failure) {
        try warmUp()
        var (hits, busy) = (results.hits, results.busy)
        try eachTurn(servers) { (round, size, server) throws(Failure) in
            try server.verify(size, stand: stand)
            let found = try Saturation.run(server, size, seconds: arguments.seconds, stand: stand)
            hits[Cell(server: server.kind, size: size), default: Sample()].add(found.requestsPerSecond)
            busy[Cell(server: server.kind, size: size), default: Sample()].add(found.serverBusy)
            say(round, size, server, "\(Figures.grouped(found.requestsPerSecond)) hits/s")
        }
        (results.hits, results.busy) = (hits, busy)
    }

    /// Measures the latency of hits at half of the rate that nginx reached.
    mutating func measureLatency() throws(Failure) {
        for size in arguments.sizes {
            results.latencyRates[size] = results.hits[Cell(server: .nginx, size: size)]?.median.map { $0 / 2 }
        }
        let rates = results.latencyRates
        guard !rates.isEmpty else { return note("no latency: it needs nginx and hits in the same run") }
        var latency = results.latency
        try eachTurn(servers) { (round, size, server) throws(Failure) in
            guard let rate = rates[size] else { return }
            try server.verify(size, stand: stand)
            let text = try stand.pinned(
                [
                    "open-loop", "\(server.port)", size.path, "\(rate)", "\(arguments.seconds)",
                    "\(arguments.connections)",
                ], seconds: arguments.seconds + 15)
            guard let found = LatencyRound(line: text) else { throw .failed("open loop", "no result") }
            var samples = latency[Cell(server: server.kind, size: size)] ?? LatencySamples()
            samples.p50.add(Double(found.p50) / 1000)
            samples.p99.add(Double(found.p99) / 1000)
            samples.p999.add(Double(found.p999) / 1000)
            samples.unanswered += found.unanswered
            latency[Cell(server: server.kind, size: size)] = samples
            say(round, size, server, "p99 \(Figures.fixed(Double(found.p99) / 1000, 1)) µs")
        }
        results.latency = latency
    }

    /// Measures what a miss adds.
    mutating func measureMisses() throws(Failure) {
        var misses = results.misses
        try eachTurn(servers.filter(\.kind.isCache)) { (round, size, server) throws(Failure) in
            let text = try stand.pinned(
                [
                    "misses", "\(server.port)", "\(origin.port)", "\(size.path)?m\(round)=", "\(size.path)?direct=",
                    "\(arguments.seconds * 100)",
                ],
                seconds: arguments.seconds + 30)
            guard let found = MissRound(line: text) else { throw .failed("misses", "no result") }
            let added = Double(found.through - found.direct) / 1000
            misses[Cell(server: server.kind, size: size), default: Sample()].add(added)
            say(round, size, server, "a miss adds \(Figures.fixed(added, 1)) µs")
        }
        results.misses = misses
    }

    /// Measures the small operations, on the core of the servers.
    mutating func measureMicro() throws(Failure) {
        let text = try stand.pinned(["micro"], seconds: 120, core: arguments.serverCore)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t")
            results.micro.append((String(parts.first ?? ""), Sample(parts.dropFirst().compactMap { Double($0) })))
        }
    }
}

/// Prints a progress line on standard error. Standard output contains only the tables.
func note(_ text: String) {
    let line = Array("bench: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
