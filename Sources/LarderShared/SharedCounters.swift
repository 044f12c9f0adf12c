// The counters of the shared tier. Label values come from fixed sets.
import LarderCore

enum SharedCounters {
    static let lookups = MetricFamily(
        "larder_shared_lookups_total",
        help: "Look-ups in the shared tier: hit, absent, a value that is no answer (forged, unreadable, otherKey, "
            + "removed), notAsked (the breaker is open, or a removal waits), or failed.",
        labels: ["result"])
    static let published = MetricFamily(
        "larder_shared_published_total",
        help: "Answers for the shared tier: done, failed, overtaken by a removal, dropped since too many waited, or "
            + "kept here for what they are (personal, noStore, tooLarge, streamed, expired, partial, unnamed).",
        labels: ["result"])
    static let leases = MetricFamily(
        "larder_shared_lease_waits_total",
        help:
            "Fetches that waited for another host's: waited, of these lapsed (it did not end in time) or settled (it had "
            + "nothing to publish).",
        labels: ["result"])
    static let removals = MetricFamily(
        "larder_shared_removals_total",
        help: "Removals told to the shared tier: done, or waiting since it could not be told at once.",
        labels: ["result"])
    static let heard = MetricFamily(
        "larder_shared_removals_heard_total",
        help:
            "Removals of other hosts that were carried out here: order, or gap where some may have been missed and all "
            + "that came from the shared tier was dropped.",
        labels: ["result"])
    static let suspensions = MetricFamily(
        "larder_shared_suspensions_heard_total",
        help: "Suspensions of an API of which another host told: begun, or ended by a person.", labels: ["result"])
    static let quota = MetricFamily(
        "larder_shared_calls_total",
        help:
            "Calls of budgets that the fleet shares: granted, spent (none was left, or the engine did not answer), and leases "
            + "taken (leased).",
        labels: ["result"])
    static let failures = MetricFamily(
        "larder_shared_failures_total", help: "Operations of the shared tier that failed, by what went wrong.",
        labels: ["class"])
    static let breaker = MetricFamily(
        "larder_shared_breaker_open", .gauge,
        help: "Whether the shared tier is left alone after failures: 0 no, 1 yes.")
    static let seconds = MetricFamily(
        "larder_shared_seconds", .histogram, help: "Time of an operation of the shared tier.",
        labels: ["operation", "result"])
}
