// The command line. The defaults are the protocol of the published figures. `--quick` is for trying out changes.

/// What is measured, against which servers, and for how long.
struct Arguments {
    /// One part of a run.
    enum Part: String, CaseIterable {
        case hits, latency, misses, mixed, collapse, million, eviction, kill, large, stalls, fleet, micro
    }

    var servers: [ServerKind] = ServerKind.allCases
    var sizes: [BodySize] = BodySize.allCases
    var parts: [Part] = Part.allCases
    var rounds = 5
    var seconds = 4
    var connections = 64
    var serverCore = 0
    var loadCore = 1
    var larder = ".build/release/larder"
    var bareLoop = "Benchmarks/bareloop"
    var originProgram = "Benchmarks/origin"
    /// The library that is preloaded into larder in `stalls`.
    var preload = "Benchmarks/stalls.so"
    var templates = "Benchmarks"
    var output: String?
    /// The number of requests that `--hot-path` counts.
    var hits = 400
    var entries = 1_000_000
    var objects = 100_000
    var mixedRequests = 100_000
    var kills = 20
    var largeMebibytes = 1024
    /// How long the engine of `fleet` is away, in seconds.
    var outage = 60

    static let usage = """
        usage: scripts/bench [options]
          --quick               three rounds of one second instead of five of four, outages of five seconds
          --rounds N            rounds for each server and size (5)
          --seconds N           length of a round (4)
          --servers A,B         of nginx,nginx-copy,varnish,bareloop,larder,larder-sqlite (all)
          --sizes A,B           of 1,10,100: kilobytes of body (all)
          --only A,B            of hits,latency,misses,mixed,collapse,million,eviction,kill,large,stalls,fleet,micro
                                (all)
          --objects N           objects of the mixed workload (100000)
          --requests N          requests of one of its rounds (100000)
          --entries N           entries of `million` (1000000)
          --kills N             how often `kill` kills (20; the goal is 1000)
          --large N             size in MiB of the body of `large` (1024)
          --outage N            seconds that the engine of `fleet` is away each time (60)
          --connections N       connections of the load, at most 512 (64)
          --server-core N       the core each server is pinned to (0)
          --load-core N         the core of the load and the origin (1)
          --larder FILE         the daemon (.build/release/larder)
          --output FILE         also write the tables, in Markdown, to this file
        Latency is measured at half of the rate nginx reached in the same run, so it needs nginx and hits.
        """

    init(_ words: [String]) throws(Failure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--quick": (rounds, seconds, outage) = (3, 1, 5)
            case "--rounds": rounds = try Self.number(word, rest.popFirst(), 1...99)
            case "--seconds": seconds = try Self.number(word, rest.popFirst(), 1...60)
            case "--hits": hits = try Self.number(word, rest.popFirst(), 10...100_000)
            case "--objects": objects = try Self.number(word, rest.popFirst(), 100...10_000_000)
            case "--requests": mixedRequests = try Self.number(word, rest.popFirst(), 100...100_000_000)
            case "--entries": entries = try Self.number(word, rest.popFirst(), 2000...100_000_000)
            case "--kills": kills = try Self.number(word, rest.popFirst(), 1...100_000)
            case "--outage": outage = try Self.number(word, rest.popFirst(), 1...600)
            case "--large": largeMebibytes = try Self.number(word, rest.popFirst(), 1...1024)
            case "--connections": connections = try Self.number(word, rest.popFirst(), 1...512)
            case "--server-core": serverCore = try Self.number(word, rest.popFirst(), 0...1023)
            case "--load-core": loadCore = try Self.number(word, rest.popFirst(), 0...1023)
            case "--servers": servers = try Self.choices(word, rest.popFirst())
            case "--only": parts = try Self.choices(word, rest.popFirst())
            case "--sizes": sizes = try Self.choices(word, rest.popFirst())
            case "--larder": larder = try Self.text(word, rest.popFirst())
            case "--bareloop": bareLoop = try Self.text(word, rest.popFirst())
            case "--origin": originProgram = try Self.text(word, rest.popFirst())
            case "--preload": preload = try Self.text(word, rest.popFirst())
            case "--templates": templates = try Self.text(word, rest.popFirst())
            case "--output": output = try Self.text(word, rest.popFirst())
            default: throw .usage("unknown option \(word)\n\(Self.usage)")
            }
        }
    }

    static func text(_ option: String, _ value: String?) throws(Failure) -> String {
        guard let value, !value.isEmpty else { throw .usage("\(option) needs a value") }
        return value
    }

    static func number(_ option: String, _ value: String?, _ range: ClosedRange<Int>) throws(Failure) -> Int {
        guard let number = Int(try text(option, value)), range.contains(number) else {
            throw .usage("\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Parses a list of names. The result has the order of declaration, so tables always have the same order.
    private static func choices<Choice>(_ option: String, _ value: String?) throws(Failure) -> [Choice]
    where Choice: RawRepresentable<String> & CaseIterable & Equatable {
        var chosen: [Choice] = []
        for name in try text(option, value).split(separator: ",") {
            guard let choice = Choice(rawValue: String(name)) else {
                let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("\(option): \(name) is none of \(allowed)")
            }
            chosen.append(choice)
        }
        return Choice.allCases.filter(chosen.contains)
    }
}

/// The size of a measured body. The raw value is the option's value, in kilobytes.
enum BodySize: String, CaseIterable {
    case one = "1"
    case ten = "10"
    case hundred = "100"

    /// The exact size in bytes.
    var bytes: Int {
        switch self {
        case .one: 1024
        case .ten: 10_240
        case .hundred: 102_400
        }
    }

    var fileName: String { "\(rawValue)k" }
    var path: String { "/\(fileName)" }
    var title: String { "\(rawValue) KB" }
}
