// The counters of the shared tier. Label values come from fixed sets.
import LarderCore

enum SharedCounters {
    static let lookups = MetricFamily(
        "larder_shared_lookups_total",
        help: "Look-ups in the shared tier, by result: hit, absent, a value that was not used (forged, unreadable, "
            + "otherKey, removed), notAsked (the breaker is open, or a removal waits), or failed.",
        labels: ["result"])
    static let published = MetricFamily(
        "larder_shared_published_total",
        help: "Answers for the shared tier, by result: done, failed, overtaken by a removal, dropped because too many "
            + "waited, or not shared because of what they are (personal, noStore, tooLarge, streamed, expired, "
            + "partial, unnamed).",
        labels: ["result"])
    static let leases = MetricFamily(
        "larder_shared_lease_waits_total",
        help:
            "Fetches that waited for another host's fetch (waited). Of these, the other fetch did not end in time "
            + "(lapsed) or had nothing to publish (settled).",
        labels: ["result"])
    static let removals = MetricFamily(
        "larder_shared_removals_total",
        help: "Removals sent to the shared tier: done, or waiting because they could not be sent at once.",
        labels: ["result"])
    static let heard = MetricFamily(
        "larder_shared_removals_heard_total",
        help:
            "Removals by other hosts that this host carried out (order), and gaps in which it may have missed some, so "
            + "that it validates what it has stored before it uses it (gap). Entries of the stream that are not of this "
            + "fleet and were passed over (foreign).",
        labels: ["result"])
    static let suspensions = MetricFamily(
        "larder_shared_suspensions_heard_total",
        help: "Suspensions of an API reported by another host, which this host has taken over: begun, or ended by a "
            + "person.", labels: ["result"])
    static let quota = MetricFamily(
        "larder_shared_calls_total",
        help:
            "Calls of budgets that the fleet shares: granted, or refused because none was left or the engine did not "
            + "answer (spent). Calls that waited for a new ledger count as waited too. Leases of calls that were taken "
            + "count as leased.",
        labels: ["result"])
    static let failures = MetricFamily(
        "larder_shared_failures_total", help: "Operations of the shared tier that failed, by kind of failure.",
        labels: ["class"])
    static let breaker = MetricFamily(
        "larder_shared_breaker_open", .gauge,
        help: "1 while the shared tier is not used after failures, else 0.")
    static let seconds = MetricFamily(
        "larder_shared_seconds", .histogram, help: "Duration of the operations of the shared tier.",
        labels: ["operation", "result"])
}
