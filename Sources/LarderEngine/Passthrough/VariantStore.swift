// Where the responses of one URL are stored. A response that no request field selects has the URL's own key. If `Vary`
// names fields, each response has a key of its own, made from the values of these fields, and names its URL (RFC 9111
// §4.1, `StoredVariant`). Removing the URL's key removes its variants.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// Finds and places the variants of one request's URL.
struct VariantStore: Sendable {
    let engine: Engine
    let request: PassRequest

    /// Finds the stored response that fits the request's selecting fields.
    func find() async -> EntryCache.Found {
        let cache = engine.cache
        let ready = cache.readyStamp(request)
        let began = cache.begin(request)
        let look = await cache.find(request.primary)
        if let entry = look.entry, await canBegin(entry) {
            return EntryCache.Found(entry: entry, ready: ready, began: began)
        }
        guard look.entry == nil, let index = VariantIndex(look) else {
            var nothing = EntryCache.Found(ready: ready, began: began)
            if look.entry != nil || look.isLate || look.missing > 0 { nothing.isLate = true }
            return nothing
        }
        for (place, variant) in order(index.candidates(for: request.forwarded)).enumerated() {
            let key = variant.entry.key
            // Stamp before the variant is read: a variant is freshened, hidden and removed without the others.
            let both = cache.readyStamp(request, key.digest)
            guard let entry = await cache.open(key), await canBegin(entry) else { continue }
            return EntryCache.Found(
                // The most recent of several candidates must be used (RFC 9111 §4.1). If that one is gone or could not
                // be read, an older one must be validated first.
                entry: entry, isInDoubt: place > 0 || variant.isInDoubt, index: index,
                isForAll: request.isChosenPlainly(entry, index),
                // If the variants changed since they were found, the older stamp shows that.
                ready: cache.isCurrent(ready) ? both : ready, began: began)
        }
        return EntryCache.Found(index: index, ready: ready, began: began)
    }

    /// The order in which candidates are tried. The most recent of those that can be used must be used (RFC 9111 §4). So
    /// one that can be used goes before a more recent one that would have to be validated first, unless it was received
    /// earlier: after a response was given out, no earlier one is.
    private func order(_ candidates: [VariantIndex.Variant]) -> [VariantIndex.Variant] {
        var latest: UInt64 = 0
        for (place, variant) in candidates.enumerated() {
            if variant.entry.arrival >= latest, !variant.isInDoubt, isUsable(variant.entry) {
                return [variant] + candidates[..<place] + candidates[(place + 1)...]
            }
            latest = max(latest, variant.entry.arrival)
        }
        return candidates
    }

    /// Whether the entry answers this request without being validated.
    private func isUsable(_ entry: StoredResponse) -> Bool {
        let judge = request.judge
        return (!request.isPersonal || judge.isForAll(entry))
            && judge.decide(entry, request.directives, now: engine.time.wall()).decision.isUsable
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

    /// The key under which a response with these `Vary` names is stored.
    func key(_ names: [String]) -> CacheKey {
        guard !names.isEmpty else { return request.primary }
        return request.variantKey(VariantIndex.selection(names: names, requestFields: request.forwarded))
    }

    /// Gives a response the key under which it is stored, and says which requests it answers.
    func place(_ entry: inout StoredResponse) {
        guard case .names(let names) = Vary(entry.fields), !names.isEmpty else {
            (entry.key, entry.variant) = (request.primary, nil)
            return
        }
        let variant = VariantIndex.variant(
            of: entry, vary: names, requestFields: request.forwarded, url: request.primary.digest)
        (entry.key, entry.variant) = (request.variantKey(variant.selection), variant)
    }
}
