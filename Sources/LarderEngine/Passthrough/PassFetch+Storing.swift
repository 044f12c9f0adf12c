// How an answer is stored, and what happens to older answers of its URL where it is not. Once a newer answer was given
// out, no older one is given out after it.
import LarderCache
import LarderCore
import LarderHTTP

extension PassFetch {
    /// What a 304 says to who caused it alone: cookies, and what a qualified directive keeps out of the store, as of a whole answer.
    func own(_ entry: StoredResponse, confirmedBy head: UpstreamHead) -> Made.Own {
        var fields = entry.fields
        fields.lines += HopByHop.endToEnd(head.fields).lines.filter {
            !entry.fields.contains($0.name) && !Validation.describingBody.contains($0.name)
        }
        return Made.Own(fields: fields, interim: head.interim)
    }

    /// An answer that is not stored leaves nothing older that it has made unsuitable. One that was asked for before a removal
    /// says nothing of what came after it.
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
            // What was not found may be there all the same.
            guard hasAny else { return await hideOlder(than: entry, found, began, place) }
            // What was found just now may be newer.
            if place.isOvertaken { return await leaveToNewer(entry, found, began) }
            // All variants go with the key of their URL.
            await engine.cache.displace(request.primary.digest, of: request.provider.name)
        }
    }

    private func isKnownToLackParts(_ found: EntryCache.Found) -> Bool {
        found.lacksParts && engine.cache.isCurrent(found.ready)
    }

    /// Hides what the request selects: what the flight found at its beginning, and what was stored since.
    /// - Parameter isFoundCurrent: nothing was stored since, as far as others than this flight go.
    private func hideSelected(
        by entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        _ reach: AnswerOrder.Reach, isFoundCurrent: Bool
    ) async {
        if engine.cache.isCurrent(began) {
            let written = place.overtake(reach)
            // Where something was stored since, its key may hold a list by now.
            if isFoundCurrent, let old = found.entry { engine.cache.hide(entry, inPlaceOf: old) }
            for key in written { hide(key, by: entry) }
        }
        if found.entry != nil || !isFoundCurrent { await hideWhatIsThere(by: entry, found, began, place) }
    }

    /// Looks again, and hides what is there for the request and is older.
    /// - Parameters:
    ///   - place: where the answer has been overtaken since, nothing but what was found at the beginning is known to be older. Nil
    ///     where the answer is known to be overtaken, and only the instants tell.
    ///   - kept: keys of what stays.
    private func hideWhatIsThere(
        by entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace?,
        except kept: [CacheKey] = []
    ) async {
        for _ in 0...VariantIndex.limit {
            guard let now = await variants.find().entry, !kept.contains(now.key) else { return }
            let mayTell = engine.cache.isCurrent(began) && place?.isOvertaken != true
            // What came in the same millisecond is newer only where it has overtaken the answer.
            let isOld = isOlder(now, than: entry) || place != nil && now.responseTime == entry.responseTime
            guard isFound(now, found) || mayTell && isOld else { return }
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
        found.entry.map { $0.key == entry.key && $0.responseTime == entry.responseTime } ?? false
    }

    /// An instant ahead of now is from before the clock was set back, and tells no order: it counts as older, which costs a fetch.
    func isOlder(_ stored: StoredResponse, than entry: StoredResponse) -> Bool {
        stored.responseTime < entry.responseTime || stored.responseTime > engine.time.wall()
    }

    /// The answer was given out and is not stored: nothing older is answered in its place. Errors of the server leave what may
    /// cover for them.
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
        await removeVariants(entry, place, hasList: found.index != nil)
    }

    /// A validation found the entry of that key to be right: older answers that the request selects as well are hidden.
    func hideOlder(
        than entry: StoredResponse, confirmed: CacheKey, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async {
        guard engine.cache.isCurrent(began) else { return }
        for key in place.overtake(.answered, withdraws: false) where key != confirmed { hide(key, by: entry) }
        guard !engine.cache.isCurrent(found.ready) else { return }
        await hideWhatIsThere(by: entry, found, began, place, except: [confirmed])
    }

    /// A newer answer was given out since, and what is stored of it stays. It need not answer all that this one does: what this
    /// request selects may be older than both, and the other variants are in doubt where this one says so.
    private func leaveToNewer(_ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp) async {
        guard Displacement.reach(status: entry.status) != nil else { return }
        if engine.cache.isCurrent(began), Displacement.putsOthersInDoubt(status: entry.status) {
            let isSaid = await variants.doubt(since: entry.responseTime, began)
            if !isSaid { hide(request.primary, by: entry) }
        }
        await hideWhatIsThere(by: entry, found, began, nil)
    }

    /// Removes all of the URL's where the newer answer puts them in doubt and the index cannot say so. What came since stays.
    private func removeVariants(_ entry: StoredResponse, _ place: AnswerPlace, hasList: Bool) async {
        guard hasList, !place.isOvertaken, Displacement.putsOthersInDoubt(status: entry.status) else { return }
        await engine.cache.displace(request.primary.digest, of: request.provider.name)
    }

    /// Hides the older ones where they lie under another key than the newer, which is not known to be stored.
    private func hideElsewhere(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        _ reach: AnswerOrder.Reach, isFoundCurrent: Bool
    ) async {
        if found.entry == nil, found.index == nil, entry.key != request.primary {
            // Nothing was found, which a look-up that took too long says too.
            hide(request.primary, by: entry)
        }
        await hideSelected(by: entry, found, began, place, reach, isFoundCurrent: isFoundCurrent)
    }

    /// Stores an answer; one that fields select together with the URL's index, which names it.
    /// - Parameter overtakes: false for one that comes from another cache and may be older than what is under way.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        overtakes: Bool = true
    ) async -> Written {
        await keep(entry, found, began, place, overtakes: overtakes) {
            await engine.cache.write(entry, with: $0, since: began, when: { !place.isOvertaken })
        }
    }

    /// - Parameter write: writes the answer, and together with it its companion.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        overtakes: Bool = true, by write: (Companion?) async -> Written
    ) async -> Written {
        let isFoundCurrent = engine.cache.isCurrent(found.ready)
        // What is stored of parts since then is newer, or is overtaken from here on.
        let lacksParts =
            found.lacksParts && isFoundCurrent && !engine.cache.answers.hasSeveral(request.primary.digest)
        let reach =
            overtakes && engine.cache.isCurrent(began) ? Displacement.reach(status: entry.status) : nil
        guard place.beginWriting(overtaking: reach) else {
            await leaveToNewer(entry, found, began)
            return .refused
        }
        let kept = await variants.keep(
            entry, names: names(entry), putsOthersInDoubt: Displacement.putsOthersInDoubt(status: entry.status),
            place, by: write)
        var written = kept.written
        if place.isOvertaken, !written.isStored {
            await leaveToNewer(entry, found, began)
            written.ready = nil
            return written
        }
        if kept.isOutdated { return written }
        guard written.isAccepted else {
            // It was given out all the same. An answer fetched before a removal says nothing about what is stored now, and what
            // the flight found at its beginning may not be there any more.
            guard engine.cache.isCurrent(began) else {
                await hideWhatIsThere(by: entry, found, began, place)
                return written
            }
            if let reach {
                await displaceShared()
                await hideElsewhere(entry, found, began, place, reach, isFoundCurrent: isFoundCurrent)
                await removeVariants(entry, place, hasList: found.index != nil || kept.hadList)
            }
            return written
        }
        engine.noteSearchVariance(entry, of: request)
        if !lacksParts { await removeParts(olderThan: entry, began) }
        await hideOlder(than: entry, found, kept, place)
        if !written.isStored || !kept.isListed {
            // What the list's key holds goes with the list, or stays with it.
            await hideWhatIsThere(by: entry, found, began, place, except: [entry.key, request.primary])
        }
        written.ready = engine.cache.readyStamp([request.primary.digest, entry.key.digest])
        // Hidden before the stamp was taken; or a newer one is there that others are to get.
        if place.isOvertaken || !kept.isForAll { written.ready = nil }
        // Whatever was removed meanwhile was removed before it was there.
        guard engine.cache.isCurrent(began) else {
            await engine.cache.remove(entry.key.digest, of: entry.provider)
            return .refused
        }
        return written
    }

    /// An older answer of another key is hidden where the answer is not known to be stored, or the index is not, which may
    /// still select it.
    private func hideOlder(
        than entry: StoredResponse, _ found: EntryCache.Found, _ kept: VariantStore.Kept, _ place: AnswerPlace
    ) async {
        if kept.written.isStored, kept.isListed { return }
        // An index that is on its way takes the place of what lies under its key by itself, and would be hidden with it.
        let isIndexUnderWay = entry.key != request.primary && kept.isListed
        if !kept.written.isStored, !isIndexUnderWay {
            if let old = found.entry, old.key != entry.key { engine.cache.hide(old) }
            if found.entry == nil, found.index == nil, entry.key != request.primary { hide(request.primary, by: entry) }
        }
        await removeVariants(entry, place, hasList: kept.hadList)
        if let old = found.entry, old.key != entry.key, old.key != request.primary { engine.cache.hide(old) }
    }
}
