// Removals between the hosts of a fleet. What is removed here is told to the others, and what they remove is removed here.
import LarderCache
import LarderCore
import LarderSettings
import LarderShared
import LarderStore

extension EntryCache {
    /// The parent of every entry that came from the shared tier: whoever removes it removes them all.
    static let sharedOrigin = Digest(of: Bytes(text: "larder: an entry of the shared tier"))

    /// Before a removal counts here it counts for the fleet: else a look-up between the two would bring back what was removed.
    /// What is made of an entry is not known in the engine, so a removal of one counts for its whole provider there; the other
    /// hosts remove from their own stores what was said.
    func removeShared(_ selectors: [PurgeSelector], soft: Bool) async -> SharedRemoval? {
        guard let shared else { return nil }
        var removal = SharedRemoval(isTold: true)
        for selector in selectors {
            let order = RemovalOrder(selector: selector.movedClock(by: shared.ahead ?? .zero), isSoft: soft)
            let next = await shared.remove(provider: await owner(of: selector), order: order.encoded)
            removal = next.isTold && removal.isTold ? next : SharedRemoval(isTold: false)
        }
        return removal
    }

    /// The one provider that a removal concerns; nil where it may be several.
    private func owner(of selector: PurgeSelector) async -> String? {
        switch selector {
        case .provider(let name): name
        case .term(_, let provider), .url(_, let provider): provider
        case .matching(let condition): condition.provider
        // Of one that is not here nobody knows whose it is; another host may have it.
        case .digest(let digest): await store.name(of: digest)?.provider
        case .all: nil
        }
    }

    /// A removal with the names of the hosts that have not carried it out, after a short wait for them.
    public func confirmed(_ removal: SharedRemoval?) async -> SharedRemoval? {
        guard let removal, let shared else { return removal }
        return await shared.confirm(removal)
    }

    /// Removes an entry that an unsafe request has made invalid, here and on the other hosts. Nobody waits for those.
    public func invalidate(_ digest: Digest, of provider: ConfiguredProvider) async {
        if provider.isPassthrough, provider.settings.isShared, let shared {
            // What lies under the URL is all that it made invalid: the provider's other answers stay shared.
            let order = RemovalOrder(selector: .digest(digest), isSoft: false, provider: provider.name)
            await shared.remove(url: digest, provider: provider.name, order: order.encoded)
        } else {
            await tellRemoved(digest, of: provider)
        }
        await remove(digest, of: provider.name)
    }

    /// What is shared of a URL is of no more use, since a newer answer was given out that is not there. The other hosts keep what they
    /// have stored themselves.
    public func displaceShared(_ url: Digest, of provider: ConfiguredProvider) async {
        guard provider.isPassthrough, provider.settings.isShared, let shared else { return }
        await shared.remove(url: url, provider: provider.name)
    }

    /// Tells the other hosts to remove what has that digest, or what was made of that.
    func tellRemoved(_ digest: Digest, of provider: ConfiguredProvider) async {
        guard provider.settings.isShared, let shared else { return }
        let order = RemovalOrder(selector: .digest(digest), isSoft: false, provider: provider.name)
        await shared.remove(provider: provider.name, order: order.encoded)
    }

    /// The one entry that an order of an unsafe request names, where it is stored here. A group is none; and what is asked for by
    /// somebody's purge may be part of merged answers.
    private func exactEntry(of order: RemovalOrder) async -> Digest? {
        guard order.provider != nil, case .digest(let digest) = order.selector, await store.name(of: digest) != nil
        else { return nil }
        return digest
    }

    /// Carries out what another host has removed. For one entry memory forgets that, and for anything else everything.
    public func hear(_ news: SharedNews) async {
        let outcome: RemovalOutcome
        switch news {
        case .suspension: return
        case .gap:
            memory.removeAll()
            outcome = await store.remove(.digest(Self.sharedOrigin), soft: false, provider: nil)
            memory.removeAll()
        case .order(let bytes):
            guard let order = RemovalOrder(encoded: bytes) else {
                // Of a later version: what it is about is not known.
                return await hear(.gap)
            }
            let selector = order.selector.movedClock(by: .zero - (shared?.ahead ?? .zero))
            let exact = await exactEntry(of: order)
            if let exact { memory.remove(exact) } else { memory.removeAll() }
            outcome = await store.remove(selector, soft: order.isSoft, provider: order.provider)
            if let exact { memory.remove(exact) } else { memory.removeAll() }
        }
        if case .refused(let error) = outcome {
            log.error("a removal of another host could not be carried out", ["error": "\(error)"])
        }
    }
}

extension PurgeSelector {
    /// The same with its instants by another clock.
    fileprivate func movedClock(by span: Duration) -> PurgeSelector {
        guard case .matching(var condition) = self, let instant = condition.receivedBefore else { return self }
        condition.receivedBefore = instant + span
        return .matching(condition)
    }
}
