// The counters of sessions and of provisional answers.
import LarderCore

/// The counters of sessions.
public enum TypingCounters {
    static let requests = MetricFamily(
        "larder_session_requests_total", help: "Requests with X-Larder-Session.")
    static let superseded = MetricFamily(
        "larder_superseded_total",
        help: "Requests answered with 409 because a newer request of their session replaced them.")
    static let sessions = MetricFamily("larder_sessions", .gauge, help: "Typing sessions that are remembered now.")
    static let forgotten = MetricFamily(
        "larder_sessions_forgotten_total", help: "Typing sessions forgotten early because there were too many.")
    static let debounced = MetricFamily(
        "larder_debounced_total",
        help: "Calls delayed by search.debounce: passed on, or spared because a newer request had come.",
        labels: ["result"])

    /// Provisional answers given.
    public static let provisional = MetricFamily(
        "larder_provisional_total",
        help: "Provisional answers, made from what was stored for a part of the search term."
    )
}
