// A connection of `NoWaitVFS` with the statements of a look. Used under the lock of its reader, by one thread at a
// time.
import CLinux
import CSQLite
import LarderCore

final class ReadyConnection {
    /// The generation of the database.
    let generation: Int
    private let connection: DatabaseConnection
    private let reads: NoWaitReads
    private let find: Statement
    private let body: Statement
    private let bodies: BodyFiles
    private let shared: StoreShared
    /// The cells of the providers whose rows were read.
    private var cells: [Cell] = []
    /// The most cells kept. There are as many providers as the settings name.
    private static let mostCells = 256

    private struct Cell {
        var name: Bytes
        var text: String
        var hits: CounterCell
    }

    /// Opens the database. On a thread that may wait.
    /// - Throws: also if the file system cannot read without waiting and is not in memory: `isUnsupported`.
    init(_ shared: StoreShared, _ bodies: BodyFiles, generation: Int, cacheKiB: Int) throws(StoreError) {
        let files = shared.files
        guard NoWaitVFS.isRegistered else { throw Self.unsupported }
        let (made, reads) = try CacheSchema.openLook(files.path, cacheKiB: cacheKiB)
        do throws(StoreError) {
            files.noteName(made.fileName)
            guard made.fileName.map(Self.knowsNoWaiting) ?? false else { throw Self.unsupported }
            find = try made.statement("SELECT id, entry, data, sum FROM ready WHERE id BETWEEN ?1 AND ?2")
            body = try made.statement("SELECT body FROM entry WHERE id = ?1")
            // The first transaction opens the log, which may wait.
            _ = try made.number("SELECT count(*) FROM ready WHERE id = 0")
            reads.waits = false
            // SQLite calls a busy handler also if reading page 1 is refused, and the loop would sleep in it.
            made.waitForNothing()
        } catch {
            made.close(keepsLog: true)
            throw error
        }
        connection = made
        self.reads = reads
        self.bodies = bodies
        self.shared = shared
        self.generation = generation
    }

    func close() { connection.close(keepsLog: true) }

    /// Reads that were refused because they would have waited for the disk.
    var refusedReads: Int { reads.refused }

    var refusesAll: Bool {
        get { reads.refusesAll }
        set { reads.refusesAll = newValue }
    }

    /// The file system cannot read without waiting, and reading waits for a disk.
    static let unsupported = StoreError(
        code: SQLITE_NOLFS, extendedCode: nil, doing: "opening for the loops",
        message: "this file system does not support reads without waiting")

    static func isUnsupported(_ error: StoreError) -> Bool { error.code == SQLITE_NOLFS }

    /// Whether no read of the file waits for a disk: the file system can read without waiting, or is in memory.
    private static func knowsNoWaiting(_ path: String) -> Bool {
        guard let descriptor = NoWaitVFS.descriptor(of: path) else { return false }
        var byte: UInt8 = 0
        let got = larder_pread_nowait(descriptor, &byte, 1, 0)
        guard NoWaitOutcome(got, of: 1, at: 0, end: { .max }) == .unsupported else { return true }
        return larder_is_in_memory(descriptor) != 0
    }

    // MARK: Looking

    func look(
        _ query: ReadyQuery, at place: ReadyPlace, _ moment: ReadyMoment, _ readers: ReadyReaders,
        _ wantsBytes: (Int) -> Bool
    ) -> ReadyReader.Outcome {
        find.bind(1, place.first)
        find.bind(2, place.last)
        // The statement stays open while the body is read, so that both come from one snapshot.
        defer { find.reset() }
        do throws(StoreError) {
            while try find.step() {
                let id = find.int(0)
                let coding = ReadyCoding(rawValue: id & 3) ?? .any
                if coding != .any, coding.takesGzip != readers.acceptsGzip(query.acceptEncoding) { continue }
                return try answer(id, coding, query, moment, readers, wantsBytes)
            }
            return .absent
        } catch {
            // PROTOCOL: the log's index was being written at every try.
            return error.code == SQLITE_BUSY || error.code == SQLITE_PROTOCOL ? .cold : .failed(error)
        }
    }

    private func answer(
        _ id: Int64, _ coding: ReadyCoding, _ query: ReadyQuery, _ moment: ReadyMoment, _ readers: ReadyReaders,
        _ wantsBytes: (Int) -> Bool
    ) throws(StoreError) -> ReadyReader.Outcome {
        let (entry, data) = (find.int(1), find.raw(2))
        guard find.int(3) == ReadyRow.sum(id: id, entry: entry, data), let row = ReadyRowView(data) else {
            return .failed(nil)
        }
        guard row.mark == moment.mark, row.scope == query.scope,
            row.target.isSame(as: UnsafeRawBufferPointer(query.target)),
            query.now < row.freshUntil, row.bornAt.milliseconds &- query.now.milliseconds <= readers.skew
        else { return .absent }
        guard let (body, file) = try body(of: row, entry, wantsBytes) else { return .failed(nil) }
        let cell = cell(row.provider, readers)
        return .found(
            ReadyFound(
                response: row.response(body: body, file: file, hits: cell.hits, digest: row.entry),
                takesGzip: coding.takesGzip, entry: row.entry, url: row.url, parents: row.parents,
                provider: cell.text, moment: moment))
    }

    private func cell(_ name: UnsafeRawBufferPointer, _ readers: ReadyReaders) -> Cell {
        if let known = cells.first(where: { $0.name.elementsEqual(name) }) { return known }
        let text = String(decoding: name, as: UTF8.self)
        let made = Cell(name: Bytes(name), text: text, hits: readers.hits(text))
        if cells.count < Self.mostCells { cells.append(made) }
        return made
    }

    /// The body, or the file that it is sent from. Nil if it is not as it was written.
    private func body(
        of row: ReadyRowView, _ entry: Int64, _ wantsBytes: (Int) -> Bool
    ) throws(StoreError) -> (Bytes, SentBody?)? {
        if let own = row.ownBody { return (Bytes(own), nil) }
        let (length, sum) = row.entryBody
        guard length <= ReadyReader.largestBody else { return nil }
        // No row holds more than a piece.
        if length > CacheSchema.pieceSize { return try inFile(entry, length, sum, wantsBytes(length)) }
        body.bind(1, entry)
        defer { body.reset() }
        guard try body.step() else { return nil }
        let raw = body.raw(0)
        if length > CacheSchema.largestInRow, raw.count != length {
            return try inFile(entry, length, sum, wantsBytes(length))
        }
        return raw.count == length && Checksum.of(raw) == sum ? (Bytes(raw), nil) : nil
    }

    /// Finds a body in its file. The checksum in the row shows that the file is the right one, and whole.
    private func inFile(
        _ entry: Int64, _ length: Int, _ sum: UInt32, _ wantsBytes: Bool
    ) throws(StoreError) -> (Bytes, SentBody?)? {
        if reads.refusesAll { throw Self.cold }
        switch bodies.borrow(entry, keeps: true, waits: false) {
        case .wouldWait, .tooMany, .failed: throw Self.cold
        case .absent: return nil
        case .file(let file):
            let name = BodyName(generation: generation, id: entry)
            let body = SentBody(file, name, length: length, sum: sum, bodies, shared)
            var bytes = Bytes()
            switch wantsBytes ? body.copy(into: &bytes) : body.look() {
            case .whole: return (bytes, wantsBytes ? nil : body)
            case .wouldWait: throw Self.cold
            case .damaged: return nil
            }
        }
    }

    /// The body is not in the kernel's page cache.
    private static let cold = StoreError(SQLITE_BUSY, "reading the file of a body", "the read would wait for the disk")
}
