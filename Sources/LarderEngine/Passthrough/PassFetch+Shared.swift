// The tier that hosts share in a pass-through fetch. What it has is stored here first, and answers like any other stored answer: fresh, or
// as what a validation asks about. What the upstream answers is published behind the client's back, once it is stored here. An answer
// that displaces what is stored displaces it for the fleet too, before anybody here is told of it: the next request would get the
// older one from the tier.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderShared

/// The right to publish what one fetch brings, and the lease that makes other hosts wait for it.
final class PassSharing: Sendable {
    let tier: SharedTier
    let look: SharedTier.Look
    private let lease: Lock<SharedLease?>
    private let url: Digest
    private let provider: String
    init(_ tier: SharedTier, _ look: SharedTier.Look, _ lease: SharedLease?, _ request: PassRequest) {
        self.tier = tier
        self.look = look
        self.lease = Lock(lease)
        url = request.target.digest
        provider = request.provider.name
    }

    deinit { settle() }

    func takeLease() -> SharedLease? { lease.withLock { $0.take() } }

    /// Whoever waits is told that nothing will be published.
    func settle() {
        if let lease = takeLease() { tier.release(lease, isSettled: true) }
    }

    /// Nobody waits for what will not be published, or has no known end.
    func headCame(_ head: UpstreamHead, isStored: Bool) async {
        let isTooLarge = head.length.map { $0 > tier.settings.maxObject } ?? false
        if !isStored || isTooLarge { return await displace(status: head.status) }
        if head.length == nil { settle() }
    }

    /// An answer is not published: older ones are of no more use.
    func displace(status: Int) async {
        settle()
        guard Displacement.reach(status: status) != nil, look.ticket?.hasAnswers ?? false else { return }
        await tier.remove(url: url, provider: provider)
    }

    /// Publishes an answer.
    func publish(_ entry: StoredResponse, now: WallTime) async {
        guard let ticket = look.ticket else { return settle() }
        let obstacle = SharedStorability.obstacle(entry, maxObject: tier.settings.maxObject, now: now)
        if obstacle != nil { await displace(status: entry.status) }
        tier.publish(entry, ticket, takeLease())
    }
}

extension PassFetch {
    /// Nil where what is fetched is not for all, or this host stands alone.
    var sharedTier: SharedTier? {
        guard request.provider.settings.isShared, !request.isPersonal, isRefresh || !request.directives.noStore else {
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
            target: request.target.digest,
            flight: PassSelection(engine: engine, request: request, snapshot: snapshot).flightKey(found),
            key: { [variants] in variants.place($0).key })
        let ask = { await tier.look(wanted, scope: provider.sharedScope, provider: provider.name) }
        let isGood = { (look: SharedTier.Look) in look.entry.map(answersNow) ?? false }
        var look = await ask()
        var lease: SharedLease?
        let isWaited = tier.settings.hasLeases && (isRefresh || !request.directives.noCache)
        if !isGood(look), let ticket = look.ticket, isWaited {
            let patience = min(Engine.leasePatience, provider.settings.deadline ?? settings.fetch.deadline)
            switch await tier.turn(ticket, patience: patience, look: ask, isGood: isGood) {
            case .published(let other): look = other
            case .fetch(let taken): lease = taken
            }
        }
        var found = found
        if let entry = look.entry, found.entry.map({ $0.responseTime < entry.responseTime }) ?? true,
            Int64(entry.body.count) <= settings.cache.maxObject
        {
            if isGood(look), lease == nil { return .answered(await imported(entry, found, began)) }
            // It is of use for a validation, and where the upstream fails.
            _ = await imported(entry, found, began)
            found = await variants.find()
        }
        var sharing = self
        let part = PassSharing(tier, look, lease, request)
        sharing.sharing = part
        let result = await sharing.fetch(found, began, voice)
        return await told(result, part, began)
    }

    /// Stores what the tier had. Where something was written or removed here since the look, that is newer.
    private func imported(_ entry: StoredResponse, _ found: EntryCache.Found, _ began: RemovalStamp) async -> Made {
        var entry = entry
        // By this parent it goes when removals of other hosts may have been missed.
        if !entry.parents.contains(EntryCache.sharedOrigin) { entry.parents.append(EntryCache.sharedOrigin) }
        var made = Made(entry: entry, origin: .otherForm("shared"))
        made.shared = .hit
        let place = place(of: entry)
        made.selection = selection(of: entry, began, place)
        if engine.cache.isCurrent(found.ready) { made.written = await keep(entry, found, began, place) }
        return made
    }

    /// Publishes what the upstream brought.
    private func told(_ result: FlightResult, _ sharing: PassSharing, _ began: RemovalStamp) async -> FlightResult {
        guard case .answered(var made) = result else {
            sharing.settle()
            return result
        }
        if made.shared == .none { made.shared = sharing.look.part == .hit ? .absent : sharing.look.part }
        guard case .upstream = made.origin, engine.cache.isCurrent(began) else {
            sharing.settle()
            return .answered(made)
        }
        // A body that came in pieces, or that is large, lies in the store.
        var entry: StoredResponse? = made.entry
        if !made.written.isAccepted || made.entry.large != nil || made.tape != nil {
            let isSmall = made.entry.large.map { $0.length <= sharing.tier.settings.maxObject } ?? true
            entry = isSmall && made.storing != nil ? await engine.cache.read(made.entry.key) : nil
            if entry?.responseTime != made.entry.responseTime { entry = nil }
        }
        if let entry { await sharing.publish(entry, now: engine.time.wall()) } else { sharing.settle() }
        return .answered(made)
    }

    func selection(
        of entry: StoredResponse, _ began: RemovalStamp, _ place: AnswerPlace?
    ) -> Made.Selection {
        Made.Selection(vary: Vary(entry.fields), fields: request.forwarded, began: began, place: place)
    }
}
