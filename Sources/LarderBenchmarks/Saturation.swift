// One round of wrk: as many requests as one core of load can make, over kept connections. wrk's report is checked, so a
// fast error page never becomes a figure.
import LarderCore

/// The result of a round of load.
struct SaturationRound {
    var requestsPerSecond: Double
    /// The share of its core that the server used, 0 to 1. If it is well below 1, the load was the limit and not the
    /// server.
    var serverBusy: Double
}

enum Saturation {
    /// Loads a server for one round.
    static func run(_ server: Server, _ size: BodySize, seconds: Int, stand: Stand) throws(Failure) -> SaturationRound {
        let arguments = stand.arguments
        let cpuBefore = ProcessTree.cpuSeconds(server.process.pid)
        let startedAt = monotonicNanoseconds()
        let wrk = try ChildProcess(
            "wrk",
            [
                "wrk", "-t1", "-c\(arguments.connections)", "-d\(seconds)s",
                "http://127.0.0.1:\(server.port)\(size.path)",
            ], core: arguments.loadCore, stand: stand)
        defer { wrk.stop() }
        let report = try wrk.finish(seconds: seconds + 15)
        let elapsed = Double(monotonicNanoseconds() - startedAt) / 1e9
        let cpu = ProcessTree.cpuSeconds(server.process.pid) - cpuBefore
        let rate = try rate(in: report, size, stage: "\(server.kind.title), \(size.title)")
        return SaturationRound(requestsPerSecond: rate, serverBusy: cpu / elapsed)
    }

    /// The rate in wrk's report. Throws if the report cannot be used.
    static func rate(in report: String, _ size: BodySize, stage: String) throws(Failure) -> Double {
        var rate: Double?
        var bytesPerRequest: Double?
        for line in report.split(separator: "\n").map(ASCII.trimmed) {
            if line.hasPrefix("Requests/sec:") {
                rate = Double(ASCII.trimmed(line.dropFirst("Requests/sec:".count)))
            } else if line.hasPrefix("Non-2xx") || line.hasPrefix("Socket errors") {
                throw .failed(stage, "wrk says \(line)")
            } else if line.hasSuffix("read"), line.contains("requests in") {
                let words = line.split(separator: " ")
                if words.count == 6, let requests = Double(words[0]), let bytes = binarySize(words[4]) {
                    bytesPerRequest = bytes / max(requests, 1)
                }
            }
        }
        guard let rate, rate > 0, let bytesPerRequest else { throw .failed(stage, "no rate in wrk's report") }
        // The last answers of a round may be cut off, so one percent may be missing.
        guard bytesPerRequest > Double(size.bytes) * 0.99 else {
            throw .failed(stage, "answers of \(Int(bytesPerRequest)) bytes on average")
        }
        return rate
    }

    /// Parses "123.45MB" in wrk's units, which are powers of 1024.
    private static func binarySize(_ text: Substring) -> Double? {
        let units = ["TB": 1_099_511_627_776.0, "GB": 1_073_741_824, "MB": 1_048_576, "KB": 1024]
        for (unit, factor) in units where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * factor }
        }
        return text.hasSuffix("B") ? Double(text.dropLast()) : nil
    }
}
