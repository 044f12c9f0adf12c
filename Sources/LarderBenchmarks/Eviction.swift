// Measures a store at its size limit: how far it exceeds the limit, what an insert costs there, and how large the
// write-ahead log becomes.
import Glibc
import LarderCore

struct EvictionFigures {
    static let cap = 64 << 20
    /// Bytes in use beyond the limit at the worst moment seen; negative if the store stayed below it.
    var aboveCap = 0
    var largestObject = 0
    /// The latency of a miss before the store was full and during eviction, in microseconds.
    var p50Before = 0.0
    var p99Before = 0.0
    var p50Full = 0.0
    var p99Full = 0.0
    var greatestFull = 0.0
    var evicted = 0
    /// The greatest size of the log in bytes.
    var log = 0
}

struct EvictionRun {
    let stand: Stand

    func measure() throws(Failure) -> EvictionFigures {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        let sizes = try ObjectSizes(Files.text(of: "\(stand.arguments.templates)/object-sizes.txt"))
        var setup = LarderSetup.onDisk
        setup.maxSize = "64 MiB"
        setup.hasOwnListener = true
        let larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port)
        defer { larder.process.stop() }
        var figures = EvictionFigures()
        figures.largestObject = sizes.greatest

        // Objects have 23 KB on average. The first load fills half of the limit, the second adds three times the limit.
        let half = EvictionFigures.cap / 2 / 23_000
        let before = try load(larder, first: 0, count: half).run(on: stand)
        figures.p50Before = Double(before.p50) / 1000
        figures.p99Before = Double(before.p99) / 1000

        let child = try load(larder, first: half, count: half * 7).start(on: stand)
        defer { child.stop() }
        let log = "\(larder.directory)/cache/cache.db-wal"
        while child.isRunning {
            let live = Int(try larder.metric("larder_store_live_bytes") ?? 0)
            figures.aboveCap =
                figures.aboveCap == 0
                ? live - EvictionFigures.cap
                : max(figures.aboveCap, live - EvictionFigures.cap)
            figures.log = max(figures.log, Files.size(of: log))
            try stand.signals.pause(milliseconds: 2)
        }
        let full = try Load.result(of: child, seconds: 1)
        figures.p50Full = Double(full.p50) / 1000
        figures.p99Full = Double(full.p99) / 1000
        figures.greatestFull = Double(full.greatest) / 1000
        for reason in ["unused", "expired", "version"] {
            figures.evicted += Int(try larder.metric("larder_store_evicted_total{reason=\"\(reason)\"}") ?? 0)
        }
        guard figures.evicted > 0 else { throw .failed("eviction", "nothing was evicted") }
        note("eviction: \(figures.evicted) evicted, \(figures.aboveCap) bytes above the cap at most")
        return figures
    }

    private func load(_ larder: MeasuredLarder, first: Int, count: Int) -> Load {
        Load(
            port: larder.port, size: nil, order: .fill(first: first), count: count, seconds: 300,
            connections: 8)
    }
}
