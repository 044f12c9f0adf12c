// One part of the memory tier: a table that finds an entry by hash and compares its bytes, and a queue from which SIEVE
// selects the entry to evict (Zhang et al., NSDI 2024). A hit only sets a mark. A hand walks from the oldest entry
// towards the newest, removes the marks it meets, and evicts the first entry without one.
//
// A value without a lock of its own: its owner calls it under a lock. A hit allocates nothing, but for the first of a response.
import Glibc
import LarderCore
import LarderHTTP

/// The forms of a response that is kept before anybody has asked for it again. Most responses are never asked for again.
public struct LateForms: Sendable {
    /// The bytes that they will take besides the body, for the budget.
    let byteCount: Int
    let make: @Sendable (_ body: Bytes) -> ReadyResponse

    public init(byteCount: Int, make: @escaping @Sendable (_ body: Bytes) -> ReadyResponse) {
        self.byteCount = byteCount
        self.make = make
    }
}

struct MemoryShard: Sendable {
    /// One ready response under one spelling of its request.
    struct Entry: Sendable {
        var hash: UInt64
        var listener: UInt16
        var target: Bytes
        /// Whether it was made for clients that accept gzip or for those that do not; nil fits any.
        var takesGzip: Bool?
        var response: ReadyResponse
        /// Makes the forms of the response at its first hit; nil if they are made.
        var forms: LateForms?
        var stamp: ReadyStamp
        var hold: MemoryBodies.Hold
        /// The bytes charged besides those of the body.
        var charge: Int
        var isMarked = false
        /// The rows of the store from which it was made, and whether it was hit since `takeUsed` was last called.
        var rows: [Digest] = []
        var isUsed = false
        /// The neighbours in the queue, -1 at its ends.
        var older = -1
        var newer = -1
    }

    /// The result of a look-up.
    enum Found {
        case hit(ReadyResponse)
        case nothing
        /// An entry was found whose forms are not made yet, and what it holds meanwhile.
        indirect case unmade(LateForms, ReadyResponse)
        /// An entry was found, but it was expired or invalidated and has been removed.
        indirect case removed(Entry, isExpired: Bool)
    }

    /// A place of the table. The hash is kept here too, so that only a matching entry is touched.
    private struct Place {
        var hash: UInt64 = 0
        /// The number of an entry; -1 if the place is empty.
        var number = -1
    }

    /// Fills an unused entry, so that a removed response is not kept alive.
    private static let vacant = Entry(
        hash: 0, listener: 0, target: [], takesGzip: nil,
        response: ReadyResponse(
            head: [], body: [], bornAt: .distantPast, freshUntil: .distantPast, hits: CounterCell()),
        stamp: .none, hold: .alone(0), charge: 0)

    private var entries: ContiguousArray<Entry> = []
    private var free: [Int] = []
    /// Open addressing with linear probing. The length is a power of two. At most half of the places are used.
    private var table: ContiguousArray<Place>
    private var oldest = -1
    private var newest = -1
    private var hand = -1
    private(set) var count = 0
    private var doorkeeper = Doorkeeper()

    init() {
        table = ContiguousArray(repeating: Place(), count: 16)
    }

    // MARK: Looking up

    /// Looks up a ready response.
    /// - Parameter skew: how many milliseconds the clock may be behind the birth of a response.
    mutating func find(_ query: ReadyQuery, hash: UInt64, generations: MemoryGenerations, skew: Int64) -> Found {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place].number >= 0 {
            let number = table[place].number
            if table[place].hash == hash, fits(number, query) {
                return use(number, now: query.now, generations: generations, skew: skew)
            }
            place = (place + 1) & mask
        }
        return .nothing
    }

    private mutating func use(_ number: Int, now: WallTime, generations: MemoryGenerations, skew: Int64) -> Found {
        let response = entries[number].response
        // A clock that was set back must not make a response live longer (see `ConfiguredReuse`).
        let isExpired = now >= response.freshUntil || response.bornAt.milliseconds &- now.milliseconds > skew
        guard !isExpired, generations.isCurrent(entries[number].stamp) else {
            // Lets the entry's successor in at its first request.
            doorkeeper.note(entries[number].hash)
            return .removed(remove(number), isExpired: isExpired)
        }
        // The marks are written only when they change, so that not every hit dirties the cache line of a hot entry.
        if !entries[number].isMarked { entries[number].isMarked = true }
        if !entries[number].isUsed { entries[number].isUsed = true }
        if let forms = entries[number].forms { return .unmade(forms, response) }
        return .hit(response)
    }

    /// Puts the forms into the entry that fits the query, unless it has gone, is another one, or another request was
    /// quicker.
    /// - Parameter bare: what the entry held when it was found.
    /// - Returns: what the entry held until now, for the caller to release outside the lock.
    mutating func fill(
        _ query: ReadyQuery, hash: UInt64, inPlaceOf bare: ReadyResponse, _ response: ReadyResponse
    ) -> (ReadyResponse, LateForms?)? {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place].number >= 0 {
            let number = table[place].number
            if table[place].hash == hash, fits(number, query) {
                let entry = entries[number]
                guard entry.response === bare else { return nil }
                entries[number].response = response
                entries[number].forms = nil
                return (entry.response, entry.forms)
            }
            place = (place + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private func fits(_ number: Int, _ query: ReadyQuery) -> Bool {
        guard entries[number].listener == query.listener, Self.equal(entries[number].target, query.target) else {
            return false
        }
        guard let takesGzip = entries[number].takesGzip else { return true }
        return takesGzip == ContentCoding.acceptsGzip(query.acceptEncoding)
    }

    @inline(__always)
    private static func equal(_ bytes: Bytes, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == other.count else { return false }
        return bytes.withUnsafeBufferPointer { own in
            guard let start = own.baseAddress, let base = other.baseAddress else { return true }
            return memcmp(start, base, own.count) == 0
        }
    }

    // MARK: Changing

    /// Inserts an entry as the newest. Returns the entry with the same spelling that it replaces.
    mutating func insert(_ entry: Entry) -> Entry? {
        let replaced = number(like: entry).map { remove($0) }
        if (count + 1) * 2 > table.count { grow() }
        let number: Int
        if let vacancy = free.popLast() {
            number = vacancy
            entries[number] = entry
        } else {
            number = entries.count
            entries.append(entry)
        }
        link(number)
        enter(number, hash: entry.hash)
        count += 1
        return replaced
    }

    /// Returns whether an entry that would evict another may be inserted. The first request for a target is refused and
    /// recorded for the next one. So a pass that requests everything once evicts nothing.
    mutating func admits(hash: UInt64) -> Bool {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place].number >= 0 {
            // The entry replaces one of the same target.
            if table[place].hash == hash { return true }
            place = (place + 1) & mask
        }
        return doorkeeper.note(hash)
    }

    private func number(like entry: Entry) -> Int? {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: entry.hash) & mask
        while table[place].number >= 0 {
            let number = table[place].number
            if table[place].hash == entry.hash, entries[number].listener == entry.listener,
                entries[number].target == entry.target, entries[number].takesGzip == entry.takesGzip
            {
                return number
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Evicts one entry by SIEVE's rule. An invalidated entry is evicted whatever its mark. Nil if there is no entry.
    mutating func evict(generations: MemoryGenerations) -> Entry? {
        // Each step removes a mark or ends, so there are at most two rounds.
        while count > 0 {
            let number = hand >= 0 ? hand : oldest
            guard entries[number].isMarked, generations.isCurrent(entries[number].stamp) else { return remove(number) }
            entries[number].isMarked = false
            hand = entries[number].newer
        }
        return nil
    }

    /// Returns the rows of the entries that were hit since the last call.
    mutating func takeUsed() -> [Digest] {
        var rows: [Digest] = []
        for number in entries.indices where entries[number].isUsed {
            rows.append(contentsOf: entries[number].rows)
            entries[number].isUsed = false
        }
        return rows
    }

    private mutating func remove(_ number: Int) -> Entry {
        let entry = entries[number]
        leave(number, hash: entry.hash)
        if hand == number { hand = entry.newer }
        if entry.older >= 0 { entries[entry.older].newer = entry.newer } else { oldest = entry.newer }
        if entry.newer >= 0 { entries[entry.newer].older = entry.older } else { newest = entry.older }
        entries[number] = Self.vacant
        free.append(number)
        count -= 1
        return entry
    }

    private mutating func link(_ number: Int) {
        entries[number].older = newest
        entries[number].newer = -1
        if newest >= 0 { entries[newest].newer = number } else { oldest = number }
        newest = number
    }

    // MARK: The table

    private mutating func enter(_ number: Int, hash: UInt64) {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place].number >= 0 { place = (place + 1) & mask }
        table[place] = Place(hash: hash, number: number)
    }

    /// Empties an entry's place and moves later entries back, so that no gap breaks a probe.
    private mutating func leave(_ number: Int, hash: UInt64) {
        let mask = table.count - 1
        var gap = Int(truncatingIfNeeded: hash) & mask
        while table[gap].number != number {
            if table[gap].number < 0 { return }
            gap = (gap + 1) & mask
        }
        var place = (gap + 1) & mask
        while table[place].number >= 0 {
            let home = Int(truncatingIfNeeded: table[place].hash) & mask
            // An entry may move back unless its home place lies behind the gap.
            if (place - home) & mask >= (place - gap) & mask {
                table[gap] = table[place]
                gap = place
            }
            place = (place + 1) & mask
        }
        table[gap] = Place()
    }

    private mutating func grow() {
        let old = table
        table = ContiguousArray(repeating: Place(), count: old.count * 2)
        for place in old where place.number >= 0 { enter(place.number, hash: place.hash) }
    }
}
