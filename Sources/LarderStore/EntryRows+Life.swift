// Changes of a stored entry: its times, and its head after a validation. A row is first checked against its checksum,
// and gets a new one in the same transaction: a change must not make damage look right.
import LarderCore

extension EntryRows {
    /// The row of `life` that holds an entry's times.
    struct Life {
        var id: Int64
        /// The version of the key.
        var version: Int64
        var freshUntil: Int64
        var staleUntil: Int64

        var sum: Int64 { RowSums.life(id: id, version: version, freshUntil: freshUntil, staleUntil: staleUntil) }
    }

    func begin(_ life: Life, sums: Int64, now: WallTime) throws(StoreError) {
        let row = try connection.statement(Text.life)
        row.bind(1, life.id)
        row.bind(2, life.version)
        row.bind(3, life.freshUntil)
        row.bind(4, life.staleUntil)
        row.bind(5, now.seconds)
        row.bind(6, RowSums.format)
        row.bind(7, sums)
        row.bind(8, life.sum)
        try row.run()
    }

    func freshen(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) throws(StoreError) {
        let look = try connection.statement(
            """
            SELECT l.id, l.version, l.freshUntil, l.staleUntil, l.sum FROM life l
            WHERE l.id = (SELECT id FROM entry WHERE digest = ?1)
            """)
        look.bind(1, digest)
        guard var life = try life(look) else { return }
        connection.takes(.replacement)
        life.freshUntil = freshUntil.milliseconds
        life.staleUntil = staleUntil.milliseconds
        try change(life)
    }

    /// Expires an entry without removing it. Returns true if it was not expired already.
    func expire(id: Int64, now: WallTime) throws(StoreError) -> Bool {
        let look = try connection.statement(
            "SELECT id, version, freshUntil, staleUntil, sum FROM life WHERE id = ?1")
        look.bind(1, id)
        guard var life = try life(look), life.freshUntil > now.milliseconds else { return false }
        life.freshUntil = now.milliseconds
        try change(life)
        return true
    }

    /// The times that a statement finds; nil if there are none, or if they are damaged.
    private func life(_ look: Statement) throws(StoreError) -> Life? {
        defer { look.reset() }
        guard try look.step() else { return nil }
        let life = Life(id: look.int(0), version: look.int(1), freshUntil: look.int(2), staleUntil: look.int(3))
        guard look.int(4) == life.sum else {
            note(life.id, .life)
            return nil
        }
        return life
    }

    private func change(_ life: Life) throws(StoreError) {
        try connection.run(
            "UPDATE life SET freshUntil = ?2, staleUntil = ?3, sum = ?4 WHERE id = ?1", life.id, life.freshUntil,
            life.staleUntil, life.sum)
    }

    /// Replaces the head of an entry whose body stays. Returns false if the entry is gone, damaged, or is another
    /// one than the order names.
    func rewrite(_ order: HeadOrder) throws(StoreError) -> Bool {
        let entry = order.entry
        guard let old = try rewritable(order) else { return false }
        connection.takes(.replacement)
        let head = EntryCodec.encode(entry)
        try connection.run("UPDATE entry SET label = ?2, head = ?3 WHERE id = ?1", old.id, entry.label, head)
        try seal(
            Life(of: entry, id: old.id),
            sums: RowSums.sums(
                entry, id: old.id, provider: old.provider, size: old.size, head: head, body: old.bodySum))
        try connection.run("DELETE FROM parent WHERE child = ?1", old.id)
        try note(entry.parents, of: old.id)
        return true
    }

    /// The parts of an entry that stay when its head is replaced.
    private struct Old {
        var id: Int64
        var provider: Int64
        var size: Int64
        var bodySum: UInt32
    }

    private func rewritable(_ order: HeadOrder) throws(StoreError) -> Old? {
        let entry = order.entry
        let look = try connection.statement(
            "SELECT \(RowSums.columns) FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id")
        defer { look.reset() }
        look.bind(1, entry.key.digest)
        guard try look.step() else { return nil }
        let row = SummedRow(look)
        guard Bytes(row.key) == entry.key.bytes else { return nil }
        if let kind = row.fault(digest: entry.key.digest) {
            note(row.id, kind)
            return nil
        }
        guard let stored = EntryCodec.arrival(of: row.head),
            stored.at == order.receivedAt, stored.number == order.arrival
        else { return nil }
        return Old(id: row.id, provider: look.int(8), size: row.size, bodySum: Checksum.of(row.body))
    }

    /// Writes times and all checksums.
    private func seal(_ life: Life, sums: Int64) throws(StoreError) {
        try connection.run(
            "UPDATE life SET freshUntil = ?2, staleUntil = ?3, format = ?4, sums = ?5, sum = ?6 WHERE id = ?1",
            life.id, life.freshUntil, life.staleUntil, RowSums.format, sums, life.sum)
    }

    // MARK: Damage

    /// Notes that an entry failed its checksum. It is removed after the present transaction.
    func note(_ id: Int64, _ kind: DamageKind) {
        damaged?.note(BodyName(generation: generation, id: id), kind)
    }
}

extension EntryRows.Life {
    init(of entry: StoredResponse, id: Int64) {
        self.init(
            id: id, version: Int64(entry.key.bytes.first ?? 0), freshUntil: entry.freshUntil.milliseconds,
            staleUntil: entry.staleUntil.milliseconds)
    }
}
