// state.db is never discarded for its age. Its steps are named, ordered and frozen once shipped. Each runs in its own
// transaction, which also records its name. A database with a step that this program does not know is from a later
// version: it is refused and not changed.
import CSQLite
import LarderCore

enum StateSchema {
    /// One step from an older schema to the next. Never edited after release.
    struct Migration {
        var name: String
        var sql: String
    }

    /// "Lrds".
    static let applicationID: Int64 = 0x4C72_6473

    static let migrations = [
        Migration(
            name: "0001-first",
            sql: """
                CREATE TABLE call (provider TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
                CREATE INDEX callProvider ON call (provider, at);
                CREATE INDEX callAt ON call (at);
                CREATE TABLE value (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE total (name TEXT PRIMARY KEY, amount INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                """),
        // Figures over time: slots by the name of their ring and their beginning, and the times in which the daemon
        // ran. Times are milliseconds since 1970.
        Migration(
            name: "0002-history",
            sql: """
                CREATE TABLE history (
                  ring TEXT NOT NULL, at INTEGER NOT NULL, figures BLOB NOT NULL, PRIMARY KEY (ring, at)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE run (began INTEGER PRIMARY KEY, ended INTEGER NOT NULL) STRICT;
                """),
    ]

    /// Opens the database and brings it up to date.
    static func open(_ path: String, migrations: [Migration] = Self.migrations) throws(StoreError) -> DatabaseConnection
    {
        let connection = try DatabaseConnection(path: path)
        do throws(StoreError) {
            try connection.useLog()
            // FULL: what was committed survives a power cut, since a reserved call must not be forgotten
            // (sqlite.org/pragma.html#pragma_synchronous).
            try connection.execute(
                """
                PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY;
                PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = \(1 << 20);
                """)
            try claim(connection)
            try migrate(connection, migrations)
            return connection
        } catch {
            connection.close(keepsLog: true)
            throw error
        }
    }

    /// Claims an empty file. Another program's database must not be changed.
    private static func claim(_ connection: DatabaseConnection) throws(StoreError) {
        let owner = try connection.number("PRAGMA application_id")
        if owner == applicationID { return }
        let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
        guard owner == 0, tables == 0 else {
            throw StoreError(
                SQLITE_CANTOPEN, "opening", "the file belongs to another program (application \(owner ?? 0))")
        }
        try connection.transaction { () throws(StoreError) in
            try connection.execute("CREATE TABLE migration (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
            try connection.execute("PRAGMA application_id = \(applicationID)")
        }
    }

    private static func migrate(_ connection: DatabaseConnection, _ migrations: [Migration]) throws(StoreError) {
        let done = Set(try connection.rows("SELECT name FROM migration") { $0.text(0) })
        let unknown = done.subtracting(migrations.map(\.name))
        guard unknown.isEmpty else {
            throw StoreError(
                SQLITE_CANTOPEN, "opening",
                "the database is from a later version (\(unknown.sorted().joined(separator: ", ")))")
        }
        for migration in migrations where !done.contains(migration.name) {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(migration.sql)
                try connection.run("INSERT INTO migration (name) VALUES (?1)", migration.name)
            }
        }
    }
}
