// How entries are removed. A removal counts from its beginning, for memory and for what is under way; memory is told once
// more after it, since an answer may have been made meanwhile of what was still there.
import LarderCache
import LarderCore
import LarderShared
import LarderStore

/// What became of a purge.
public struct Purged: Sendable {
    /// Entries so far.
    public var count = 0
    /// Some of it is not committed yet, and is tried again until it is. Nothing of it is answered any more.
    public var isPending = false
    /// It holds over a restart.
    public var survivesRestart = true
    /// The store is closed: nothing more was purged.
    public var failure: StoreError?
    /// What the fleet knows of it; nil where this host stands alone.
    public var fleet: SharedRemoval?
}

extension EntryCache {
    /// Removes one entry, and what was made from it.
    ///
    /// It counts at once, and is tried again where the disk does not take it.
    public func remove(_ digest: Digest, of provider: String) async {
        memory.remove(digest)
        if case .refused(let error) = await store.remove(.digest(digest), soft: false, provider: provider) {
            log.error("an entry could not be removed", ["error": "\(error)"])
        }
        memory.remove(digest)
    }

    /// Removes what belongs to these groups (`CacheGroups`), here and on the other hosts. Which answers are under way for them is
    /// not known, so all that are count as answers of before, and memory forgets everything; it fills again from the database at once.
    public func removeGroups(_ groups: [Digest], of provider: ConfiguredProvider) async {
        guard !groups.isEmpty else { return }
        for group in groups { await tellRemoved(group, of: provider) }
        memory.removeAll()
        for group in groups {
            if case .refused(let error) = await store.remove(.digest(group), soft: false, provider: provider.name) {
                log.error("a group could not be removed", ["error": "\(error)"])
            }
        }
        memory.removeAll()
    }

    /// Removes one entry, and what was made from it, in favour of a newer answer. Answers under way stay valid;
    /// `AnswerOrder` decides which of them are older.
    func displace(_ digest: Digest, of provider: String) async {
        memory.invalidate(digest)
        if case .refused(let error) = await store.remove(.digest(digest), soft: false, provider: provider) {
            log.error("an entry could not be removed", ["error": "\(error)"])
        }
        memory.invalidate(digest)
    }

    /// Removes, or with `soft` expires, all that the selectors name. Merged answers name several entries, so memory forgets
    /// everything; it fills again from the database at once.
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

    /// Other settings or another account are in force: entries stay, but ready answers were made by the old ones, and so
    /// was what is under way.
    public func settingsChanged() { memory.removeAll() }
}
