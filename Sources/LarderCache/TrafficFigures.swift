// Counts what the daemon did in one slot of time. The same value holds the counters at one time: a slot is the
// difference between two readings.
import LarderCore

/// Counts of responses, calls, errors, bytes and durations.
public struct TrafficFigures: Sendable, Hashable {
    /// The word in `requests` for responses of 500 or above for which there was no outcome.
    public static let failed = "failed"

    /// The responses to clients, by outcome or `failed`.
    public var requests: [String: Int]
    /// The calls that were sent, by provider.
    public var upstream: [String: Int]
    /// The responses with a status of 500 or above.
    public var errors: Int
    /// The bytes sent to clients.
    public var bytes: Int
    /// The responses by duration: one count per bucket of `HistogramCell`, the last for longer ones. Not cumulative.
    public var durations: [Int]

    public init(
        requests: [String: Int] = [:], upstream: [String: Int] = [:], errors: Int = 0, bytes: Int = 0,
        durations: [Int] = []
    ) {
        self.requests = requests
        self.upstream = upstream
        self.errors = errors
        self.bytes = bytes
        self.durations = durations
    }

    /// Whether the slot is worth a write of its own. The few bytes of a watchdog's responses are not. A body that goes
    /// out slowly is.
    var isNews: Bool {
        errors != 0 || bytes >= 64 << 10 || requests.values.contains { $0 != 0 } || upstream.values.contains { $0 != 0 }
    }

    /// The counts since an earlier reading. Counters only grow, so a lower count was read earlier and adds nothing.
    public func since(_ earlier: TrafficFigures) -> TrafficFigures {
        func growth(_ now: [String: Int], _ before: [String: Int]) -> [String: Int] {
            var growth: [String: Int] = [:]
            for (name, count) in now {
                let old = before[name] ?? 0
                let more = count - old
                if more > 0 { growth[name] = more }
            }
            return growth
        }
        func growth(_ now: Int, _ before: Int) -> Int { max(0, now - before) }
        return TrafficFigures(
            requests: growth(requests, earlier.requests), upstream: growth(upstream, earlier.upstream),
            errors: growth(errors, earlier.errors), bytes: growth(bytes, earlier.bytes),
            durations: durations.indices.map { index in
                growth(durations[index], index < earlier.durations.count ? earlier.durations[index] : 0)
            })
    }

    /// Adds the counts of another slot.
    public mutating func add(_ other: TrafficFigures) {
        requests.merge(other.requests) { $0 &+ $1 }
        upstream.merge(other.upstream) { $0 &+ $1 }
        errors &+= other.errors
        bytes &+= other.bytes
        if durations.count < other.durations.count {
            durations += Array(repeating: 0, count: other.durations.count - durations.count)
        }
        for (index, count) in other.durations.enumerated() { durations[index] &+= count }
    }

    /// The duration in milliseconds that this fraction of the responses did not exceed. It is interpolated evenly
    /// within its bucket, like Prometheus' `histogram_quantile`. Durations above the last bound count as that bound.
    /// Nil if there are no responses.
    /// - Parameter part: from 0 to 1.
    public func percentile(_ part: Double) -> Double? {
        let count = durations.reduce(0, +)
        guard count > 0 else { return nil }
        let rank = min(max(part, 0), 1) * Double(count)
        var below = 0
        for (index, own) in durations.enumerated() where own > 0 {
            defer { below += own }
            guard Double(below + own) >= rank else { continue }
            let bounds = HistogramCell.bounds
            guard index < bounds.count else { break }
            let low = index == 0 ? 0 : Double(bounds[index - 1].microseconds)
            let high = Double(bounds[index].microseconds)
            return (low + (high - low) * (rank - Double(below)) / Double(own)) / 1000
        }
        return HistogramCell.bounds.last.map { Double($0.microseconds) / 1000 }
    }
}

// MARK: Stored form in the state database

extension TrafficFigures {
    /// A short JSON text. Buckets are written as pairs of number and count, without empty ones.
    public var encoded: Bytes {
        var writer = JSONWriter()
        func counts(_ name: String, _ counts: [String: Int]) {
            guard counts.values.contains(where: { $0 != 0 }) else { return }
            writer.name(name)
            writer.object { writer in
                for (name, count) in counts.sorted(by: { $0.key < $1.key }) where count != 0 {
                    writer.member(name, count)
                }
            }
        }
        writer.beginObject()
        counts("r", requests)
        counts("u", upstream)
        if errors != 0 { writer.member("e", errors) }
        if bytes != 0 { writer.member("b", bytes) }
        if durations.contains(where: { $0 != 0 }) {
            writer.name("d")
            writer.array { writer in
                for (index, count) in durations.enumerated() where count != 0 {
                    writer.integer(index)
                    writer.integer(count)
                }
            }
        }
        writer.endObject()
        return writer.bytes
    }

    /// Decodes the output of `encoded`. Returns nil for any other bytes.
    public init?(encoded: Bytes) {
        guard let value = try? JSON.parse(encoded), value.kind == .object else { return nil }
        func counts(_ name: String) -> [String: Int]? {
            var counts: [String: Int] = [:]
            for member in value[name]?.members.map({ $0 }) ?? [] {
                guard let count = member.value.integer, count >= 0 else { return nil }
                counts[member.name] = count
            }
            return counts
        }
        guard let requests = counts("r"), let upstream = counts("u") else { return nil }
        var durations: [Int] = []
        let pairs = value["d"]?.elements.map { $0.integer ?? -1 } ?? []
        guard pairs.count.isMultiple(of: 2) else { return nil }
        for place in stride(from: 0, to: pairs.count, by: 2) {
            let (index, count) = (pairs[place], pairs[place + 1])
            guard (0...HistogramCell.bounds.count).contains(index), count >= 0 else { return nil }
            if durations.count <= index { durations += Array(repeating: 0, count: index + 1 - durations.count) }
            durations[index] = count
        }
        self.init(
            requests: requests, upstream: upstream, errors: max(0, value["e"]?.integer ?? 0),
            bytes: max(0, value["b"]?.integer ?? 0), durations: durations)
    }
}
