// The shared tier that is in force, and removals between the hosts of a fleet. Each host tells the others of its
// removals, and carries out theirs.
import LarderCache
import LarderCore
import LarderSettings
import LarderShared
import LarderStore

extension EntryCache {
    /// The mark of an entry that came from the shared tier, among its parents. Its instants were another host's.
    static let sharedOrigin = Digest(of: Bytes(text: "larder: an entry of the shared tier"))

    /// The tier in force; nil if this host stands alone.
    public var shared: SharedTier? { sharedTier.withLock { $0 } }

    /// Puts another tier in force, or none.
    /// - Returns: the previous tier, which must be closed.
    public func share(_ tier: SharedTier?) -> SharedTier? {
        sharedTier.withLock { current in
            defer { current = tier }
            return current
        }
    }

    /// The tier for a provider's entries. Nil if they stay on this host.
    func tier(of provider: ConfiguredProvider) -> SharedTier? { provider.settings.isShared ? shared : nil }

    // MARK: Removals

    /// Removes from the shared tier before the removal counts here. Otherwise a look-up between the two would bring
    /// back what was removed. The engine (Redis or Valkey) does not know what was made from an entry, so removing one
    /// entry there counts for its whole provider. The other hosts remove only what the selectors name from their own
    /// stores.
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

    /// The one provider that a removal concerns. Nil if it may concern several.
    private func owner(of selector: PurgeSelector) async -> String? {
        switch selector {
        case .provider(let name): name
        case .term(_, let provider), .url(_, let provider): provider
        case .matching(let condition): condition.provider
        // The provider of an entry that is not stored here is unknown. Another host may have the entry.
        case .digest(let digest): await store.name(of: digest)?.provider
        case .all: nil
        }
    }

    /// Waits a short time for the other hosts. Adds the names of those that have not carried the removal out.
    public func confirmed(_ removal: SharedRemoval?) async -> SharedRemoval? {
        guard let removal, let shared else { return removal }
        return await shared.confirm(removal)
    }

    /// Removes an entry that an unsafe request has invalidated, here and on the other hosts. Does not wait for those.
    func invalidate(_ digest: Digest, of provider: ConfiguredProvider) async {
        await tellHosts(.digest(digest), of: provider)
        await remove(digest, of: provider.name)
    }

    /// Tells the other hosts to remove what the selector names, and what was made from it.
    /// - Parameter wholly: whether the tier loses all of the provider. Otherwise, of a provider of the user's own, it loses
    ///   only what is stored under the URL; the provider's other responses stay shared.
    func tellHosts(_ selector: PurgeSelector, of provider: ConfiguredProvider, wholly: Bool = false) async {
        guard let tier = tier(of: provider) else { return }
        let order = RemovalOrder(selector: selector, isSoft: false, provider: provider.name).encoded
        if provider.isPassthrough, !wholly, case .digest(let url) = selector {
            await tier.remove(url: url, provider: provider.name, order: order)
        } else {
            await tier.remove(provider: provider.name, order: order)
        }
    }

    /// Removes a URL's responses from the shared tier, because a newer response was given out that is not there. The
    /// other hosts keep what they have stored themselves.
    public func displaceShared(_ url: Digest, of provider: ConfiguredProvider) async {
        await tier(of: provider)?.remove(url: url, provider: provider.name)
    }

    /// Whether the one entry that an order names is stored here.
    private func isStored(_ order: RemovalOrder) async -> Bool {
        guard case .digest(let digest) = order.selector else { return false }
        return await store.name(of: digest) != nil
    }

    /// Notes an order for memory and for responses in progress. An unsafe request's order names one entry, or a group.
    /// What is not stored here may be either. A person's purge may concern parts of merged answers.
    private func forget(_ order: RemovalOrder, isStored: Bool) {
        guard let provider = order.provider, case .digest(let digest) = order.selector else {
            return memory.removeAll()
        }
        memory.remove(digest)
        if !isStored { memory.remove(groups: [digest], of: provider) }
    }

    /// Removals of other hosts may have been missed. Of these providers, nothing that is stored now or under way is used
    /// without a validation, whoever fetched it.
    /// - Returns: whether that holds over a restart.
    public func distrust(_ providers: [String]) async -> Bool {
        memory.removeAll()
        // Each counts as soon as its call begins. Waiting for one must not delay the next.
        let isKept = await withTaskGroup(of: Bool.self) { [store] group in
            for name in providers { group.addTask { await store.distrust(provider: name) } }
            return await group.reduce(true) { $0 && $1 }
        }
        memory.removeAll()
        if !isKept { log.error("answers that may have been removed on other hosts could not be marked durably") }
        return isKept
    }

    /// Carries out another host's removal.
    /// - Parameter shared: the providers whose answers are shared.
    /// - Returns: whether it holds over a restart.
    public func hear(_ news: SharedNews, shared names: [String]) async -> Bool {
        let outcome: RemovalOutcome
        switch news {
        case .suspension: return true
        case .gap: return await distrust(names)
        case .order(let bytes):
            guard let order = RemovalOrder(encoded: bytes) else {
                // The order is of a later version, so what it removes is unknown.
                return await distrust(names)
            }
            let selector = order.selector.movedClock(by: .zero - (shared?.ahead ?? .zero))
            let isStored = await isStored(order)
            forget(order, isStored: isStored)
            outcome = await store.remove(selector, soft: order.isSoft, provider: order.provider)
            forget(order, isStored: isStored)
        }
        switch outcome {
        case .done: return true
        case .pending(_, let isKept): return isKept
        case .refused(let error):
            log.error("a removal of another host could not be carried out", ["error": "\(error)"])
            return false
        }
    }
}

extension PurgeSelector {
    /// The same selector with its times moved to another clock.
    fileprivate func movedClock(by span: Duration) -> PurgeSelector {
        guard case .matching(var condition) = self, let instant = condition.receivedBefore else { return self }
        condition.receivedBefore = instant + span
        return .matching(condition)
    }
}
