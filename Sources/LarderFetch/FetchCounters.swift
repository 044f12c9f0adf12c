// The counters of the fetcher. Label values are configured providers, error stages and fixed words.
import LarderCore

/// The counter families of this room.
public enum FetchCounters {
    /// One per call of `fetch` or `open` that ended.
    public static let fetches = MetricFamily(
        "larder_fetches_total",
        help: "Fetches that ended, by outcome: answered, or the stage that failed.", labels: ["outcome"])
    /// The provider label of a transfer that belongs to no provider, such as one to a host of images.
    static let noProvider = "none"
    /// One for each stage of each transfer that ended. A transfer that was cut counts in the stage it had reached.
    public static let stages = MetricFamily(
        "larder_upstream_duration_seconds", .histogram,
        help:
            "Duration of the stages of transfers: name (look-up), connect, tls (handshake), answer (from the request "
            + "to the first byte), body (from the first byte to the last; a slow client can prolong it). With libcurl "
            + "7.88 a handshake that does not finish counts as connect.",
        labels: ["provider", "stage"])
    /// One per request sent, whatever its outcome.
    public static let requests = MetricFamily(
        "larder_fetch_requests_total", help: "Requests sent upstream, redirects and retries included.",
        labels: ["connection"])
    /// One per kept connection that was closed instead of used. libcurl 8 and later closes such connections itself,
    /// uncounted.
    public static let unfitConnections = MetricFamily(
        "larder_fetch_unfit_connections_total",
        help: "Idle connections closed instead of reused, because unexpected bytes had arrived on them.")
    /// One per retry.
    public static let retries = MetricFamily(
        "larder_fetch_retries_total", help: "Fetches that were tried a second time.")
    /// One per redirect followed.
    public static let redirects = MetricFamily(
        "larder_fetch_redirects_total", help: "Redirects that were followed.")
    /// Body bytes as received, without framing.
    public static let receivedBytes = MetricFamily(
        "larder_fetch_received_bytes_total", help: "Body bytes received from upstreams.")
    /// Transfers that hold a place now.
    public static let active = MetricFamily(
        "larder_fetch_active", .gauge, help: "Transfers under way.")
    /// Transfers that hold a client-paced place now.
    public static let paced = MetricFamily(
        "larder_fetch_paced", .gauge,
        help: "Transfers under way at a client's pace: uploads, and answers that are passed on as they arrive.")
    /// Fetches that wait for a place now.
    public static let waiting = MetricFamily(
        "larder_fetch_waiting", .gauge, help: "Fetches that wait for a place.")

    /// Fetches that waited and got a place.
    public static let waited = MetricFamily(
        "larder_fetch_waited_total", help: "Fetches that waited for a place and got it.")
    /// The total time that these fetches waited, counted in milliseconds.
    public static let waitedTime = MetricFamily(
        "larder_fetch_waited_seconds_total",
        help: "Seconds that the fetches of larder_fetch_waited_total waited, in all.", scale: 1000)
    /// Fetches that were not sent because they got no place.
    public static let unplaced = MetricFamily(
        "larder_fetch_refused_total",
        help: "Fetches that were not sent: the queue was full, they got no place in time (late), or all their clients "
            + "had ended their input (forsaken).",
        labels: ["reason"])

    /// Responses that were abandoned for lack of memory.
    public static let memoryRefusals = MetricFamily(
        "larder_fetch_memory_refusals_total",
        help: "Answers that were given up because fetch.maxMemory was used up.")
    /// Bytes of whole responses that are in use.
    public static let heldBytes = MetricFamily(
        "larder_fetch_held_bytes", .gauge,
        help: "Bytes of whole answers in memory, not counting answers of up to 64 KiB.")
}
