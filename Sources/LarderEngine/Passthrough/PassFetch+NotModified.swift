// What a 304 does: it confirms stored responses, or another version than the stored one (RFC 9111 §4.3.3, §4.3.4).
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// A 304 to Larder's own conditions: it confirms what is stored, or the request is sent again without conditions.
    func notModified(
        _ head: UpstreamHead, _ offered: [StoredResponse], _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult {
        if let result = await confirmed(offered, by: head, found, began, voice) { return result }
        guard found.entry != nil || !offered.isEmpty else { return .failed(unasked304) }
        // The stored response can still stand in for an error. It is hidden if the newer response is stored elsewhere.
        var unasked = found
        // A flight for a range asks for it again. A flight for the whole has joined requests that want all of it.
        let isForRange = PartRequest.isFar(request.fields) && !isRefresh
        unasked.part = isForRange ? found.part?.unconditional : nil
        if let entry = found.entry, !Validation.freshenedIndexes(by: head, among: [entry]).isEmpty {
            guard losesParts(entry, by: head) else { return .answered(await freshen(entry, by: head, found, began)) }
            await displaceShared()
            if engine.cache.isCurrent(began) {
                await engine.cache.displace(entry.key.digest, of: entry.provider)
            }
            unasked.entry = nil
            unasked.parts = PartsLook(.askAsWritten(nil), unasked.part, nil)
        }
        // Otherwise it confirms another version than the stored one (RFC 9111 §4.3.4).
        switch await send(unasked.part?.fields ?? [:], unasked) {
        case .failure(let failure): return .failed(failure)
        case .success((let whole, let classification)):
            guard whole.head.status != 304 else {
                whole.cancel()
                return .failed(unasked304)
            }
            return await receive(whole, classification, unasked, began, voice)
        }
    }

    /// Freshens the stored head that a 304 confirmed, and that of every variant the 304 applies to (RFC 9111 §4.3.4).
    private func freshen(
        _ entry: StoredResponse, by head: UpstreamHead, _ found: EntryCache.Found, _ began: RemovalStamp
    ) async -> Made {
        var news = Validation.freshening(entry, by: head, rule: rule, targets: request.targets)
        let isOfParts = entry.large is PartsBody
        // The stored response is now the most recent one, even if older responses are still arriving.
        let place = place(of: news.entry, news.entry.bodyLength)
        news.entry.arrival = place.number
        var made = Made(entry: news.entry, origin: .upstream(status: 304, isAnswer: true))
        made.storing = .validated
        made.own = own(news.entry, confirmedBy: head)
        // This 304 is for its client alone. If the fetch is a refresh, other requests may wait and must not get it.
        if request.tellsItsClientAlone(news.entry) {
            made.mayBeShared = false
            return made
        }
        made.selection = selection(of: news.entry, began, place)
        if isOfParts, case .store = news.verdict.decision {
            place.spareSame()
        }
        await hideOlder(than: news.entry, confirmed: entry.key, found, began, place)
        var others: [StoredResponse] = []
        if let index = found.index { others = index.variants.map(\.entry).filter { $0.key != entry.key } }
        if case .store = news.verdict.decision, names(news.entry) == names(entry),
            request.groups(news.entry) == request.groups(entry)
        {
            if let index = found.index, !isOfParts { made.entry.variant = index.leading(made.entry) }
            if await parts.freshen(entry, to: made.entry, by: head, since: began) { made.written = .stored }
        } else {
            // The response must not be kept, or its key is no longer that of its selecting fields. No request finds it.
            await displaceShared()
            if engine.cache.isCurrent(began) { _ = place.overtake(.answered) }
            if !place.isOvertaken, engine.cache.isCurrent(began) {
                await engine.cache.displace(entry.key.digest, of: entry.provider)
            }
            made.mayBeShared = false
        }
        let named = Validation.freshenedIndexes(by: head, among: [entry] + others).filter { $0 > 0 }
        await freshenOthers(named.map { others[$0 - 1] }, by: head, since: began, place)
        if made.written.isStored, found.isForAll, engine.cache.isCurrent(began) {
            made.written.ready = engine.cache.readyStamp(request, entry.key.digest)
            // The response was hidden before the stamp was taken.
            if place.isOvertaken { made.written.ready = nil }
        }
        return made
    }
}
