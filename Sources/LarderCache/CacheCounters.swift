// Defines the counters of this module as records.
import LarderCore

/// The counters of the memory tier.
public enum CacheCounters {
    public static let memoryBytes = MetricFamily(
        "larder_memory_bytes", .gauge, help: "Bytes that the memory tier uses.")
    public static let memoryBudget = MetricFamily(
        "larder_memory_budget_bytes", .gauge, help: "Bytes that the memory tier may use. 0 if it is off.")
    public static let memoryEntries = MetricFamily(
        "larder_memory_entries", .gauge,
        help: "Ready answers in the memory tier, including outdated ones not yet found."
    )
    public static let memoryInsertions = MetricFamily(
        "larder_memory_insertions_total", help: "Ready answers added to the memory tier.")
    public static let memoryEvictions = MetricFamily(
        "larder_memory_evictions_total", help: "Ready answers removed from the memory tier to make room.")
    public static let memoryExpirations = MetricFamily(
        "larder_memory_expirations_total", help: "Ready answers removed because they had become stale.")
    public static let memoryInvalidations = MetricFamily(
        "larder_memory_invalidations_total", help: "Ready answers removed because they had been invalidated.")
    public static let memoryRefusals = MetricFamily(
        "larder_memory_refusals_total", help: "Ready answers not added: stale, invalidated or too large.")
    public static let memoryDeferrals = MetricFamily(
        "larder_memory_deferrals_total",
        help: "Ready answers not added at their first request because the memory tier was full.")

    public static let all: [MetricFamily] = [
        memoryBytes, memoryBudget, memoryEntries, memoryInsertions, memoryEvictions, memoryExpirations,
        memoryInvalidations, memoryRefusals, memoryDeferrals,
    ]
}
