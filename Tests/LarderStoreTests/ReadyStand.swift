// Shared by the tests of responses that are kept ready: a store whose loops look up rows.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

/// A store whose loops look up ready rows, and what a look-up needs.
struct ReadyStand: Sendable {
    let store: SQLiteStore
    let bench: Bench
    let readers: ReadyReaders
    static let mark: UInt64 = 7

    init(_ store: SQLiteStore, _ bench: Bench, loops: Int = 1) {
        self.store = store
        self.bench = bench
        readers = store.looks(
            ReadySettings(
                loops: loops, bodies: BodyMemory(limit: 1 << 20), skew: 1000, hits: { _ in CounterCell() },
                acceptsGzip: { !$0.isEmpty }), bench.counters)
        store.mark = Self.mark
    }

    func row(
        _ entry: StoredResponse, _ target: String = "/raw/api/a", takesGzip: Bool? = nil, body: Bytes? = nil,
        mark: UInt64 = ReadyStand.mark, scope: UInt64 = 0
    ) -> ReadyRow {
        let head = Bytes(text: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(entry.body.count)\r\n")
        let response = ReadyResponse(
            head: head, body: body ?? entry.body, bornAt: entry.responseTime, freshUntil: entry.freshUntil,
            hits: CounterCell(),
            conditions: ReadyConditions(
                notModified: Bytes(text: "HTTP/1.1 304 Not Modified\r\n"), tag: Bytes(text: "\"a\""), isTagWeak: true,
                lastModified: 1_700_000_000, lastModifiedText: Bytes(text: "Tue, 14 Nov 2023 22:13:20 GMT"),
                partialFields: 17..<head.count))
        return ReadyRow(
            scope: scope, target: Bytes(text: target), takesGzip: takesGzip, response: response,
            provider: entry.provider, mark: mark)
    }

    private func rows(_ result: String) -> Int { max(0, bench.count(StoreCounters.readyRows, result)) }

    /// Has a row kept ready, and waits until the row is written or dropped.
    /// - Returns: Whether the row was written.
    @discardableResult
    func keep(_ row: ReadyRow, of entry: StoredResponse) async throws -> Bool {
        let (written, dropped) = (rows("written"), rows("dropped"))
        store.keepReady(row, of: entry) { true }
        try await bench.eventually("something became of the row", in: store, rate: 10) {
            rows("written") + rows("dropped") > written + dropped
        }
        return rows("written") > written
    }

    /// What a loop with an open connection finds, if nothing hinders its look-ups for good. A commit, such as the one
    /// at the start of a run, overtakes a look-up; a cold page ends a look-up. The daemon then answers the request the
    /// slow way. Here the look-up is repeated.
    func look(
        _ target: String = "/raw/api/a", encoding: String = "", scope: UInt64 = 0, loop: Int = 0,
        wantsBytes: Bool = true
    ) async throws -> ReadyFound? {
        try await bench.eventually("the loop has a connection", in: store, rate: 0) {
            readers.readers[loop].open()
            return readers.readers[loop].isOpen
        }
        for _ in 0..<100 {
            let ended = looks("absent") + looks("failed")
            if let found = once(target, encoding: encoding, scope: scope, loop: loop, wantsBytes: wantsBytes) {
                return found
            }
            if looks("absent") + looks("failed") > ended { return nil }
            // This reads the pages, so they are in memory at the next look-up.
            _ = try bench.readyRows()
        }
        return nil
    }

    /// Whether a look-up of the first loop ends with one of these results, and no look-up before finds anything. A
    /// look-up that ends with another result is repeated.
    func ends(_ results: String...) -> Bool {
        func count() -> Int { results.reduce(0) { $0 + looks($1) } }
        for _ in 0..<100 {
            let before = count()
            if once("/raw/api/a") != nil { return false }
            if count() > before { return true }
        }
        return false
    }

    /// The number of look-ups that ended because they would have waited for the disk.
    var cold: Int { looks("cold") }

    private func looks(_ result: String) -> Int { max(0, bench.count(StoreCounters.ready, result)) }

    func once(
        _ target: String, encoding: String = "", scope: UInt64 = 0, loop: Int = 0, wantsBytes: Bool = true
    ) -> ReadyFound? {
        let (target, encoding) = (Bytes(text: target), Bytes(text: encoding))
        return target.withUnsafeBufferPointer { target in
            encoding.withUnsafeBufferPointer { encoding in
                readers.look(
                    ReadyQuery(
                        listener: 0, scope: scope, loop: loop, target: target, acceptEncoding: encoding,
                        now: bench.time.wall()), wantsBytes: { _ in wantsBytes })
            }
        }
    }

    /// Stores an entry and keeps it ready.
    func kept(_ name: String = "a", size: Int = 100) async throws -> StoredResponse {
        let entry = bench.entry(name, size: size)
        _ = await store.write(entry)
        await store.commit()
        #expect(try await keep(row(entry), of: entry))
        return entry
    }
}

func withReady(
    _ settings: StoreSettings = StoreSettings(minFree: 0), loops: Int = 1,
    _ body: (ReadyStand) async throws -> Void
) async throws {
    try await withStore(settings) { (store, bench) async throws in
        try await body(ReadyStand(store, bench, loops: loops))
    }
}

extension Bench {
    /// The number of rows that the database keeps ready.
    func readyRows() throws -> Int64? {
        let connection = try DatabaseConnection(path: path)
        defer { connection.close(keepsLog: true) }
        return try connection.number("SELECT count(*) FROM ready")
    }

    /// Changes the database behind the store's back.
    func change(_ sql: String) throws {
        let connection = try DatabaseConnection(path: path)
        defer { connection.close(keepsLog: true) }
        // The store's writer may have the lock for a moment.
        try connection.execute("PRAGMA busy_timeout = 60000")
        try connection.execute(sql)
    }
}
