// The figures that `larder top` reads from a daemon at one moment, and the rates between two moments. Values only.
import LarderCore

/// The figures of `/metrics` that are shown, at one moment.
struct TopSample: Sendable, Equatable {
    /// The time in seconds on a monotonic clock.
    var at: Double
    /// The number of requests that a loop answered at once.
    var loopHits = 0.0
    /// The number of requests that a handler answered, by outcome.
    var outcomes: [String: Double] = [:]
    /// The number of requests that a route answered with 5xx.
    var errors = 0.0
    /// The number of requests that a handler answered within a given number of seconds.
    var buckets: [Double: Double] = [:]
    /// The number of responses by provider, including those of the loops.
    var answers: [String: Double] = [:]

    init(at: Double) {
        self.at = at
    }

    /// Parses the Prometheus text format. Unknown series are ignored.
    init(_ text: String, at: Double) {
        self.init(at: at)
        for line in text.split(separator: "\n") where line.hasPrefix("larder_") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let series = line[..<space]
            let name = series.prefix { $0 != "{" }
            func label(_ name: String) -> String? { Self.label(name, in: series) }
            switch name {
            case "larder_server_memory_hits_total": loopHits += value
            case "larder_server_requests_total": outcomes[label("outcome") ?? "", default: 0] += value
            case "larder_requests_total" where label("status") == "5xx": errors += value
            // The daemon's own pages have the outcome "none". A response of several providers has a real outcome.
            case "larder_request_duration_seconds_bucket" where label("outcome") != "none":
                guard let bound = label("le").flatMap({ $0 == "+Inf" ? .infinity : Double($0) }) else { continue }
                buckets[bound, default: 0] += value
            case "larder_cache_total", "larder_memory_hits_total":
                answers[label("provider") ?? "", default: 0] += value
            default: break
            }
        }
    }

    private static func label(_ name: String, in series: Substring) -> String? {
        guard let start = series.firstRange(of: "\(name)=\"") else { return nil }
        return String(series[start.upperBound...].prefix { $0 != "\"" })
    }
}

/// The rates between two samples.
struct TopRates: Sendable, Equatable {
    var requests = 0.0
    var errors = 0.0
    /// The share of requests for cached content that needed no upstream call of their own; nil if there were none.
    var hitRatio: Double?
    /// The latency of requests that a handler answered, in milliseconds; nil if there were none.
    var percentiles: (p50: Double, p90: Double, p99: Double)?
    /// The responses per second, by provider.
    var answers: [String: Double] = [:]

    /// Makes rates of which nothing is known.
    init() {}

    /// Computes the rates. After a restart of the daemon its figures are smaller than before, and they count in full.
    init(_ old: TopSample, _ new: TopSample) {
        let seconds = max(0.001, new.at - old.at)
        func rise(_ old: Double, _ new: Double) -> Double { new < old ? new : new - old }
        let hits = rise(old.loopHits, new.loopHits)
        var outcomes: [String: Double] = [:]
        for (name, value) in new.outcomes { outcomes[name] = rise(old.outcomes[name] ?? 0, value) }
        requests = (hits + outcomes.values.reduce(0, +)) / seconds
        errors = rise(old.errors, new.errors) / seconds
        let helped = hits + ["hit", "stale", "negative", "joined"].reduce(0) { $0 + (outcomes[$1] ?? 0) }
        let all = hits + outcomes.filter { $0.key != "none" }.values.reduce(0, +)
        hitRatio = all > 0 ? helped / all : nil
        var buckets: [(bound: Double, count: Double)] = []
        for (bound, value) in new.buckets.sorted(by: { $0.key < $1.key }) {
            buckets.append((bound, rise(old.buckets[bound] ?? 0, value)))
        }
        if let all = buckets.last?.count, all > 0 {
            func quantile(_ part: Double) -> Double { 1000 * Self.quantile(part, buckets) }
            percentiles = (quantile(0.5), quantile(0.9), quantile(0.99))
        }
        for (name, value) in new.answers { answers[name] = rise(old.answers[name] ?? 0, value) / seconds }
    }

    /// A quantile as Prometheus computes it (histogram_quantile): linear within a bucket; in the last, its lower bound.
    static func quantile(_ part: Double, _ buckets: [(bound: Double, count: Double)]) -> Double {
        let rank = part * (buckets.last?.count ?? 0)
        var below = (bound: 0.0, count: 0.0)
        for bucket in buckets {
            if bucket.count >= rank, bucket.count > below.count {
                guard bucket.bound.isFinite else { return below.bound }
                return below.bound + (bucket.bound - below.bound) * (rank - below.count) / (bucket.count - below.count)
            }
            below = bucket
        }
        return below.bound
    }

    static func == (left: TopRates, right: TopRates) -> Bool {
        left.requests == right.requests && left.errors == right.errors && left.hitRatio == right.hitRatio
            && left.answers == right.answers && left.percentiles?.p50 == right.percentiles?.p50
            && left.percentiles?.p90 == right.percentiles?.p90 && left.percentiles?.p99 == right.percentiles?.p99
    }
}
