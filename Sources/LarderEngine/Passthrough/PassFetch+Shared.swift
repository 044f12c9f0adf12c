// The shared tier in a pass-through fetch. A response from the tier is first stored here, and is then used like any
// other stored response: as fresh, or as the object of a validation. A response from the upstream is published once it
// is stored here; the client does not wait for that. A response that displaces stored responses displaces them for the
// whole fleet before any client gets it. Otherwise the next request would get the older one from the tier.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderShared

/// The right to publish what one fetch brings, and the lease that makes other hosts wait for it.
final class PassSharing: Sendable {
    let tier: SharedTier
    let look: SharedTier.Look
    /// The tier's response, if it is stored here now and must not be used without a validation.
    let imported: StoredResponse?
    private let lease: Lock<SharedLease?>
    private let isDisplaced = Lock(false)

    init(_ tier: SharedTier, _ look: SharedTier.Look, _ lease: SharedLease?, imported: StoredResponse?) {
        self.tier = tier
        self.look = look
        self.lease = Lock(lease)
        self.imported = imported
    }

    deinit { settle() }

    /// Tells waiting hosts that nothing will be published.
    func settle() {
        if let lease = lease.withLock({ $0.take() }) { tier.release(lease, isSettled: true) }
    }

    /// Settles if the response will not be published or has no known length, so that other hosts do not wait for it.
    func headCame(_ head: UpstreamHead, isStored: Bool) {
        guard isStored, let length = head.length, length <= tier.settings.maxObject else { return settle() }
    }

    /// Marks the tier's responses for the URL as useless. Returns true for the first call only.
    func displace() -> Bool {
        settle()
        return isDisplaced.withLock { isDisplaced in
            defer { isDisplaced = true }
            return !isDisplaced
        }
    }

    /// Publishes a response, unless the tier's responses were displaced.
    func publish(_ entry: StoredResponse) {
        guard let ticket = look.ticket, !isDisplaced.withLock({ $0 }) else { return settle() }
        tier.publish(entry, ticket, lease.withLock { $0.take() })
    }
}

extension PassFetch {
    /// The shared tier. Nil if the fetched response is not for all clients, or if this host stands alone.
    var sharedTier: SharedTier? {
        guard request.provider.settings.isShared, !request.isPersonal, request.keyFields.identity.isEmpty,
            isRefresh || !request.directives.noStore
        else {
            return nil
        }
        return engine.cache.shared
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
        let ask = { await tier.look(wanted, scope: provider.sharedScope, provider: provider.name) }
        let isGood = { (look: SharedTier.Look) in look.entry.map(answersNow) ?? false }
        var look = await ask()
        var lease: SharedLease?
        // A part is never published.
        let isWaited =
            found.part == nil && tier.settings.hasLeases && (isRefresh || !request.directives.noCache)
        if !isGood(look), let ticket = look.ticket, isWaited {
            let patience = provider.settings.deadline ?? settings.fetch.deadline
            switch await tier.turn(ticket, patience: patience, look: ask, isGood: isGood) {
            case .published(let other): look = other
            case .fetch(let taken): lease = taken
            }
        }
        var found = found
        var stale: StoredResponse?
        if let entry = look.entry, found.older.map({ $0.responseTime < entry.responseTime }) ?? true,
            Int64(entry.body.count) <= settings.cache.maxObject, !engine.cache.answers.hasAny(request.primary.digest)
        {
            let made = await imported(entry, found, began)
            if isGood(look), lease == nil { return .answered(made) }
            // The response can still be validated, and can stand in if the upstream fails.
            stale = made.entry
            found = await variants.find()
        }
        var sharing = self
        let part = PassSharing(tier, look, lease, imported: stale)
        sharing.sharing = part
        return await told(await sharing.fetch(found, began, voice), part, began)
    }

    /// Stores the tier's response. If something was written or removed here since the look-up, that is newer and the
    /// response is not stored. The response overtakes nothing that is in progress.
    private func imported(_ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp) async -> Made {
        var entry = entry
        // Through this parent, the entry is removed when this host may have missed removals by other hosts.
        if !entry.parents.contains(EntryCache.sharedOrigin) { entry.parents.append(EntryCache.sharedOrigin) }
        variants.place(&entry)
        let place = place(of: entry, entry.bodyLength)
        entry.arrival = place.number
        var made = Made(entry: entry, origin: .otherForm("shared"))
        made.shared = .hit
        made.selection = selection(of: entry, began, place)
        if engine.cache.isCurrent(found.ready) {
            made.written = await keep(entry, found, began, place, overtakes: false)
        }
        return made
    }

    /// Publishes what the upstream sent. If the upstream failed, the tier's response stands in, as far as it may.
    private func told(_ result: FlightResult, _ sharing: PassSharing, _ began: RemovalStamp) async -> FlightResult {
        let part = sharing.look.part == .hit ? SharedPart.absent : sharing.look.part
        switch result {
        case .failed(let failure):
            sharing.settle()
            return standIn(sharing, failure, .disconnected, began) ?? result
        case .answered(var made):
            if made.shared == .none { made.shared = part }
            guard case .upstream(let status, let isAnswer) = made.origin, engine.cache.isCurrent(began) else {
                sharing.settle()
                return .answered(made)
            }
            if request.judge.isFailure(status: status, isAnswer: isAnswer), made.tape == nil {
                let failure = UpstreamFailure(
                    provider: request.provider.name, failure: .broken, detail: "The upstream answered \(status).")
                if let covered = standIn(sharing, failure, .status(status), began) { return covered }
            }
            await publish(made, sharing)
            return .answered(made)
        }
    }

    private func standIn(
        _ sharing: PassSharing, _ failure: UpstreamFailure, _ trouble: UpstreamTrouble, _ began: RemovalStamp
    ) -> FlightResult? {
        guard let stale = sharing.imported, engine.cache.isCurrent(began),
            request.judge.afterFailure(trouble, stale, request.directives, now: engine.time.wall()).decision.isUsable
        else { return nil }
        var made = Made(entry: stale, covering: failure)
        made.shared = .hit
        return .answered(made)
    }

    private func publish(_ made: Made, _ sharing: PassSharing) async {
        // A response with GraphQL errors replaces nothing.
        if made.storing == .graphQLErrors { return sharing.settle() }
        // Hosts share whole answers only.
        guard made.entry.endpoint != StoredParts.listName else { return sharing.settle() }
        // A body that arrived in pieces, or a large one, is in the store.
        var entry: StoredResponse? = made.entry
        if !made.written.isAccepted || made.entry.large != nil || made.tape != nil {
            let isSmall = made.entry.large.map { $0.length <= sharing.tier.settings.maxObject } ?? true
            entry = isSmall ? await engine.cache.read(made.entry.key) : nil
            if entry?.arrival != made.entry.arrival { entry = nil }
        }
        let mostBytes = sharing.tier.settings.maxObject
        let now = engine.time.wall()
        guard let entry, SharedStorability.obstacle(entry, maxObject: mostBytes, now: now) == nil else {
            // The response was given out, and is stored here or too large for that. The tier must not keep an older
            // one.
            let (came, entry) = (made.entry.responseTime, made.entry)
            if max(entry.freshUntil, entry.staleUntil) > came, Displacement.reach(status: entry.status) != nil {
                await displaceShared()
            }
            return sharing.settle()
        }
        sharing.publish(entry)
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
        guard let sharing else {
            // This fetch did not ask the tier: for example, a personal or `no-store` request that got a 404 or 410.
            return await engine.cache.displaceShared(request.target.digest, of: request.provider)
        }
        guard sharing.displace() else { return }
        let (cache, request) = (engine.cache, request)
        // If the tier is known to have nothing for the URL, the client does not wait.
        guard sharing.look.ticket.map(\.hasAnswers) ?? true else {
            Task { await cache.displaceShared(request.target.digest, of: request.provider) }
            return
        }
        await cache.displaceShared(request.target.digest, of: request.provider)
    }

    func selection(
        of entry: StoredResponse, _ began: RemovalStamp, _ place: AnswerPlace?
    ) -> Made.Selection {
        Made.Selection(vary: Vary(entry.fields), fields: request.forwarded, began: began, place: place)
    }
}
