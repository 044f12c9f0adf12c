// Where the answers of one URL lie. An answer that no request field selected lies under the URL's own key. Where `Vary`
// names fields, an index lies there, and each variant lies under a key of its own that the index gives (RFC 9111 §4.1).
// The URL's key is the parent of its variants, so purging it purges them too.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

struct VariantStore: Sendable {
    let engine: Engine
    let request: PassRequest

    /// The endpoint name of an index's row.
    static let indexName = "variants"

    /// Whether a row is a list of variants.
    static func isList(_ row: StoredResponse) -> Bool { row.endpoint == indexName }

    /// Looks for the stored answer that fits the request's selecting fields.
    func find() async -> EntryCache.Found {
        let cache = engine.cache
        let ready = cache.readyStamp(request.primary.digest)
        let began = cache.begin(request.target)
        guard let first = await cache.open(request.primary) else {
            return EntryCache.Found(ready: ready, began: began)
        }
        guard first.endpoint == Self.indexName else {
            guard await canBegin(first) else { return EntryCache.Found(ready: ready, began: began) }
            return EntryCache.Found(entry: first, ready: ready, began: began)
        }
        guard let index = VariantIndex(decoding: first.body) else {
            return EntryCache.Found(ready: ready, began: began)
        }
        cache.used(request.primary.digest)
        for (place, selection) in index.candidates(for: request.forwarded).enumerated() {
            let key = request.variantKey(selection)
            // Before the variant is read, as for the list: it is freshened, hidden and removed without its list.
            let both = cache.readyStamp([request.primary.digest, key.digest])
            guard let entry = await cache.open(key), await canBegin(entry) else { continue }
            return EntryCache.Found(
                // Of several the most recent one is to be used (RFC 9111 §4.1): where that could not be read, or is gone, an
                // older one is asked about first.
                entry: entry, isInDoubt: place > 0 || index.isInDoubt(selection), index: index,
                isForAll: request.isChosenPlainly(selection, index),
                // A later one may answer because the first could not be read in time: nothing to be kept ready.
                list: place == 0 ? StoredRow(first) : nil,
                // Where the list was changed since it was read, the older stamp says so.
                ready: cache.isCurrent(ready) ? both : ready, began: began)
        }
        return EntryCache.Found(index: index, ready: ready, began: began)
    }

    /// Whether the parts of a large body that are asked for begin with what was stored: a damaged one is a miss as long as no
    /// head has gone out. The store itself looks at the beginning of the whole.
    private func canBegin(_ entry: StoredResponse) async -> Bool {
        guard let large = entry.large, request.wantsRange else { return true }
        let ranges: [Range<Int64>] =
            // Without a look at If-Range, which only decides whether ranges count.
            switch ByteRange.evaluate(
                requestFields: ["Range": request.fields.combined("Range") ?? ""], length: large.length, etag: nil,
                lastModified: nil, date: nil)
            {
            case .single(let range): [range]
            case .several(let ranges): ranges
            case .whole, .unsatisfiable: []
            }
        for range in ranges where await !large.canBegin(at: range.lowerBound) { return false }
        return true
    }

    /// A validated variant lives longer; its index must not be evicted before it, nor before the others.
    func prolong(_ entry: StoredResponse) async {
        guard entry.key != request.primary, let list = await engine.cache.open(request.primary),
            list.staleUntil < entry.staleUntil
        else { return }
        await engine.cache.prolong(
            request.primary.digest, freshUntil: max(list.freshUntil, entry.freshUntil), staleUntil: entry.staleUntil)
    }

    /// Every stored variant, for an update that concerns them all.
    func all(_ index: VariantIndex) async -> [StoredResponse] {
        var entries: [StoredResponse] = []
        for selection in index.variants.map(\.selection) {
            if let entry = await engine.cache.open(request.variantKey(selection)) { entries.append(entry) }
        }
        return entries
    }

    /// The key under which an answer with that `Vary` is stored, and the parents to note.
    func place(_ names: [String]) -> (key: CacheKey, parents: [Digest]) {
        guard !names.isEmpty else { return (request.primary, []) }
        let selection = VariantIndex.selection(names: names, requestFields: request.forwarded)
        return (request.variantKey(selection), [request.primary.digest])
    }

    /// What became of an answer and of the list that names it.
    struct Kept {
        var written: Written
        /// The list went with it, or none is needed.
        var isListed = true
        /// There was a list before, which may go on selecting what it did where the new one is not stored.
        var hadList = false
        /// Other requests for the same target and coding get it, too.
        var isForAll = true
        /// It is older than what is stored, or than all that the list has room for: that it is not stored says nothing of these.
        var isOutdated = false
    }

    /// Writes an answer, and with it the URL's index where fields select it: as one that was just received. One note of a URL
    /// at a time: each reads the list and writes it with its own variant.
    /// - Parameters:
    ///   - place: the answer's among those of the URL that are under way.
    ///   - write: writes the answer, and the list together with it.
    func keep(
        _ entry: StoredResponse, names: [String], putsOthersInDoubt: Bool, _ place: AnswerPlace,
        by write: (Companion?) async -> Written
    ) async -> Kept {
        guard !names.isEmpty else { return Kept(written: await write(nil)) }
        let turns = engine.cache.turns
        guard await turns.enter(request.primary.digest) else {
            // Others wait only where there is a list, or where one is being written.
            return Kept(written: await write(nil), isListed: false, hadList: true, isForAll: false)
        }
        defer { turns.leave(request.primary.digest) }
        guard !place.isOvertaken else { return Kept(written: .refused, isOutdated: true) }
        let new = await list(with: entry, names, putsOthersInDoubt)
        // It is older than all that the list has room for: nobody would be answered by it.
        if new.lacksEntry { return Kept(written: .refused, hadList: new.hadList, isOutdated: true) }
        // One that is not stored leaves the older list, which selects what it did, but no older answer of the URL.
        let companion = Companion(
            new.row, supersedes: !new.hadList, concernsOthers: putsOthersInDoubt || new.hasOtherNames)
        let written = await write(companion)
        if written.isAccepted { await remove(new.dropped) }
        return Kept(written: written, hadList: new.hadList, isForAll: new.isForAll)
    }

    /// Notes a variant that has been validated, and so is the newest.
    func note(_ entry: StoredResponse, names: [String], _ place: AnswerPlace) async {
        guard !names.isEmpty else { return }
        let turns = engine.cache.turns
        guard await turns.enter(request.primary.digest) else { return }
        defer { turns.leave(request.primary.digest) }
        // From before the list is read: where all variants were removed since, it is a list of before, and may lack a doubt
        // that could not be written.
        let began = engine.cache.begin(request.target)
        let new = await list(with: entry, names, false)
        let written = await engine.cache.write(
            new.row, since: began, supersedes: !new.hadList, when: { !place.isOvertaken })
        if written.isAccepted { await remove(new.dropped) }
    }

    /// Whether newer variants that other names select stand before one in the list, so that some of its requests get them.
    func isBehindOthers(_ entry: StoredResponse, _ names: [String], _ index: VariantIndex?) -> Bool {
        guard let index, !names.isEmpty else { return false }
        let selection = VariantIndex.selection(names: names, requestFields: request.forwarded)
        return !index.isChosen(selection, byOnly: Set(names))
    }

    /// Puts the variants in doubt that were received before that instant; their newer answer is not stored itself.
    /// - Returns: false where the list could not be read or its turn did not come, so that it says nothing of it.
    func doubt(since instant: WallTime, _ began: RemovalStamp) async -> Bool {
        let cache = engine.cache
        guard await cache.turns.enter(request.primary.digest) else { return false }
        defer { cache.turns.leave(request.primary.digest) }
        // A newer answer that no field selects takes no turn.
        let unchanged = cache.readyStamp(request.primary.digest)
        guard var row = await cache.open(request.primary) else { return false }
        guard row.endpoint == Self.indexName else { return true }
        guard var index = VariantIndex(decoding: row.body) else { return false }
        index.doubt(since: instant, now: engine.time.wall())
        row.body = index.encoded()
        _ = await cache.write(row, since: began, when: { [memory = cache.memory] in memory.isCurrent(unchanged) })
        return true
    }

    /// Those that are listed no more.
    private func remove(_ dropped: [Digest]) async {
        for selection in dropped {
            await engine.cache.remove(request.variantKey(selection).digest, of: request.provider.name)
        }
    }

    /// A list of variants that is to be written.
    private struct NewList {
        var row: StoredResponse
        /// Variants that have no place in it any more.
        var dropped: [Digest]
        /// There was one before.
        var hadList: Bool
        /// The new variant has no place in it.
        var lacksEntry: Bool
        /// See `Kept`.
        var isForAll: Bool
        /// Others are selected by other names: some requests select one of them and the new one, and are to get the most recent
        /// (RFC 9111 §4.1).
        var hasOtherNames: Bool
    }

    /// The URL's list with one more variant, or with a newer one in its place.
    private func list(
        with entry: StoredResponse, _ names: [String], _ putsOthersInDoubt: Bool
    ) async -> NewList {
        let found = await engine.cache.open(request.primary)
        let known = found?.endpoint == Self.indexName ? found : nil
        var index = known.flatMap { VariantIndex(decoding: $0.body) } ?? VariantIndex()
        let (selection, dropped) = index.add(
            vary: names, requestFields: request.forwarded, receivedAt: entry.responseTime,
            putsOthersInDoubt: putsOthersInDoubt, answerFields: entry.fields, now: engine.time.wall())
        let row = StoredResponse(
            key: request.primary, layer: .raw, provider: request.provider.name, endpoint: Self.indexName,
            body: index.encoded(), requestTime: entry.requestTime, responseTime: entry.responseTime,
            freshUntil: max(entry.freshUntil, known?.freshUntil ?? entry.freshUntil),
            staleUntil: max(entry.staleUntil, known?.staleUntil ?? entry.staleUntil),
            // It goes with the answers that it lists.
            parents: request.primary == request.target ? [] : [request.target.digest], label: entry.label)
        return NewList(
            row: row, dropped: dropped, hadList: known != nil, lacksEntry: dropped.contains(selection),
            isForAll: request.isChosenPlainly(selection, index),
            hasOtherNames: Set(index.variants.map(\.names)).count > 1)
    }
}
