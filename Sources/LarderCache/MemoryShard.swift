// One part of the memory tier: a table that finds an entry by hash and compares its bytes, and a queue from which the
// entry to evict is chosen by SIEVE (Zhang et al., NSDI 2024): a hit only sets a mark; a hand walks from the oldest
// entry towards the newest, takes the mark off what has one and evicts the first that has none.
//
// A value without a lock of its own: its owner calls it under one. Nothing is allocated on a hit.
import Glibc
import LarderCore
import LarderHTTP

struct MemoryShard: Sendable {
    /// One ready response under one spelling.
    struct Entry: Sendable {
        var hash: UInt64
        var listener: UInt16
        var target: Bytes
        /// Whether it was made for clients that take gzip or for those that do not; nil fits any.
        var takesGzip: Bool?
        var response: ReadyResponse
        var stamp: ReadyStamp
        var hold: MemoryBodies.Hold
        /// Bytes charged besides the body's.
        var charge: Int
        var isMarked = false
        /// The rows of the store that it was made from, and whether it was hit since they were last told so.
        var rows: [Digest] = []
        var isUsed = false
        /// Neighbours in the queue, -1 at its ends.
        var older = -1
        var newer = -1
    }

    /// What looking up came to.
    enum Found {
        case hit(ReadyResponse)
        case nothing
        /// Found, but expired or invalidated, and taken out.
        indirect case removed(Entry, isExpired: Bool)
    }

    /// A place of the table. The hash stands here too, so that only an entry that fits is touched.
    private struct Place {
        var hash: UInt64 = 0
        /// The number of an entry, -1 where the place is empty.
        var number = -1
    }

    /// What stands where no entry is, so that a taken-out response is not kept alive.
    private static let vacant = Entry(
        hash: 0, listener: 0, target: [], takesGzip: nil,
        response: ReadyResponse(
            head: [], body: [], bornAt: .distantPast, freshUntil: .distantPast, hits: CounterCell()),
        stamp: .none, hold: .alone(0), charge: 0)

    private var entries: ContiguousArray<Entry> = []
    private var free: [Int] = []
    /// Open addressing, linear probing. A power of two long, at most half full.
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

    /// - Parameter skew: milliseconds by which the clock may lie before a response's birth.
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
        // A clock that was set back must not make an answer live longer (see Reuse).
        let isExpired = now >= response.freshUntil || response.bornAt.milliseconds &- now.milliseconds > skew
        guard !isExpired, generations.isCurrent(entries[number].stamp) else {
            // Its successor is as welcome as it was.
            doorkeeper.note(entries[number].hash)
            return .removed(remove(number), isExpired: isExpired)
        }
        // Written once between two passes of the hand: a hot entry's line is not made dirty by every hit.
        if !entries[number].isMarked { entries[number].isMarked = true }
        if !entries[number].isUsed { entries[number].isUsed = true }
        return .hit(response)
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

    /// Puts an entry in as the newest; returns the one of the same spelling that it replaces.
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

    /// Whether an entry that would drive out another may come in: not at the first request for its target. Notes it for
    /// the next. One pass over everything then drives out nothing, since it asks for each thing once.
    mutating func admits(hash: UInt64) -> Bool {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while table[place].number >= 0 {
            // It takes the place of one of the same target.
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

    /// Takes out one entry by SIEVE's rule, an invalidated one whatever its mark; nil where there is none.
    mutating func evict(generations: MemoryGenerations) -> Entry? {
        // Each step takes a mark off or ends: two rounds at most.
        while count > 0 {
            let number = hand >= 0 ? hand : oldest
            guard entries[number].isMarked, generations.isCurrent(entries[number].stamp) else { return remove(number) }
            entries[number].isMarked = false
            hand = entries[number].newer
        }
        return nil
    }

    /// The rows of what was hit since this was last asked.
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

    /// Empties an entry's place and moves back what had to step over it, so that no gap breaks a probe.
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
            // It may move back unless its home lies behind the gap.
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
