// All results of a run. The rounds fill it in, and the report reads it.

/// One server at one body size.
struct Cell: Hashable {
    var server: ServerKind
    var size: BodySize
}

/// Latency percentiles over the rounds, in microseconds.
struct LatencySamples {
    var p50 = Sample()
    var p99 = Sample()
    var p999 = Sample()
    var unanswered = 0
}

/// The figures of one run.
struct Results {
    var versions: [ServerKind: String] = [:]
    var wrkVersion = ""
    /// The load average of the minute before the run, as the kernel reports it.
    var loadAverage = ""
    /// Resident and anonymous memory in KiB, right after the start and before any request.
    var idleMemory: [ServerKind: (resident: Int, anonymous: Int)] = [:]
    /// Hits a second.
    var hits: [Cell: Sample] = [:]
    /// The share of its core that the server used meanwhile.
    var busy: [Cell: Sample] = [:]
    var latencyRates: [BodySize: Double] = [:]
    var latency: [Cell: LatencySamples] = [:]
    /// The time that a miss adds, in microseconds.
    var misses: [Cell: Sample] = [:]
    /// The time that a miss with normalising adds, in milliseconds.
    var normalising: Sample?
    var crowds: [ServerKind: CrowdFigures] = [:]
    var mixed: [ServerKind: MixedFigures] = [:]
    var million: MillionFigures?
    var eviction: EvictionFigures?
    var kills: KillFigures?
    var large: [LargeFigures] = []
    var stalls: [StallCause: StallFigures] = [:]
    var fleet: SharedFigures?
    var micro: [(title: String, nanoseconds: Sample)] = []
}
