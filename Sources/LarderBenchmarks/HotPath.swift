// Counts the cost of one request in the release binary: instructions, allocations, reference counts, and the called
// functions. Counts do not depend on the load of the machine, so a change of a few percent is a change of the code.
//
// larder runs under callgrind and gets requests over a real socket, one after the other. `vgdb` makes it dump its
// counts between the requests. The counts of N requests are subtracted from the counts of 2N requests, so start,
// warm-up and the dump itself cancel out.
import Glibc
import LarderCore

struct HotPath {
    let stand: Stand
    /// The number of requests before the first dump; twice as many precede the next.
    let requests: Int
    private let pool = Pool()

    /// Measures the cost of one request of each case. Cases with the same setup share a daemon.
    func measure(_ cases: [HotPathCase]) throws(Failure) -> [HotPathCase: RequestCost] {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        var costs: [HotPathCase: RequestCost] = [:]
        // Both are started together, because valgrind needs time to load the program and there are two cores.
        let memory = try cases.contains(where: \.isFromMemory) ? start(LarderSetup(), origin) : nil
        defer { memory?.running.process.stop() }
        let disk = try cases.contains { !$0.isFromMemory } ? start(.onDisk, origin) : nil
        defer { disk?.running.process.stop() }
        for one in cases {
            guard let watched = one.isFromMemory ? memory : disk else { continue }
            costs[one] = try measure(one, watched)
            note("\(one.title): \(Figures.grouped(costs[one]?.instructions ?? 0)) instructions")
        }
        return costs
    }

    /// The instructions of one request of this case, with another setup than its own. Returns the median of three
    /// counts, since timers fall into each count.
    func instructions(_ one: HotPathCase, with setup: LarderSetup) throws(Failure) -> Double {
        let origin = try Server.origin(on: stand)
        defer { origin.process.stop() }
        let watched = try start(setup, origin)
        defer { watched.running.process.stop() }
        var counts = Sample()
        for _ in 0..<3 { counts.add(try measure(one, watched).instructions) }
        return counts.median ?? 0
    }

    private struct Watched {
        var running: MeasuredLarder
        var dumps: String
    }

    private func start(_ setup: LarderSetup, _ origin: Server) throws(Failure) -> Watched {
        var setup = setup
        let dumps = try stand.newDirectory("callgrind")
        setup.isPinned = false
        setup.binary = try withoutDebugInformation()
        // Without this variable the order of Swift's hash tables changes from process to process.
        setup.prefix = [
            "env", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--quiet", "--separate-threads=yes",
            "--callgrind-out-file=\(dumps)/out",
        ]
        return Watched(running: try .start(setup, on: stand, origin: origin.port, seconds: 120), dumps: dumps)
    }

    /// A copy of the daemon without its debug information; names of functions stay. valgrind 3.19 cannot read forms of
    /// DWARF 5 that clang writes. It then reads unrelated bytes as a line table. Some of them make it divide by zero.
    private func withoutDebugInformation() throws(Failure) -> String {
        let copy = stand.newFile("larder")
        let strip = try ChildProcess(
            "strip", ["strip", "--strip-debug", "-o", copy, stand.arguments.larder], core: nil, stand: stand)
        defer { strip.stop() }
        _ = try strip.finish(seconds: 60)
        return copy
    }

    private func measure(_ one: HotPathCase, _ watched: Watched) throws(Failure) -> RequestCost {
        let client = try ProbeClient(port: watched.running.port, patience: 60)
        var made = 0
        func ask(_ count: Int) throws(Failure) {
            for _ in 0..<count {
                let (bytes, path) = one.request(made, port: watched.running.port)
                let reply = try client.ask(bytes, path, hasBody: one != .head)
                if let fault = one.fault(reply, number: made, pool: pool) { throw .failed(one.title, fault) }
                made += 1
            }
        }
        try warmUp(one, client, watched.running.port)
        try ask(50)
        _ = try dump(watched)
        try ask(requests)
        let first = try dump(watched)
        try ask(2 * requests)
        return first.perRequest(until: try dump(watched), requests: requests, isOnOneThread: one.isHot)
    }

    /// Sends requests until the plain object comes from the tier that this case measures.
    private func warmUp(_ one: HotPathCase, _ client: ProbeClient, _ port: UInt16) throws(Failure) {
        for _ in 0..<200 {
            let reply = try client.get(HotPathCase.object.path, port: port)
            if ServerKind.larder.isHit(reply.fields) { return }
            try stand.signals.pause(milliseconds: 20)
        }
        throw .failed(one.title, "no hit in 200 requests")
    }

    /// The counts since the last dump. There is one file for each thread, and its name ends in the thread's number.
    private func dump(_ watched: Watched) throws(Failure) -> ThreadProfiles {
        let before = Set(Files.names(in: watched.dumps))
        let vgdb = try ChildProcess(
            "vgdb", ["vgdb", "--wait=5", "--pid=\(watched.running.process.pid)", "dump"], core: nil, stand: stand)
        defer { vgdb.stop() }
        _ = try vgdb.finish(seconds: 60)
        var profiles = ThreadProfiles()
        for name in Set(Files.names(in: watched.dumps)).subtracting(before) {
            guard let mark = name.lastIndex(of: "-") else { continue }
            profiles.threads[String(name[name.index(after: mark)...])] = CallgrindProfile(
                Files.text(of: "\(watched.dumps)/\(name)"))
        }
        guard !profiles.threads.isEmpty else { throw .failed("callgrind", "made no dump") }
        return profiles
    }

    /// Demangled names. `swift demangle` returns other names unchanged.
    func demangled(_ names: [String], isSimplified: Bool = false) throws(Failure) -> [String: String] {
        let file = stand.newFile("names")
        try Files.write(Bytes(text: names.joined(separator: "\n") + "\n"), to: file)
        let child = try ChildProcess(
            "demangle",
            ["sh", "-c", "exec swift demangle --compact \(isSimplified ? "--simplified" : "") <\"$1\"", "sh", file],
            core: nil, stand: stand)
        defer { child.stop() }
        let lines = try child.finish(seconds: 60).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= names.count else { throw .failed("swift demangle", "lost names") }
        return Dictionary(zip(names, lines.map(String.init)), uniquingKeysWith: { first, _ in first })
    }
}
