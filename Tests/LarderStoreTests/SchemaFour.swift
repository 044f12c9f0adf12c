// cache.db as version 4 of its schema laid it out and filled it, for tests of the upgrade. The text is frozen like the
// upgrade steps: it is that of the last program with this schema, and so is the head in `oldHead`.
import LarderCore

@testable import LarderStore

enum SchemaFour {
    static let tables = """
        CREATE TABLE provider (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
          entries INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, provider INTEGER NOT NULL, size INTEGER NOT NULL,
          key BLOB NOT NULL, label TEXT NOT NULL, head BLOB NOT NULL, body BLOB
        ) STRICT;
        CREATE TABLE life (
          id INTEGER PRIMARY KEY, version INTEGER NOT NULL, freshUntil INTEGER NOT NULL,
          staleUntil INTEGER NOT NULL, lastUsed INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX lifeEnd ON life (version, staleUntil);
        CREATE INDEX lifeUse ON life (lastUsed);
        CREATE TABLE chunk (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
        CREATE TABLE pending (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE parent (
          digest BLOB NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (digest, child)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX parentChild ON parent (child);
        CREATE TRIGGER entryGone AFTER DELETE ON entry BEGIN
          UPDATE provider SET entries = entries - 1, bytes = bytes - OLD.size
          WHERE id = OLD.provider AND counted >= OLD.id;
          DELETE FROM life WHERE id = OLD.id;
          DELETE FROM parent WHERE child = OLD.id;
        END;
        CREATE TRIGGER bodyGone AFTER DELETE ON entry WHEN OLD.size > 65536 AND OLD.size <= 262144 BEGIN
          DELETE FROM chunk WHERE id BETWEEN OLD.id << 20 AND (OLD.id << 20) + 1048575;
        END;
        CREATE TRIGGER largeBodyGone AFTER DELETE ON entry WHEN OLD.size > 262144 BEGIN
          INSERT OR IGNORE INTO pending (id) VALUES (OLD.id);
        END;
        CREATE TABLE result (
          id INTEGER PRIMARY KEY, place INTEGER NOT NULL, length INTEGER NOT NULL, name INTEGER NOT NULL,
          kind TEXT NOT NULL, title TEXT NOT NULL, creator TEXT NOT NULL, collection TEXT NOT NULL,
          summary TEXT NOT NULL
        ) STRICT;
        CREATE VIRTUAL TABLE found USING fts5(
          title, creator, collection, summary, content='result', content_rowid='id',
          tokenize='unicode61 remove_diacritics 2'
        );
        CREATE TABLE unindexed (id INTEGER PRIMARY KEY) STRICT;
        CREATE TRIGGER resultsGone AFTER DELETE ON entry WHEN OLD.size > 2 AND substr(OLD.key, 2, 1) = x'02' BEGIN
          INSERT OR IGNORE INTO unindexed (id) VALUES (OLD.id);
        END;
        """

    /// The head of `oldEntry`, as that program encoded it.
    static let oldHead =
        "010100960380b7e884e368f4bae884e368b81704066974756e6573067365617263680446696e6501e47125968b3b71049fbc"
        + "4802d1e40a71ea1359decfabacf70b34588037d4ff0c020c436f6e74656e742d54797065106170706c69636174696f6e2f6a"
        + "736f6e05582d4f646402c3a9"

    /// An entry whose head is kept above as bytes.
    static var oldEntry: StoredResponse {
        let then = WallTime(seconds: 1_799_999_000)
        return StoredResponse(
            key: CacheKey(
                layer: .raw, provider: "itunes", endpoint: "search", parameters: [KeyParameter("term", "old")]),
            layer: .raw, provider: "itunes", endpoint: "search", status: 203, reason: "Fine",
            fields: ["Content-Type": "application/json", "X-Odd": "\u{e9}"], body: Bytes(text: "{\"old\":true}"),
            requestTime: then, responseTime: then + .milliseconds(250), initialAge: 1500,
            freshUntil: then + .seconds(3600), staleUntil: then + .seconds(86_400),
            parents: [Digest(of: Bytes(text: "parent"))], normaliserVersion: 2, label: "itunes search term=old")
    }

    /// Makes a database of version 4 with these entries, as that program wrote them.
    static func make(_ path: String, _ entries: [StoredResponse], now: WallTime) throws {
        let connection = try DatabaseConnection(path: path)
        defer { connection.close() }
        try connection.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")
        try connection.execute(tables)
        try connection.execute("PRAGMA user_version = 4; PRAGMA application_id = \(0x4C72_6472)")
        try connection.execute("INSERT INTO provider (id, name, counted) VALUES (1, 'itunes', 0)")
        for (number, entry) in entries.enumerated() {
            try write(entry, as: Int64(number) * 3 + 1, now: now, connection)
        }
    }

    private static func write(
        _ entry: StoredResponse, as id: Int64, now: WallTime, _ connection: DatabaseConnection
    ) throws {
        let isLarge = entry.body.count > 65_536
        let row = try connection.statement(
            """
            INSERT INTO entry (id, digest, provider, size, key, label, head, body)
            VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7)
            """)
        row.bind(1, id)
        row.bind(2, entry.key.digest)
        row.bind(3, Int64(entry.body.count))
        row.bind(4, entry.key.bytes)
        row.bind(5, entry.label)
        row.bind(6, EntryCodec.encode(entry))
        if isLarge { row.bindNull(7) } else { row.bind(7, entry.body) }
        try row.run()
        if entry.key == oldEntry.key {
            try connection.execute("UPDATE entry SET head = X'\(oldHead)' WHERE id = \(id)")
        }
        for (place, start) in stride(from: 0, to: isLarge ? entry.body.count : 0, by: 65_536).enumerated() {
            let piece = try connection.statement("INSERT INTO chunk (id, data) VALUES (?1, ?2)")
            piece.bind(1, id << 20 + Int64(place))
            piece.bind(2, Bytes(entry.body[start..<min(start + 65_536, entry.body.count)]))
            try piece.run()
        }
        let life = try connection.statement(
            "INSERT INTO life (id, version, freshUntil, staleUntil, lastUsed) VALUES (?1, ?2, ?3, ?4, ?5)")
        life.bind(1, id)
        life.bind(2, Int64(entry.key.bytes.first ?? 0))
        life.bind(3, entry.freshUntil.milliseconds)
        life.bind(4, entry.staleUntil.milliseconds)
        life.bind(5, now.seconds)
        try life.run()
        for parent in entry.parents {
            let note = try connection.statement("INSERT INTO parent (digest, child) VALUES (?1, ?2)")
            note.bind(1, parent)
            note.bind(2, id)
            try note.run()
        }
        if entry.layer == .normalised { try connection.execute("INSERT INTO unindexed (id) VALUES (\(id))") }
    }
}
