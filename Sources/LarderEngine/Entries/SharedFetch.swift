// A fetch by way of the tier that hosts share, below the database and above the upstream. Every kind of entry takes the
// same way: look in the tier; wait for a host that fetches the same; use what came, if that needs no validation;
// otherwise fetch, and publish the response without making the client wait. If the upstream fails, the tier's stale
// response stands in. The flight of an entry does this, so a crowd of identical misses asks the tier once.
import LarderCache
import LarderCore
import LarderSettings
import LarderShared
import Synchronization

/// What a fetch by way of the tier depends on, for every kind of entry.
struct SharedTerms: Sendable {
    let provider: ConfiguredProvider
    let judge: ReuseJudge
    /// The client's demands; none if no client waits.
    let directives: ClientDirectives
    /// The removal stamp from before anything was asked.
    let began: RemovalStamp
    /// Whether to wait for another host that fetches the same.
    var mayWait = true
}

/// What the tier had for one fetch, the right to publish what the fetch brings, and the lease that makes other hosts
/// wait for it.
final class SharedFetch: Sendable {
    let tier: SharedTier
    let look: SharedTier.Look
    /// The tier's response, if this host took it and must not use it without a validation.
    let stale: StoredResponse?
    private let lease: SharedLease?
    private let isDisplaced = Atomic(false)

    fileprivate init(_ tier: SharedTier, _ look: SharedTier.Look, _ lease: SharedLease?, stale: StoredResponse?) {
        (self.tier, self.look, self.lease, self.stale) = (tier, look, lease, stale)
    }

    /// Tells waiting hosts that nothing will be published.
    private func settle() {
        if let lease { tier.release(lease, isSettled: true) }
    }

    /// Settles if the response will not be published or has no known length, so that other hosts do not wait for it.
    func headCame(_ head: UpstreamHead, isStored: Bool) {
        guard isStored, let length = head.length, length <= tier.settings.maxObject else { return settle() }
    }

    /// Marks what the tier has as useless. Returns true for the first call only.
    func displace() -> Bool {
        settle()
        return !isDisplaced.exchange(true, ordering: .relaxed)
    }

    /// Publishes a response, unless there is none or what the tier has was displaced.
    fileprivate func end(publishing entry: StoredResponse?) {
        guard let entry, let ticket = look.ticket, !isDisplaced.load(ordering: .relaxed) else { return settle() }
        tier.publish(entry, ticket, lease)
    }
}

extension Engine {
    /// Asks the tier, then the upstream.
    /// - Parameters:
    ///   - look: looks in the tier.
    ///   - take: takes over the tier's response, and is told whether it answers now. If not, it can be validated, and can
    ///     stand in for a failure. Nil if it is of no use here.
    ///   - offer: what of the upstream's response to publish; nil if nothing.
    func shared(
        _ terms: SharedTerms, _ tier: SharedTier, look: () async -> SharedTier.Look,
        take: (StoredResponse, Bool) async -> Made?, offer: (Made) async -> StoredResponse?,
        fetch: (SharedFetch) async -> FlightResult
    ) async -> FlightResult {
        let isGood = { [time] (look: SharedTier.Look) -> Bool in
            switch look.entry.map({ terms.judge.decide($0, terms.directives, now: time.wall()).decision }) {
            case .fresh, .negative: true
            case .stale, .unusable, nil: false
            }
        }
        var (found, lease): (SharedTier.Look, SharedLease?) = (await look(), nil)
        // A request that accepts no stored response does not wait for one either.
        if terms.mayWait, !terms.directives.noCache {
            let patience = terms.provider.settings.deadline ?? snapshot.settings.fetch.deadline
            (found, lease) = await tier.turn(after: found, patience: patience, look: look, isGood: isGood)
        }
        // The host with the lease fetches.
        let answersNow = lease == nil && isGood(found)
        var taken: Made?
        if var entry = found.entry {
            // Through this parent, the entry is removed when this host may have missed removals by other hosts.
            if !entry.parents.contains(EntryCache.sharedOrigin) { entry.parents.append(EntryCache.sharedOrigin) }
            taken = await take(entry, answersNow)
            taken?.shared = .hit
            if answersNow, let taken { return .answered(taken) }
        }
        let shared = SharedFetch(tier, found, lease, stale: taken?.entry)
        var offered: StoredResponse?
        defer { shared.end(publishing: offered) }
        let result = await fetch(shared)
        if let covered = standIn(for: result, shared, terms) { return covered }
        guard case .answered(var made) = result else { return result }
        if made.shared == .none { made.shared = found.part == .hit ? .absent : found.part }
        guard case .upstream = made.origin else { return .answered(made) }
        if cache.isCurrent(terms.began) { offered = await offer(made) } else { tier.noteOvertaken() }
        return .answered(made)
    }

    /// The work of a flight of a keyed entry that finds nothing usable stored here.
    /// - Parameter isStored: false if the client forbade storing.
    func shared(
        _ key: CacheKey, _ terms: SharedTerms, isStored: Bool, fetch: () async -> FlightResult
    ) async -> FlightResult {
        let provider = terms.provider
        guard isStored, !provider.isPassthrough, let tier = cache.tier(of: provider) else { return await fetch() }
        return await shared(terms, tier) {
            await tier.look(key, scope: provider.sharedScope, provider: provider.name)
        } take: { entry, answersNow in
            let written = answersNow ? await cache.write(entry, since: terms.began) : .refused
            return Made(entry: entry, origin: .otherForm("shared"), written: written)
        } offer: { made in
            made.mayLeave && made.written.isAccepted ? await cache.whole(made, for: tier) : nil
        } fetch: { _ in
            await fetch()
        }
    }

    /// The tier's stale response, if the upstream failed and the response may be used.
    private func standIn(for result: FlightResult, _ shared: SharedFetch, _ terms: SharedTerms) -> FlightResult? {
        var trouble = UpstreamTrouble.disconnected
        let failure: UpstreamFailure
        switch result {
        case .failed(let cause): failure = cause
        case .answered(let made):
            guard case .upstream(let status, let isAnswer) = made.origin, made.tape == nil,
                terms.judge.isFailure(status: status, isAnswer: isAnswer)
            else { return nil }
            trouble = .status(status)
            failure = UpstreamFailure(
                provider: terms.provider.name, failure: .broken, detail: "The upstream answered \(status).")
        }
        // A response that was removed since must not be used, stale or not.
        guard let stale = shared.stale, cache.isCurrent(terms.began),
            terms.judge.afterFailure(trouble, stale, terms.directives, now: time.wall()).decision.isUsable
        else { return nil }
        var made = Made(entry: stale, covering: failure)
        made.shared = .hit
        return .answered(made)
    }
}

extension EntryCache {
    /// The entry with its body. A body that arrived in pieces, or a large one, is in the store, and is read unless the
    /// tier would not take it. Nil if it is no longer there.
    func whole(_ made: Made, for tier: SharedTier) async -> StoredResponse? {
        let entry = made.entry
        guard made.tape != nil || entry.large != nil || !made.written.isAccepted else { return entry }
        var stored = await open(entry.key)
        if let opened = stored, opened.large != nil, opened.bodyLength <= tier.settings.maxObject {
            stored = await read(entry.key)
        }
        // An entry that got no number when its head came is told by its time.
        return stored.flatMap {
            (entry.arrival == 0 ? $0.responseTime == entry.responseTime : $0.arrival == entry.arrival) ? $0 : nil
        }
    }
}
