// Finds a stored response that answers a request although neither its URL nor its fields select it: the response to an
// equivalent query (No-Vary-Search), or the one in the client's preferred language. This look-up runs only if nothing
// else was found, and only a fresh response is used. It is neither validated nor kept in memory for this request.
import LarderCache
import LarderCore
import LarderHTTP

extension PassSelection {
    /// The most variants in the right language that are opened for one request.
    private static let mostOpened = 4

    /// - Parameter found: the result of the normal look-up, which selected no entry.
    func other(than found: EntryCache.Found) async -> EntryCache.Found? {
        if let chosen = await inBestLanguage(found) { return chosen }
        guard mayHaveOtherQueries else { return nil }
        for query in engine.searchVariances.equivalents(of: request) {
            let asked = PassRequest(request, query: query)
            let there = await VariantStore(engine: engine, request: asked).find()
            guard let entry = there.entry else {
                if there.index == nil { engine.searchVariances.forget(query, of: request) }
                continue
            }
            guard !there.isInDoubt, answers(entry),
                engine.searchVariances.mayAnswerOtherQueries(
                    entry, of: request.provider.name, path: request.pathDigest),
                SearchVariance(entry.fields).areEquivalent(query, request.query)
            else { continue }
            engine.count(.answered, request)
            return chosen(entry, by: .searchVariance, found)
        }
        return nil
    }

    /// Whether responses to other queries may be known to answer this one. Only answers for all callers are noted.
    var mayHaveOtherQueries: Bool { request.content == nil && request.primary == request.target }

    private func inBestLanguage(_ found: EntryCache.Found) async -> EntryCache.Found? {
        guard let index = found.index else { return nil }
        for variant in index.inBestLanguage(for: request.forwarded).prefix(Self.mostOpened) {
            guard let entry = await engine.cache.open(variant.entry.key), entry.status == 200,
                let tag = LanguageChoice.language(entry.fields), LanguageChoice.isBest(tag, for: request.forwarded),
                answers(entry),
                engine.searchVariances.mayAnswerOthers(
                    entry, of: request.provider.name, path: request.pathDigest)
            else { continue }
            return chosen(entry, by: .bestLanguage, found)
        }
        return nil
    }

    /// Whether an entry may be used as it is, and by this client.
    private func answers(_ entry: StoredResponse) -> Bool {
        (!request.isPersonal || request.judge.isForAll(entry)) && fetch.answersNow(entry)
    }

    private func chosen(
        _ entry: StoredResponse, by rule: CacheRule, _ found: EntryCache.Found
    ) -> EntryCache.Found {
        var out = found
        out.entry = entry
        out.isForAll = false
        out.chosenBy = rule
        return out
    }
}
