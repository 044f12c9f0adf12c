// What the store counts. One declaration feeds `/metrics`, `/v1/status` and the manual.
import LarderCore

public enum StoreCounters {
    public static let reads = MetricFamily(
        "larder_store_reads_total", help: "Look-ups in the cache database.", labels: ["result"])
    public static let keyMismatches = MetricFamily(
        "larder_store_key_mismatches_total",
        help: "Look-ups that found a row with the same digest but another key. They are misses.")
    public static let undecodable = MetricFamily(
        "larder_store_undecodable_total", help: "Look-ups whose row could not be decoded. They are misses.")
    public static let checksumErrors = MetricFamily(
        "larder_store_checksum_errors_total",
        help: "Damage in the cache database found by a checksum, by part. It is removed and is a miss.",
        labels: ["part"])
    public static let writes = MetricFamily(
        "larder_store_writes_total", help: "Entries offered to the store, by outcome.", labels: ["outcome"])
    public static let transactions = MetricFamily(
        "larder_store_transactions_total", help: "Committed write transactions of the cache database.")
    public static let evicted = MetricFamily(
        "larder_store_evicted_total", help: "Entries removed to make room, by reason.", labels: ["reason"]
    )
    public static let evictedBytes = MetricFamily(
        "larder_store_evicted_bytes_total", help: "Bytes of the database that evictions freed.")
    public static let purged = MetricFamily(
        "larder_store_purged_total", help: "Entries removed or expired by a purge.")
    public static let touches = MetricFamily(
        "larder_store_touches_total", help: "Uses of entries, by whether they were recorded for eviction.",
        labels: ["result"])
    public static let failures = MetricFamily(
        "larder_store_failures_total", help: "SQLite errors of the cache database, by kind.", labels: ["kind"])
    public static let setAside = MetricFamily(
        "larder_store_set_aside_total", help: "Databases that were damaged or foreign and were set aside.",
        labels: ["database"])
    public static let sweptFiles = MetricFamily(
        "larder_store_swept_files_total", help: "Body files that no row names, removed after a start.")
    public static let openBodies = MetricFamily(
        "larder_store_open_bodies", .gauge, help: "Open files of large bodies.")
    public static let refusedBodies = MetricFamily(
        "larder_store_refused_bodies_total",
        help: "Large bodies that could not be kept open or begun because too many files were open.")
    public static let vacuumedPages = MetricFamily(
        "larder_store_vacuumed_pages_total", help: "Free database pages returned to the file system.")
    public static let liveBytes = MetricFamily(
        "larder_store_live_bytes", .gauge,
        help: "Bytes that the cache uses: database pages that are not free, and files of large bodies.")
    public static let walBytes = MetricFamily(
        "larder_store_wal_bytes", .gauge, help: "Bytes of the cache database's write-ahead log.")
    public static let waiting = MetricFamily(
        "larder_store_waiting", .gauge, help: "Jobs waiting for a store thread.", labels: ["queue"])
    public static let indexed = MetricFamily(
        "larder_store_indexed_results_total", help: "Results added to the full-text index and removed from it.",
        labels: ["change"])
    public static let searches = MetricFamily(
        "larder_store_searches_total", help: "Full-text searches of the store, by result.",
        labels: ["result"])
    public static let removals = MetricFamily(
        "larder_store_removals_total",
        help:
            "Purges and invalidations, by where they were recorded when answered: database, mark or memory.",
        labels: ["kept"])
    public static let pendingRemovals = MetricFamily(
        "larder_store_pending_removals", .gauge,
        help: "Removals that are not yet written to the database. Look-ups already obey them.")
    public static let uncommitted = MetricFamily(
        "larder_store_uncommitted", .gauge, help: "Answers that count as stored and are not yet committed.")
    public static let accepted = MetricFamily(
        "larder_store_accepted_total",
        help: "Answers that counted as stored before their commit, by what became of the commit.", labels: ["commit"])
    public static let late = MetricFamily(
        "larder_store_late_total", help: "Requests that stopped waiting for the store, by what they waited for.",
        labels: ["what"])
    public static let leftAtClose = MetricFamily(
        "larder_store_left_at_close_total",
        help:
            "What the databases could not write when they were closed, because time ran out or a lock was held: "
            + "answers, uses, removals (the next start sets the database aside) and jobs of the state database.",
        labels: ["what"])
    public static let ready = MetricFamily(
        "larder_store_ready_total",
        help:
            "Look-ups by event loops of ready answers in the database: found, absent, cold (not in memory), overtaken "
            + "(a newer change is not yet written), failed.",
        labels: ["result"])
    public static let readyRows = MetricFamily(
        "larder_store_ready_rows_total", help: "Ready answers for the database, by whether they were written.",
        labels: ["result"])
    public static let readyLoops = MetricFamily(
        "larder_store_ready_loops", .gauge, help: "Event loops that read the database themselves.")
    public static let stateCommits = MetricFamily(
        "larder_state_commits_total", help: "Committed transactions of the state database.")

    public static let all: [MetricFamily] = [
        reads, keyMismatches, undecodable, checksumErrors, writes, transactions, evicted, evictedBytes,
        purged, touches, failures, setAside, sweptFiles, openBodies, refusedBodies, vacuumedPages, liveBytes, walBytes,
        waiting, indexed, searches, removals, pendingRemovals, uncommitted, accepted,
        late, leftAtClose, ready, readyRows, readyLoops, stateCommits,
    ]
}

/// The counter cells of one store, looked up once.
final class StoreMeters: Sendable {
    let found, foundAccepted, absent, readRefused, readFailed: CounterCell
    let keyMismatches, undecodable: CounterCell
    private let stored: CounterCell
    private let refused: [WriteRefusal: CounterCell]
    let transactions: CounterCell
    let evictedVersion, evictedExpired, evictedUnused, evictedBytes: CounterCell
    let purged: CounterCell
    let touchesWritten, touchesDropped: CounterCell
    let diskFull, inputOutput, damage, otherFailure: CounterCell
    let setAside: CounterCell
    let sweptFiles, bodiesRefused: CounterCell
    let vacuumedPages, liveBytes, walBytes: CounterCell
    let indexed, unindexed: CounterCell
    let removalsWritten, removalsMarked, removalsInMemory: CounterCell
    let committed, uncommitted, acceptedRemoved: CounterCell
    let lateWrites, lateReads, lateSearches, lateStretches: CounterCell
    let leftWrites, leftUses, leftRemovals: CounterCell
    let readyFound, readyAbsent, readyCold, readyOvertaken, readyFailed: CounterCell
    let readyWritten, readyDropped: CounterCell
    let searchesFound, searchesEmpty, searchesRefused, searchesFailed: CounterCell

    init(_ registry: CounterRegistry) {
        found = registry.cell(StoreCounters.reads, "found")
        foundAccepted = registry.cell(StoreCounters.reads, "accepted")
        absent = registry.cell(StoreCounters.reads, "absent")
        readRefused = registry.cell(StoreCounters.reads, "overloaded")
        readFailed = registry.cell(StoreCounters.reads, "failed")
        keyMismatches = registry.cell(StoreCounters.keyMismatches)
        undecodable = registry.cell(StoreCounters.undecodable)
        stored = registry.cell(StoreCounters.writes, "stored")
        refused = Dictionary(
            uniqueKeysWithValues: WriteRefusal.allCases.map { ($0, registry.cell(StoreCounters.writes, $0.rawValue)) })
        transactions = registry.cell(StoreCounters.transactions)
        evictedVersion = registry.cell(StoreCounters.evicted, "version")
        evictedExpired = registry.cell(StoreCounters.evicted, "expired")
        evictedUnused = registry.cell(StoreCounters.evicted, "unused")
        evictedBytes = registry.cell(StoreCounters.evictedBytes)
        purged = registry.cell(StoreCounters.purged)
        touchesWritten = registry.cell(StoreCounters.touches, "written")
        touchesDropped = registry.cell(StoreCounters.touches, "dropped")
        diskFull = registry.cell(StoreCounters.failures, "diskFull")
        inputOutput = registry.cell(StoreCounters.failures, "inputOutput")
        damage = registry.cell(StoreCounters.failures, "damage")
        otherFailure = registry.cell(StoreCounters.failures, "other")
        setAside = registry.cell(StoreCounters.setAside, "cache")
        sweptFiles = registry.cell(StoreCounters.sweptFiles)
        bodiesRefused = registry.cell(StoreCounters.refusedBodies)
        vacuumedPages = registry.cell(StoreCounters.vacuumedPages)
        liveBytes = registry.cell(StoreCounters.liveBytes)
        walBytes = registry.cell(StoreCounters.walBytes)
        indexed = registry.cell(StoreCounters.indexed, "added")
        unindexed = registry.cell(StoreCounters.indexed, "removed")
        removalsWritten = registry.cell(StoreCounters.removals, "database")
        removalsMarked = registry.cell(StoreCounters.removals, "mark")
        removalsInMemory = registry.cell(StoreCounters.removals, "memory")
        committed = registry.cell(StoreCounters.accepted, "done")
        uncommitted = registry.cell(StoreCounters.accepted, "failed")
        acceptedRemoved = registry.cell(StoreCounters.accepted, "removed")
        lateWrites = registry.cell(StoreCounters.late, "commit")
        lateReads = registry.cell(StoreCounters.late, "lookUp")
        lateSearches = registry.cell(StoreCounters.late, "search")
        lateStretches = registry.cell(StoreCounters.late, "body")
        leftWrites = registry.cell(StoreCounters.leftAtClose, "answer")
        leftUses = registry.cell(StoreCounters.leftAtClose, "use")
        leftRemovals = registry.cell(StoreCounters.leftAtClose, "removal")
        readyFound = registry.cell(StoreCounters.ready, "found")
        readyAbsent = registry.cell(StoreCounters.ready, "absent")
        readyCold = registry.cell(StoreCounters.ready, "cold")
        readyOvertaken = registry.cell(StoreCounters.ready, "overtaken")
        readyFailed = registry.cell(StoreCounters.ready, "failed")
        readyWritten = registry.cell(StoreCounters.readyRows, "written")
        readyDropped = registry.cell(StoreCounters.readyRows, "dropped")
        searchesFound = registry.cell(StoreCounters.searches, "found")
        searchesEmpty = registry.cell(StoreCounters.searches, "empty")
        searchesRefused = registry.cell(StoreCounters.searches, "overloaded")
        searchesFailed = registry.cell(StoreCounters.searches, "failed")
    }

    func count(_ outcome: WriteOutcome) {
        switch outcome {
        case .stored: stored.add()
        // Counted when the final outcome is known.
        case .pending, .accepted: break
        case .refused(let reason): refused[reason]?.add()
        }
    }
}
