// Figures over time in the state database. The figures of a slot are opaque bytes here. Each write bounds the tables:
// of a ring only the slots within its time stay, of the runs only the newest.
import LarderCore

/// One slot of a ring.
public struct HistoryRow: Sendable, Hashable {
    /// The name of the ring.
    public var ring: String
    /// The slot's beginning.
    public var at: WallTime
    public var figures: Bytes

    public init(ring: String, at: WallTime, figures: Bytes) {
        self.ring = ring
        self.at = at
        self.figures = figures
    }
}

/// A period in which the daemon ran.
public struct HistoryRun: Sendable, Hashable {
    public var began: WallTime
    public var ended: WallTime

    public init(began: WallTime, ended: WallTime) {
        self.began = began
        self.ended = ended
    }
}

/// Which rows of the tables stay.
public struct HistoryBounds: Sendable, Hashable {
    /// The oldest slot that stays, by ring. A ring that is not named loses all its slots.
    public var oldest: [String: WallTime]
    /// The newest instant that stays. Later slots and runs are dated by a clock that has been set back since.
    public var newest: WallTime
    /// How many runs stay.
    public var runs: Int

    public init(oldest: [String: WallTime], newest: WallTime, runs: Int) {
        self.oldest = oldest
        self.newest = newest
        self.runs = runs
    }
}

extension StateStore {
    /// All slots and runs.
    public func history() async throws(StoreError) -> (rows: [HistoryRow], runs: [HistoryRun]) {
        try await perform { (connection) throws(StoreError) in
            let rows = try connection.rows("SELECT ring, at, figures FROM history ORDER BY ring, at") {
                HistoryRow(ring: $0.text(0), at: WallTime(milliseconds: $0.int(1)), figures: $0.bytes(2))
            }
            let runs = try connection.rows("SELECT began, ended FROM run ORDER BY began") {
                HistoryRun(began: WallTime(milliseconds: $0.int(0)), ended: WallTime(milliseconds: $0.int(1)))
            }
            return (rows, runs)
        }
    }

    /// Writes slots and runs, replacing those of the same beginning, and removes what is out of bounds, in one
    /// transaction.
    /// - Throws: if it could not be written; nothing has changed then.
    public func writeHistory(
        _ rows: [HistoryRow], runs: [HistoryRun], within bounds: HistoryBounds
    ) async throws(StoreError) {
        try await perform { (connection) throws(StoreError) in
            for row in rows {
                try connection.run(
                    "INSERT OR REPLACE INTO history (ring, at, figures) VALUES (?1, ?2, ?3)", row.ring,
                    row.at.milliseconds, row.figures)
            }
            for run in runs {
                try connection.run(
                    "INSERT OR REPLACE INTO run (began, ended) VALUES (?1, ?2)", run.began.milliseconds,
                    run.ended.milliseconds)
            }
            try Self.bound(connection, bounds)
        }
    }

    private static func bound(_ connection: DatabaseConnection, _ bounds: HistoryBounds) throws(StoreError) {
        let newest = bounds.newest.milliseconds
        for (ring, oldest) in bounds.oldest {
            try connection.run(
                "DELETE FROM history WHERE ring = ?1 AND (at < ?2 OR at > ?3)", ring, oldest.milliseconds, newest)
        }
        try connection.run(
            "DELETE FROM history WHERE instr(?1, ',' || ring || ',') = 0",
            "," + bounds.oldest.keys.sorted().joined(separator: ",") + ",")
        try connection.run("DELETE FROM run WHERE began > ?1", newest)
        try connection.run(
            "DELETE FROM run WHERE began NOT IN (SELECT began FROM run ORDER BY began DESC LIMIT ?1)",
            Int64(bounds.runs))
    }
}
