// How an answer is stored, and what becomes of older ones of its URL where it is not. A newer answer that was given out is
// not followed by an older one.
import LarderCache
import LarderCore

extension PassFetch {
    /// An answer that is not stored leaves nothing older that it has made unsuitable.
    /// - Returns: the state of removals with which its readers compare: its own removal makes it no answer of before.
    func displace(
        _ entry: StoredResponse, _ why: CacheRule, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ place: AnswerPlace
    ) async -> RemovalStamp {
        let isForOneClient = request.isPersonal || why == .requestNoStore
        switch Displacement(status: entry.status, isForOneClient: isForOneClient) {
        case .none: return began
        case .selected:
            if rule.semantics == .rfc { await hideSelected(by: entry, found, place.overtake(.selected)) }
            return began
        case .all:
            let written = place.overtake(.all)
            guard found.entry != nil || found.index != nil || !written.isEmpty || !engine.cache.isCurrent(found.ready)
            else {
                // What was not found may be there all the same.
                await hideOlder(than: entry, found, place)
                return began
            }
            let isCurrent = engine.cache.isCurrent(began)
            // All variants go with the key of their URL.
            await engine.cache.remove(request.primary.digest, of: request.provider.name)
            return isCurrent ? engine.cache.begin(request.primary) : began
        }
    }

    /// Hides what the request selects: what the flight found at its beginning, and what was stored since.
    /// - Parameter written: the keys of older answers that are being written.
    private func hideSelected(
        by entry: StoredResponse, _ found: EntryCache.Found, _ written: [CacheKey]
    ) async {
        if let old = found.entry { engine.cache.hide(entry, inPlaceOf: old) }
        for key in written { hide(key, by: entry) }
        guard !engine.cache.isCurrent(found.ready), let now = await shelf.find().entry, now.key != found.entry?.key
        else { return }
        // An instant ahead of now is from before the clock was set back, and tells no order.
        let isNewer = now.responseTime > entry.responseTime && now.responseTime <= engine.time.wall()
        if !isNewer { engine.cache.hide(entry, inPlaceOf: now) }
    }

    private func hide(_ key: CacheKey, by entry: StoredResponse) {
        var newer = entry
        newer.key = key
        engine.cache.hide(newer)
    }

    /// The answer was given out and is not stored: nothing older is answered in its place. Where a newer one was given out since,
    /// that one sees to it.
    func hideOlder(than entry: StoredResponse, _ found: EntryCache.Found, _ place: AnswerPlace) async {
        if place.isOvertaken { return }
        engine.cache.hide(entry)
        hideElsewhere(entry, found)
        await hideSelected(by: entry, found, place.overtake(.answered))
        await removeVariants(entry, hasList: found.index != nil)
    }

    /// Removes all of the URL's where the newer answer puts them in doubt and the index cannot say so.
    private func removeVariants(_ entry: StoredResponse, hasList: Bool) async {
        guard hasList, Displacement.putsOthersInDoubt(status: entry.status) else { return }
        await engine.cache.remove(request.primary.digest, of: request.provider.name)
    }

    /// Hides the older one where it lies under another key than the newer, which is not known to be stored.
    private func hideElsewhere(_ entry: StoredResponse, _ found: EntryCache.Found) {
        if let old = found.entry, old.key != entry.key { engine.cache.hide(old) }
        guard found.entry == nil, found.index == nil, entry.key != request.primary else { return }
        // Nothing was found, which a look-up that took too long says too.
        var older = entry
        older.key = request.primary
        engine.cache.hide(older)
    }

    /// Stores an answer; one that fields select together with the URL's index, which names it.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace
    ) async -> Written {
        await keep(entry, found, began, place) {
            await engine.cache.write(entry, with: $0, since: began, when: { !place.isOvertaken })
        }
    }

    /// - Parameter write: writes the answer, and together with it its companion.
    func keep(
        _ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp, _ place: AnswerPlace,
        by write: (Companion?) async -> Written
    ) async -> Written {
        // Nothing is hidden for an answer that was overtaken: what is stored is newer.
        guard place.beginWriting() else { return .refused }
        let kept = await shelf.keep(
            entry, names: names(entry), putsOthersInDoubt: Displacement.putsOthersInDoubt(status: entry.status),
            place, by: write)
        var written = kept.written
        if kept.isOutdated || !written.isAccepted && place.isOvertaken { return written }
        guard written.isAccepted else {
            // It was given out all the same. What was stored there since is hidden too, which costs a miss.
            hideElsewhere(entry, found)
            if let reach = Displacement.reach(status: entry.status) {
                await hideSelected(by: entry, found, place.overtake(reach))
            }
            // What a removal made an answer of before says nothing of the other variants that are stored now. What the flight
            // found at its beginning may not be what is there by now.
            if engine.cache.isCurrent(began) {
                await removeVariants(entry, hasList: found.index != nil || kept.hadList)
            }
            return written
        }
        await hideOlder(than: entry, found, kept)
        written.ready = engine.cache.readyStamp([request.primary.digest, entry.key.digest])
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
        than entry: StoredResponse, _ found: EntryCache.Found, _ kept: VariantShelf.Kept
    ) async {
        if kept.written.isStored, kept.isListed { return }
        // An index that is on its way takes the place of what lies under its key by itself, and would be hidden with it.
        let isIndexUnderWay = entry.key != request.primary && kept.isListed
        if !kept.written.isStored, !isIndexUnderWay { hideElsewhere(entry, found) }
        await removeVariants(entry, hasList: kept.hadList)
        if let old = found.entry, old.key != entry.key, old.key != request.primary { engine.cache.hide(old) }
    }
}
