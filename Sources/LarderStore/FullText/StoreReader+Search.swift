// A full-text search on a reader's thread. It first finds the results that match, from the index and a few small
// columns, then reads the requested page. Work and time are bounded: only the newest matches are ranked, up to a limit,
// and a search that takes too long is interrupted (sqlite.org/c3ref/progress_handler.html).
import CSQLite
import LarderCore

extension StoreReader {
    /// The most matches that are ranked, the newest ones; bm25 needs a look at each.
    static let rankedMatches = 10_000
    static let searchTime = Duration.seconds(1)

    /// Serves the first job of the line of searches.
    func search() {
        guard let job = shared.searches.take() else { return }
        // Nobody waits any more for a search whose reply has lapsed.
        let answer = job.reply.isGiven ? nil : answer(job.question)
        if shared.searches.ended() { _ = shared.callForSearch() }
        guard let answer else { return }
        switch answer {
        case .success(let found):
            (found.total > 0 ? shared.meters.searchesFound : shared.meters.searchesEmpty).add()
        case .failure:
            shared.meters.searchesFailed.add()
        }
        job.reply.resume(returning: answer)
    }

    private func answer(_ question: FullTextQuestion) -> Result<FullTextAnswer, StoreError> {
        slice("searching") { (connection) throws(StoreError) in
            let deadline = SearchDeadline(shared.time, after: Self.searchTime)
            let context = Unmanaged.passUnretained(deadline).toOpaque()
            sqlite3_progress_handler(connection.handle, 1000, searchIsLate, context)
            defer {
                sqlite3_progress_handler(connection.handle, 0, nil, nil)
                withExtendedLifetime(deadline) {}
            }
            return try found(question, connection, deadline)
        }
    }

    /// One match before its texts are read.
    private struct Candidate {
        var row: Int64
        var score: Double
        var name: Int64
        var storedAt: WallTime
    }

    /// Entries of which nothing can be shown.
    private struct Passed {
        var entries: Set<Int64> = []
        /// Those among them that have no file.
        var lacking: Set<Int64> = []
    }

    private func found(
        _ question: FullTextQuestion, _ connection: DatabaseConnection, _ deadline: SearchDeadline
    ) throws(StoreError) -> FullTextAnswer {
        var answer = FullTextAnswer()
        guard !question.terms.isEmpty, question.keyParts.count <= FullTextQuestion.mostKeyParts else { return answer }
        var candidates = try candidates(question, connection)
        answer.isCapped = candidates.count == Self.rankedMatches
        if let removals {
            let removed = try removed(of: Set(candidates.map { $0.row >> 12 }), orUnverified: true, removals)
            candidates.removeAll { removed.contains($0.row >> 12) }
        }
        // If the same result is in several answers, the newest of those that match counts.
        var newest: [Int64: Candidate] = [:]
        for candidate in candidates {
            if let known = newest[candidate.name],
                (known.storedAt, known.row) > (candidate.storedAt, candidate.row)
            {
                continue
            }
            newest[candidate.name] = candidate
        }
        // A smaller bm25 is better (sqlite.org/fts5.html#the_bm25_function).
        candidates = newest.values.sorted {
            ($0.score, $1.storedAt, $0.row) < ($1.score, $0.storedAt, $1.row)
        }
        answer.total = candidates.count
        var shown: [Int64] = []
        var passed = Passed()
        // A result that cannot be shown leaves its place to the next one.
        for candidate in candidates.dropFirst(question.offset) where !passed.entries.contains(candidate.row >> 12) {
            if shown.count == question.limit || !passed.entries.isEmpty && deadline.hasPassed { break }
            guard let match = try match(candidate, connection, &passed) else { continue }
            answer.matches.append(match)
            shown.append(candidate.row)
        }
        let highlights = try highlights(shown, question, connection)
        for (place, row) in shown.enumerated() { answer.matches[place].highlights = highlights[row] ?? [] }
        // The matches are shown, whether this succeeds or not.
        if !passed.lacking.isEmpty { try? note(passed.lacking, connection) }
        return answer
    }

    /// Notes those of these rows whose files are missing as damaged. The file of a row goes after its removal is
    /// committed, which a later snapshot shows.
    private func note(_ lacking: Set<Int64>, _ connection: DatabaseConnection) throws(StoreError) {
        try renewSnapshot()
        let row = try connection.statement("SELECT 1 FROM entry WHERE id = ?1 AND \(BodyTable.isInFile())")
        defer { row.reset() }
        for id in lacking {
            row.reset()
            row.bind(1, id)
            if try row.step() { damagedEntry(id, .piece) }
        }
    }

    private func candidates(
        _ question: FullTextQuestion, _ connection: DatabaseConnection
    ) throws(StoreError) -> [Candidate] {
        // CROSS JOIN keeps the order of the loops: the index leads (sqlite.org/optoverview.html#crossjoin). A title
        // counts most. Each filter is a list in a text, so that one statement serves all questions.
        let statement = try connection.statement(
            """
            SELECT f.rowid, bm25(found, 10.0, 4.0, 3.0, 1.0), r.name, e.head
            FROM found f CROSS JOIN result r CROSS JOIN entry e CROSS JOIN life l
            WHERE found MATCH ?1 AND r.id = f.rowid AND e.id = r.id >> 12 AND l.id = e.id AND l.version = ?2
              AND l.staleUntil > ?3 AND l.freshUntil > 0 AND (?4 = '' OR instr(?4, ',' || e.provider || ',') > 0)
              AND (?5 = '' OR instr(?5, ',' || r.kind || ',') > 0) AND (length(?6) = 0 OR instr(e.key, ?6) > 0)
              AND (length(?8) = 0 OR instr(e.key, ?8) > 0) AND (length(?9) = 0 OR instr(e.key, ?9) > 0)
              AND (length(?10) = 0 OR instr(e.key, ?10) > 0)
            ORDER BY f.rowid DESC LIMIT ?7
            """)
        statement.bind(1, question.expression)
        statement.bind(2, Int64(CacheKey.version))
        statement.bind(3, shared.time.wall().milliseconds)
        statement.bind(4, try numbers(of: question.providers, connection))
        statement.bind(5, question.kinds.isEmpty ? "" : ",\(question.kinds.joined(separator: ",")),")
        for (place, column) in ([6, 8, 9, 10] as [Int32]).enumerated() {
            statement.bind(column, place < question.keyParts.count ? question.keyParts[place] : [])
        }
        statement.bind(7, Int64(Self.rankedMatches))
        return try statement.rows { row in
            Candidate(
                row: row.int(0), score: row.double(1), name: row.int(2),
                storedAt: EntryCodec.arrival(of: row.raw(3))?.at ?? .distantPast)
        }
    }

    /// ",1,4," for two providers. A provider that stores nothing yet has no number, and none of its results match.
    private func numbers(of names: [String], _ connection: DatabaseConnection) throws(StoreError) -> String {
        guard !names.isEmpty else { return "" }
        let numbers = try connection.rows("SELECT id, name FROM provider") { row in
            names.contains(row.text(1)) ? "\(row.int(0))," : nil
        }
        return "," + numbers.joined()
    }

    /// The result as it stands in its answer; nil if the result, its row or its answer is damaged.
    /// - Parameter passed: gets the id of an answer of which nothing can be shown.
    private func match(
        _ candidate: Candidate, _ connection: DatabaseConnection, _ passed: inout Passed
    ) throws(StoreError) -> FullTextMatch? {
        let row = try connection.statement(
            """
            SELECT \(RowSums.columns), e.digest, r.place, r.length, r.name, r.kind, r.title, r.creator, r.collection,
              r.summary, r.sum
            FROM result r CROSS JOIN entry e CROSS JOIN life l WHERE r.id = ?1 AND e.id = r.id >> 12 AND l.id = e.id
            """)
        row.bind(1, candidate.row)
        defer { row.reset() }
        guard try row.step(), let digest = Digest(bytes: row.bytes(13)) else { return nil }
        let summed = SummedRow(row)
        let (id, size) = (summed.id, summed.size)
        if let kind = summed.fault(digest: digest) {
            damagedEntry(id, kind)
            passed.entries.insert(id)
            return nil
        }
        guard let texts = ResultTexts(row, from: 14), Int64(texts.place.upperBound) <= size,
            RowSums.result(texts, as: candidate.row) == row.int(22)
        else {
            damagedEntry(id, .result)
            return nil
        }
        let (place, length) = (Int64(texts.place.lowerBound), texts.place.count)
        let json: Bytes
        if summed.isLarge {
            guard let found = stretch(summed, place, length, &passed.lacking) else {
                passed.entries.insert(id)
                return nil
            }
            json = found
        } else {
            json = Bytes(UnsafeRawBufferPointer(rebasing: row.raw(7)[texts.place]))
        }
        guard json.count == length, json.first == 0x7B, json.last == 0x7D,
            let origin = EntryCodec.origin(of: row.raw(6))
        else {
            shared.meters.undecodable.add()
            passed.entries.insert(id)
            return nil
        }
        return FullTextMatch(
            json: json, provider: origin.provider, storedAt: origin.at, freshUntil: WallTime(milliseconds: row.int(2)),
            highlights: [])
    }

    /// Bytes of a body that lies in a file. Empty if they are damaged, nil if they cannot be read at present: one such
    /// body is no reason to show none of the others.
    private func stretch(_ row: SummedRow, _ place: Int64, _ length: Int, _ lacking: inout Set<Int64>) -> Bytes? {
        guard let bodies else { return [] }
        do throws(StoreError) {
            let keeps = row.size <= Int64(SQLiteStore.openSize)
            guard let file = try borrow(row.id, from: bodies, keeps: keeps) else {
                lacking.insert(row.id)
                return nil
            }
            defer { bodies.leave(row.id) }
            let found = try BodyRead.stretch(file, row.id, at: place, count: length, of: row.size, sums: row.body)
            if found == nil { damagedEntry(row.id, .piece) }
            return found ?? []
        } catch {
            shared.meters.readFailed.add()
            return nil
        }
    }

    /// Where the results of a page matched, found in one pass over the matches. For a prefix FTS5 first gathers all
    /// words that begin with it. Doing so for each row of a page would take a hundred times as long.
    private func highlights(
        _ rows: [Int64], _ question: FullTextQuestion, _ connection: DatabaseConnection
    ) throws(StoreError) -> [Int64: [(field: String, pieces: [String])]] {
        guard let first = rows.min(), let last = rows.max() else { return [:] }
        let statement = try connection.statement(
            """
            SELECT highlight(found, 0, ?2, ?3), highlight(found, 1, ?2, ?3), highlight(found, 2, ?2, ?3),
              snippet(found, 3, ?2, ?3, '…', 24), title || creator || collection || summary, rowid
            FROM found
            WHERE found MATCH ?1 AND rowid >= ?4 AND rowid <= ?5 AND instr(?6, ',' || rowid || ',') > 0
            """)
        statement.bindAll(
            question.expression, String(Highlight.begin), String(Highlight.end), first, last,
            ",\(rows.map(String.init).joined(separator: ",")),")
        defer { statement.reset() }
        var found: [Int64: [(field: String, pieces: [String])]] = [:]
        while try statement.step() {
            guard !Highlight.isMarked(statement.text(4)) else { continue }
            for (column, field) in ["title", "creator", "collection", "summary"].enumerated() {
                let pieces = Highlight.pieces(statement.text(Int32(column)))
                if pieces.count > 1 { found[statement.int(5), default: []].append((field, pieces)) }
            }
        }
        return found
    }
}

/// Marks around the text that matched. If the text itself holds such a mark, nothing in it is marked.
enum Highlight {
    static let begin: Unicode.Scalar = "\u{1}"
    static let end: Unicode.Scalar = "\u{2}"

    static func isMarked(_ text: String) -> Bool { text.unicodeScalars.contains { $0 == begin || $0 == end } }

    /// The text cut at the alternating marks: the pieces with odd indexes matched.
    static func pieces(_ text: String) -> [String] {
        var pieces = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == begin || $0 == end }
            .map { String($0) }
        if pieces.count > 1, pieces.last == "" { pieces.removeLast() }
        return pieces
    }
}

/// The deadline of a search. SQLite's callback reads it on the thread that searches.
final class SearchDeadline {
    private let time: any TimeSource
    private let end: MonotonicTime

    init(_ time: any TimeSource, after span: Duration) {
        self.time = time
        end = time.monotonic() + span
    }

    var hasPassed: Bool { time.monotonic() > end }
}

/// Tells SQLite to stop (not 0) if the search is late.
private nonisolated func searchIsLate(_ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<SearchDeadline>.fromOpaque(context).takeUnretainedValue().hasPassed ? 1 : 0
}
