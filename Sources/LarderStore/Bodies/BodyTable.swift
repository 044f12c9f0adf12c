// The table `bodies`: what the database says of the files of large bodies.
import LarderCore

enum BodyTable {
    /// Part of the schema. `generation` names the directory of this database's files. `bytes` is what the files of all
    /// rows take, in blocks of 4 KiB. `commits` is the number of the last commit. The writer counts what its
    /// transactions add and remove, and writes the sum with the number of the commit: a trigger on insertion took a sixth
    /// of the instructions of a row. `arrival` is above or equal to that of every entry (`ArrivalNumbers`). `schemaSum` is
    /// the checksum of the schema (`CacheSchema`).
    static let sql = """
        CREATE TABLE bodies (
          id INTEGER PRIMARY KEY CHECK (id = 1), generation TEXT NOT NULL, bytes INTEGER NOT NULL,
          commits INTEGER NOT NULL, arrival INTEGER NOT NULL, schemaSum INTEGER NOT NULL
        ) STRICT;
        INSERT INTO bodies (id, generation, bytes, commits, arrival, schemaSum)
        VALUES (1, lower(hex(randomblob(8))), 0, 0, 0, 0);
        """

    /// Whether the body of a row lies in a file: the row then has the checksums of its pieces.
    /// - Parameter row: what stands before the names of columns.
    static func isInFile(_ row: String = "") -> String { "(\(row)size > \(CacheSchema.largestInRow))" }

    /// Temporary tables and triggers of the writer's connection, in memory. A roll-back undoes their changes too.
    ///
    /// `gone` holds the ids of the rows with files that the present transaction has removed, and the bytes of the files.
    /// `restated` is the sum of the files while it is made anew, over the rows up to the id `cursor`. Rows that come and
    /// go among those meanwhile are counted in.
    ///
    /// A size below zero or beyond 4 TiB is damaged. Subtracting it from a sum may overflow. The difference would then
    /// be no integer, which a strict table refuses (sqlite.org/stricttables.html), and neither a purge nor an eviction
    /// could remove the row. So the sum of its provider is first raised by the size that will be subtracted.
    static let notes = """
        CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY, blocks INTEGER NOT NULL);
        CREATE TEMP TABLE restated (id INTEGER PRIMARY KEY, cursor INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO restated (id, cursor, bytes) VALUES (1, 0, 0);
        CREATE TEMP TRIGGER damagedSizeGoes BEFORE DELETE ON main.entry WHEN OLD.size NOT BETWEEN 0 AND (1 << 42) BEGIN
          UPDATE provider SET bytes = min(max(bytes, 0), 9223372036854775807 - OLD.size) + OLD.size
          WHERE id = OLD.provider AND counted >= OLD.id;
        END;
        CREATE TEMP TRIGGER bodyGoes AFTER DELETE ON main.entry WHEN \(isInFile("OLD.")) BEGIN
          INSERT OR REPLACE INTO gone (id, blocks) VALUES (OLD.id, (min(OLD.size, 1 << 42) + 4095) & ~4095);
          UPDATE restated SET bytes = bytes - ((min(OLD.size, 1 << 42) + 4095) & ~4095) WHERE cursor >= OLD.id;
        END;
        """
}

extension BodyTable {
    /// The name of the directory of this database's files: nothing but hexadecimal digits.
    static func generation(_ connection: DatabaseConnection) throws(StoreError) -> String {
        let name = try connection.text("SELECT generation FROM bodies") ?? ""
        guard BodyFiles.isGeneration(name) else {
            throw StoreError.damage("the name of the body directory was changed")
        }
        return name
    }
}

extension EntryRows {
    /// Returns and clears the ids of rows with files that the present transaction has removed. Counts the files out.
    static func takeGone(_ connection: DatabaseConnection) throws(StoreError) -> [Int64] {
        let gone = try connection.rows("SELECT id, blocks FROM temp.gone") { (id: $0.int(0), blocks: $0.int(1)) }
        if gone.isEmpty { return [] }
        for file in gone { connection.fileBytes -= file.blocks }
        try connection.run("DELETE FROM temp.gone")
        return gone.map(\.id)
    }

    /// Counts in the file of a row that the present transaction adds.
    func countFile(_ id: Int64, _ size: Int64) throws(StoreError) {
        connection.fileBytes += BodyFiles.blocks(size)
        try connection.run(
            "UPDATE restated SET bytes = bytes + ?1 WHERE cursor >= ?2", BodyFiles.blocks(size), id)
    }

    /// What the present transaction adds to the sum of the files when it ends.
    private func uncommittedFiles() throws(StoreError) -> Int64 {
        connection.fileBytes - (try connection.number("SELECT coalesce(sum(blocks), 0) FROM temp.gone") ?? 0)
    }

    /// Bytes of the files that rows name, of those under way, and of those without a name that are still read.
    func fileBytes() throws(StoreError) -> Int64 {
        // A damaged sum must not overflow in the addition.
        let sum = min(max(0, try connection.number("SELECT bytes FROM bodies") ?? 0), 1 << 60)
        return max(0, sum + (try uncommittedFiles())) + (files?.table.uncounted ?? 0)
    }

    /// Whether a row names the file of this id.
    func hasFile(_ id: Int64) throws(StoreError) -> Bool {
        try connection.number("SELECT 1 FROM entry WHERE id = ?1 AND \(BodyTable.isInFile())", id) != nil
    }

    /// Whether the sum of what files take cannot be true.
    /// - Parameter most: the cap of now. A sum above it can be true if all bodies together, small ones too, are as
    ///   large: the cap was lowered.
    func isFileSumOdd(most: Int64) throws(StoreError) -> Bool {
        let sum = try connection.number("SELECT bytes FROM bodies") ?? 0
        guard sum > most else { return sum < 0 }
        // A damaged sum must not overflow: the sum of many would be a floating-point number.
        return try connection.number("SELECT total(bytes) + 4096.0 * total(entries) < \(sum) FROM provider") == 1
    }

    /// Begins to make the sum of what all files take anew.
    func beginRestating() throws(StoreError) {
        try connection.run("UPDATE restated SET cursor = 0, bytes = 0")
    }

    /// Adds the files of some more rows. Changes only the connection's own memory.
    /// - Returns: whether there are more rows.
    func restateSlice(rows: Int) throws(StoreError) -> Bool {
        let slice = try connection.first(
            """
            SELECT count(*), max(id), sum(iif(isInFile, (min(size, 1 << 42) + 4095) & ~4095, 0))
            FROM (
              SELECT id, size, \(BodyTable.isInFile()) AS isInFile FROM entry
              WHERE id > (SELECT cursor FROM restated) ORDER BY id LIMIT ?1)
            """, Int64(rows)
        ) { (count: $0.int(0), last: $0.int(1), bytes: $0.int(2)) }
        guard let slice else { return false }
        let hasMore = slice.count == Int64(rows)
        // After the last row, every later entry is counted in.
        try connection.run(
            "UPDATE restated SET cursor = ?1, bytes = bytes + ?2", hasMore ? slice.last : .max, slice.bytes)
        return hasMore
    }

    /// Puts the sum in place when all rows are in. Inside a transaction.
    /// - Returns: whether the stored sum was wrong.
    func endRestating() throws(StoreError) -> Bool {
        // The sum has what the present transaction changes, which its end adds.
        try connection.run(
            "UPDATE bodies SET bytes = r.bytes - ?1 FROM restated r WHERE bodies.bytes <> r.bytes - ?1",
            uncommittedFiles())
        let wasWrong = connection.changes > 0
        try beginRestating()
        return wasWrong
    }
}
