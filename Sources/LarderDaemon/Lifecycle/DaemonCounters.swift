// The daemon's own counters. Labels come from the configuration and fixed sets only, never from a request.
import LarderCore

enum DaemonCounters {
    static let requests = MetricFamily(
        "larder_requests_total", help: "Requests answered by a route, without memory hits.",
        labels: ["route", "status"])
    static let failures = MetricFamily(
        "larder_failed_requests_total",
        help: "Requests answered with 500 or above by Larder itself, because neither the cache nor an upstream had an "
            + "answer. The daemon's own pages do not count.")
    static let memoryHits = MetricFamily(
        "larder_memory_hits_total", help: "Answers sent from the memory tier without leaving the event loop.",
        labels: ["provider"])
    static let mergedMemoryHits = MetricFamily(
        "larder_merged_memory_hits_total",
        help: "Answers merged from several sources and sent from the memory tier.")
    static let reloads = MetricFamily(
        "larder_reloads_total", help: "Reloads of the configuration, by result.", labels: ["result"])

    /// The label of a final status: its class, so the number of series is bounded. Any other status is sent as 500.
    static func statusClass(_ status: Int) -> String {
        switch status {
        case 101: "1xx"
        case 200..<300: "2xx"
        case 300..<400: "3xx"
        case 400..<500: "4xx"
        default: "5xx"
        }
    }
}
