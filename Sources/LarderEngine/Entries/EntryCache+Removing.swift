// How entries are removed. A removal counts from its beginning, for memory and for responses in progress. Memory is
// told once more after it, because a response may have been made meanwhile from an entry that was still there.
import LarderCache
import LarderCore
import LarderShared
import LarderStore

/// What became of a purge.
public struct Purged: Sendable {
    /// The number of entries removed so far.
    public var count = 0
    /// Some removals are not committed yet, and are retried until they are. None of the entries answers requests.
    public var isPending = false
    /// The purge holds over a restart.
    public var survivesRestart = true
    /// The store is closed, so nothing more was purged.
    public var failure: StoreError?
    /// What the other hosts know of the purge; nil if this host stands alone.
    public var fleet: SharedRemoval?
}

extension EntryCache {
    /// Removes one entry and everything made from it.
    ///
    /// The removal counts at once, and is retried if it could not be committed.
    public func remove(_ digest: Digest, of provider: String) async {
        memory.remove(digest)
        if case .refused(let error) = await store.remove(.digest(digest), soft: false, provider: provider) {
            log.error("an entry could not be removed", ["error": "\(error)"])
        }
        memory.remove(digest)
    }

    /// Removes everything of a provider that lies below a folder, here and on the other hosts. The shared tier knows no
    /// folders, so a removal from it counts for the whole provider.
    /// - Parameter isKnown: whether it is known to be a folder. Most paths that are deleted are none; then the tier's
    ///   other answers stay, unless something turns out to be stored below the path here.
    func remove(below folder: URLFolder, of provider: ConfiguredProvider, isKnown: Bool) async {
        await tellHosts(all(below: folder, of: provider), of: provider, wholly: isKnown)
        guard await removeHere(below: folder, of: provider), !isKnown else { return }
        await tellHosts(all(below: folder, of: provider), of: provider, wholly: true)
        // Meanwhile something may have come back from the tier.
        _ = await removeHere(below: folder, of: provider)
    }

    /// What names the entries below a folder. Below the root lies everything of the provider, so no entry names the root.
    private func all(below folder: URLFolder, of provider: ConfiguredProvider) -> PurgeSelector {
        folder.isRoot ? .provider(provider.name) : .digest(folder.digest)
    }

    /// - Returns: whether anything may have been stored there.
    private func removeHere(below folder: URLFolder, of provider: ConfiguredProvider) async -> Bool {
        memory.remove(below: folder)
        let outcome = await store.remove(all(below: folder, of: provider), soft: false, provider: provider.name)
        if case .refused(let error) = outcome { log.error("a folder could not be removed", ["error": "\(error)"]) }
        memory.remove(below: folder)
        if case .done(0) = outcome, !mayHoldUncommitted(of: provider.name) { return false }
        memory.forgetReady(of: provider.name)
        return true
    }

    /// Whether memory may hold an answer of a provider that was accepted and then could not be committed, as on a full
    /// disk. The database does not know that it lies below a folder. Counts as asked for once memory forgot the
    /// provider.
    private func mayHoldUncommitted(of provider: String) -> Bool {
        let failed = store.failedCommits
        return forgotten.withLock { forgotten in
            defer { forgotten[provider] = failed }
            return failed > forgotten[provider] ?? 0
        }
    }

    /// Removes the entries of these groups (`CacheGroups`), here and on the other hosts. Responses in progress that
    /// belong to one of them are not stored.
    func removeGroups(_ groups: [Digest], of provider: ConfiguredProvider) async {
        guard !groups.isEmpty else { return }
        for group in groups { await tellHosts(.digest(group), of: provider, wholly: true) }
        memory.remove(groups: groups, of: provider.name)
        for group in groups {
            if case .refused(let error) = await store.remove(.digest(group), soft: false, provider: provider.name) {
                log.error("a group could not be removed", ["error": "\(error)"])
            }
        }
        memory.remove(groups: groups, of: provider.name)
    }

    /// How often groups of a provider were removed: once at the start of each removal and once at its end.
    func groupRemovals(of provider: ConfiguredProvider) -> UInt64 { memory.groupRemovals(of: provider.name) }

    /// Removes one entry and everything made from it, in favour of a newer response. Responses in progress stay valid;
    /// `AnswerOrder` decides which of them are older.
    func displace(_ digest: Digest, of provider: String) async {
        memory.invalidate(digest)
        if case .refused(let error) = await store.remove(.digest(digest), soft: false, provider: provider) {
            log.error("an entry could not be removed", ["error": "\(error)"])
        }
        memory.invalidate(digest)
    }

    /// Removes what is stored of a URL and arrived before a number, in favour of a newer response that is not stored. This
    /// counts at once.
    /// - Parameter fields: those of a request that selects what is removed; nil if all of the URL is.
    func displaceOlder(of url: Digest, provider: String, before arrival: UInt64, selecting fields: HeaderFields?) {
        memory.invalidate(url)
        store.removeOlder(of: url, provider: provider, before: arrival) { entry in
            fields.map { VariantIndex.selects(entry, $0) } ?? true
        }
        memory.invalidate(url)
    }

    /// Removes every entry that the selectors name, or with `soft` expires it. A merged answer comes from several
    /// entries, so memory forgets everything; it refills from the database at once.
    public func purge(_ selectors: [PurgeSelector], soft: Bool) async -> Purged {
        var purged = Purged()
        purged.fleet = await removeShared(selectors, soft: soft)
        memory.removeAll()
        loop: for selector in selectors {
            let outcome = await store.remove(selector, soft: soft, provider: nil)
            purged.count += outcome.count
            switch outcome {
            case .done: break
            case .pending(_, let isKept):
                purged.isPending = true
                purged.survivesRestart = purged.survivesRestart && isKept
            case .refused(let error):
                purged.failure = error
                break loop
            }
        }
        memory.removeAll()
        return purged
    }

    /// Handles a change of settings or of an account. Entries stay. Ready responses and responses in progress become
    /// outdated, because they were made under the old settings or account.
    public func settingsChanged() { memory.removeAll() }
}
