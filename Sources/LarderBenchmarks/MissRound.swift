// Measures what a miss costs beyond the fetch itself. The same body is requested through the cache under a new name and
// directly from the origin, alternately, on kept connections. The query makes the names, and the origin ignores it.
import LarderCore

/// The medians of one round, in nanoseconds.
struct MissRound {
    var direct: Int64
    var through: Int64

    /// The line in which the pinned child passes this to its parent.
    var line: String { "misses \(direct) \(through)" }

    init?(line: String) {
        let numbers = line.split(whereSeparator: { $0 == " " || $0 == "\n" }).dropFirst().compactMap { Int64($0) }
        guard line.hasPrefix("misses "), numbers.count == 2 else { return nil }
        (direct, through) = (numbers[0], numbers[1])
    }

    /// Sends this many requests on each way, alternately. A number after each path makes its name new.
    init(port: UInt16, origin: UInt16, path: String, originPath: String, count: Int) throws(Failure) {
        let cache = try ProbeClient(port: port)
        let source = try ProbeClient(port: origin)
        var direct: [Int64] = []
        var through: [Int64] = []
        for number in 0..<count {
            direct.append(try Self.time(source, "\(originPath)\(number)", origin))
            through.append(try Self.time(cache, "\(path)\(number)", port))
        }
        // The first tenth opens connections and warms caches, and is not counted.
        self.direct = percentile(0.5, of: direct.dropFirst(count / 10).sorted()) ?? 0
        self.through = percentile(0.5, of: through.dropFirst(count / 10).sorted()) ?? 0
    }

    private static func time(_ client: ProbeClient, _ path: String, _ port: UInt16) throws(Failure) -> Int64 {
        let start = monotonicNanoseconds()
        let reply = try client.get(path, port: port)
        let end = monotonicNanoseconds()
        guard reply.status == 200 else { throw .failed(path, "status \(reply.status)") }
        return end - start
    }
}
