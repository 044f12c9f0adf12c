// Invalidation without searching: counters that only grow. A ready response remembers the sum of those it depends on;
// when one of them has grown since, the sum differs and the response is no hit any more.
//
// Counters are few: one for all, and a table in which a key's digest has its place by hash. Two keys that share a place
// are invalidated together, which costs a miss now and then and never a wrong answer.
import LarderCore
import Synchronization

/// The state of all that a ready response depends on, at one instant. Taken before the stored answer is read, so that an
/// invalidation in between is seen.
public struct ReadyStamp: Sendable {
    /// Places in the table of counters: of the first key, and of a merged answer's other ones.
    let place: Int
    let others: [Int]
    let sum: UInt64

    /// What an unused place in a shard holds.
    static let none = ReadyStamp(place: 0, others: [], sum: 0)
}

/// The state of the removals that concern one key, at one instant. Taken before something is fetched or read, it tells
/// afterwards whether what came of it is an answer of before.
public struct RemovalStamp: Sendable {
    let place: Int
    let sum: UInt64

    /// How often a removal that may concern the key began or ended between this state and a later one.
    public func changes(until later: RemovalStamp) -> UInt64 { later.sum &- sum }
}

/// The counters.
///
/// Unchecked `Sendable`: the pointer never changes and leads to atomics only.
final class MemoryGenerations: @unchecked Sendable {
    private static let keys = 8192
    private let counters: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        counters = .allocate(capacity: 1 + Self.keys)
        for place in 0...Self.keys { (counters + place).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize(count: 1 + Self.keys)
        counters.deallocate()
    }

    static func place(_ key: Digest) -> Int { 1 + Int(truncatingIfNeeded: key.words.2 % UInt64(keys)) }

    /// Counters only grow, so sums are equal only where every counter is, also where a place is counted twice.
    func sum(_ place: Int) -> UInt64 { value(0) &+ value(place) }

    func sum(_ place: Int, _ others: [Int]) -> UInt64 {
        var sum = sum(place)
        for other in others { sum &+= value(other) }
        return sum
    }

    private func value(_ place: Int) -> UInt64 { counters[place].load(ordering: .acquiring) }

    func raise(_ key: Digest) { raise(Self.place(key)) }
    func raiseAll() { raise(0) }

    private func raise(_ place: Int) {
        counters[place].wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}

extension MemoryGenerations {
    func isCurrent(_ stamp: ReadyStamp) -> Bool { sum(stamp.place, stamp.others) == stamp.sum }
    func isCurrent(_ stamp: RemovalStamp) -> Bool { sum(stamp.place) == stamp.sum }

    func readyStamp(_ key: Digest) -> ReadyStamp {
        let place = Self.place(key)
        return ReadyStamp(place: place, others: [], sum: sum(place))
    }

    func readyStamp(_ keys: [Digest]) -> ReadyStamp {
        // Without a key it depends on what concerns all: that is place 0, which a sum counts by itself.
        let place = keys.first.map(Self.place) ?? 0
        let others = keys.dropFirst().map(Self.place)
        return ReadyStamp(place: place, others: others, sum: sum(place, others))
    }

    func removalStamp(_ key: Digest) -> RemovalStamp {
        let place = Self.place(key)
        return RemovalStamp(place: place, sum: sum(place))
    }
}
