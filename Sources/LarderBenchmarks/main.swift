// Compares larder with other caches in one run on one machine (Benchmarks/README.md). Started by `make bench` or
// `scripts/bench`. With `--part` the program is one of its own pinned children.
import Glibc
import LarderCore

/// Runs the parts in order, and cleans up in any case.
enum Run {
    /// Returns the exit code of the program.
    static func main(_ words: [String]) -> Int32 {
        do throws(Failure) {
            if words.first == "--part" {
                try part(Array(words.dropFirst()))
            } else if words.first == "--hot-path" {
                try HotPathRun.main(Array(words.dropFirst()))
            } else if words.first == "--soak" {
                try soak(Array(words.dropFirst()))
            } else if words.contains("--help") || words.contains("-h") {
                print(Arguments.usage)
            } else {
                try whole(try Arguments(words))
            }
            return 0
        } catch {
            note(error.text)
            return error.exitCode
        }
    }

    private static func soak(_ words: [String]) throws(Failure) {
        if words.contains("--help") || words.contains("-h") { return print(SoakArguments.usage) }
        raiseDescriptorLimit()
        try SoakRun.main(words)
    }

    private static func whole(_ arguments: Arguments) throws(Failure) {
        #if DEBUG
        note("this is a debug build: its own figures mean nothing")
        #endif
        raiseDescriptorLimit()
        guard arguments.parts != [.latency] else { throw .usage("--only latency needs hits as well") }
        let signals = try Signals()
        let stand = try Stand(arguments, signals)
        defer { stand.remove() }
        var results = Results()
        results.loadAverage = String(Files.text(of: "/proc/loadavg").prefix { $0 != " " })
        if let load = Double(results.loadAverage), load > 0.5 {
            note("the load average is \(results.loadAverage): whatever else runs here disturbs the figures")
        }
        results.wrkVersion = try Machine.wrkVersion(stand)
        for kind in arguments.servers { results.versions[kind] = try Machine.version(kind, stand: stand) }
        let parts = Set(arguments.parts)
        if !parts.isDisjoint(with: [.hits, .latency, .misses, .micro]) { try measureServers(stand, parts, &results) }
        let hasLarder = arguments.servers.contains(.larder)
        if parts.contains(.misses), hasLarder { results.normalising = try NormalisingRun(stand: stand).measure() }
        if parts.contains(.collapse) { results.crowds = try CrowdRun(stand: stand).measure() }
        if parts.contains(.mixed) { results.mixed = try MixedRun(stand: stand).measure() }
        if parts.contains(.million), hasLarder { results.million = try MillionRun(stand: stand).measure() }
        if parts.contains(.eviction), hasLarder { results.eviction = try EvictionRun(stand: stand).measure() }
        if parts.contains(.kill), hasLarder { results.kills = try KillRun(stand: stand).measure() }
        if parts.contains(.large), hasLarder { results.large = try LargeRun(stand: stand).measure() }
        if parts.contains(.stalls), hasLarder { results.stalls = try StallRun(stand: stand).measure() }
        if parts.contains(.fleet), hasLarder { results.fleet = try SharedRun(stand: stand).measure() }
        let report = Report(stand: stand, results: results).text
        print(report, terminator: "")
        if let output = arguments.output { try Files.write(Bytes(text: report), to: output) }
    }

    /// Takes the measures that run in rounds over all servers at once.
    private static func measureServers(
        _ stand: Stand, _ parts: Set<Arguments.Part>, _ results: inout Results
    ) throws(Failure) {
        let origin = try Server.bareLoop(on: stand, isOrigin: true)
        defer { origin.process.stop() }
        var servers: [Server] = []
        defer { servers.reversed().forEach { $0.process.stop() } }
        for kind in stand.arguments.servers {
            let server = try kind.start(on: stand, origin: origin.port)
            servers.append(server)
            results.idleMemory[kind] = ProcessTree.memory(server.process.pid)
        }
        var rounds = Rounds(stand: stand, servers: servers, origin: origin, results: results)
        if parts.contains(.hits) { try rounds.measureHits() }
        if parts.contains(.latency) { try rounds.measureLatency() }
        if parts.contains(.misses) { try rounds.measureMisses() }
        if parts.contains(.micro) { try rounds.measureMicro() }
        results = rounds.results
    }

    /// A thousand connections need more descriptors than a shell's default limit. Children inherit the limit.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The work of a pinned child. It prints one result.
    private static func part(_ words: [String]) throws(Failure) {
        switch words.first {
        case "open-loop" where words.count == 6:
            guard let port = UInt16(words[1]), let rate = Double(words[3]), let seconds = Int(words[4]),
                let connections = Int(words[5]), rate > 0
            else { break }
            var loop = try OpenLoop(port: port, path: words[2], connections: connections)
            return print(try loop.run(rate: rate, seconds: seconds).line)
        case "misses" where words.count == 6:
            guard let port = UInt16(words[1]), let origin = UInt16(words[2]), let count = Int(words[5]) else { break }
            let round = try MissRound(
                port: port, origin: origin, path: words[3], originPath: words[4], count: count)
            return print(round.line)
        case "load": return try Load.part(words)
        case "crowd": return try CrowdRun.part(words)
        case "large": return try LargeRun.part(words)
        case "stalls": return try StallRound.part(words)
        case "micro" where words.count == 1:
            for result in Micro.measure() {
                print(([result.title] + result.nanoseconds.values.map { "\($0)" }).joined(separator: "\t"))
            }
            return
        default: break
        }
        throw .usage("--part is for the harness itself")
    }
}

exit(Run.main(Array(CommandLine.arguments.dropFirst())))
