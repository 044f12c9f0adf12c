// A purge walks the entries in slices, so that writes are not held up. It ends at the entry that was newest when it
// began: what is stored meanwhile stays. Entries made from a purged entry are purged with it, even if the parent is no
// longer stored. A purge of one key walks the entries made from it: all of a folder's or a group's.
//
// A slice is bounded in rows and in bytes of files. Its files are unlinked right after its commit, while all other
// writes wait, and the time of an unlink grows with the file (Docs/Decisions/0028-large-bodies-in-files.md).
import LarderCore

/// One purge under way. Confined to the writer's thread.
final class PurgeWork {
    /// Entries that one transaction looks at, at most and at least.
    static let sliceRows = 256
    static let fewestRows = 8
    static let firstRows = 64
    /// How long one transaction may take, about. Other jobs run in between.
    static let sliceTime = Duration.milliseconds(5)
    /// Bytes of file blocks that one transaction removes; one entry, with those made from it, may exceed it.
    static let sliceFiles = Evictor.bytesPerSlice

    private let selector: PurgeSelector
    private let soft: Bool
    private let folded: Bytes
    let last: Int64
    /// Since when expired entries are stale.
    let at: WallTime
    private var cursor: Int64 = 0
    /// Entries that the next transaction looks at.
    private(set) var rowsPerSlice: Int
    /// The number of the tombstone that the purge carries out.
    let number: UInt64
    /// Whether every entry is removed, and none is left as stale.
    let isOfEverything: Bool

    /// - Parameters:
    ///   - last: the id of the newest entry that the purge may concern.
    ///   - rows: how many entries the first transaction looks at.
    init(_ tombstone: Tombstone, last: Int64, rows: Int = PurgeWork.firstRows) {
        rowsPerSlice = rows
        selector = tombstone.selector
        soft = tombstone.isSoft
        isOfEverything = tombstone.isOfEverything
        number = tombstone.number
        at = tombstone.at
        self.last = last
        folded = Self.folded(tombstone.selector)
    }

    /// Performs one slice, inside a transaction. Returns how many entries it purged, and whether it was the last slice.
    func step(_ rows: EntryRows, now: WallTime) throws(StoreError) -> (purged: Int, isLast: Bool) {
        rows.connection.takes(.removal)
        files = 0
        if case .digest(let digest) = selector { return try purge(digest, rows, now) }
        let slice = try next(rows)
        var purged = 0
        for found in slice.matching {
            // The next slice begins with this entry.
            if files >= Self.sliceFiles {
                reached = found.id - 1
                return (purged, false)
            }
            purged += try purge(found.id, found.size, rows, now)
            if let digest = found.digest { purged += try purgeChildren(of: digest, rows, now, depth: 0) }
        }
        return (purged, slice.isLast)
    }

    /// Purges one entry, and a slice of what was made from it.
    private func purge(
        _ digest: Digest, _ rows: EntryRows, _ now: WallTime
    ) throws(StoreError) -> (purged: Int, isLast: Bool) {
        reached = cursor
        var purged = 0
        if cursor == 0 {
            let own = try rows.connection.rows(
                """
                SELECT id, digest, size FROM entry WHERE digest = ?1 AND id <= ?2
                UNION ALL SELECT id, digest, size FROM entry WHERE url = ?1 AND id <= ?2
                """, digest, last, read: Self.found)
            for entry in own {
                purged += try purge(entry.id, entry.size, rows, now)
                if let variant = entry.digest, variant != digest {
                    purged += try purgeChildren(of: variant, rows, now, depth: 1)
                }
            }
        }
        let children = try rows.connection.rows(
            """
            SELECT e.id, e.digest, e.size FROM parent p CROSS JOIN entry e
            WHERE p.digest = ?1 AND p.child > ?2 AND p.child <= ?3 AND e.id = p.child ORDER BY p.child LIMIT ?4
            """, digest, cursor, last, Int64(rowsPerSlice), read: Self.found)
        for child in children {
            // The next slice begins with this entry.
            if files >= Self.sliceFiles { return (purged, false) }
            purged += try purge(child.id, child.size, rows, now)
            if let own = child.digest, own != digest { purged += try purgeChildren(of: own, rows, now, depth: 1) }
            reached = child.id
        }
        return (purged, children.count < rowsPerSlice)
    }

    /// Moves on after the slice was committed.
    /// - Parameter took: how long its transaction took, the commit included.
    func advance(after took: Duration) {
        cursor = reached
        if took > Self.sliceTime {
            rowsPerSlice = max(Self.fewestRows, rowsPerSlice / 2)
        } else if took < Self.sliceTime / 2 {
            rowsPerSlice = min(Self.sliceRows, rowsPerSlice * 2)
        }
    }

    private var reached: Int64 = 0
    /// Bytes of file blocks whose rows the present slice has removed.
    private var files: Int64 = 0

    private struct Found {
        var id: Int64
        var digest: Digest?
        /// Bytes of the body.
        var size: Int64
    }

    private static func found(_ row: Statement) -> Found {
        Found(id: row.int(0), digest: Digest(raw: row.raw(1)), size: row.int(2))
    }

    private func next(_ rows: EntryRows) throws(StoreError) -> (matching: [Found], isLast: Bool) {
        let statement = try rows.connection.statement(
            """
            SELECT \(RowSums.columnsWithoutBody), e.digest FROM entry e LEFT JOIN life l ON l.id = e.id
            WHERE e.id > ?1 AND e.id <= ?2 ORDER BY e.id LIMIT ?3
            """)
        defer { statement.reset() }
        statement.bindAll(cursor, last, Int64(rowsPerSlice))
        var matching: [Found] = []
        var seen = 0
        var ahead: Int64 = 0
        reached = cursor
        while try statement.step() {
            // `step` would stop before further rows.
            if ahead >= Self.sliceFiles { return (matching, false) }
            seen += 1
            reached = statement.int(0)
            let size = statement.int(1)
            let digest = Digest(bytes: statement.bytes(13))
            // Damage may hide that the selector means this row. The row is noted, and will be removed as damaged.
            guard let digest, SummedRow(statement).fits(digest) else {
                if isOfEverything { matching.append(Found(id: reached, digest: digest, size: size)) }
                rows.note(reached, .row)
                continue
            }
            let facts = EntryCodec.facts(label: statement.text(5), head: statement.raw(6))
            if Self.isMeant(facts, by: selector, folded: folded) {
                matching.append(Found(id: reached, digest: digest, size: size))
                ahead += blocks(size)
            }
        }
        return (matching, seen < rowsPerSlice)
    }

    /// Bytes of blocks that are unlinked with the row. A body larger than possible is damaged, and counts as one slice.
    private func blocks(_ size: Int64) -> Int64 {
        soft || size <= CacheSchema.largestInRow ? 0 : BodyFiles.blocks(min(size, Self.sliceFiles))
    }

    private func purge(_ id: Int64, _ size: Int64, _ rows: EntryRows, _ now: WallTime) throws(StoreError) -> Int {
        if soft { return try rows.expire(id: id, now: now) ? 1 : 0 }
        guard try rows.remove(id: id) else { return 0 }
        files += blocks(size)
        return 1
    }

    /// There are two layers of entries. The depth only guards against a cycle that damage could make.
    private func purgeChildren(
        of digest: Digest, _ rows: EntryRows, _ now: WallTime, depth: Int
    ) throws(StoreError) -> Int {
        guard depth < 8 else { return 0 }
        let children = try rows.connection.rows(
            """
            SELECT e.id, e.digest, e.size FROM parent p CROSS JOIN entry e WHERE p.digest = ?1 AND e.id = p.child
            UNION ALL SELECT id, digest, size FROM entry WHERE url = ?1
            """, digest, read: Self.found)
        var purged = 0
        for child in children {
            purged += try purge(child.id, child.size, rows, now)
            if let own = child.digest, own != digest {
                purged += try purgeChildren(of: own, rows, now, depth: depth + 1)
            }
        }
        return purged
    }

    // MARK: Selecting

    /// Whether a selector means an entry. Not to be asked for a single key (`.digest`).
    /// - Parameter folded: the selector's term as `folded` returns it.
    static func isMeant(_ facts: EntryFacts, by selector: PurgeSelector, folded: Bytes) -> Bool {
        switch selector {
        case .all, .digest: true
        case .provider(let name): facts.provider == name
        case .term(_, let provider):
            (provider == nil || facts.provider == provider) && contains(facts.label, folded)
        case .url(let url, let provider):
            (provider == nil || facts.provider == provider) && names(facts.label, url)
        case .matching(let condition): condition.holds(facts)
        }
    }

    /// The folded term of a selector, as `isMeant` needs it; empty if there is none.
    static func folded(_ selector: PurgeSelector) -> Bytes {
        if case .term(let term, _) = selector { fold(term) } else { [] }
    }

    // MARK: Text

    /// Whether a label, "GET https://host/path", names this URL. A mark of the request's content may follow after a
    /// space, as in "QUERY https://host/path (17 bytes, …)". Bytes are compared: a path is case-sensitive (RFC 3986
    /// §6.2.2.1).
    static func names(_ label: String, _ url: String) -> Bool {
        guard let space = label.utf8.firstIndex(of: 0x20) else { return false }
        let rest = label.utf8[label.utf8.index(after: space)...]
        guard rest.starts(with: url.utf8) else { return false }
        // No requested URL holds a space.
        let mark = rest.dropFirst(url.utf8.count)
        return mark.isEmpty || !url.isEmpty && mark.starts(with: " (".utf8)
    }

    static func fold(_ text: String) -> Bytes { Bytes(text.lowercased().utf8) }

    /// Whether a label holds the folded term, as written or percent-decoded: labels are URLs, and a person looks for
    /// "münchen" and not for "m%c3%bcnchen". Every label holds the empty term.
    static func contains(_ label: String, _ folded: Bytes) -> Bool {
        if holds(fold(label), folded) { return true }
        guard let read = try? PercentCoding.decode(label.utf8, plusIsSpace: true) else { return false }
        return holds(fold(read), folded)
    }

    private static func holds(_ text: Bytes, _ folded: Bytes) -> Bool {
        guard let first = folded.first else { return true }
        guard text.count >= folded.count else { return false }
        for start in 0...(text.count - folded.count) where text[start] == first {
            if text[start..<start + folded.count].elementsEqual(folded) { return true }
        }
        return false
    }
}
