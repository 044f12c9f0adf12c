// The counters of `LarderServer`, as records for the metrics page.
import LarderCore
import LarderIO

/// The counters of `LarderServer`.
public enum ServerCounters {
    public static let memoryHits = MetricFamily(
        "larder_server_memory_hits_total", help: "Requests answered from memory without leaving the loop.",
        labels: ["loop"])
    public static let requests = MetricFamily(
        "larder_server_requests_total",
        help: "Requests answered by a handler, by outcome. An asynchronous search counts "
            + "twice: its 202 as none, and its outcome when it ends.",
        labels: ["outcome"])
    public static let durations = MetricFamily(
        "larder_request_duration_seconds", .histogram,
        help:
            "Time from a request's head to its answer's head, for requests that a handler answered, by provider (none: "
            + "the daemon's own pages and merged answers) and outcome. Hits that a loop answers at once do not count.",
        labels: ["provider", "outcome"])
    public static let refusals = MetricFamily(
        "larder_server_refusals_total", help: "Requests refused before any look-up in the cache, by rule.",
        labels: ["reason"])
    public static let sentBytes = MetricFamily(
        "larder_server_sent_bytes_total",
        help: "Bytes written to clients, heads of answers included. Updated once a second.")
    public static let left = MetricFamily(
        "larder_server_clients_left_total", help: "Requests whose client left before the answer began.")
    public static let cuts = MetricFamily(
        "larder_server_streams_cut_total",
        help: "Streamed answers whose connection was closed before their end, by cause.", labels: ["cause"])
    public static let tunnels = MetricFamily(
        "larder_proxy_tunnels", .gauge, help: "Tunnels of the proxy open now.")
    public static let tunnelEndings = MetricFamily(
        "larder_proxy_tunnels_ended_total", help: "Tunnels of the proxy that ended, by cause.", labels: ["cause"])
    public static let tunnelBytes = MetricFamily(
        "larder_proxy_tunnel_bytes_total",
        help: "Bytes that passed through tunnels of the proxy, from the client (sent) and from the host (received).",
        labels: ["direction"])
    public static let tlsFailures = MetricFamily(
        "larder_proxy_tls_failures_total",
        help:
            "TLS connections with clients of the proxy that failed, such as those of clients that do not trust the CA.")
    public static let accepted = MetricFamily(
        "larder_server_connections_total", help: "Connections accepted.")
    public static let open = MetricFamily(
        "larder_server_connections", .gauge, help: "Connections open now.")
    public static let connectionsLimit = MetricFamily(
        "larder_server_connections_limit", .gauge,
        help: "Connections permitted: server.maxConnections, or fewer if the limit of open files is too low.")
    public static let timeouts = MetricFamily(
        "larder_server_timeouts_total", help: "Connections closed by a time limit, by what they waited for.",
        labels: ["wait"])
    public static let slow = MetricFamily(
        "larder_server_slow_clients_total",
        help: "Transfers ended because the client was slower than server.minimumRate: uploads, or answers.",
        labels: ["transfer"])
    public static let shed = MetricFamily(
        "larder_server_connections_shed_total",
        help: """
            Connections closed to make room near server.maxConnections: those idle for longest, then those whose \
            request has been incomplete for longest.
            """)
    public static let smallBuffers = MetricFamily(
        "larder_server_small_send_buffers_total",
        help: "Connections that got a small send buffer because more than 512 were open.")
    public static let pauses = MetricFamily(
        "larder_server_accept_pauses_total",
        help: "Times that Larder stopped accepting because connections or file descriptors had run out.",
        labels: ["reason"])
}
