// How entries are written, freshened and hidden. The order is always the same: the database first, then memory drops
// what it made from the older entry, then the stamp is checked again, because a removal may have come in between.
import LarderCache
import LarderCore
import LarderStore

/// What became of a write.
public struct Written: Sendable {
    enum State: Sendable {
        /// In the database, or accepted and committed soon.
        case stored
        /// Still on its way to the disk after the longest time that a response waits for it.
        case underWay
        case refused
    }
    var state: State
    /// The stamp under which memory may keep the new entry's response; nil if it must not.
    var ready: ReadyStamp?

    static let refused = Written(state: .refused)
    static let stored = Written(state: .stored)
    var isStored: Bool { state == .stored }
    /// Whether the entry may answer requests from now on.
    var isAccepted: Bool { state != .refused }
}

extension EntryCache {
    /// Writes an entry and invalidates every ready form of an older one.
    ///
    /// - Parameters:
    ///   - began: the removal stamp from before anything of the entry was requested or read. If the entry was removed
    ///     since, it is not written again.
    ///   - superseded: what older is useless, even if this entry is not stored.
    ///   - isWanted: called at the time of the write. If it returns false, the entry is not written.
    public func write(
        _ entry: StoredResponse, since began: RemovalStamp, supersedes superseded: Superseded = .entry,
        when isWanted: @escaping @Sendable () -> Bool = { true }
    ) async -> Written {
        guard isCurrent(began, entry) else { return .refused }
        let entry = numbered(entry)
        // Checked once more at the time of the write, which may come after this method has returned.
        let outcome = await store.write(entry, supersedes: superseded) { [self] in
            isCurrent(began, entry) && isWanted()
        }
        if case .refused(let reason) = outcome {
            log.debug("not stored", ["provider": entry.provider, "reason": reason.rawValue])
        }
        return await written(outcome, entry, began)
    }

    /// Gives a response its number now if its head got none: the responses of a key that one flight at a time fetches.
    private func numbered(_ entry: StoredResponse) -> StoredResponse {
        guard entry.arrival == 0 else { return entry }
        var entry = entry
        entry.arrival = arrivals.next()
        return entry
    }

    /// Writes an entry like `write` if the store accepts it without waiting for its commit.
    /// - Returns: false if it does not.
    func accept(
        _ entry: StoredResponse, since began: RemovalStamp, supersedes superseded: Superseded,
        when isWanted: @escaping @Sendable () -> Bool
    ) -> Bool {
        guard isCurrent(began, entry) else { return false }
        // A removal that begins after this question finds the entry in the store.
        let isAccepted = store.accept(entry, supersedes: superseded) { [self] in isCurrent(began, entry) && isWanted() }
        guard isAccepted else { return false }
        memory.invalidate(entry.key.digest)
        if let url = entry.variant?.url { memory.invalidate(url) }
        return true
    }

    /// Whether nothing that concerns the entry was removed since, its groups included.
    func isCurrent(_ began: RemovalStamp, _ entry: StoredResponse) -> Bool {
        memory.isCurrent(began, of: entry.provider, with: entry.parents)
    }

    /// The state after a write. A removal during the write did not cover the entry, which is then removed here.
    private func written(
        _ outcome: WriteOutcome, _ entry: StoredResponse, _ began: RemovalStamp
    ) async -> Written {
        memory.invalidate(entry.key.digest)
        let url = entry.variant?.url
        if let url { memory.invalidate(url) }
        if case .refused = outcome { return .refused }
        let ready =
            url.map { memory.readyStamp($0, entry.key.digest, of: entry.provider) }
            ?? memory.readyStamp(entry.key.digest, of: entry.provider)
        guard isCurrent(began, entry) else {
            await remove(url ?? entry.key.digest, of: entry.provider)
            return .refused
        }
        return Written(state: outcome == .pending ? .underWay : .stored, ready: ready)
    }

    /// Begins a body that is written as it arrives. Nil if it cannot be stored.
    func beginBody(expecting length: Int64?) async -> (any BodyWriter)? {
        guard case .success(let writer) = await store.begin(expecting: length) else { return nil }
        return writer
    }

    /// Makes the entry visible with the body that was written. A removal since `began` gives the body up.
    func complete(
        _ writer: any BodyWriter, _ entry: StoredResponse, since began: RemovalStamp,
        supersedes superseded: Superseded = .entry, when isWanted: @escaping @Sendable () -> Bool
    ) async -> Written {
        guard isCurrent(began, entry) else {
            writer.abandon()
            return .refused
        }
        let entry = numbered(entry)
        let outcome = await writer.complete(entry, supersedes: superseded) { [self] in
            isCurrent(began, entry) && isWanted()
        }
        return await written(outcome, entry, began)
    }

    /// Replaces the head of a stored response. If the new head allows a shorter use than the old one and could not be
    /// written, the response is hidden.
    ///
    /// - Parameter began: the removal stamp from before the upstream was asked. What was removed or expired since does
    ///   not become fresh again.
    /// - Returns: whether the head was replaced.
    @discardableResult
    public func freshen(_ old: StoredResponse, to entry: StoredResponse, since began: RemovalStamp) async -> Bool {
        let isDone = await store.rewriteHead(entry, inPlaceOf: old) { [self] in
            isCurrent(began, entry)
        }
        memory.invalidate(entry.key.digest)
        // Another variant may be the first choice of some requests now.
        if let url = entry.variant?.url { memory.invalidate(url) }
        if !isDone, entry.freshUntil < old.freshUntil, isCurrent(began, entry) { hide(old) }
        return isDone
    }

    /// Prolongs the life of a part, which its list needs.
    func prolong(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) async {
        await store.updateFreshness(digest, freshUntil: freshUntil, staleUntil: staleUntil)
    }

    /// Limits the use of an entry to the given time. If that could not be written, the entry is hidden.
    func shorten(_ entry: StoredResponse, to end: WallTime) async {
        let end = min(entry.freshUntil, end)
        let isDone = await store.updateFreshness(entry.key.digest, freshUntil: end, staleUntil: end)
        if !isDone, end < entry.freshUntil { hide(entry) }
    }

    /// Hides what is stored under the entry's key. It answers no request until a newer response is stored.
    func hide(_ entry: StoredResponse) {
        store.hide(entry)
        memory.invalidate(entry.key.digest)
    }

    /// The same, for older entries under other keys.
    func hide(_ entry: StoredResponse, inPlaceOf keys: [CacheKey]) {
        var newer = entry
        for key in keys {
            newer.key = key
            hide(newer)
        }
    }
}
