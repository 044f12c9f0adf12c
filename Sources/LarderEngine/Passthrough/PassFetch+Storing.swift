// How a response is stored, and what happens to older responses of its URL if it is not stored. After a newer response
// was given out, no older one is given out.
import LarderCache
import LarderCore
import LarderHTTP

extension PassFetch {
    /// What only the client that caused a 304 gets: cookies, and fields that a qualified directive keeps out of the
    /// store. A whole response is treated the same way.
    func own(_ entry: StoredResponse, confirmedBy head: UpstreamHead) -> Made.Own {
        var fields = entry.fields
        fields.add(
            HopByHop.endToEnd(head.fields).filtered {
                !entry.fields.contains($0) && !$0.isIn(Validation.describingBody)
            })
        return Made.Own(fields: fields, interim: head.interim)
    }

    // MARK: Older responses

    /// Makes older responses of the URL unsuitable after this one was given out and is not, or perhaps not, stored: those
    /// that its request selects, or all, as with `answered` if no request field selects this one. What arrived after it
    /// stays.
    private func displaceOlder(
        than entry: StoredResponse, _ reach: AnswerOrder.Reach, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) {
        // A response that was requested before a removal says nothing about what was stored after it. What the flight
        // found at its beginning is useless all the same.
        let isCurrent = engine.cache.isCurrent(began)
        if isCurrent { _ = place.overtake(reach) }
        let isKnownToHaveNone = found.hasNothing && !found.isLate && engine.cache.isCurrent(found.ready)
        // Memory may hold an answer that was accepted and could not be committed, which no look-up finds.
        engine.cache.memory.invalidate(request.primary.digest)
        if isKnownToHaveNone { return }
        let before = isCurrent ? entry.arrival : found.entry.map { $0.arrival + 1 } ?? 0
        let isOfAll = reach == .all || reach == .answered && names(entry).isEmpty
        engine.cache.displaceOlder(
            of: request.primary.digest, provider: request.provider.name, before: before,
            selecting: isOfAll ? nil : request.forwarded)
    }

    /// Does what a response that must not be stored means for older ones (`Displacement`).
    func displace(
        _ entry: StoredResponse, _ why: CacheRule, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        let isForOneClient = request.isPersonal || why == .requestNoStore
        let displacement = Displacement(status: entry.status, isForOneClient: isForOneClient)
        if displacement != .none { removeParts(olderThan: entry, began) }
        switch displacement {
        case .none: break
        case .selected:
            guard rule.semantics == .rfc else { return }
            await displaceShared()
            displaceOlder(than: entry, .selected, found, began, place)
        case .all:
            await displaceShared()
            var hasAny = found.entry != nil || found.index != nil
            if !hasAny, !engine.cache.isCurrent(found.ready) { hasAny = await engine.cache.mayHold(request.primary) }
            displaceOlder(than: entry, .all, found, began, place)
            // Removing the URL's key also removes responses to requests with content, and those to other callers.
            guard hasAny, engine.cache.isCurrent(began), !place.isOvertaken else { return }
            await engine.cache.displace(request.primary.digest, of: request.provider.name)
        }
    }

    /// Makes older entries unsuitable after a response that could be stored was given out and is not stored. Those that
    /// can stand in for an error stay.
    func hideOlder(
        than entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace
    ) async {
        removeParts(olderThan: entry, began)
        guard let reach = Displacement.reach(status: entry.status) else {
            if let old = found.entry, old.status >= 500 { engine.cache.hide(old) }
            return
        }
        await displaceShared()
        displaceOlder(than: entry, reach, found, began, place)
    }

    /// Hides older entries that the request would get before the one with the given key, which a validation confirmed.
    func hideOlder(
        than entry: StoredResponse, confirmed: CacheKey, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        guard engine.cache.isCurrent(began) else { return }
        let overtaken = place.overtake(.answered, withdraws: false).filter { $0 != confirmed }
        engine.cache.hide(entry, inPlaceOf: overtaken)
        guard !engine.cache.isCurrent(found.ready) else { return }
        let look = await engine.cache.find(request.primary)
        let selected =
            look.entry.map { [$0] } ?? VariantIndex(look)?.candidates(for: request.forwarded).map(\.entry) ?? []
        for old in selected.prefix(while: { $0.key != confirmed }) where old.arrival < entry.arrival {
            engine.cache.hide(old)
        }
    }

    // MARK: Storing

    /// Whether storing the response may take no waiting: nothing of its URL is stored or under way.
    func mayKeepAtOnce(_ entry: StoredResponse, _ found: EntryCache.Found) -> Bool {
        sharing == nil && found.hasNothing && found.parts?.stored == nil
            && Displacement.reach(status: entry.status) == .answered
            && engine.cache.isCurrent(found.ready) && !engine.cache.answers.hasSeveral(request.primary.digest)
    }

    /// Stores a response for which `mayKeepAtOnce` is true.
    /// - Returns: nil if the store does not accept it without waiting.
    func keepAtOnce(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace
    ) -> Written? {
        let isAccepted =
            place.beginWriting(overtaking: .answered)
            && engine.cache.accept(
                entry, since: began, supersedes: superseded(by: entry, found), when: { !place.isOvertaken })
        guard isAccepted else { return nil }
        engine.noteSearchVariance(entry, of: request)
        removeParts(olderThan: entry, began)
        var written = Written.stored
        written.ready = engine.cache.readyStamp(request, entry.key.digest)
        // The response was hidden or removed before the stamp was taken.
        if place.isOvertaken || !engine.cache.isCurrent(began, entry) { written.ready = nil }
        if !isForAll(entry, found, isFoundCurrent: true) { written.ready = nil }
        return written
    }

    /// Stores a response.
    /// - Parameter overtakes: false for a response from the shared tier, which may be older than responses in progress.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        overtakes: Bool = true
    ) async -> Written {
        await keep(entry, found, began, place, overtakes: overtakes) {
            await engine.cache.write(entry, since: began, supersedes: $0, when: { !place.isOvertaken })
        }
    }

    /// - Parameter write: writes the response, and is told what older that makes useless.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        overtakes: Bool = true, by write: (Superseded) async -> Written
    ) async -> Written {
        let isFoundCurrent = engine.cache.isCurrent(found.ready)
        let reach =
            overtakes && engine.cache.isCurrent(began) ? Displacement.reach(status: entry.status) : nil
        guard place.beginWriting(overtaking: reach) else {
            if overtakes { displaceUnstored(entry, found, began, place) }
            return .refused
        }
        var written = await write(superseded(by: entry, found))
        guard written.isAccepted else {
            // The response was given out all the same.
            if reach != nil { await displaceShared() }
            if overtakes { displaceUnstored(entry, found, began, place) }
            return written
        }
        // Until the commit no older entry under another key must be used.
        if !written.isStored, overtakes { displaceUnstored(entry, found, began, place) }
        if place.isOvertaken, !written.isStored {
            written.ready = nil
            return written
        }
        engine.noteSearchVariance(entry, of: request)
        removeParts(olderThan: entry, began)
        written.ready = engine.cache.readyStamp(request, entry.key.digest)
        // The response was hidden before the stamp was taken, or other requests must get a newer one.
        if place.isOvertaken || !isForAll(entry, found, isFoundCurrent: isFoundCurrent) { written.ready = nil }
        // A removal in the meantime did not remove this entry, which was not there yet.
        guard engine.cache.isCurrent(began) else {
            await engine.cache.remove(entry.key.digest, of: entry.provider)
            return .refused
        }
        return written
    }

    private func displaceUnstored(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace
    ) {
        guard let reach = Displacement.reach(status: entry.status) else { return }
        displaceOlder(than: entry, reach, found, began, place)
    }

    /// What a response makes useless even if it is not stored. A variant beside others that the same fields select replaces
    /// only the older one with its key. Without others it may replace a response that no field selects. Beside others that
    /// other fields select, requests that they fit may have got it.
    private func superseded(by entry: StoredResponse, _ found: EntryCache.Found) -> Superseded {
        guard let variant = entry.variant else { return .entry }
        guard let index = found.index, !variant.putsOthersInDoubt else { return .url }
        return index.hasOtherNames(than: names(entry)) ? .url : .entry
    }

    /// Whether other requests for the same target and coding get the response too.
    private func isForAll(_ entry: StoredResponse, _ found: EntryCache.Found, isFoundCurrent: Bool) -> Bool {
        guard entry.variant != nil else { return true }
        // What was stored since may be a variant that some of them get.
        guard isFoundCurrent else { return false }
        return found.index.map { request.isChosenPlainly(entry, $0) } ?? request.varyIsPlain(entry)
    }
}
