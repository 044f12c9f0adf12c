// Defines the counters of this module as records.
import LarderCore

/// The counters of the memory tier.
public enum CacheCounters {
    public static let memoryBytes = MetricFamily(
        "larder_memory_bytes", .gauge, help: "Bytes charged to the memory tier's budget.")
    public static let memoryBudget = MetricFamily(
        "larder_memory_budget_bytes", .gauge, help: "Bytes the memory tier may use; 0 where it is off.")
    public static let memoryEntries = MetricFamily(
        "larder_memory_entries", .gauge, help: "Ready answers in the memory tier, outdated ones not yet found included."
    )
    public static let memoryInsertions = MetricFamily(
        "larder_memory_insertions_total", help: "Ready answers put into the memory tier.")
    public static let memoryEvictions = MetricFamily(
        "larder_memory_evictions_total", help: "Ready answers taken out of the memory tier to make room.")
    public static let memoryExpirations = MetricFamily(
        "larder_memory_expirations_total", help: "Ready answers found past their freshness and taken out.")
    public static let memoryInvalidations = MetricFamily(
        "larder_memory_invalidations_total", help: "Ready answers found invalidated and taken out.")
    public static let memoryRefusals = MetricFamily(
        "larder_memory_refusals_total", help: "Ready answers not taken: expired, invalidated, or too large.")
    public static let memoryDeferrals = MetricFamily(
        "larder_memory_deferrals_total",
        help: "Ready answers not taken yet: memory is full, and nobody had asked for them before.")

    public static let all: [MetricFamily] = [
        memoryBytes, memoryBudget, memoryEntries, memoryInsertions, memoryEvictions, memoryExpirations,
        memoryInvalidations, memoryRefusals, memoryDeferrals,
    ]
}
