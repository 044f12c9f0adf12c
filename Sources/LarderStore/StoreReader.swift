// A reader thread: takes what waits in one go, reads it in one transaction, and answers all of it at the end, so that
// many reads share the cost of a wake-up, of SQLite's locks and of the answer's way back.
//
// It copies everything out and holds no transaction while anyone waits for a client.
import CSQLite
import Glibc
import LarderCore

/// One question to the readers.
enum ReadJob: Sendable {
    case entry(CacheKey, opens: Bool, Reply<Result<StoredResponse?, StoreError>>)
    case stretch(StretchQuestion, Reply<Result<Bytes, BodyFailure>>)
    /// What people find the entry of that digest by.
    case name(Digest, Reply<EntryName?>)
    /// A row that is to be kept ready.
    case ready(ReadyOrder)
    /// The loop of that number is to get a connection.
    case openShelf(Int)
    /// The connection of that loop has failed.
    case closeShelf(Int)
    case statistics(Reply<Result<StoreStatistics, StoreError>>)
    /// One of those who stand in the line of searches is to be served.
    case search
}

final class StoreReader {
    /// Reads taken at once.
    static let batch = 64
    /// Bytes read before the answers so far are given.
    static let batchBytes = 256 << 10
    /// Without reads for so long, the page cache is given back.
    static let restAfter = Duration.seconds(60)

    let shared: StoreShared
    private(set) var connection: Connection?
    private(set) var generation = 0
    /// Before the present snapshot was taken.
    var epoch = 0
    /// The last entry that may lack checksums, as it was when the connection was opened.
    private(set) var lastWithoutSum: Int64 = 0
    /// What was removed and not yet written, before the present snapshot was taken.
    var removals: Removals?
    private var find: Statement?
    private var pieces: Statement?
    private(set) var stretch: Statement?
    private(set) var lastPiece: Statement?
    private var answers: [(Reply<Result<StoredResponse?, StoreError>>, Result<StoredResponse?, StoreError>)] = []

    init(_ shared: StoreShared) {
        self.shared = shared
        answers.reserveCapacity(Self.batch)
    }

    /// The thread's life.
    func run() {
        var done = 0
        var seen = 0
        var hasPages = false
        while true {
            let rest = hasPages ? Self.restAfter : nil
            switch shared.reads.take(upTo: Self.batch, releasing: done, timeout: rest, seen: &seen) {
            case .ended:
                disconnect()
                return
            case .nothing:
                done = 0
                if !shared.gate.mayStay() { disconnect() }
                connection?.releaseMemory()
                hasPages = false
            case .jobs(let jobs):
                hasPages = true
                done = jobs.count
                serve(jobs)
            }
        }
    }

    private func serve(_ jobs: [ReadJob]) {
        serveLookUps(jobs)
        for case .openShelf(let number) in jobs { openShelf(number) }
        for case .closeShelf(let number) in jobs { closeShelf(number) }
        for case .ready(let order) in jobs { prepare(order) }
        // Behind all others of the batch, since they take milliseconds.
        for case .search in jobs { search() }
    }

    private func serveLookUps(_ jobs: [ReadJob]) {
        let ready: Bool
        do throws(StoreError) {
            ready = try connect()
            if ready { try beginSnapshot() }
        } catch {
            shared.meters.otherFailure.add()
            for job in jobs { fail(job, error) }
            if error.isDamage { damaged(error) }
            return
        }
        var bytes = 0
        for job in jobs {
            switch job {
            case .entry(let key, let opens, let continuation):
                let answer = ready ? read(key, opens, &bytes) : .success(nil)
                answers.append((continuation, answer))
                if bytes > Self.batchBytes {
                    flush()
                    bytes = 0
                }
            case .stretch(let question, let continuation):
                // Nobody waits for it any more.
                if continuation.isGiven { break }
                bytes += question.count
                continuation.resume(returning: ready ? answer(question) : .failure(.gone))
            case .statistics(let continuation):
                shared.lookAtFiles()
                continuation.resume(returning: ready ? statistics() : .success(shared.emptyStatistics()))
            case .name(let digest, let reply): reply.resume(returning: ready ? name(of: digest) : nil)
            case .search, .ready, .openShelf, .closeShelf: break
            }
        }
        if ready { finish() }
        flush()
    }

    private func flush() {
        for (continuation, answer) in answers { continuation.resume(returning: answer) }
        answers.removeAll(keepingCapacity: true)
    }

    private func fail(_ job: ReadJob, _ error: StoreError) {
        switch job {
        // A damaged database holds nothing: its readers miss.
        case .entry(_, _, let continuation):
            shared.meters.readFailed.add()
            continuation.resume(returning: error.isDamage ? .success(nil) : .failure(error))
        case .stretch(_, let continuation):
            shared.meters.readFailed.add()
            continuation.resume(returning: .failure(BodyFailure(error.description)))
        case .statistics(let continuation):
            continuation.resume(returning: error.isDamage ? .success(shared.emptyStatistics()) : .failure(error))
        case .name(_, let reply): reply.resume(returning: nil)
        case .search, .ready, .openShelf, .closeShelf: break
        }
    }

    /// Ends the read transaction; a failure means that the connection is of no more use.
    func finish() {
        do throws(StoreError) {
            try connection?.statement("COMMIT").run()
        } catch {
            disconnect()
            if error.isDamage { damaged(error) }
        }
    }

    // MARK: The connection

    /// False while there is no database to read.
    func connect() throws(StoreError) -> Bool {
        if connection != nil {
            if shared.gate.mayStay() { return true }
            disconnect()
        }
        // A connection would make a log of that name, and read from it what is in another.
        guard shared.files.isDatabaseInPlace else {
            shared.askForLook()
            return false
        }
        guard let entered = shared.gate.enter() else { return false }
        do throws(StoreError) {
            let made = try CacheSchema.openReader(shared.files.path)
            made.adopt()
            connection = made
            generation = entered
            find = try made.statement(
                """
                SELECT \(RowSums.columns)
                FROM entry e CROSS JOIN life l WHERE e.digest = ?1 AND l.id = e.id
                """)
            lastWithoutSum = try CacheMigration.lastWithoutSum(made)
            pieces = try made.statement(
                "SELECT id, data, sum FROM chunk WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575 ORDER BY id")
            stretch = try made.statement("SELECT id, data, sum FROM chunk WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
            lastPiece = try made.statement("SELECT length(data) FROM chunk WHERE id = ?1")
            return true
        } catch {
            generation = entered
            if connection == nil { shared.gate.leave() } else { disconnect() }
            throw error
        }
    }

    private func disconnect() {
        guard let connection else { return }
        self.connection = nil
        find = nil
        pieces = nil
        stretch = nil
        lastPiece = nil
        connection.close(keepsLog: true)
        shared.gate.leave()
    }

    func damaged(_ error: StoreError) {
        shared.meters.damage.add()
        _ = shared.writes.insist(.damaged(generation: generation, error))
    }

    // MARK: Reading

    private func read(_ key: CacheKey, _ opens: Bool, _ bytes: inout Int) -> Result<StoredResponse?, StoreError> {
        do throws(StoreError) {
            var found = try row(key, opens)
            // The body was being swept: the row is gone or replaced, or about to be.
            for _ in 0..<3 where found.isUnsettled {
                try renewSnapshot()
                found = try row(key, opens)
            }
            let entry = found.entry
            if let entry {
                bytes += entry.body.count
                shared.meters.found.add()
            } else {
                shared.meters.absent.add()
            }
            return .success(entry)
        } catch {
            shared.meters.readFailed.add()
            guard error.isDamage else { return .failure(error) }
            damaged(error)
            return .success(nil)
        }
    }

    /// What a look found.
    private struct Found {
        var entry: StoredResponse?
        /// There is a row, but its body is being swept.
        var isUnsettled = false
    }

    private func row(_ key: CacheKey, _ opens: Bool) throws(StoreError) -> Found {
        guard let find else { return Found() }
        defer { find.reset() }
        find.bind(1, key.digest)
        guard try find.step() else { return Found() }
        let row = SummedRow(find)
        let isSame = key.bytes.withUnsafeBytes { $0.isSame(as: row.key) }
        guard isSame else {
            shared.meters.keyMismatches.add()
            return Found()
        }
        if let kind = row.fault(digest: key.digest, lastWithoutSum: lastWithoutSum) {
            damagedEntry(row.id, kind)
            return Found()
        }
        let size = Int(row.size)
        let body: Bytes?
        var large: StoredBody?
        if opens && size > SQLiteStore.openSize {
            let isWhole = try isWhole(row.id, row.size)
            if isWhole {
                // Before a head goes out: then it is a miss, and no answer that is cut.
                guard try isFirstSound(row.id) else { return Found() }
                guard let pin = pin(row.id) else { return Found(isUnsettled: true) }
                large = StoredBody(pin: pin, length: row.size)
            }
            body = isWhole ? [] : nil
        } else if size > CacheSchema.chunkSize {
            body = try whole(row.id, size)
        } else {
            body = row.body.count == size ? Bytes(row.body) : nil
        }
        guard let body,
            var entry = EntryCodec.decode(
                row.head, key: key, body: body, freshUntil: row.freshUntil, staleUntil: row.staleUntil,
                label: String(decoding: row.label, as: UTF8.self))
        else {
            shared.meters.undecodable.add()
            return Found()
        }
        entry.large = large
        if let removals, try !admit(&entry, row.id, removals) { return Found() }
        return Found(entry: entry)
    }

    /// The pieces of a large body, or nil where they are not exactly it. Others may read meanwhile.
    private func whole(_ id: Int64, _ size: Int) throws(StoreError) -> Bytes? {
        // More than could have been stored is a damaged figure, or from before the limit was lowered: no memory for it.
        guard let pieces, Int64(size) <= shared.settings.withLock({ $0.maxObject }) else { return nil }
        let isLong = size > Self.batchBytes
        if isLong { shared.reads.stepAside() }
        defer { if isLong { shared.reads.stepBack() } }
        pieces.bind(1, id)
        return try pieces.joined(size: size, isSound: isSound)
    }

    private func statistics() -> Result<StoreStatistics, StoreError> {
        var out = shared.emptyStatistics()
        guard let connection else { return .success(out) }
        do throws(StoreError) {
            let pages = try connection.number("PRAGMA page_count") ?? 0
            let free = try connection.number("PRAGMA freelist_count") ?? 0
            out.liveBytes = (pages - free) * CacheSchema.pageSize
            let sums = try connection.statement(
                """
                SELECT p.name, p.entries + coalesce(more.entries, 0), p.bytes + coalesce(more.bytes, 0)
                FROM provider p LEFT JOIN (
                  SELECT provider AS id, count(*) AS entries, sum(size) AS bytes FROM entry
                  WHERE id > (SELECT max(counted) FROM provider) GROUP BY 1) AS more ON more.id = p.id
                """)
            defer { sums.reset() }
            while try sums.step() {
                out.byProvider[sums.text(0)] = (sums.int(1), sums.int(2))
                out.entries &+= sums.int(1)
            }
            return .success(out)
        } catch {
            if error.isDamage { damaged(error) }
            return .failure(error)
        }
    }
}
