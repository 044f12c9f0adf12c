// Tombstones: what has been removed and is not yet out of the database. A look-up asks them before it answers, so a
// removal counts from the moment it is added, whatever the disk does. A pure value: the store's threads share it
// through `PendingRemovals`.
//
// The number of tombstones is bounded. If no more single keys fit, everything of that provider stored up to now is
// removed instead.
import LarderCore

/// One removal that is not yet committed.
struct Tombstone: Sendable {
    /// Rises with every removal. Distinguishes a tombstone from a later one for the same entries.
    var number: UInt64
    var selector: PurgeSelector
    /// Whether the entries are expired instead of removed: they are stale since `at`.
    var isSoft: Bool
    /// The provider of a single key's entry, if the caller knew it.
    var provider: String?
    var at: WallTime
    /// Only rows up to this id are meant. Rows stored after the walk through the database has begun stay.
    var last = Int64.max
    /// Whether the writer has done everything that was queued before this removal.
    var isDue = false
    /// The number of the answer that replaces the entry. Once that answer or a newer one is stored, nothing is left to
    /// remove.
    var supersededBy: UInt64?
    /// Of those who wait for it.
    var tickets: [RemovalTicket] = []

    var isExact: Bool { if case .digest = selector { true } else { false } }
    /// Whether the tombstone is of this single key.
    func isExact(_ digest: Digest) -> Bool { if case .digest(let own) = selector { own == digest } else { false } }
    /// Whether every entry is removed, and none is left as stale.
    var isOfEverything: Bool { selector == .all && !isSoft }
    /// Whether the entries must be validated before any use.
    var unverifies: Bool { isSoft && at <= StoredResponse.unverified }
}

struct Removals: Sendable {
    /// The most tombstones of single keys.
    static let mostExact = 4096
    /// The most removals of what is older of one URL. One more is a removal of all that is older.
    static let mostOlderOfURL = 16
    /// The most removals by provider, term, URL or condition.
    static let mostWide = 64

    /// What the tombstones say about one entry.
    struct Verdict: Sendable, Equatable {
        var isRemoved = false
        var expiredAt: WallTime?
        /// Whether the entry may answer only after a validation, or not at all.
        var isUnusable: Bool { isRemoved || expiredAt.map { $0 <= StoredResponse.unverified } ?? false }
    }

    private(set) var exact: [Digest: Tombstone] = [:]
    /// The removals that walk: those of many entries, and those of single keys from which many entries were made.
    private(set) var wide: [Tombstone] = []
    /// The removals of what is older of a URL, by the URL.
    private(set) var older: [Digest: [OlderRemoval]] = [:]
    private var olderCount = 0
    private var nextNumber: UInt64 = 1

    var isEmpty: Bool { exact.isEmpty && wide.isEmpty && older.isEmpty }
    var count: Int { exact.count + wide.count + olderCount }
    /// The number of the latest tombstone.
    var latest: UInt64 { nextNumber - 1 }

    /// The number up to which all removals are committed.
    var settledUpTo: UInt64 {
        let open = exact.values.map(\.number) + wide.map(\.number) + older.values.joined().map(\.number)
        return open.min().map { $0 - 1 } ?? latest
    }

    /// How many more removals of single keys may go on as walks.
    var roomForWalks: Int { Self.mostWide - wide.count }

    subscript(number: UInt64) -> Tombstone? {
        wide.first { $0.number == number } ?? exact.values.first { $0.number == number }
    }

    /// Whether there are tombstones that an answer stored now could meet. A purge of many entries that has begun ends
    /// at the row that was the newest then.
    var holdAnswers: Bool { !exact.isEmpty || wide.contains { $0.last == .max } }

    /// Whether there are others than those of what is older of a URL, which meet nothing that is stored now.
    var isAnyOfKeys: Bool { !exact.isEmpty || !wide.isEmpty }

    /// Removals of many entries whose turn has come.
    var walks: [Tombstone] { wide.filter(\.isDue) }

    /// Whether there is a removal whose turn has come.
    var hasDue: Bool { !older.isEmpty || wide.contains(where: \.isDue) || exact.values.contains(where: \.isDue) }

    /// Whether the tombstone is not committed yet. False if another took its place.
    func isOpen(_ tombstone: Tombstone) -> Bool {
        if case .digest(let digest) = tombstone.selector, exact[digest]?.number == tombstone.number { return true }
        return wide.contains { $0.number == tombstone.number }
    }

    /// Whether a removal of what is older of a URL is not committed yet.
    func isOpen(older number: UInt64, of url: Digest) -> Bool {
        older[url]?.contains { $0.number == number } ?? false
    }

    // MARK: Adding

    /// Adds a removal. Those who wait for a tombstone that it replaces wait for it.
    /// - Returns: the tombstone that stands for it.
    mutating func add(
        _ selector: PurgeSelector, isSoft: Bool, provider: String?, at now: WallTime, _ ticket: RemovalTicket? = nil
    ) -> Tombstone {
        var made = Tombstone(number: nextNumber, selector: selector, isSoft: isSoft, provider: provider, at: now)
        if let ticket { made.tickets = [ticket] }
        if let place = wide.firstIndex(where: { Self.includes($0, made) }) {
            wide[place].isDue = false
            wide[place].tickets += made.tickets
            return wide[place]
        }
        nextNumber += 1
        if case .digest(let digest) = selector {
            if let known = exact[digest] {
                // The stronger of the two stays.
                made.isSoft = isSoft && known.isSoft
                made.tickets += known.tickets
            } else if exact.count >= Self.mostExact {
                return widen(made)
            }
            exact[digest] = made
            return made
        }
        guard wide.count < Self.mostWide else { return widen(made) }
        wide.append(made)
        return made
    }

    /// Hides the older entry of a key, or what is older of a URL, because a newer answer was given out and is not known
    /// to be stored.
    /// - Parameter order: the number of the newer answer.
    mutating func supersede(_ digest: Digest, of provider: String, by order: UInt64, at now: WallTime) -> Tombstone {
        let held = exact[digest]
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
        let made = add(.digest(digest), isSoft: false, provider: provider, at: now)
        if made.isExact, !isRemovedBesides { exact[digest]?.supersededBy = order }
        markDue(made.number)
        return made
    }

    /// Called if there is no room for one more tombstone: everything of its provider is removed, or everything if none
    /// is known.
    private mutating func widen(_ tombstone: Tombstone) -> Tombstone {
        var made = tombstone
        made.isSoft = false
        let provider: String? =
            switch tombstone.selector {
            case .all: nil
            case .digest: tombstone.provider
            case .provider(let name): name
            case .term(_, let of), .url(_, let of): of
            case .matching(let condition): condition.provider
            }
        if let provider, wide.count < Self.mostWide * 2 {
            made.selector = .provider(provider)
            for (digest, held) in exact where held.provider == provider {
                made.tickets += held.tickets
                exact[digest] = nil
            }
            wide.append(made)
        } else {
            made.selector = .all
            made.tickets += (exact.values + wide).flatMap(\.tickets)
            (exact, wide) = ([:], [made])
        }
        return made
    }

    /// Whether a tombstone that the writer has not begun with covers all of this removal.
    private static func includes(_ tombstone: Tombstone, _ made: Tombstone) -> Bool {
        guard tombstone.last == .max else { return false }
        // Entries need be made unverified only once.
        if tombstone.isSoft { return tombstone.unverifies && made.unverifies && tombstone.selector == made.selector }
        guard case .digest = made.selector else { return false }
        switch tombstone.selector {
        case .all: return true
        case .provider(let name): return name == made.provider
        default: return false
        }
    }

    // MARK: Older responses

    /// Adds a removal of what is older of a URL.
    /// - Returns: its number; nil if there is no room for it.
    mutating func addOlder(
        of url: Digest, before: UInt64, where selects: @escaping @Sendable (StoredResponse) -> Bool
    ) -> UInt64? {
        guard olderCount < Self.mostExact else { return nil }
        var made = OlderRemoval(number: nextNumber, before: before, selects: selects)
        nextNumber += 1
        var held = older[url] ?? []
        if held.count >= Self.mostOlderOfURL {
            // More of them are not told apart: each look-up asks all.
            made.before = held.reduce(before) { max($0, $1.before) }
            made.selects = { _ in true }
            olderCount -= held.count
            held = []
        }
        olderCount += 1
        older[url] = held + [made]
        return made.number
    }

    /// Notes that the removals of a URL up to this one are committed.
    mutating func settleOlder(of url: Digest, upTo number: UInt64) {
        guard let held = older[url] else { return }
        let left = held.filter { $0.number > number }
        olderCount -= held.count - left.count
        older[url] = left.isEmpty ? nil : left
    }

    /// Whether a response is removed because it is older than another one of its URL.
    func meansAsOlder(_ entry: StoredResponse) -> Bool {
        older[entry.urlDigest]?.contains { $0.means(entry) } ?? false
    }

    // MARK: The writer's progress

    /// Notes that everything queued before this removal is done.
    mutating func markDue(_ number: UInt64) {
        if let place = wide.firstIndex(where: { $0.number == number }) {
            wide[place].isDue = true
        } else if let digest = exact.first(where: { $0.value.number == number })?.key {
            exact[digest]?.isDue = true
        }
    }

    /// Notes that everything that was queued before them is done.
    mutating func markAllDue() {
        for number in (wide + exact.values).map(\.number) { markDue(number) }
    }

    /// Takes the tickets of those who need not wait any longer.
    mutating func takeTickets(where isMeant: (Tombstone) -> Bool) -> [RemovalTicket] {
        var taken: [RemovalTicket] = []
        for place in wide.indices where isMeant(wide[place]) {
            taken += wide[place].tickets
            wide[place].tickets = []
        }
        for (digest, held) in exact where isMeant(held) {
            taken += held.tickets
            exact[digest]?.tickets = []
        }
        return taken
    }

    /// Notes that the walk for this removal begins, and at which row it ends.
    mutating func begin(_ number: UInt64, last: Int64) {
        if let place = wide.firstIndex(where: { $0.number == number }) { wide[place].last = last }
    }

    /// Called for another database: its rows are numbered anew.
    mutating func beginAnew() {
        for place in wide.indices { wide[place].last = .max }
    }

    /// Notes that a removal is committed.
    /// - Returns: its tombstone; nil if that stays, because the same was removed once more since.
    mutating func settle(_ tombstone: Tombstone) -> Tombstone? {
        if let place = wide.firstIndex(where: { $0.number == tombstone.number && $0.isDue }) {
            return wide.remove(at: place)
        }
        return takeExact(tombstone)
    }

    /// Takes out the removal of a single key, unless the same was removed once more since.
    private mutating func takeExact(_ tombstone: Tombstone) -> Tombstone? {
        guard case .digest(let digest) = tombstone.selector, let held = exact[digest],
            held.number == tombstone.number, held.isDue
        else { return nil }
        exact[digest] = nil
        return held
    }

    /// Notes that a part of what was made from a single key is removed, and that the rest follows in a walk, which
    /// replaces other walks for the key. An answer stored from now on is not meant.
    /// - Returns: false if the same was removed once more since.
    mutating func walk(_ tombstone: Tombstone, to last: Int64) -> Bool {
        guard var held = takeExact(tombstone) else { return false }
        held.last = last
        held.supersededBy = nil
        if !held.isSoft {
            held.tickets += wide.filter { $0.selector == held.selector }.flatMap(\.tickets)
            wide.removeAll { $0.selector == held.selector }
        }
        wide.append(held)
        return true
    }

    /// Notes that the answer of this number is committed. A tombstone for a still newer answer stays.
    /// - Returns: the tombstone that went: what it superseded is out of the database.
    @discardableResult
    mutating func replaced(_ digest: Digest, by number: UInt64) -> Tombstone? {
        guard let held = exact[digest], let newer = held.supersededBy, newer <= number else { return nil }
        exact[digest] = nil
        return held
    }

    // MARK: Asking

    /// Adds what the tombstones say of a row, judged by its own digest and facts.
    func verdict(id: Int64, digest: Digest, _ facts: EntryFacts, into verdict: inout Verdict) {
        if let held = exact[digest] { note(held, &verdict) }
        for held in wide
        where id <= held.last && (held.isExact(digest) || Self.isMeant(facts, by: held.selector)) {
            note(held, &verdict)
        }
    }

    /// Adds what the tombstones say of an entry, judged by the digest of a parent.
    /// - Parameter id: the entry's own.
    func verdict(id: Int64, ofParent digest: Digest, into verdict: inout Verdict) {
        if let held = exact[digest] { note(held, &verdict) }
        for held in wide where id <= held.last && held.isExact(digest) { note(held, &verdict) }
    }

    /// Whether a tombstone may concern an entry with one of these digests as its own or as a parent's.
    func mayConcern(_ digests: [Digest]) -> Bool {
        if digests.contains(where: { exact[$0] != nil || older[$0] != nil }) { return true }
        return wide.contains { held in !held.isExact || digests.contains(where: held.isExact) }
    }

    private func note(_ held: Tombstone, _ verdict: inout Verdict) {
        if held.isSoft {
            verdict.expiredAt = min(verdict.expiredAt ?? held.at, held.at)
        } else {
            verdict.isRemoved = true
        }
    }

    /// Whether a selector of many entries means this entry.
    static func isMeant(_ facts: EntryFacts, by selector: PurgeSelector) -> Bool {
        if case .digest = selector { return false }
        return PurgeWork.isMeant(facts, by: selector, folded: PurgeWork.folded(selector))
    }
}
