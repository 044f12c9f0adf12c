// Where the responses of one URL are stored. A response that no request field selected has the URL's own key. If `Vary`
// names fields, that key holds a variant list, and each variant has a key of its own that the list gives (RFC 9111
// §4.1). The URL's key is the parent of its variants, so purging it purges them too.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// Finds, writes and removes the variants of one request's URL.
struct VariantStore: Sendable {
    let engine: Engine
    let request: PassRequest

    /// The endpoint name that marks the row of a variant list.
    static let indexName = "variants"

    /// Whether a row is a variant list.
    static func isList(_ row: StoredResponse) -> Bool { row.endpoint == indexName }

    /// Finds the stored response that fits the request's selecting fields.
    func find() async -> EntryCache.Found {
        let cache = engine.cache
        let ready = cache.readyStamp(request)
        let began = cache.begin(request)
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
        let candidates = index.candidates(for: request.forwarded)
        for (place, selection) in await order(candidates, in: index) {
            let key = request.variantKey(selection)
            // Stamp before the variant is read: a variant is freshened, hidden and removed without its list.
            let both = cache.readyStamp(request, key.digest)
            guard let entry = await cache.open(key), await canBegin(entry) else { continue }
            return EntryCache.Found(
                // The most recent of several candidates must be used (RFC 9111 §4.1). If that one is gone or could not
                // be read, an older one must be validated first.
                entry: entry, isInDoubt: place > 0 || index.isInDoubt(selection), index: index,
                isForAll: request.isChosenPlainly(selection, index),
                // A later candidate may answer only because the first could not be read in time: do not keep it ready.
                list: place == 0 ? StoredRow(first) : nil,
                // If the list changed since it was read, the older stamp shows that.
                ready: cache.isCurrent(ready) ? both : ready, began: began)
        }
        return EntryCache.Found(index: index, ready: ready, began: began)
    }

    /// The order in which candidates are tried, each with its place among them. The most recent of those that can be
    /// used must be used (RFC 9111 §4). So one that can be used goes before a more recent one that would have to be
    /// validated first, unless it was received earlier: after a response was given out, no earlier one is. Its place is
    /// 0 then, unless a more recent one cannot be read.
    private func order(_ candidates: [Digest], in index: VariantIndex) async -> [(place: Int, selection: Digest)] {
        let usual = candidates.enumerated().map { (place: $0.offset, selection: $0.element) }
        guard candidates.count > 1 else { return usual }
        var latest: UInt64 = 0
        for (place, selection) in usual {
            guard let entry = await engine.cache.open(request.variantKey(selection)) else { break }
            if entry.arrival >= latest, !index.isInDoubt(selection), isUsable(entry) {
                return [(0, selection)] + usual.filter { $0.place != place }
            }
            latest = max(latest, entry.arrival)
        }
        return usual
    }

    /// Whether the entry answers this request without being validated.
    private func isUsable(_ entry: StoredResponse) -> Bool {
        let judge = request.judge
        guard !request.isPersonal || judge.isForAll(entry) else { return false }
        return switch judge.decide(entry, request.directives, now: engine.time.wall()).decision {
        case .fresh, .negative, .stale: true
        case .unusable: false
        }
    }

    /// Whether the requested ranges of a large body begin with the bytes that were stored. A damaged body is a miss as
    /// long as no head has been sent. The store itself checks the beginning of the whole body.
    private func canBegin(_ entry: StoredResponse) async -> Bool {
        guard let large = entry.large, request.wantsRange else { return true }
        let ranges: [Range<Int64>] =
            // `If-Range` is left out: it only decides whether ranges count.
            switch ByteRange.evaluate(
                requestFields: ["Range": request.fields.combined(.range) ?? ""], length: large.length, etag: nil,
                lastModified: nil, date: nil)
            {
            case .single(let range): [range]
            case .several(let ranges): ranges
            case .whole, .unsatisfiable: []
            }
        for range in ranges where await !large.canBegin(at: range.lowerBound) { return false }
        return true
    }

    /// Prolongs the variant list after one of its variants was validated. The list must live as long as they do.
    func prolong(_ entry: StoredResponse) async {
        guard entry.key != request.primary, let list = await engine.cache.open(request.primary),
            list.staleUntil < entry.staleUntil
        else { return }
        await engine.cache.prolong(
            request.primary.digest, freshUntil: max(list.freshUntil, entry.freshUntil), staleUntil: entry.staleUntil)
    }

    /// Every stored variant, for an update that concerns all of them.
    func all(_ index: VariantIndex) async -> [StoredResponse] {
        var entries: [StoredResponse] = []
        for selection in index.variants.map(\.selection) {
            if let entry = await engine.cache.open(request.variantKey(selection)) { entries.append(entry) }
        }
        return entries
    }

    /// The key under which a response with these `Vary` names is stored, and the parents of its row.
    func place(_ names: [String]) -> (key: CacheKey, parents: [Digest]) {
        guard !names.isEmpty else { return (request.primary, []) }
        let selection = VariantIndex.selection(names: names, requestFields: request.forwarded)
        return (request.variantKey(selection), [request.primary.digest])
    }

    /// What became of an answer and of the list that names it.
    struct Kept {
        var written: Written
        /// The list was stored with the response, or none is needed.
        var isListed = true
        /// There was a list before. It may go on selecting the same entries if the new list is not stored.
        var hadList = false
        /// Other requests for the same target and coding get the response too.
        var isForAll = true
        /// The response is older than what is stored, or than all of a full list. Its refusal says nothing about those.
        var isOutdated = false
    }

    /// Writes a response, and if request fields select it, the variant list with it, in which variants are ordered by `Date`.
    /// Calls for one URL take turns, because each reads the list and writes it back with its own variant.
    /// - Parameters:
    ///   - place: the response's place among the responses in progress of its URL.
    ///   - write: writes the response together with the list.
    func keep(
        _ entry: StoredResponse, names: [String], putsOthersInDoubt: Bool, _ place: AnswerPlace,
        by write: (Companion?) async -> Written
    ) async -> Kept {
        guard !names.isEmpty else { return Kept(written: await write(nil)) }
        let turns = engine.cache.turns
        guard await turns.enter(request.primary.digest) else {
            // The turn is contended only if the URL has a variant list or one is being written.
            return Kept(written: await write(nil), isListed: false, hadList: true, isForAll: false)
        }
        defer { turns.leave(request.primary.digest) }
        guard !place.isOvertaken else { return Kept(written: .refused, isOutdated: true) }
        let new = await list(with: entry, names, putsOthersInDoubt)
        // The response is older than every variant that the list has room for, so no request would get it.
        if new.lacksEntry { return Kept(written: .refused, hadList: new.hadList, isOutdated: true) }
        // If the new list is not stored, the older list stays and selects the same entries. Without an older list, an
        // older response under the URL's key must not stay.
        let companion = Companion(
            new.row, supersedes: !new.hadList, concernsOthers: putsOthersInDoubt || new.hasOtherNames)
        let written = await write(companion)
        if written.isAccepted { await remove(new.dropped) }
        return Kept(written: written, hadList: new.hadList, isForAll: new.isForAll)
    }

    /// Notes a variant that has been validated. It then goes before those that were received earlier,
    /// whatever its `Date` says.
    func note(_ entry: StoredResponse, names: [String], _ place: AnswerPlace) async {
        guard !names.isEmpty else { return }
        let turns = engine.cache.turns
        guard await turns.enter(request.primary.digest) else { return }
        defer { turns.leave(request.primary.digest) }
        // The stamp is taken before the list is read. If all variants were removed since, the list is outdated, and may
        // lack a doubt that could not be written.
        let began = engine.cache.begin(request)
        let new = await list(with: entry, names, false, isValidated: true)
        let written = await engine.cache.write(
            new.row, since: began, supersedes: !new.hadList, when: { !place.isOvertaken })
        if written.isAccepted { await remove(new.dropped) }
    }

    /// Whether more recent variants with other selecting fields precede this one in the list, so that some requests get
    /// those.
    func isBehindOthers(_ entry: StoredResponse, _ names: [String], _ index: VariantIndex?) -> Bool {
        guard let index, !names.isEmpty else { return false }
        let selection = VariantIndex.selection(names: names, requestFields: request.forwarded)
        return !index.isChosen(selection, byOnly: Set(names))
    }

    /// Puts variants in doubt that were received before the given time. The newer response itself is not stored.
    /// - Returns: false if the list could not be read or its turn did not come, so that it does not record the doubt.
    func doubt(since instant: WallTime, _ began: RemovalStamp) async -> Bool {
        let cache = engine.cache
        guard await cache.turns.enter(request.primary.digest) else { return false }
        defer { cache.turns.leave(request.primary.digest) }
        // A newer response that no field selects takes no turn, so the write below checks this stamp.
        let unchanged = cache.readyStamp(request)
        guard var row = await cache.open(request.primary) else { return false }
        guard row.endpoint == Self.indexName else { return true }
        guard var index = VariantIndex(decoding: row.body) else { return false }
        index.doubt(since: instant, now: engine.time.wall())
        row.body = index.encoded()
        _ = await cache.write(row, since: began, when: { [memory = cache.memory] in memory.isCurrent(unchanged) })
        return true
    }

    /// Removes variants that are no longer listed.
    private func remove(_ dropped: [Digest]) async {
        for selection in dropped {
            await engine.cache.remove(request.variantKey(selection).digest, of: request.provider.name)
        }
    }

    /// A variant list that is about to be written.
    private struct NewList {
        var row: StoredResponse
        /// Variants that the list has no room for any more.
        var dropped: [Digest]
        /// There was a list before.
        var hadList: Bool
        /// The list has no room for the new variant.
        var lacksEntry: Bool
        /// See `Kept.isForAll`.
        var isForAll: Bool
        /// Other variants have other selecting fields. Some requests then match one of them and the new one, and must
        /// get the most recent (RFC 9111 §4.1).
        var hasOtherNames: Bool
    }

    /// The URL's variant list after the new variant was added to it or replaced its older version.
    /// - Parameter isValidated: whether the variant was validated just now.
    private func list(
        with entry: StoredResponse, _ names: [String], _ putsOthersInDoubt: Bool, isValidated: Bool = false
    ) async -> NewList {
        let found = await engine.cache.open(request.primary)
        let known = found?.endpoint == Self.indexName ? found : nil
        var index = known.flatMap { VariantIndex(decoding: $0.body) } ?? VariantIndex()
        let (selection, dropped) = index.add(
            vary: names, requestFields: request.forwarded, receivedAt: entry.responseTime,
            putsOthersInDoubt: putsOthersInDoubt, answerFields: entry.fields, now: engine.time.wall())
        if isValidated { index.lead(selection) }
        var row = StoredResponse(
            key: request.primary, layer: .raw, provider: request.provider.name, endpoint: Self.indexName,
            body: index.encoded(), requestTime: entry.requestTime, responseTime: entry.responseTime,
            freshUntil: max(entry.freshUntil, known?.freshUntil ?? entry.freshUntil),
            staleUntil: max(entry.staleUntil, known?.staleUntil ?? entry.staleUntil),
            // The list is removed together with the responses that it lists.
            parents: (request.primary == request.target ? [] : [request.target.digest])
                + request.folders.map(\.digest), label: entry.label)
        row.arrival = entry.arrival
        return NewList(
            row: row, dropped: dropped, hadList: known != nil, lacksEntry: dropped.contains(selection),
            isForAll: request.isChosenPlainly(selection, index),
            hasOtherNames: Set(index.variants.map(\.names)).count > 1)
    }
}
