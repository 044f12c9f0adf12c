// What `/metrics` reports about each provider's current state: its budgets, its suspension and its reachability.
import LarderCore
import LarderEngine

enum ProviderMetrics {
    static let limit = MetricFamily(
        "larder_budget_limit_calls", .gauge, help: "Calls that a limit permits in its window.",
        labels: ["provider", "limit"])
    static let left = MetricFamily(
        "larder_budget_left_calls", .gauge, help: "Calls that a limit still permits now.",
        labels: ["provider", "limit"])
    static let reset = MetricFamily(
        "larder_budget_reset_timestamp_seconds", .gauge,
        help: "Time at which all calls of a limit are available again. No series: they are available now.",
        labels: ["provider", "limit"])
    static let suspended = MetricFamily(
        "larder_provider_suspended", .gauge,
        help: "1 while a provider is suspended after failures and is not called, else 0.",
        labels: ["provider"])
    static let suspendedUntil = MetricFamily(
        "larder_provider_suspended_until_timestamp_seconds", .gauge,
        help: "Time at which the suspension ends. No series: not suspended.", labels: ["provider"])
    static let reachable = MetricFamily(
        "larder_provider_reachable", .gauge,
        help: "1 if the last call reached the provider, 0 if it did not. No series: it was not called yet.",
        labels: ["provider"])
    static let lastSuccess = MetricFamily(
        "larder_provider_last_success_timestamp_seconds", .gauge,
        help: "Time of the last answered call since the daemon's start.", labels: ["provider"])

    /// One series of a metric family.
    struct Sample {
        var family: MetricFamily
        var labels: [String]
        var value: Double
    }

    /// The samples of all providers, grouped by family.
    static func samples(_ reports: [(provider: String, lane: LaneReport)]) -> [Sample] {
        var samples: [Sample] = []
        func add(_ family: MetricFamily, _ values: (String, LaneReport) -> [(labels: [String], value: Double?)]) {
            for (provider, lane) in reports {
                for (labels, value) in values(provider, lane) {
                    guard let value else { continue }
                    samples.append(Sample(family: family, labels: [provider] + labels, value: value))
                }
            }
        }
        add(limit) { _, lane in lane.limits.map { ([$0.name], $0.limit.map(Double.init)) } }
        add(left) { _, lane in lane.limits.map { ([$0.name], Double($0.left)) } }
        add(reset) { _, lane in lane.limits.map { ([$0.name], $0.resetsAt?.secondsOfEpoch) } }
        add(suspended) { _, lane in [([], lane.suspension == nil ? 0 : 1)] }
        add(suspendedUntil) { _, lane in [([], lane.suspension?.until.secondsOfEpoch)] }
        add(reachable) { _, lane in [([], lane.reachability.isReachable.map { $0 ? 1 : 0 })] }
        add(lastSuccess) { _, lane in [([], lane.reachability.lastSuccess?.secondsOfEpoch)] }
        return samples
    }
}

extension LaneReport {
    /// The configured limits, and those that the API itself reports (named `credits` and the API's own name).
    fileprivate var limits: [(name: String, limit: Int?, left: Int, resetsAt: WallTime?)] {
        let own = [("rate", rate), ("quota", quota)].compactMap { name, report in
            report.map { (name, Int?($0.limit.calls), $0.remaining, $0.resetsAt) }
        }
        return own + credits.map { ("credits " + $0.name, $0.limit, $0.remaining, $0.resetsAt) }
    }
}

extension WallTime {
    fileprivate var secondsOfEpoch: Double { Double(milliseconds) / 1000 }
}
