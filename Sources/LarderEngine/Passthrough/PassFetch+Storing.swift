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

    /// Hides or removes older responses that a response makes unsuitable without being stored itself. A response that
    /// was requested before a removal says nothing about what was stored after that removal.
    func displace(
        _ entry: StoredResponse, _ why: CacheRule, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        let isForOneClient = request.isPersonal || why == .requestNoStore
        let displacement = Displacement(status: entry.status, isForOneClient: isForOneClient)
        if displacement != .none, !isKnownToLackParts(found) { await removeParts(olderThan: entry, began) }
        switch displacement {
        case .none: break
        case .selected:
            guard rule.semantics == .rfc else { return }
            await displaceShared()
            let isFoundCurrent = engine.cache.isCurrent(found.ready)
            await hideSelected(by: entry, found, began, place, .selected, isFoundCurrent: isFoundCurrent)
        case .all:
            await displaceShared()
            guard engine.cache.isCurrent(began) else {
                return await hideWhatIsThere(by: entry, found, began, place)
            }
            let written = place.overtake(.all)
            var hasAny = found.entry != nil || found.index != nil || !written.isEmpty
            if !hasAny, !engine.cache.isCurrent(found.ready) {
                let now = await variants.find()
                hasAny = now.entry != nil || now.index != nil
            }
            // An entry that the look-up missed may be there all the same.
            guard hasAny else { return await hideOlder(than: entry, found, began, place) }
            // An entry that was found just now may be newer.
            if place.isOvertaken { return await leaveToNewer(entry, found, began) }
            // Removing the URL's key removes all variants.
            await engine.cache.displace(request.primary.digest, of: request.provider.name)
        }
    }

    private func isKnownToLackParts(_ found: EntryCache.Found) -> Bool {
        found.lacksParts && engine.cache.isCurrent(found.ready)
    }

    /// Hides what the request selects: the entry that the flight found at its beginning, and later ones.
    /// - Parameter isFoundCurrent: whether nothing was stored since, apart from this flight's own changes.
    private func hideSelected(
        by entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        _ reach: AnswerOrder.Reach, isFoundCurrent: Bool
    ) async {
        if engine.cache.isCurrent(began) {
            let written = place.overtake(reach)
            // If something was stored since, the entry's key may hold another response by now.
            if isFoundCurrent, let old = found.entry { engine.cache.hide(entry, inPlaceOf: old) }
            for key in written { hide(key, by: entry) }
            forgetReady()
        }
        if found.entry != nil || !isFoundCurrent { await hideWhatIsThere(by: entry, found, began, place) }
    }

    /// Makes memory forget the URL's answers. It may hold one that was accepted and could not be committed, which no
    /// look-up finds.
    func forgetReady() { engine.cache.memory.invalidate(request.primary.digest) }

    /// Repeats the look-up and hides older entries that it finds for the request.
    /// - Parameters:
    ///   - place: the response's place. If the response has been overtaken, only the entry that was found at the
    ///     beginning is known to be useless. Nil if the response is known to be overtaken.
    ///   - kept: keys of entries that stay.
    private func hideWhatIsThere(
        by entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace?,
        except kept: [CacheKey] = []
    ) async {
        // There are 32 variants at most.
        for _ in 0...32 {
            guard let now = await variants.find().entry, !kept.contains(now.key) else { return }
            let mayTell = engine.cache.isCurrent(began) && place?.isOvertaken != true
            guard isFound(now, found) || mayTell && now.arrival < entry.arrival else { return }
            engine.cache.hide(entry, inPlaceOf: now)
        }
    }

    private func hide(_ key: CacheKey, by entry: StoredResponse) {
        var newer = entry
        newer.key = key
        engine.cache.hide(newer)
    }

    /// Whether an entry is the one that the flight found at its beginning.
    private func isFound(_ entry: StoredResponse, _ found: EntryCache.Found) -> Bool {
        found.entry.map { $0.key == entry.key && $0.arrival == entry.arrival } ?? false
    }

    /// Hides older entries after a response was given out and not stored. Those that can stand in for an error stay.
    func hideOlder(
        than entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace
    ) async {
        if !isKnownToLackParts(found) { await removeParts(olderThan: entry, began) }
        guard let reach = Displacement.reach(status: entry.status) else {
            if let old = found.entry, old.status >= 500 { engine.cache.hide(entry, inPlaceOf: old) }
            return
        }
        await displaceShared()
        if place.isOvertaken { return await leaveToNewer(entry, found, began) }
        guard engine.cache.isCurrent(began) else { return await hideWhatIsThere(by: entry, found, began, place) }
        let isFoundCurrent = engine.cache.isCurrent(found.ready)
        engine.cache.hide(entry)
        await hideElsewhere(entry, found, began, place, reach, isFoundCurrent: isFoundCurrent)
        await removeVariants(entry, place, hasAny: found.index != nil)
    }

    /// Hides older entries that the request also selects, after a validation confirmed the entry with the given key.
    func hideOlder(
        than entry: StoredResponse, confirmed: CacheKey, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        guard engine.cache.isCurrent(began) else { return }
        for key in place.overtake(.answered, withdraws: false) where key != confirmed { hide(key, by: entry) }
        guard !engine.cache.isCurrent(found.ready) else { return }
        await hideWhatIsThere(by: entry, found, began, place, except: [confirmed])
    }

    /// Handles a response that a newer one has overtaken. What is stored of the newer response stays. But that response
    /// might not answer every request that this one answers: the entry that this request selects may be older than
    /// both. If this response says that the URL has no representation, no variant before it is used any more.
    private func leaveToNewer(_ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp) async {
        guard Displacement.reach(status: entry.status) != nil else { return }
        if engine.cache.isCurrent(began) { forgetReady() }
        if engine.cache.isCurrent(began), Displacement.putsOthersInDoubt(status: entry.status) {
            let look = await engine.cache.find(request.primary)
            for old in look.variants where old.arrival < entry.arrival { engine.cache.hide(entry, inPlaceOf: old) }
        }
        await hideWhatIsThere(by: entry, found, began, nil)
    }

    /// Removes all entries of the URL if the newer response puts them in doubt and is not stored, so that nothing says so.
    /// Entries that arrived since stay.
    private func removeVariants(_ entry: StoredResponse, _ place: AnswerPlace, hasAny: Bool) async {
        guard hasAny, !place.isOvertaken, Displacement.putsOthersInDoubt(status: entry.status) else { return }
        await engine.cache.displace(request.primary.digest, of: request.provider.name)
    }

    /// Hides older entries under other keys than the newer response, which might not be stored.
    private func hideElsewhere(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        _ reach: AnswerOrder.Reach, isFoundCurrent: Bool
    ) async {
        if found.entry == nil, found.index == nil, entry.key != request.primary {
            // The look-up found nothing. A look-up that took too long also reports that.
            hide(request.primary, by: entry)
        }
        await hideSelected(by: entry, found, began, place, reach, isFoundCurrent: isFoundCurrent)
    }

    /// Whether storing the response may take no waiting: nothing of its URL is stored or under way.
    func mayKeepAtOnce(_ entry: StoredResponse, _ found: EntryCache.Found) -> Bool {
        sharing == nil && found.hasNothing && (found.lacksParts || !request.mayHaveParts)
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
        // Parts that are stored after this check are newer, or are overtaken from here on.
        let lacksParts =
            found.lacksParts && isFoundCurrent && !engine.cache.answers.hasSeveral(request.primary.digest)
        let reach =
            overtakes && engine.cache.isCurrent(began) ? Displacement.reach(status: entry.status) : nil
        guard place.beginWriting(overtaking: reach) else {
            await leaveToNewer(entry, found, began)
            return .refused
        }
        var written = await write(superseded(by: entry, found))
        if place.isOvertaken, !written.isStored {
            await leaveToNewer(entry, found, began)
            written.ready = nil
            return written
        }
        guard written.isAccepted else {
            // The response was given out all the same. A response that was requested before a removal says nothing
            // about what is stored now, and the entry that the flight found at its beginning may be gone.
            guard engine.cache.isCurrent(began) else {
                await hideWhatIsThere(by: entry, found, began, place)
                return written
            }
            if let reach {
                await displaceShared()
                await hideElsewhere(entry, found, began, place, reach, isFoundCurrent: isFoundCurrent)
                await removeVariants(entry, place, hasAny: found.index != nil || !isFoundCurrent)
            }
            return written
        }
        engine.noteSearchVariance(entry, of: request)
        if !lacksParts { await removeParts(olderThan: entry, began) }
        if !written.isStored {
            // The older entry under another key must not be used while the commit is awaited. The store hides one that no
            // field selects: to hide it here would hide the variants, too.
            if let old = found.entry, old.key != entry.key, old.key != request.primary {
                engine.cache.hide(entry, inPlaceOf: old)
            }
            await hideWhatIsThere(by: entry, found, began, place, except: [entry.key, request.primary])
        }
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
        guard let index = found.index ?? VariantIndex(StoredLook(variants: [entry])) else { return false }
        return request.isChosenPlainly(entry, index)
    }
}
