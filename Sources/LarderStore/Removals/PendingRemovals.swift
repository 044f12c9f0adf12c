// The tombstones as the store's threads and callers share them, and the tickets on which callers wait. If there are no
// tombstones, which is nearly always so, asking costs one atomic load.
import CSQLite
import LarderCore
import Synchronization

/// The progress of one caller's removal.
final class RemovalTicket: Sendable {
    enum Standing: Sendable {
        case open
        case done
        /// The removal could not be committed; it is tried again.
        case failed(StoreError)
    }

    private struct State {
        var count = 0
        /// Transactions committed for this removal.
        var steps = 0
        var standing = Standing.open
        var reply: Reply<Standing>?
    }
    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }
    var steps: Int { state.withLock { $0.steps } }
    var isDone: Bool { state.withLock { if case .done = $0.standing { true } else { false } } }

    func advance(_ count: Int) {
        state.withLock { state in
            state.count += count
            state.steps += 1
        }
    }

    func end(_ standing: Standing) {
        let reply = state.withLock { state -> Reply<Standing>? in
            state.standing = standing
            return state.reply.take()
        }
        reply?.resume(returning: standing)
    }

    /// Waits a bounded time. Returns `open` if that was too short.
    func wait(_ waits: BoundedWaits, _ length: BoundedWaits.Length) async -> Standing {
        await handover { continuation in
            let reply = Reply(continuation, late: { Standing.open })
            let known = state.withLock { state -> Standing? in
                if case .open = state.standing {
                    state.reply = reply
                    return nil
                }
                return state.standing
            }
            if let known { reply.resume(returning: known) } else { waits.add(reply, length) }
        }
    }
}

final class PendingRemovals: Sendable {
    private let removals = Lock(Removals())
    private let any = Atomic<Bool>(false)

    /// Whether there are removals.
    var isAny: Bool { any.load(ordering: .acquiring) }

    /// All removals as they are now.
    var now: Removals { removals.withLock { $0 } }

    /// All removals, or nil if there are none. A reader takes this before its snapshot: a removal that is not in it
    /// is committed in that snapshot, or is newer than the reader's request.
    func snapshot() -> Removals? { isAny ? now : nil }

    var count: Int { snapshot()?.count ?? 0 }

    /// Changes the removals in one step.
    func change<Result>(_ change: (inout Removals) -> Result) -> Result {
        removals.withLock { removals in
            defer { any.store(!removals.isEmpty, ordering: .releasing) }
            return change(&removals)
        }
    }

    /// Takes out removals that are committed, and tells those who wait for them.
    func settle(_ take: (inout Removals) -> [Tombstone?]) {
        for ticket in change(take).compactMap({ $0 }).flatMap(\.tickets) { ticket.end(.done) }
    }

    /// Notes that a committed transaction has removed this many more entries.
    func advance(_ number: UInt64, _ count: Int) {
        for ticket in now[number]?.tickets ?? [] { ticket.advance(count) }
    }

    /// Notes that the removals that are due could not be committed. Their callers need not wait longer; the tombstones
    /// stay.
    func failed(_ error: StoreError) { end(error) { $0.isDue } }

    /// Notes that the store is closed: no caller need wait any longer.
    func closed() {
        end(StoreError(SQLITE_INTERRUPT, "purging", "the store was closed")) { _ in true }
    }

    private func end(_ error: StoreError, where isMeant: (Tombstone) -> Bool) {
        for ticket in change({ $0.takeTickets(where: isMeant) }) { ticket.end(.failed(error)) }
    }
}
