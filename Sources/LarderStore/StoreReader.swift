// A reader thread. It takes all waiting jobs in one go, reads them in one transaction, and answers all of them at the
// end, so that many reads share the cost of a wake-up, of SQLite's locks and of the answer's way back.
//
// It copies everything out and holds no transaction while anyone waits for a client.
import Glibc
import LarderCore

/// One job for the readers.
enum ReadJob: Sendable {
    /// Reads an entry. If there is none and it is the key of a URL, reads the heads of the URL's variants.
    case entry(CacheKey, opens: Bool, isOfURL: Bool, Reply<Result<StoredLook, StoreError>>)
    case stretch(StretchQuestion, Reply<Result<Bytes, BodyFailure>>)
    /// Reads a body that is being sent from its file into memory, and says whether it is as it was written.
    case load(SentBody, @Sendable (Bool) -> Void)
    /// The name by which people find the entry of this digest.
    case name(Digest, Reply<EntryName?>)
    /// Prepares a row for table `ready`.
    case ready(ReadyOrder)
    /// Opens the connection of the loop of this number.
    case openLoopReader(Int)
    /// Closes the connection of this loop, because it has failed.
    case closeLoopReader(Int)
    case statistics(Reply<Result<StoreStatistics, StoreError>>)
    /// Serves the next search of the line.
    case search
    /// Looks at many rows, as far as one job goes.
    case slice(@Sendable (StoreReader) -> Void)

    /// Whether it reads an open file, and no database.
    fileprivate var isOfFile: Bool {
        switch self {
        case .stretch, .load: true
        case .entry, .name, .ready, .openLoopReader, .closeLoopReader, .statistics, .search, .slice: false
        }
    }
}

final class StoreReader {
    /// The most reads taken at once.
    static let batch = 64
    /// After this many bytes the answers so far are given.
    static let batchBytes = 256 << 10
    /// After this long without reads the page cache is given back.
    static let restAfter = Duration.seconds(60)

    let shared: StoreShared
    private(set) var connection: DatabaseConnection?
    private(set) var generation = 0
    /// The removals that were not committed before the present snapshot was taken; nil if there are none.
    var removals: Removals?
    private var find: Statement?
    private var findVariants: Statement?
    /// The large bodies of this database.
    private(set) var bodies: BodyFiles?
    private var answers: [(Reply<Result<StoredLook, StoreError>>, Result<StoredLook, StoreError>)] = []

    init(_ shared: StoreShared) {
        self.shared = shared
        answers.reserveCapacity(Self.batch)
    }

    /// The main loop of the thread.
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
        serveLookUps(jobs.filter { !$0.isOfFile })
        for case .stretch(let question, let reply) in jobs { serve(question, reply) }
        for case .load(let body, let then) in jobs { then(body.loadNow()) }
        for case .openLoopReader(let number) in jobs { openLoopReader(number) }
        for case .closeLoopReader(let number) in jobs { closeLoopReader(number) }
        for case .ready(let order) in jobs { prepare(order) }
        // After all others of the batch, since these take milliseconds.
        for case .search in jobs { search() }
        for case .slice(let job) in jobs { job(self) }
    }

    private func serveLookUps(_ jobs: [ReadJob]) {
        if jobs.isEmpty { return }
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
        var told: [(Reply<Result<StoreStatistics, StoreError>>, Result<StoreStatistics, StoreError>)] = []
        for job in jobs {
            switch job {
            case .entry(let key, let opens, let isOfURL, let continuation):
                let answer = ready ? read(key, opens, isOfURL, &bytes) : .success(StoredLook())
                answers.append((continuation, answer))
                if bytes > Self.batchBytes {
                    flush()
                    bytes = 0
                }
            case .statistics(let continuation):
                shared.lookAtFiles()
                told.append((continuation, ready ? statistics() : .success(shared.emptyStatistics())))
            case .name(let digest, let reply): reply.resume(returning: ready ? name(of: digest) : nil)
            case .stretch, .load, .search, .ready, .openLoopReader, .closeLoopReader, .slice: break
            }
        }
        if ready { finish() }
        flush()
        // After the transaction: who has the sizes may ask for upkeep at once, which an open snapshot would hinder.
        for (continuation, answer) in told { continuation.resume(returning: answer) }
    }

    private func flush() {
        for (continuation, answer) in answers { continuation.resume(returning: answer) }
        answers.removeAll(keepingCapacity: true)
    }

    private func fail(_ job: ReadJob, _ error: StoreError) {
        switch job {
        // A damaged database counts as empty: its reads miss.
        case .entry(_, _, _, let continuation):
            shared.meters.readFailed.add()
            continuation.resume(returning: error.isDamage ? .success(StoredLook()) : .failure(error))
        case .statistics(let continuation):
            continuation.resume(returning: error.isDamage ? .success(shared.emptyStatistics()) : .failure(error))
        case .name(_, let reply): reply.resume(returning: nil)
        case .stretch, .load, .search, .ready, .openLoopReader, .closeLoopReader, .slice: break
        }
    }

    /// Ends the read transaction. A failure means that the connection is of no more use, so it is closed.
    func finish() {
        do throws(StoreError) {
            try connection?.statement("COMMIT").run()
        } catch {
            disconnect()
            if error.isDamage { damaged(error) }
        }
    }

    // MARK: The connection

    /// Connects if necessary. Returns false while there is no database to read.
    func connect() throws(StoreError) -> Bool {
        if connection != nil {
            if shared.gate.mayStay() { return true }
            disconnect()
        }
        // If the log has lost its name, a connection would make a new one, and would not see what is in the old one.
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
            findVariants = try made.statement(
                """
                SELECT \(RowSums.columnsWithoutBody), e.digest
                FROM entry e CROSS JOIN life l WHERE e.url = ?1 AND l.id = e.id
                """)
            bodies = shared.bodies.withLock { $0 }
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
        (find, findVariants) = (nil, nil)
        bodies = nil
        connection.close(keepsLog: true)
        shared.gate.leave()
    }

    func damaged(_ error: StoreError) {
        shared.meters.damage.add()
        _ = shared.writes.insist(.damaged(generation: generation, error))
    }

    // MARK: Reading

    private func read(
        _ key: CacheKey, _ opens: Bool, _ isOfURL: Bool, _ bytes: inout Int
    ) -> Result<StoredLook, StoreError> {
        do throws(StoreError) {
            var found = try row(key, opens)
            // The body has no file: in another snapshot the row is gone or replaced, or it is damaged. If this thread
            // has to wait between row and file, the entry may be replaced again each time. So there are many tries:
            // only an entry that is replaced all the time uses them up.
            for _ in 0..<16 {
                guard let missing = found.lacksFile else { break }
                try renewSnapshot()
                found = try row(key, opens)
                // The file goes after the commit that removes its row, which this snapshot would show. So the row is
                // damaged.
                if found.lacksFile == missing {
                    damagedEntry(missing, .piece)
                    break
                }
            }
            var look = StoredLook(entry: found.entry)
            if let entry = found.entry { bytes += entry.body.count } else if isOfURL { try readVariants(key, &look) }
            (look.isEmpty ? shared.meters.absent : shared.meters.found).add()
            return .success(look)
        } catch {
            shared.meters.readFailed.add()
            guard error.isDamage else { return .failure(error) }
            damaged(error)
            return .success(StoredLook())
        }
    }

    /// Reads the heads of a URL's variants.
    private func readVariants(_ url: CacheKey, _ look: inout StoredLook) throws(StoreError) {
        guard let find = findVariants else { return }
        defer { find.reset() }
        find.bind(1, url.digest)
        while try find.step() {
            let row = SummedRow(find)
            guard let digest = Digest(raw: find.raw(13)) else { continue }
            if let kind = row.headFault(digest: digest) {
                damagedEntry(row.id, kind)
                look.missing = .max
                continue
            }
            let entry = EntryCodec.decode(
                row.head, key: CacheKey(bytes: Bytes(row.key), digest: digest), body: [], freshUntil: row.freshUntil,
                staleUntil: row.staleUntil, label: String(decoding: row.label, as: UTF8.self))
            guard var entry else {
                damagedEntry(row.id, .row)
                look.missing = .max
                continue
            }
            if let removals, try !admit(&entry, row.id, removals) {
                look.missing = max(look.missing, entry.arrival)
            } else {
                look.variants.append(entry)
            }
        }
    }

    /// The result of a look.
    private struct Found {
        var entry: StoredResponse?
        /// The id of a row whose file is missing.
        var lacksFile: Int64?
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
        if let kind = row.fault(digest: key.digest) {
            damagedEntry(row.id, kind)
            return Found()
        }
        let body: Bytes
        var large: StoredBody?
        if row.isLarge {
            switch try file(of: row, opens) {
            case .none: return Found(lacksFile: row.id)
            case .damaged: return Found()
            case .body(let found): (body, large) = ([], found)
            case .whole(let bytes): body = bytes
            }
        } else {
            body = Bytes(row.body)
        }
        guard
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

    private func statistics() -> Result<StoreStatistics, StoreError> {
        var out = shared.emptyStatistics()
        guard let connection else { return .success(out) }
        do throws(StoreError) {
            let pages = try connection.number("PRAGMA page_count") ?? 0
            let free = try connection.number("PRAGMA freelist_count") ?? 0
            let named = min(max(0, try connection.number("SELECT bytes FROM bodies") ?? 0), 1 << 60)
            out.liveBytes = (pages - free) * connection.pageSize + named + (bodies?.table.uncounted ?? 0)
            let sums = try connection.statement(
                """
                SELECT p.name, p.entries + coalesce(more.entries, 0), p.bytes + coalesce(more.bytes, 0)
                FROM provider p LEFT JOIN (
                  SELECT provider AS id, count(*) AS entries, sum(iif(size BETWEEN 0 AND (1 << 42), size, 0)) AS bytes
                  FROM entry WHERE id > (SELECT max(counted) FROM provider) GROUP BY 1) AS more ON more.id = p.id
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
