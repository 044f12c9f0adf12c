// How a part is stored: first its own row, then the list that names it. After a crash in between, the row is named by
// no list and is evicted like any other. A list may name a row that was not committed; those bytes count as missing.
import LarderCache
import LarderCore
import LarderSettings
import LarderStore

extension PartialContent {
    /// An empty list of parts for the representation that a response belongs to.
    init(_ answer: PartAnswer, keptUntil: WallTime) {
        let identity = answer.validator.map { Identity.validator($0) }
        self.init(
            identity ?? .alone(.random(in: 0...UInt64.max)), length: answer.length, keptUntil: keptUntil)
    }
}

/// One part on its way into the store.
struct PartSaving: Sendable {
    let parts: PassParts
    let answer: PartAnswer
    /// The row of the list, without its content.
    let row: StoredResponse
    let began: RemovalStamp
    /// The response's place among the responses in progress of its URL.
    let place: AnswerPlace
    /// The list that was found before the part was requested, if the response belongs to it.
    let known: StoredParts?

    private var cache: EntryCache { parts.engine.cache }

    /// What became of a part.
    private struct Saved {
        var written = Written.refused
        /// Whether a row was written from the received bytes. If not, they were refused or are stored already.
        var isRowWritten = false
    }

    /// Stores a part that has arrived completely.
    func save(_ bytes: Bytes) async -> Written {
        await save(Int64(bytes.count)) { part in
            var part = part
            part.body = bytes
            return await cache.write(part, since: began, when: { !place.isOvertaken })
        }.written
    }

    /// Stores the first `count` bytes of a part, which the writer holds.
    /// - Parameter reach: which older responses this one overtakes, if its head has not overtaken them already.
    func save(_ count: Int64, _ writer: any BodyWriter, overtaking reach: AnswerOrder.Reach? = nil) async {
        let saved = await save(count, overtaking: reach) { part in
            await cache.complete(writer, part, since: began, when: { !place.isOvertaken })
        }
        if !saved.isRowWritten { writer.abandon() }
    }

    private func save(
        _ count: Int64, overtaking reach: AnswerOrder.Reach? = nil, by write: (StoredResponse) async -> Written
    ) async -> Saved {
        var saved = Saved()
        guard place.beginWriting(overtaking: reach) else { return saved }
        // One save at a time: each reads the list and writes it back with its own part.
        guard await cache.turns.enter(row.key.digest) else { return saved }
        defer { cache.turns.leave(row.key.digest) }
        // If the list could not be read in time, the list from before the request for the part is used.
        let before = await cache.open(row.key).flatMap { StoredParts($0) } ?? known
        let same = before.flatMap { $0.isSame(as: answer) ? $0 : nil }
        var row = row
        // The newest head counts, whichever part was completed first.
        if let same, same.row.arrival > row.arrival { row = same.row }
        var content = same?.content ?? PartialContent(answer, keptUntil: row.staleUntil)
        let range = answer.range.lowerBound..<answer.range.lowerBound + count
        var gone: [Int64] = []
        if await isHeld(range, content) {
            saved.written = Written(state: .stored)
        } else {
            saved.written = await write(part(range, row, content))
            guard saved.written.isAccepted else { return saved }
            saved.isRowWritten = true
            gone = content.add(range, most: parts.snapshot.settings.cache.maxObject)
        }
        if row.staleUntil - content.keptUntil > Self.slack {
            Task { [parts, content, row] in await parts.prolong(content, in: row) }
            content.keptUntil = row.staleUntil
        }
        row.body = content.encoded()
        row.large = nil
        // If this list is not stored, an older list of the same representation is still right.
        let kept = await cache.write(
            row, since: began, supersedes: same == nil ? .url : .nothing, when: { !place.isOvertaken })
        // Memory holds whole responses only, so the result carries no ready stamp.
        saved.written = kept.isAccepted ? Written(state: saved.written.state) : .refused
        // The older list stays in use, so the rows that it names must stay.
        guard kept.isAccepted else { return saved }
        for start in gone { await remove(start, of: content) }
        if same == nil, let before {
            for start in Set(before.content.parts.map(\.start)) { await remove(start, of: before.content) }
        }
        let counters = parts.engine.counters
        if saved.isRowWritten { counters.cell(EngineCounters.storedParts, row.provider, "stored").add() }
        counters.cell(EngineCounters.storedParts, row.provider, "dropped").add(gone.count)
        return saved
    }

    /// Whether the row of a listed part with the same beginning holds at least as many bytes. A client that leaves
    /// early must not shorten that part.
    private func isHeld(_ range: Range<Int64>, _ content: PartialContent) async -> Bool {
        let isListed = content.parts.contains { part in
            part.start == range.lowerBound && part.range.clamped(to: range) == range
        }
        guard isListed,
            let stored = await cache.open(parts.key(range.lowerBound, of: content, listed: row.key))
        else { return false }
        return stored.bodyLength >= Int64(range.count)
    }

    /// How much earlier than their list the rows of parts can expire.
    private static let slack = Duration.seconds(600)

    private func part(_ range: Range<Int64>, _ row: StoredResponse, _ content: PartialContent) -> StoredResponse {
        var part = StoredResponse(
            key: parts.key(range.lowerBound, of: content, listed: row.key), layer: .raw, provider: row.provider,
            endpoint: StoredParts.partName, status: 206,
            fields: ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.length)"],
            requestTime: row.requestTime, responseTime: row.responseTime, initialAge: row.initialAge,
            freshUntil: row.freshUntil, staleUntil: row.staleUntil, parents: row.parents + [row.key.digest],
            label: row.label)
        part.arrival = row.arrival
        return part
    }

    private func remove(_ start: Int64, of content: PartialContent) async {
        let key = parts.key(start, of: content, listed: row.key)
        await cache.displace(key.digest, of: row.provider)
    }
}
