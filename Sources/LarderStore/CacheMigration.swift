// The steps from an older cache.db to the present one. Steps are named, ordered and frozen once shipped, as those of
// state.db. Each runs in its own transaction, which also records its name. The time of a step must not grow with the
// number of entries: a step changes the schema, and rows are brought up to date when they are written or scrubbed.
//
// New columns come at the end of a table. In older rows they read as NULL, or as their default. `ALTER TABLE … ADD
// COLUMN` of a STRICT table checks every row (sqlite.org/lang_altertable.html#altertabaddcol). So a step writes the
// text of the table itself, as section 7 of that page describes.
//
// The record also holds a checksum of the schema as SQLite keeps it, texts and root pages. A flipped bit of the schema
// makes statements fail or read another table, which no checksum of a row can tell.
import CSQLite
import LarderCore

enum CacheMigration {
    /// One step from an older schema to the next. Never edited after release.
    struct Step {
        var name: String
        /// The schema version that the step starts from.
        var from: Int64
        /// SQL that runs first.
        var sql: String
        /// New texts of tables, by name.
        var texts: [(table: String, sql: String)]
    }

    /// The oldest version that a step starts from.
    static let oldest: Int64 = 4

    static let checksums = "0005-checksums"
    static let countedBodies = "0009-counted-bodies"
    /// The first version whose record holds a checksum of the schema.
    private static let firstWithSum: Int64 = 5

    static let table = """

        CREATE TABLE step (name TEXT PRIMARY KEY, lastID INTEGER NOT NULL, schemaSum INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
        """

    /// The count of commits lies in the row that a commit with a large body changes anyway. It begins with 0: no commit
    /// was counted before.
    static let commits = "ALTER TABLE bodies ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;"

    static let steps = [
        Step(
            name: checksums, from: 4,
            sql: """
                CREATE TABLE step (name TEXT PRIMARY KEY, lastID INTEGER NOT NULL, schemaSum INTEGER NOT NULL)
                STRICT, WITHOUT ROWID;
                """,
            texts: [
                (
                    "life",
                    """
                    CREATE TABLE life (
                      id INTEGER PRIMARY KEY, version INTEGER NOT NULL, freshUntil INTEGER NOT NULL,
                      staleUntil INTEGER NOT NULL, lastUsed INTEGER NOT NULL,
                      format INTEGER NOT NULL DEFAULT 0, sums INTEGER, sum INTEGER
                    ) STRICT
                    """
                ),
                ("chunk", "CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL, sum INTEGER) STRICT"),
                (
                    "result",
                    """
                    CREATE TABLE result (
                      id INTEGER PRIMARY KEY, place INTEGER NOT NULL, length INTEGER NOT NULL, name INTEGER NOT NULL,
                      kind TEXT NOT NULL, title TEXT NOT NULL, creator TEXT NOT NULL, collection TEXT NOT NULL,
                      summary TEXT NOT NULL, sum INTEGER
                    ) STRICT
                    """
                ),
            ]),
        Step(name: "0006-ready", from: 5, sql: ReadyTable.sql, texts: []),
        Step(name: "0007-files", from: 6, sql: BodyTable.withoutPieces + "\n" + BodyTable.sql, texts: []),
        Step(name: "0008-commits", from: 7, sql: commits, texts: []),
        Step(name: countedBodies, from: 8, sql: BodyTable.withoutCounting, texts: []),
    ]

    /// Brings the schema up to date and checks it against its record. Returns true if a step was taken: then the
    /// connection must be opened anew.
    static func run(_ connection: DatabaseConnection) throws(StoreError) -> Bool {
        let found = try connection.number("PRAGMA user_version") ?? 0
        let due = steps.filter { $0.from >= found }
        // Checked before a step too: the step would record a damaged schema as right.
        if found >= firstWithSum, !due.isEmpty { try check(connection) }
        for step in due { try take(step, connection) }
        guard due.isEmpty else { return true }
        try check(connection)
        return false
    }

    static func take(_ step: Step, _ connection: DatabaseConnection) throws(StoreError) {
        // Only this step may write to the schema.
        larder_db_config_int(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nil)
        defer { larder_db_config_int(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nil) }
        let last = try connection.number("SELECT max(id) FROM entry") ?? 0
        let cookie = try connection.number("PRAGMA schema_version") ?? 0
        try connection.transaction { () throws(StoreError) in
            try connection.execute(step.sql)
            try connection.execute("PRAGMA writable_schema = ON")
            for (table, sql) in step.texts {
                let text = try connection.statement(
                    "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1")
                text.bind(1, table)
                text.bind(2, sql)
                try text.run()
            }
            try record(connection, [step.name], lastID: last)
            try connection.execute(
                """
                PRAGMA writable_schema = OFF; PRAGMA user_version = \(step.from + 1);
                PRAGMA schema_version = \(cookie + 2);
                """)
        }
    }

    /// Records steps as taken, with the last entry from before and the checksum of the present schema.
    static func record(_ connection: DatabaseConnection, _ names: [String], lastID: Int64) throws(StoreError) {
        let sum = try schemaSum(connection)
        for name in names {
            let row = try connection.statement("INSERT INTO step (name, lastID, schemaSum) VALUES (?1, ?2, ?3)")
            row.bind(1, name)
            row.bind(2, lastID)
            row.bind(3, sum)
            try row.run()
        }
    }

    /// Records the present schema, after the part of a step that was left for later.
    static func recordSchema(_ connection: DatabaseConnection) throws(StoreError) {
        let row = try connection.statement(
            "UPDATE step SET schemaSum = ?1 WHERE name = (SELECT name FROM step ORDER BY name DESC LIMIT 1)")
        row.bind(1, try schemaSum(connection))
        try row.run()
    }

    private static func check(_ connection: DatabaseConnection) throws(StoreError) {
        let recorded = try connection.number("SELECT schemaSum FROM step ORDER BY name DESC LIMIT 1")
        guard try recorded == schemaSum(connection) else {
            throw StoreError(
                code: SQLITE_CORRUPT, extendedCode: SQLITE_CORRUPT, doing: "opening",
                message: "the schema was changed by another program")
        }
    }

    private static func schemaSum(_ connection: DatabaseConnection) throws(StoreError) -> Int64 {
        let rows = try connection.statement(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid")
        defer { rows.reset() }
        var sum = Checksum()
        while try rows.step() {
            for column: Int32 in [0, 1, 2, 4] { sum.add(measured: rows.raw(column)) }
            sum.add(rows.int(3))
        }
        return Int64(sum.value)
    }

    /// The last entry that may lack checksums, since it is from before them; 0 if all entries have them.
    static func lastWithoutSum(_ connection: DatabaseConnection) throws(StoreError) -> Int64 {
        try last(before: checksums, connection)
    }

    /// The last entry from before a step; 0 if there was none.
    static func last(before step: String, _ connection: DatabaseConnection) throws(StoreError) -> Int64 {
        let row = try connection.statement("SELECT lastID FROM step WHERE name = ?1")
        defer { row.reset() }
        row.bind(1, step)
        return try row.step() ? row.int(0) : 0
    }
}
