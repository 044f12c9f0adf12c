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
    private struct State {
        var removals = Removals()
        var tickets: [UInt64: [RemovalTicket]] = [:]
    }
    private let state = Lock(State())
    private let any = Atomic<Bool>(false)
    private let holds = Atomic<Bool>(false)

    /// Whether there are tombstones.
    var isAny: Bool { any.load(ordering: .acquiring) }

    /// Whether there are tombstones that an answer stored now could meet. A purge of many entries that has begun ends
    /// at the row that was the newest then.
    var holdAnswers: Bool { holds.load(ordering: .acquiring) }

    /// Every change of the tombstones ends with this.
    private func publish(_ state: inout State) {
        let removals = state.removals
        any.store(!removals.isEmpty, ordering: .releasing)
        holds.store(
            !removals.exact.isEmpty || removals.wide.contains { $0.last == .max }, ordering: .releasing)
    }

    var count: Int { isAny ? state.withLock { $0.removals.count } : 0 }

    /// All tombstones, or nil if there are none. A reader takes this before its snapshot: a removal that is not in it
    /// is committed in that snapshot, or is newer than the reader's request.
    func snapshot() -> Removals? { isAny ? state.withLock { $0.removals } : nil }

    // MARK: Callers

    func add(
        _ selector: PurgeSelector, isSoft: Bool, provider: String?, at now: WallTime, _ ticket: RemovalTicket?
    ) -> Tombstone {
        state.withLock { state in
            let (made, replaced) = state.removals.add(selector, isSoft: isSoft, provider: provider, at: now)
            move(replaced, to: made.number, &state)
            if let ticket { state.tickets[made.number, default: []].append(ticket) }
            publish(&state)
            return made
        }
    }

    /// Hides the older entry of a key, or what is older of a URL, because a newer answer was given out and is not known to be stored.
    /// - Parameter order: the number of the newer answer.
    func supersede(_ digest: Digest, of provider: String, by order: UInt64, at now: WallTime) -> Tombstone {
        state.withLock { state in
            let held = state.removals.exact[digest]
            if let held, !held.isSoft {
                if let other = held.supersededBy {
                    if other >= order { return held }
                } else if !held.isDue {
                    // An explicit removal is enough, and waits for its own turn in the queue.
                    return held
                }
            }
            // The tombstone is made anew, so that a transaction under way, which may store an older answer, does not
            // settle it.
            //
            // A removal whose turn has not come may concern the newer answer too. A removal whose turn has come is
            // older than the newer answer, which ends both when it is stored.
            let isRemovedBesides = held.map { $0.supersededBy == nil && !$0.isDue } ?? false
            let (made, replaced) = state.removals.add(
                .digest(digest), isSoft: false, provider: provider, at: now)
            move(replaced, to: made.number, &state)
            if made.isExact, !isRemovedBesides { state.removals.markSuperseded(digest, by: order) }
            state.removals.markDue(made.number)
            publish(&state)
            return made
        }
    }

    private func move(_ from: [UInt64], to number: UInt64, _ state: inout State) {
        for old in from {
            if let tickets = state.tickets.removeValue(forKey: old) {
                state.tickets[number, default: []] += tickets
            }
        }
    }

    /// As `Removals.addOlder`.
    func addOlder(
        of url: Digest, before: UInt64, where selects: @escaping @Sendable (StoredResponse) -> Bool
    ) -> UInt64? {
        state.withLock { state in
            let number = state.removals.addOlder(of: url, before: before, where: selects)
            publish(&state)
            return number
        }
    }

    /// Whether a removal of what is older of a URL is not committed yet.
    func isOpen(older number: UInt64, of url: Digest) -> Bool {
        isAny && state.withLock { $0.removals.older[url]?.contains { $0.number == number } ?? false }
    }

    // MARK: The writer

    /// The removals of what is older of a URL.
    var older: [Digest: [OlderRemoval]] { isAny ? state.withLock { $0.removals.older } : [:] }

    /// Notes that the removals of these URLs are committed, up to a number each. Returns the number of the latest
    /// removal if none is left.
    func settle(older: [Digest: UInt64]) -> UInt64? {
        state.withLock { state in
            for (url, number) in older { state.removals.settleOlder(of: url, upTo: number) }
            return noted(&state)
        }
    }

    /// The single keys to be removed.
    var exact: [Tombstone] { isAny ? state.withLock { Array($0.removals.exact.values) } : [] }

    /// Removals of many entries whose turn has come.
    var walks: [Tombstone] { isAny ? state.withLock { $0.removals.wide.filter(\.isDue) } : [] }

    /// Whether there is a removal whose turn has come.
    var hasDue: Bool {
        isAny
            && state.withLock { state in
                state.removals.wide.contains(where: \.isDue) || !state.removals.older.isEmpty
                    || state.removals.exact.values.contains(where: \.isDue)
            }
    }

    /// Whether the tombstone is not committed yet. False if another took its place.
    func isOpen(_ tombstone: Tombstone) -> Bool {
        isAny
            && state.withLock { state in
                if case .digest(let digest) = tombstone.selector, let held = state.removals.exact[digest] {
                    return held.number == tombstone.number
                }
                return state.removals.wide.contains { $0.number == tombstone.number }
            }
    }

    /// Notes that everything that was queued before them is done.
    func markAllDue() {
        state.withLock { state in
            for number in (state.removals.wide + state.removals.exact.values).map(\.number) {
                state.removals.markDue(number)
            }
        }
    }

    /// As `Removals.settledUpTo`.
    var settledUpTo: UInt64 { state.withLock { $0.removals.settledUpTo } }

    /// Whether there are others than those of what is older of a URL, which meet nothing that is stored now.
    var isAnyOfKeys: Bool { isAny && state.withLock { !$0.removals.exact.isEmpty || !$0.removals.wide.isEmpty } }

    /// The number of the latest tombstone.
    var latest: UInt64 { state.withLock { $0.removals.latest } }

    func markDue(_ number: UInt64) { state.withLock { $0.removals.markDue(number) } }
    func begin(_ number: UInt64, last: Int64) {
        state.withLock { state in
            state.removals.begin(number, last: last)
            publish(&state)
        }
    }

    func beginAnew() {
        state.withLock { state in
            state.removals.beginAnew()
            publish(&state)
        }
    }

    /// Notes that a committed transaction has removed this many more entries.
    func advance(_ number: UInt64, _ count: Int) {
        let tickets = state.withLock { $0.tickets[number] ?? [] }
        for ticket in tickets { ticket.advance(count) }
    }

    /// Notes that these removals are committed whole. Returns the number of the latest removal if none is left.
    func settle(_ done: [Tombstone]) -> UInt64? {
        let (tickets, latest) = state.withLock { state -> ([RemovalTicket], UInt64?) in
            var tickets: [RemovalTicket] = []
            for tombstone in done where state.removals.settle(tombstone) {
                tickets += state.tickets.removeValue(forKey: tombstone.number) ?? []
            }
            return (tickets, noted(&state))
        }
        for ticket in tickets { ticket.end(.done) }
        return latest
    }

    /// Notes that the answer of this number is committed: what it superseded is out of the database.
    func replaced(_ digest: Digest, by order: UInt64) -> UInt64? {
        let (tickets, latest) = state.withLock { state -> ([RemovalTicket], UInt64?) in
            let ended = state.removals.replaced(digest, by: order)
            return (ended.flatMap { state.tickets.removeValue(forKey: $0) } ?? [], noted(&state))
        }
        for ticket in tickets { ticket.end(.done) }
        return latest
    }

    /// How many more removals of single keys may go on as walks.
    var roomForWalks: Int { state.withLock { $0.removals.roomForWalks } }

    /// Notes that the rest of a single key's removal follows in a walk.
    /// - Returns: as `Removals.walk`.
    func walk(_ tombstone: Tombstone, to last: Int64) -> (tombstone: Tombstone, replaced: [UInt64])? {
        state.withLock { state in
            guard let walk = state.removals.walk(tombstone, to: last) else { return nil }
            move(walk.replaced, to: walk.tombstone.number, &state)
            publish(&state)
            return walk
        }
    }

    private func noted(_ state: inout State) -> UInt64? {
        publish(&state)
        return state.removals.isEmpty ? state.removals.latest : nil
    }

    /// Notes that the removals that are due could not be committed. Their callers need not wait longer; the tombstones
    /// stay.
    func failed(_ error: StoreError) {
        let tickets = state.withLock { state -> [RemovalTicket] in
            let numbers = (state.removals.wide + state.removals.exact.values).filter(\.isDue).map(\.number)
            return numbers.flatMap { state.tickets.removeValue(forKey: $0) ?? [] }
        }
        for ticket in tickets { ticket.end(.failed(error)) }
    }

    /// Notes that the store is closed: no caller need wait any longer.
    func closed() {
        let tickets = state.withLock { state -> [RemovalTicket] in
            defer { state.tickets = [:] }
            return state.tickets.values.flatMap { $0 }
        }
        let error = StoreError(SQLITE_INTERRUPT, "purging", "the store was closed")
        for ticket in tickets { ticket.end(.failed(error)) }
    }
}
