// The full-text index of stored results. `result` holds the searched texts of each result, and where its JSON lies in
// the body of its entry. `found` is an FTS5 index over those texts, which relies on being given exactly the old texts
// when it changes (sqlite.org/fts5.html#external_content_tables). So both change in one transaction, by this file
// alone.
//
// An entry that comes or goes leaves a note in `unindexed`; the work follows in idle time or before the next search,
// also after a crash. There is no prefix index: it would take 639 bytes a result instead of 394, and a search for two
// letters over 17,000 results 0.3 ms instead of 0.6 ms (measured on recorded iTunes answers).
import LarderCore

struct ResultIndex {
    /// The most results of one entry that are indexed.
    static let perEntry = 4096
    /// The row id of a result is the id of its entry times this, plus its place.
    static let rowsPerEntry: Int64 = 4096
    /// Larger bodies are not indexed, in bytes.
    static let largestBody: Int64 = 8 << 20
    /// Number of removed entries whose results a slice of eviction takes out too.
    static let goneInSlice = 8

    /// The trigger's condition covers that of `StoredResponse.hasResults` and more, which does no harm. The second byte
    /// of a key is its layer.
    static let tables = """

        CREATE TABLE result (
          id INTEGER PRIMARY KEY, place INTEGER NOT NULL, length INTEGER NOT NULL, name INTEGER NOT NULL,
          kind TEXT NOT NULL, title TEXT NOT NULL, creator TEXT NOT NULL, collection TEXT NOT NULL,
          summary TEXT NOT NULL, sum INTEGER NOT NULL
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

    private let rows: EntryRows
    private let connection: DatabaseConnection

    init(_ rows: EntryRows) { (self.rows, connection) = (rows, rows.connection) }

    /// Notes that an entry's results must be looked at.
    func note(_ id: Int64) throws(StoreError) {
        try connection.run("INSERT OR IGNORE INTO unindexed (id) VALUES (?1)", id)
    }

    /// The first noted entry after an id, with the size of its body if the entry is still stored.
    func next(after id: Int64 = .min) throws(StoreError) -> (id: Int64, size: Int64?)? {
        try connection.first(
            """
            SELECT u.id, e.size FROM unindexed u LEFT JOIN entry e ON e.id = u.id WHERE u.id > ?1 ORDER BY u.id LIMIT 1
            """, id
        ) { ($0.int(0), $0.isNull(1) ? nil : $0.int(1)) }
    }

    /// Brings the index in line with what is stored of one entry, and removes the note. Returns how many results were
    /// added and removed. Returns nil, and changes nothing, if the body cannot be opened at present.
    func settle(_ id: Int64) throws(StoreError) -> (added: Int, removed: Int)? {
        // A note with an impossible id is damaged.
        guard (1...RowSums.largestID).contains(id) else {
            try connection.run("DELETE FROM unindexed WHERE id = ?1", id)
            return (0, 0)
        }
        let found = try body(of: id)
        if case .unopened = found { return nil }
        let removed = try takeOut(id)
        var added = 0
        if case .whole(let body) = found {
            for (number, texts) in ResultTexts.all(in: body, atMost: Self.perEntry).enumerated() {
                try putIn(texts, as: id * Self.rowsPerEntry + Int64(number))
                added += 1
            }
        }
        try connection.run("DELETE FROM unindexed WHERE id = ?1", id)
        return (added, removed)
    }

    /// Takes out the results of some entries that are gone: room is needed, and their results take room too.
    func removeOfGone(atMost limit: Int) throws(StoreError) {
        let gone = try connection.rows(
            """
            SELECT u.id FROM unindexed u WHERE NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = u.id) ORDER BY u.id LIMIT ?1
            """, Int64(limit)
        ) { $0.int(0) }
        for id in gone { _ = try settle(id) }
    }

    /// Empties the index as a whole if nothing is stored at all. Returns whether that is so.
    func clearIfNothingIsStored() throws(StoreError) -> Bool {
        guard try connection.number("SELECT 1 FROM entry LIMIT 1") == nil else { return false }
        try connection.run("INSERT INTO found (found) VALUES ('delete-all')")
        try connection.run("DELETE FROM result")
        try connection.run("DELETE FROM unindexed")
        return true
    }

    /// About how many bytes of pages the results of a body will take, rather overestimated.
    static func cost(ofBody size: Int64) -> Int64 { size / 2 + CacheSchema.reckonedPages }

    // MARK: One entry

    private func takeOut(_ id: Int64) throws(StoreError) -> Int {
        let first = id * Self.rowsPerEntry
        // FTS5 needs the exact old texts, or the index no longer fits its content.
        try connection.run(
            """
            INSERT INTO found (found, rowid, title, creator, collection, summary)
            SELECT 'delete', id, title, creator, collection, summary FROM result WHERE id >= ?1 AND id < ?1 + 4096
            """, first)
        try connection.run("DELETE FROM result WHERE id >= ?1 AND id < ?1 + 4096", first)
        return connection.changes
    }

    private func putIn(_ texts: ResultTexts, as row: Int64, isNew: Bool = true) throws(StoreError) {
        let result = try connection.statement(
            """
            INSERT OR REPLACE INTO result (id, place, length, name, kind, title, creator, collection, summary, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        let found = try connection.statement(
            "INSERT INTO found (rowid, title, creator, collection, summary) VALUES (?1, ?2, ?3, ?4, ?5)")
        result.bind(1, row)
        result.bind(2, Int64(texts.place.lowerBound))
        result.bind(3, Int64(texts.place.count))
        result.bind(4, texts.name)
        result.bind(5, texts.kind)
        found.bind(1, row)
        for (number, text) in [texts.title, texts.creator, texts.collection, texts.summary].enumerated() {
            result.bind(6 + Int32(number), text)
            found.bind(2 + Int32(number), text)
        }
        result.bind(10, RowSums.result(texts, as: row))
        try result.run()
        if isNew { try found.run() }
    }

    /// Writes the rows of an entry's results anew from its body, because one of them is damaged. The index stays: it
    /// was made of the same texts. Returns false if the body does not hold them any more, nil if it cannot be opened.
    func mend(_ id: Int64) throws(StoreError) -> Bool? {
        guard (1...RowSums.largestID).contains(id) else { return false }
        let body: Bytes
        switch try self.body(of: id) {
        case .whole(let found): body = found
        case .none: return false
        case .unopened: return nil
        }
        for (number, texts) in ResultTexts.all(in: body, atMost: Self.perEntry).enumerated() {
            try putIn(texts, as: id * Self.rowsPerEntry + Int64(number), isNew: false)
        }
        return true
    }

    private enum Body {
        case whole(Bytes)
        /// There is no body, or it is too large, damaged or not whole.
        case none
        /// Its file cannot be opened, which says nothing of the content.
        case unopened
    }

    /// The whole body of an entry that has results.
    private func body(of id: Int64) throws(StoreError) -> Body {
        let statement = try connection.statement(
            "SELECT \(RowSums.columns), e.digest FROM entry e CROSS JOIN life l WHERE e.id = ?1 AND l.id = e.id")
        defer { statement.reset() }
        statement.bind(1, id)
        guard try statement.step(), let digest = Digest(bytes: statement.bytes(13)) else { return .none }
        let row = SummedRow(statement)
        if let kind = row.fault(digest: digest) {
            rows.note(id, kind)
            return .none
        }
        guard row.size > 0, row.size <= Self.largestBody else { return .none }
        guard row.isLarge else { return .whole(Bytes(row.body)) }
        guard let files = rows.files else { return .none }
        switch files.borrow(id, keeps: false, waits: true, holds: false) {
        case .absent, .wouldWait: return .none
        case .failed, .tooMany: return .unopened
        case .file(let file):
            defer { files.leave(id) }
            let body = try BodyRead.stretch(file, id, at: 0, count: Int(row.size), of: row.size, sums: row.body)
            if body == nil { rows.note(id, .piece) }
            return body.map { .whole($0) } ?? .none
        }
    }
}

extension StoredResponse {
    /// Whether the body is a list of results that is worth a note. An empty list is "[]". Entries that belong to one
    /// account are never found by a search.
    func hasResults(size: Int64) -> Bool {
        self.key.bytes.dropFirst().first == CacheKey.Layer.normalised.rawValue && size > 2 && !self.isNegative
            && self.key.isEverybodys
    }
}
