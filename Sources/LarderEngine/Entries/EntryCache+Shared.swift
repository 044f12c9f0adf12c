// The shared tier, below the database and above the upstream. The flight of an entry asks it, so a crowd of identical
// misses asks it once. Its responses are stored here like those of the upstream. The upstream's responses are published
// without making the client wait.
import LarderCache
import LarderCore
import LarderSettings
import LarderShared
import LarderStore

extension EntryCache {
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
}

/// One entry as the shared tier sees it: who may have it, and when it can be used without a validation.
struct SharedQuestion: Sendable {
    var key: CacheKey
    var provider: ConfiguredProvider
    var directives: ClientDirectives
    var rule: FreshnessRule
    /// The removal stamp from before anything was asked.
    var began: RemovalStamp
    /// False if the client forbade storing.
    var isStored = true
}

extension Engine {
    /// The work of a flight that finds nothing usable stored here: asks the shared tier, then the upstream, and
    /// publishes the upstream's response.
    func shared(_ question: SharedQuestion, fetch: () async -> FlightResult) async -> FlightResult {
        guard let tier = cache.shared, question.provider.settings.isShared, question.isStored,
            !question.provider.isPassthrough
        else { return await fetch() }
        let provider = question.provider
        let ask = { await tier.look(question.key, scope: provider.sharedScope, provider: provider.name) }
        let isGood = { (look: SharedTier.Look) -> Bool in
            look.entry.map { self.cache.isFresh($0, question.directives, question.rule) } ?? false
        }
        var look = await ask()
        var lease: SharedLease?
        // A request that accepts no stored response does not wait for one either.
        if !isGood(look), let ticket = look.ticket, tier.settings.hasLeases, !question.directives.noCache {
            let patience = provider.settings.deadline ?? snapshot.settings.fetch.deadline
            switch await tier.turn(ticket, patience: patience, look: ask, isGood: isGood) {
            case .published(let found): look = found
            case .fetch(let taken): lease = taken
            }
        }
        if var entry = look.entry, isGood(look) {
            // Through this parent, the entry is removed when this host may have missed removals by other hosts.
            entry.parents.append(EntryCache.sharedOrigin)
            let written = await cache.write(entry, since: question.began)
            var made = Made(entry: entry, origin: .otherForm("shared"), written: written)
            made.shared = .hit
            return .answered(made)
        }
        return await fetched(await fetch(), look, lease, tier, question)
    }

    /// The upstream's response, or if the upstream failed, a stale response of the tier.
    private func fetched(
        _ result: FlightResult, _ look: SharedTier.Look, _ lease: SharedLease?, _ tier: SharedTier,
        _ question: SharedQuestion
    ) async -> FlightResult {
        let part = look.part == .hit ? SharedPart.absent : look.part
        switch result {
        case .answered(var made):
            if made.shared == .none { made.shared = part }
            if let ticket = look.ticket, made.mayLeave, made.written.isAccepted, case .upstream = made.origin,
                let entry = await whole(made, tier)
            {
                tier.publish(entry, ticket, lease)
            } else {
                if let lease { tier.release(lease, isSettled: true) }
                if case .upstream = made.origin, !cache.isCurrent(question.began) { tier.noteOvertaken() }
            }
            return .answered(made)
        case .failed(let failure):
            if let lease { tier.release(lease, isSettled: true) }
            // A response that was removed since must not be used, stale or not.
            guard let entry = look.entry, isUsable(entry, question), cache.isCurrent(question.began) else {
                return .failed(failure)
            }
            var made = Made(entry: entry, covering: failure)
            made.shared = .hit
            return .answered(made)
        }
    }

    /// The entry with its body. A body that went out while it arrived is read from the store, unless the tier would not
    /// take it. Nil if it is no longer there.
    private func whole(_ made: Made, _ tier: SharedTier) async -> StoredResponse? {
        guard made.tape != nil else { return made.entry }
        guard let opened = await cache.open(made.entry.key), opened.responseTime == made.entry.responseTime else {
            return nil
        }
        guard opened.large != nil, opened.bodyLength <= tier.settings.maxObject else { return opened }
        return await cache.read(made.entry.key)
    }

    /// Whether a stale response of the tier may stand in for a failure.
    private func isUsable(_ entry: StoredResponse, _ question: SharedQuestion) -> Bool {
        ConfiguredReuse.afterFailure(
            .disconnected, entry: entry, directives: question.directives, rule: question.rule, now: time.wall()
        ).decision.isUsable
    }
}

extension ConfiguredProvider {
    /// The digest of what a response depends on besides its key: the API behind the provider's name, and the rules by
    /// which responses are read and kept. Hosts with different scopes share nothing of the provider.
    static func scope(_ settings: ProviderSettings, normaliser: Int, retention: Duration?) -> Digest {
        var lines = [settings.name, "\(normaliser)", "\(settings.semantics)", settings.dialect ?? ""]
        if settings.isPassthrough {
            lines.append("\(settings.cookies) \(settings.personalCookies) \(settings.cdnCacheControl)")
            lines.append("\(settings.keyCredentials) \(settings.keyFields)")
            lines += settings.readOnlyPosts.map { "\($0)" }
            // An API may answer each of its callers differently.
            if let key = settings.key {
                lines.append("\(settings.keyIn) " + Base64URL.encode(Digest(of: Bytes(text: key)).bytes))
            }
        }
        lines += settings.requestFields.map { "\($0.name): \($0.value)" }
        lines += settings.baseURLs
        lines += settings.ttl.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.milliseconds)" }
        for span in [settings.emptyTTL, settings.negativeTTL, settings.staleFor, retention ?? .zero] {
            lines.append(String(span.milliseconds))
        }
        return Digest(of: Bytes(text: lines.joined(separator: "\n")))
    }
}
