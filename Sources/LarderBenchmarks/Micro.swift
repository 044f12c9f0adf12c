// Times small pure operations in isolation: the set-up is not measured, there is a warm-up and ten runs, and results
// are kept alive. These figures explain a figure of the whole; they have no goals of their own.
import LarderCore

/// One measured operation.
protocol MicroBenchmark {
    /// The name of the operation in the table.
    static var title: String { get }
    /// Makes the input. Not measured.
    init()
    /// Performs the operation once. The result is kept alive.
    mutating func run() -> Int
}

enum Micro {
    static var all: [any MicroBenchmark.Type] { [EncodeKey.self, FormatInstant.self] }
    static let runs = 10

    static func measure() -> [(title: String, nanoseconds: Sample)] {
        all.map { measure($0) }
    }

    private static func measure<Benchmark: MicroBenchmark>(_ type: Benchmark.Type) -> (
        title: String, nanoseconds: Sample
    ) {
        var benchmark = Benchmark()
        var kept = 0
        func time(_ repetitions: Int) -> Int64 {
            let start = monotonicNanoseconds()
            for _ in 0..<repetitions { kept &+= benchmark.run() }
            return monotonicNanoseconds() - start
        }
        // Warms up, and finds how many repetitions take about 20 ms.
        var repetitions = 64
        while time(repetitions) < 20_000_000, repetitions < 1 << 30 { repetitions *= 2 }
        let times = (0..<runs).map { _ in Double(time(repetitions)) / Double(repetitions) }
        keepAlive(kept)
        return (Benchmark.title, Sample(times))
    }

    /// Takes the results, so the compiler cannot remove the work.
    @inline(never)
    private static func keepAlive(_ value: Int) {
        if value == Int.min { print("") }
    }
}

/// Makes the key of a real search, from its parameters to the digest.
private struct EncodeKey: MicroBenchmark {
    static let title = "key of an iTunes search, with its digest"
    private let parameters = [
        KeyParameter("term", "jack johnson"), KeyParameter("media", "music"), KeyParameter("entity", "song"),
        KeyParameter("country", "US"), KeyParameter("limit", "50"),
    ]

    mutating func run() -> Int {
        CacheKey(layer: .normalised, provider: "itunes", endpoint: "search", parameters: parameters).bytes.count
    }
}

/// Formats an instant as the envelope shows it.
private struct FormatInstant: MicroBenchmark {
    static let title = "an instant as RFC 3339 text"
    private var time = WallTime(seconds: 1_795_000_000)

    mutating func run() -> Int {
        time.milliseconds += 1000
        return time.rfc3339.utf8.count
    }
}
