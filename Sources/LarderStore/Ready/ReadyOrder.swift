// Writes rows that are kept ready. A reader's thread first checks whether the row is there already, which also brings
// its page into memory, where a loop does not wait for it. Otherwise the writer binds the row to the entry that it was
// made of, and only if exactly that is stored. Nobody waits for it: a row that finds no room is
// dropped.
import LarderCore
import Synchronization

/// A row on its way to the database.
final class ReadyOrder: Sendable {
    /// The most bytes held for rows on their way; more are not taken.
    static let most = 8 << 20
    /// A body that is not its entry's lies in the row, up to this size in bytes.
    static let largestOwnBody = 64 << 10
    /// The most spellings of a target under which one entry is kept.
    static let mostOfEntry: Int64 = 8

    let row: ReadyRow
    let entry: StoredResponse
    /// The condition, evaluated within the transaction.
    let isWanted: @Sendable () -> Bool
    private let shared: StoreShared

    init(
        _ row: ReadyRow, _ entry: StoredResponse, _ shared: StoreShared,
        when isWanted: @escaping @Sendable () -> Bool
    ) {
        self.row = row
        self.entry = entry
        self.isWanted = isWanted
        self.shared = shared
        shared.readyBytes.add(Self.weight(row, entry), ordering: .relaxed)
    }

    /// Whether too many bytes are on their way.
    var isTooMuch: Bool { shared.readyBytes.load(ordering: .relaxed) > Self.most }

    deinit { shared.readyBytes.subtract(weight, ordering: .relaxed) }

    /// Bytes that the order holds: the answer's body and the entry's may be two.
    var weight: Int { Self.weight(row, entry) }

    private static func weight(_ row: ReadyRow, _ entry: StoredResponse) -> Int {
        row.response.body.count + entry.body.count + row.target.count + 1024
    }
}

extension SQLiteStore {
    /// The settings in force as one number. Rows made under other settings are not served. 0 while the settings change:
    /// then no loop serves a row.
    public var mark: UInt64 {
        get { shared.mark.load(ordering: .acquiring) }
        set { shared.mark.store(newValue, ordering: .releasing) }
    }

    /// Lets the loops read kept-ready rows. Called once.
    public func looks(_ settings: ReadySettings, _ counters: CounterRegistry) -> ReadyReaders {
        let readers = ReadyReaders(settings, shared)
        shared.readers.withLock { $0 = readers }
        counters.gauge(StoreCounters.readyLoops) { [shared] in
            Double(shared.readers.withLock { $0 }?.openCount ?? 0)
        }
        return readers
    }

    /// Keeps an answer ready that was made of an entry. Never waits.
    /// - Parameter isWanted: the condition, evaluated within the transaction. Of a variant it must say whether the variants of
    ///   the URL are still those among which it was chosen.
    public func keepReady(
        _ row: ReadyRow, of entry: StoredResponse, when isWanted: @escaping @Sendable () -> Bool
    ) {
        guard shared.canLook.load(ordering: .relaxed) else { return }
        let body = row.response.body
        guard body.count <= ReadyReader.largestBody, entry.large == nil,
            body.count <= ReadyOrder.largestOwnBody || body == entry.body,
            shared.degraded.withLock({ $0 == nil }), !shared.waits.isLate
        else { return shared.meters.readyDropped.add() }
        let order = ReadyOrder(row, entry, shared, when: isWanted)
        if order.isTooMuch || !shared.reads.offer(.ready(order)) { shared.meters.readyDropped.add() }
    }
}

extension StoreReader {
    /// Passes the row on to the writer, unless it is there already.
    func prepare(_ order: ReadyOrder) {
        // Each row that was taken is counted as written or as dropped, unless it is there already.
        guard let connection else { return shared.meters.readyDropped.add() }
        let data = order.row.encoded(entry: order.entry)
        do throws(StoreError) {
            if try isThere(order.row.id, data, connection) { return }
            let others = try connection.number(
                """
                SELECT count(*) FROM ready
                WHERE entry = (SELECT id FROM entry WHERE digest = ?1) AND id <> ?2 AND substr(data, ?3, 8) = ?4
                """, order.entry.key.digest, order.row.id, ReadyRow.placeOfMark, order.row.markBytes)
            guard let others, others < ReadyOrder.mostOfEntry else { return shared.meters.readyDropped.add() }
        } catch {
            return shared.meters.readyDropped.add()
        }
        if !shared.offer(.ready(order, data), isPatient: true) { shared.meters.readyDropped.add() }
    }

    /// Closes the connection of a loop, because it has failed.
    func closeLoopReader(_ number: Int) {
        guard let readers = shared.readers.withLock({ $0 }), readers.readers.indices.contains(number) else { return }
        readers.readers[number].close(for: .seconds(1))
    }

    /// Whether exactly this row is there. A damaged one is written anew.
    private func isThere(_ id: Int64, _ data: Bytes, _ connection: DatabaseConnection) throws(StoreError) -> Bool {
        let isSame = try connection.first("SELECT entry, data, sum FROM ready WHERE id = ?1", id) { row in
            row.raw(1).elementsEqual(data) && row.int(2) == ReadyRow.sum(id: id, entry: row.int(0), row.raw(1))
        }
        return isSame ?? false
    }

    /// Makes the connection of a loop.
    func openLoopReader(_ number: Int) {
        guard let readers = shared.readers.withLock({ $0 }), readers.readers.indices.contains(number) else { return }
        let reader = readers.readers[number]
        guard shared.files.isDatabaseInPlace else {
            shared.askForLook()
            return reader.staysClosed(for: .seconds(1))
        }
        guard let generation = shared.gate.enter() else { return reader.staysClosed(for: .seconds(1)) }
        guard let bodies = shared.bodies.withLock({ $0 }) else {
            shared.gate.leave()
            return reader.staysClosed(for: .seconds(1))
        }
        do throws(StoreError) {
            let made = try ReadyConnection(shared, bodies, generation: generation, cacheKiB: readers.cacheKiB)
            guard reader.take(made) else {
                made.close()
                return shared.gate.leave()
            }
            shared.canLook.store(true, ordering: .relaxed)
        } catch {
            shared.gate.leave()
            let isForGood = ReadyConnection.isUnsupported(error)
            // No row would ever be read.
            if isForGood { shared.canLook.store(false, ordering: .relaxed) }
            reader.staysClosed(for: isForGood ? .seconds(3600) : .seconds(1))
            if error.isDamage {
                shared.meters.damage.add()
                _ = shared.writes.insist(.damaged(generation: generation, error))
            }
        }
    }
}

extension EntryRows {
    /// Binds a row to the entry that it was made of. Returns false if that is not what is stored, or if the entry has
    /// enough rows.
    func write(_ order: ReadyOrder, _ data: Bytes) throws(StoreError) -> Bool {
        guard let entry = try rowID(of: order.entry) else { return false }
        let id = order.row.id
        guard try hasRoom(for: order.row, of: entry) else { return false }
        keys?.note(ReadyPlace(id: id))
        let insert = try connection.statement(
            "INSERT OR REPLACE INTO ready (id, entry, url, data, sum) VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, id)
        insert.bind(2, entry)
        insert.bind(3, order.entry.variant?.url)
        insert.bind(4, data)
        insert.bind(5, data.withUnsafeBytes { ReadyRow.sum(id: id, entry: entry, $0) })
        try insert.run()
        return true
    }

    /// The rows that follow in the order of their entries, read from the index alone.
    func readyIDs(
        afterEntry entry: Int64, id: Int64, atMost limit: Int
    ) throws(StoreError) -> [(entry: Int64, id: Int64)] {
        try connection.rows(
            "SELECT entry, id FROM ready WHERE (entry, id) > (?1, ?2) ORDER BY entry, id LIMIT ?3", entry, id,
            Int64(limit)
        ) { ($0.int(0), $0.int(1)) }
    }

    /// Whether one more row of an entry may be kept. Removes a row that was made under other settings to make room.
    private func hasRoom(for row: ReadyRow, of entry: Int64) throws(StoreError) -> Bool {
        let others = try connection.number(
            "SELECT count(*) FROM ready WHERE entry = ?1 AND id <> ?2", entry, row.id)
        if others ?? 0 < ReadyOrder.mostOfEntry { return true }
        try connection.run(
            """
            DELETE FROM ready WHERE id IN (
              SELECT id FROM ready WHERE entry = ?1 AND substr(data, ?2, 8) <> ?3 LIMIT 1)
            """, entry, ReadyRow.placeOfMark, row.markBytes)
        return connection.changes > 0
    }

    /// The id of the row that holds exactly this entry.
    private func rowID(of entry: StoredResponse) throws(StoreError) -> Int64? {
        let look = try connection.statement(
            "SELECT \(RowSums.columns) FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id")
        defer { look.reset() }
        look.bind(1, entry.key.digest)
        guard try look.step() else { return nil }
        let row = SummedRow(look)
        guard row.size == Int64(entry.body.count), row.freshUntil == entry.freshUntil.milliseconds,
            row.staleUntil == entry.staleUntil.milliseconds, Bytes(row.key) == entry.key.bytes,
            row.fault(digest: entry.key.digest) == nil,
            Bytes(row.head) == EntryCodec.encode(entry)
        else { return nil }
        // A body in a file is the right one, because its head has the same times.
        return row.isLarge || Bytes(row.body) == entry.body ? row.id : nil
    }
}
