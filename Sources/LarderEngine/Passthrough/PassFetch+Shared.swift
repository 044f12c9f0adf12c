// The shared tier in a pass-through fetch (`SharedFetch`). A response from the tier is first stored here, and is then
// used like any other stored response: as fresh, or as the object of a validation. A response that displaces stored
// responses displaces them for the whole fleet before any client gets it. Otherwise the next request would get the older
// one from the tier.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderShared

extension PassFetch {
    /// The shared tier. Nil if the fetched response is not for all clients, or if this host stands alone.
    var sharedTier: SharedTier? {
        guard !request.isPersonal, request.keyFields.identity.isEmpty, isRefresh || !request.directives.noStore
        else { return nil }
        return engine.cache.tier(of: request.provider)
    }

    /// Asks the shared tier, then the upstream.
    func shared(
        _ tier: SharedTier, _ found: EntryCache.Found, _ began: RemovalStamp, _ voice: FlightVoice
    ) async -> FlightResult {
        let provider = request.provider
        let wanted = SharedTier.Selecting(
            target: request.target.digest, isEverybodys: request.primary.isEverybodys,
            flight: PassSelection(engine: engine, request: request, snapshot: snapshot).flightKey(found),
            key: { [variants] in variants.key($0) })
        // A part is never published.
        let terms = SharedTerms(
            provider: provider, judge: request.judge, directives: isRefresh ? .none : request.directives, began: began,
            mayWait: found.part == nil)
        return await engine.shared(terms, tier) {
            await tier.look(wanted, scope: provider.sharedScope, provider: provider.name)
        } take: { entry, _ in
            await take(entry, found, began)
        } offer: { made in
            await offer(made, to: tier)
        } fetch: { shared in
            var sharing = self
            sharing.sharing = shared
            // A stale response of the tier is stored here by now, and can be validated.
            let found = shared.stale == nil ? found : await variants.find()
            return await sharing.fetch(found, began, voice)
        }
    }

    /// Stores the tier's response, unless what is here is newer or on its way. If something was written or removed here
    /// since the look-up, that is newer and the response is not stored. The response overtakes nothing that is in
    /// progress.
    private func take(_ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp) async -> Made? {
        guard found.older.map({ $0.responseTime < entry.responseTime }) ?? true,
            Int64(entry.body.count) <= settings.cache.maxObject, !engine.cache.answers.hasAny(request.primary.digest)
        else { return nil }
        var entry = entry
        variants.place(&entry)
        let place = place(of: entry, entry.bodyLength)
        entry.arrival = place.number
        var made = Made(entry: entry, origin: .otherForm("shared"))
        made.selection = selection(of: entry, began, place)
        if engine.cache.isCurrent(found.ready) {
            made.written = await keep(entry, found, began, place, overtakes: false)
        }
        return made
    }

    /// What of a response to publish. Hosts share whole answers only, and one with GraphQL errors replaces nothing. If the
    /// tier does not take a response that was given out, it must not keep an older one.
    private func offer(_ made: Made, to tier: SharedTier) async -> StoredResponse? {
        guard made.storing != .graphQLErrors, made.entry.endpoint != StoredParts.listName else { return nil }
        let (entry, whole) = (made.entry, await engine.cache.whole(made, for: tier))
        if whole.map({ tier.obstacle(to: $0) != nil }) ?? true,
            max(entry.freshUntil, entry.staleUntil) > entry.responseTime,
            Displacement.reach(status: entry.status) != nil
        {
            await displaceShared()
        }
        return whole
    }

    /// Displaces the tier's responses for the URL if a fetch of missing bytes brought one that displaces older ones.
    func displaceShared(inPlaceOf result: FlightResult) async {
        guard case .answered(let made) = result, case .upstream(let status, _) = made.origin, status != 304,
            made.entry.endpoint != StoredParts.listName,
            Displacement(status: status, isForOneClient: request.isPersonal || request.directives.noStore) != .none
        else { return }
        await displaceShared()
    }

    /// Displaces the tier's responses for the URL, because a newer response was given out.
    func displaceShared() async {
        // An older response to an equivalent query, or in the client's language, must not be used after it either.
        if engine.searchVariances.knows(request) {
            engine.endOtherQueries(of: request)
        }
        // Without `sharing` this fetch did not ask the tier, as that of a personal request that got a 404, or it is over.
        guard sharing?.displace() ?? true else { return }
        let remove = { @Sendable [cache = engine.cache, request] in
            await cache.displaceShared(request.target.digest, of: request.provider)
        }
        // If the tier is known to have nothing for the URL, the client does not wait.
        if sharing?.look.ticket?.hasAnswers == false { Task { await remove() } } else { await remove() }
    }

    func selection(
        of entry: StoredResponse, _ began: RemovalStamp, _ place: AnswerPlace?
    ) -> Made.Selection {
        Made.Selection(vary: Vary(entry.fields), fields: request.forwarded, began: began, place: place)
    }
}
