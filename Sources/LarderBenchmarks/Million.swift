// Compares a store of a million entries with a store of a thousand: what the large store costs at the start, at each
// hit, and in memory. The memory tier is off, so every hit comes from the database and the tier does not add to the
// memory.
import LarderCore

/// The figures of the large store beside those of the small one.
struct MillionFigures {
    var entries = 0
    var fillSeconds = 0.0
    /// From the start of the process to the first answer from the store, in milliseconds.
    var start = Sample()
    var smallHits = Sample()
    /// Hits on a thousand entries that are spread over the large store.
    var largeHits = Sample()
    /// Hits on all entries of the large store.
    var wholeHits = Sample()
    /// Anonymous memory beyond that of the small store, in bytes an entry: right after filling, and after a restart and
    /// the load.
    var bytesFilled = 0.0
    var bytesServing = 0.0
    var disk = 0
}

struct MillionRun {
    static let few = 1000
    static let size = 256
    let stand: Stand
    private var arguments: Arguments { stand.arguments }

    func measure() throws(Failure) -> MillionFigures {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var figures = MillionFigures()
        figures.entries = arguments.entries
        var setup = LarderSetup.onDisk
        setup.maxSize = "64 GiB"
        setup.hasOwnListener = true

        let small = try MeasuredLarder.start(setup, on: stand, origin: origin.port)
        defer { small.process.stop() }
        try fill(small, count: Self.few)
        _ = try hits(small, .uniform(objects: Self.few, stride: 1, seed: 0), seconds: 2)

        let filling = try MeasuredLarder.start(setup, on: stand, origin: origin.port)
        defer { filling.process.stop() }
        let began = monotonicNanoseconds()
        try fill(filling, count: arguments.entries)
        figures.fillSeconds = Double(monotonicNanoseconds() - began) / 1e9
        note("million: filled in \(Figures.fixed(figures.fillSeconds, 0)) s")
        let filled = ProcessTree.memory(filling.process.pid).anonymous - ProcessTree.memory(small.process.pid).anonymous
        figures.bytesFilled = bytesAnEntry(filled)
        filling.process.stop()

        for _ in 1..<max(arguments.rounds, 2) {
            let (larder, milliseconds) = try timedStart(setup, origin, filling.directory)
            figures.start.add(milliseconds)
            larder.process.stop()
        }
        let (large, milliseconds) = try timedStart(setup, origin, filling.directory)
        defer { large.process.stop() }
        figures.start.add(milliseconds)

        let stride = arguments.entries / Self.few
        for round in 0..<arguments.rounds + 1 {
            let seed = 100 + round
            let few = try hits(small, .uniform(objects: Self.few, stride: 1, seed: seed), seconds: arguments.seconds)
            let spread = try hits(
                large, .uniform(objects: Self.few, stride: stride, seed: seed), seconds: arguments.seconds)
            let whole = try hits(
                large, .uniform(objects: arguments.entries, stride: 1, seed: seed), seconds: arguments.seconds)
            // The first round is a warm-up.
            guard round > 0 else { continue }
            figures.smallHits.add(few)
            figures.largeHits.add(spread)
            figures.wholeHits.add(whole)
            note("million, round \(round): \(Figures.grouped(few)) of few, \(Figures.grouped(spread)) of many a second")
        }
        let serving = ProcessTree.memory(large.process.pid).anonymous - ProcessTree.memory(small.process.pid).anonymous
        figures.bytesServing = bytesAnEntry(serving)
        figures.disk = Files.diskUse(filling.directory)
        return figures
    }

    private func bytesAnEntry(_ kibibytes: Int) -> Double {
        Double(max(kibibytes, 0)) * 1024 / Double(max(arguments.entries - Self.few, 1))
    }

    /// Requests each object until the store has all of them. A store that cannot keep up refuses some.
    private func fill(_ larder: MeasuredLarder, count: Int) throws(Failure) {
        for pass in 1...4 {
            _ = try load(larder, .fill(first: 0), count: count, seconds: 3600)
            let entries = Int(try larder.metric("larder_store_entries") ?? 0)
            if entries >= count { return }
            note("million: \(entries) of \(count) entries after pass \(pass)")
        }
        throw .failed("million", "the store did not take all entries")
    }

    private func hits(_ larder: MeasuredLarder, _ order: Order, seconds: Int) throws(Failure) -> Double {
        try load(larder, order, count: .max, seconds: seconds).perSecond
    }

    private func load(_ larder: MeasuredLarder, _ order: Order, count: Int, seconds: Int) throws(Failure) -> LoadRound {
        try Load(
            port: larder.port, size: Self.size, order: order, count: count, seconds: seconds,
            connections: arguments.connections
        ).run(on: stand)
    }

    /// Starts larder on this store, and requests an entry until it is answered from the store.
    private func timedStart(
        _ setup: LarderSetup, _ origin: Server, _ directory: String
    ) throws(Failure) -> (MeasuredLarder, Double) {
        let object = OriginObject(kind: .image, size: Self.size, id: arguments.entries / 2)
        let began = monotonicNanoseconds()
        let larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port, directory: directory)
        do throws(Failure) {
            let reply = try ProbeClient(port: larder.port).get(object.path, port: larder.port)
            let milliseconds = Double(monotonicNanoseconds() - began) / 1e6
            guard reply.status == 200, ServerKind.larder.isHit(reply.fields) else {
                throw .failed("million", "the first answer after a start is no hit")
            }
            note("million: first hit \(Figures.fixed(milliseconds, 1)) ms after the start")
            return (larder, milliseconds)
        } catch {
            larder.process.stop()
            throw error
        }
    }
}
