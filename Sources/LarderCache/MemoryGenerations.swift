// Invalidates ready responses without searching for them, by counters that only grow. A ready response remembers the
// sum of the counters it depends on. When one of them has grown, the sum differs and the response is no longer a hit.
//
// There are few counters: one for everything, and a table in which a hash selects the place of a key, a folder or a
// provider. Two that share a place are invalidated together. This costs an occasional miss and never gives a wrong
// response.
import LarderCore
import Synchronization

/// The state of everything that a ready response depends on, at one time. It must be taken before the stored response
/// is read, so that an invalidation in between is noticed.
public struct ReadyStamp: Sendable {
    /// Places in the table of counters: those of the first key and its provider, and the others of a merged response.
    let place: Int
    let provider: Int
    let others: [Int]
    let sum: UInt64

    /// The stamp in an unused place of a shard.
    static let none = ReadyStamp(place: 0, provider: 0, others: [], sum: 0)
}

/// The state of the removals that concern one key, at one time. It is taken before something is fetched or read.
/// Afterwards it tells whether the result dates from before a removal.
public struct RemovalStamp: Sendable {
    let place: Int
    /// The places of the folders above the key.
    var others: [Int] = []
    let sum: UInt64
    /// The number of the latest removal of groups (`GroupRemovals`).
    let group: UInt64

    /// How often a removal that may concern the key began or ended between this state and a later one.
    public func changes(until later: RemovalStamp) -> UInt64 { later.sum &- sum }
}

/// The counters. Place 0 counts for everything, the other places for keys, folders and providers by hash.
///
/// Unchecked `Sendable`: the pointer never changes, and it points only to atomics.
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

    /// Counters only grow, so two sums are equal only if every counter is equal, even if a place is counted twice.
    func sum(_ place: Int) -> UInt64 { value(0) &+ value(place) }

    func sum(_ place: Int, _ others: [Int]) -> UInt64 {
        var sum = sum(place)
        for other in others { sum &+= value(other) }
        return sum
    }

    private func value(_ place: Int) -> UInt64 { counters[place].load(ordering: .acquiring) }

    func raise(_ key: Digest) { raise(Self.place(key)) }
    func raise(provider: String) { raise(Self.place(Self.mark(provider))) }
    func raiseAll() { raise(0) }

    private func raise(_ place: Int) {
        counters[place].wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
}

extension MemoryGenerations {
    func isCurrent(_ stamp: ReadyStamp) -> Bool {
        sum(stamp.place, stamp.others) &+ value(stamp.provider) == stamp.sum
    }
    func isCurrent(_ stamp: RemovalStamp) -> Bool { sum(stamp.place, stamp.others) == stamp.sum }

    func readyStamp(_ keys: [Digest], of providers: [String]) -> ReadyStamp {
        // Without keys, the response depends only on the counter for everything: place 0, which every sum includes.
        let place = keys.first.map(Self.place) ?? 0
        let names = providers.map { Self.place(Self.mark($0)) }
        let provider = names.first ?? 0
        let others = keys.dropFirst().map(Self.place) + names.dropFirst()
        return ReadyStamp(
            place: place, provider: provider, others: others, sum: sum(place, others) &+ value(provider))
    }

    func readyStamp(_ key: Digest, _ other: Digest, of provider: String) -> ReadyStamp {
        let (place, provider) = (Self.place(key), Self.place(Self.mark(provider)))
        let others = [Self.place(other)]
        return ReadyStamp(place: place, provider: provider, others: others, sum: sum(place, others) &+ value(provider))
    }

    func readyStamp(_ key: Digest, of provider: String) -> ReadyStamp {
        let (place, provider) = (Self.place(key), Self.place(Self.mark(provider)))
        return ReadyStamp(place: place, provider: provider, others: [], sum: sum(place) &+ value(provider))
    }

    /// - Parameters:
    ///   - folders: the folders above the key.
    ///   - group: the number of the latest removal of groups.
    func removalStamp(_ key: Digest, below folders: [URLFolder], group: UInt64) -> RemovalStamp {
        let place = Self.place(key)
        let others = folders.map { Self.place($0.mark) }
        return RemovalStamp(place: place, others: others, sum: sum(place, others), group: group)
    }

    /// A short mark of a text. Two texts may have the same.
    static func mark(_ text: String) -> UInt64 {
        // FNV-1a: it only spreads the marks.
        text.withBytes { bytes in
            var mark: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { mark = (mark ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return mark
        }
    }

    private static func place(_ mark: UInt64) -> Int { 1 + Int(truncatingIfNeeded: mark % UInt64(keys)) }

    func raise(folder mark: UInt64) { raise(Self.place(mark)) }
}
