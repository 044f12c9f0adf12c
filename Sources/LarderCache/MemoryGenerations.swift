// Invalidation without searching (decision 5): counters that only grow. A ready response remembers the sum of those
// it depends on; when one of them has grown since, the sum differs and the response is no hit any more.
//
// Counters are few: one for all, and tables in which a provider's name and a key's digest have their place by hash.
// Two that share a place are invalidated together, which costs a miss now and then and never a wrong answer.
import LarderCore
import Synchronization

/// What a ready response depends on, and the state of it at one instant. Taken before the stored answer is read, so
/// that an invalidation in between is seen.
public struct MemoryStamp: Sendable {
    /// Places in the table of counters.
    let places: [Int]
    let sum: UInt64
}

/// The counters.
///
/// Unchecked `Sendable`: the pointer never changes and leads to atomics only.
final class MemoryGenerations: @unchecked Sendable {
    private static let providers = 256
    private static let keys = 8192
    private let counters: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        let count = 1 + Self.providers + Self.keys
        counters = .allocate(capacity: count)
        for place in 0..<count { (counters + place).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize(count: 1 + Self.providers + Self.keys)
        counters.deallocate()
    }

    private static func place(provider: String) -> Int {
        // FNV-1a: the same place for the same name in any call.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in provider.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return 1 + Int(truncatingIfNeeded: (hash ^ hash >> 32) % UInt64(providers))
    }

    private static func place(key: Digest) -> Int {
        1 + providers + Int(truncatingIfNeeded: key.words.2 % UInt64(keys))
    }

    func stamp(keys: [Digest], providers: [String]) -> MemoryStamp {
        var places: [Int] = []
        places.reserveCapacity(1 + keys.count + providers.count)
        places.append(0)
        for key in keys { places.append(Self.place(key: key)) }
        for provider in providers { places.append(Self.place(provider: provider)) }
        return MemoryStamp(places: places, sum: sum(places))
    }

    /// Counters only grow, so sums are equal only where every counter is, also where a place is counted twice.
    func isCurrent(_ stamp: MemoryStamp) -> Bool { sum(stamp.places) == stamp.sum }

    private func sum(_ places: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        for place in places { sum &+= counters[place].load(ordering: .acquiring) }
        return sum
    }

    func raise(key: Digest) { raise(Self.place(key: key)) }
    func raise(provider: String) { raise(Self.place(provider: provider)) }
    func raiseAll() { raise(0) }

    private func raise(_ place: Int) {
        counters[place].wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}
