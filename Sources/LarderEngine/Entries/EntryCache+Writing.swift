// How entries are written, freshened and hidden. The order is always the same: the database first, then whatever memory
// made of the older entry becomes invalid, then the state is looked at again, since a removal may have passed meanwhile.
import LarderCache
import LarderCore
import LarderStore

/// What became of a write.
public struct Written: Sendable {
    enum State: Sendable {
        /// In the database, or accepted and committed soon.
        case stored
        /// On its way to the disk for longer than an answer waits for it.
        case underWay
        case refused
    }
    var state: State
    /// Under which memory may keep the new entry's answer; nil where it may not.
    var ready: ReadyStamp?

    static let refused = Written(state: .refused)
    static let stored = Written(state: .stored)
    var isStored: Bool { state == .stored }
    /// Whether anybody may be answered by it from now on.
    var isAccepted: Bool { state != .refused }
}

extension EntryCache {
    /// Writes an entry and makes every ready form of an older one invalid.
    ///
    /// - Parameters:
    ///   - companion: committed together with it, and its parent: whatever removes the companion removes both.
    ///   - began: from before anything of it was asked for or read. What was removed since does not come back with what
    ///     was under way.
    ///   - supersedes: whether an older entry of that key is of no more use, also where this one is not stored.
    ///   - isWanted: asked when it is written: it is not where that says no.
    public func write(
        _ entry: StoredResponse, with companion: Companion? = nil, since began: RemovalStamp, supersedes: Bool = true,
        when isWanted: @escaping @Sendable () -> Bool = { true }
    ) async -> Written {
        guard isCurrent(began) else { return .refused }
        // Asked once more when it is written, which may be after this has returned.
        let outcome = await store.write(entry, with: companion, supersedes: supersedes) { [memory] in
            memory.isCurrent(began) && isWanted()
        }
        if case .refused(let reason) = outcome {
            log.debug("not stored", ["provider": entry.provider, "reason": reason.rawValue])
        }
        return await written(outcome, entry, companion, began)
    }

    /// The state after a write; what was removed while it was written was removed before it was there.
    private func written(
        _ outcome: WriteOutcome, _ entry: StoredResponse, _ companion: Companion?, _ began: RemovalStamp
    ) async -> Written {
        memory.invalidate(entry.key.digest)
        if let companion { memory.invalidate(companion.entry.key.digest) }
        if case .refused = outcome { return .refused }
        let ready =
            if let companion { memory.readyStamp([companion.entry.key.digest, entry.key.digest]) } else {
                memory.readyStamp(entry.key.digest)
            }
        guard isCurrent(began) else {
            await remove((companion?.entry ?? entry).key.digest, of: entry.provider)
            return .refused
        }
        return Written(state: outcome == .pending ? .underWay : .stored, ready: ready)
    }

    /// Begins a body that is written while it comes; nil where it cannot be stored.
    func beginBody(expecting length: Int64?) async -> (any BodyWriter)? {
        guard case .success(let writer) = await store.begin(expecting: length) else { return nil }
        return writer
    }

    /// Makes the entry visible with the body that was written. A refusal because of a removal gives the body up.
    func complete(
        _ writer: any BodyWriter, _ entry: StoredResponse, with companion: Companion?, since began: RemovalStamp,
        when isWanted: @escaping @Sendable () -> Bool
    ) async -> Written {
        guard isCurrent(began) else {
            writer.abandon()
            return .refused
        }
        let outcome = await writer.complete(entry, with: companion) { [memory] in
            memory.isCurrent(began) && isWanted()
        }
        return await written(outcome, entry, companion, began)
    }

    /// Replaces the head of a stored answer. Where it is to be used for a shorter time than was said before, and that
    /// could not be written, it is used no more.
    ///
    /// - Parameter began: from before the upstream was asked: what was removed or expired since is not made fresh again.
    /// - Returns: whether it was done.
    @discardableResult
    public func freshen(_ old: StoredResponse, to entry: StoredResponse, since began: RemovalStamp) async -> Bool {
        let isDone = await store.rewriteHead(entry, ifReceivedAt: old.responseTime) { [memory] in
            memory.isCurrent(began)
        }
        memory.invalidate(entry.key.digest)
        if !isDone, entry.freshUntil < old.freshUntil, isCurrent(began) { hide(old) }
        return isDone
    }

    /// Lengthens the life of a row that other rows need, such as a list of variants.
    func prolong(_ digest: Digest, freshUntil: WallTime, staleUntil: WallTime) async {
        await store.updateFreshness(digest, freshUntil: freshUntil, staleUntil: staleUntil)
    }

    /// An entry is not to be used beyond that instant. Where that could not be written it is used no more.
    func shorten(_ entry: StoredResponse, to end: WallTime) async {
        let end = min(entry.freshUntil, end)
        let isDone = await store.updateFreshness(entry.key.digest, freshUntil: end, staleUntil: end)
        if !isDone, end < entry.freshUntil { hide(entry) }
    }

    /// What is stored under the entry's key is answered no more, until a newer answer is stored.
    func hide(_ entry: StoredResponse) {
        store.hide(entry)
        memory.invalidate(entry.key.digest)
    }

    /// The same where the older one may lie under another key.
    func hide(_ entry: StoredResponse, inPlaceOf old: StoredResponse) {
        var newer = entry
        newer.key = old.key
        hide(newer)
    }
}
