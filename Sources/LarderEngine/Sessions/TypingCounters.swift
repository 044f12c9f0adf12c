// The counters of sessions and of provisional answers.
import LarderCore

/// The counters of sessions.
public enum TypingCounters {
    static let requests = MetricFamily(
        "larder_session_requests_total", help: "Requests that came with a session.")
    static let superseded = MetricFamily(
        "larder_superseded_total", help: "Requests answered 409 because a newer one of their session took their place.")
    static let sessions = MetricFamily("larder_sessions", .gauge, help: "Sessions that are remembered.")
    static let forgotten = MetricFamily(
        "larder_sessions_forgotten_total", help: "Sessions forgotten before their time because there were too many.")
    static let debounced = MetricFamily(
        "larder_debounced_total",
        help: "Calls held back for a moment: passed on, or spared because a newer request had come.",
        labels: ["result"])

    /// Provisional answers given.
    public static let provisional = MetricFamily(
        "larder_provisional_total", help: "Questions answered for a moment by what was stored for a part of their term."
    )
}
