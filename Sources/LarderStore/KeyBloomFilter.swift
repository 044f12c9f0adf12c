// Tells which keys are surely not stored: a Bloom filter over the digests in the database. A look-up that must miss
// asks no thread and reads no page. The filter errs on one side only: a key that it lacks is not stored; a key that it
// has may have been removed since, and is looked up.
//
// Only the writer brings rows into the database, and it notes each key before it commits. The keys from an earlier run
// are read from the index of the digests in idle time. Until that is done every key may be stored.
import LarderCore

/// The bits of one filter: four for each key, taken from its digest.
struct KeyBits {
    /// The number of keys it is made for. With that many, one look-up in a hundred and fifty is in vain.
    let capacity: Int
    /// Number of keys noted; some may count twice.
    private(set) var count = 0
    private var words: [UInt64]
    private let mask: UInt64

    init(capacity: Int) {
        self.capacity = capacity
        var bits = 1 << 12
        while bits < capacity * 12 { bits *= 2 }
        words = Array(repeating: 0, count: bits / 64)
        mask = UInt64(bits - 1)
    }

    mutating func insert(_ digest: Digest) {
        count += 1
        for number: UInt64 in 0..<4 {
            let bit = place(digest, number)
            words[Int(bit >> 6)] |= 1 << (bit & 63)
        }
    }

    func contains(_ digest: Digest) -> Bool {
        for number: UInt64 in 0..<4 {
            let bit = place(digest, number)
            if words[Int(bit >> 6)] & 1 << (bit & 63) == 0 { return false }
        }
        return true
    }

    /// A digest is as good as random, so its own words serve as the hashes.
    private func place(_ digest: Digest, _ number: UInt64) -> UInt64 {
        (digest.words.0 &+ number &* (digest.words.1 | 1)) & mask
    }
}

/// Read by every look-up, written by the writer's thread.
final class KeyBloomFilter: Sendable {
    /// The least number of keys that a filter is made for.
    static let leastCapacity = 1 << 14

    private struct State {
        /// Knows every key in the database; nil until all have been read.
        var present: KeyBits?
        /// The filter that is being filled to replace `present`.
        var next: KeyBits?
    }
    private let state = Lock(State())

    /// Whether it is certain that nothing is stored under this key.
    func lacks(_ digest: Digest) -> Bool {
        state.withLock { state in
            guard let isThere = state.present?.contains(digest) else { return false }
            return !isThere
        }
    }

    /// Notes a key that is about to be stored.
    func note(_ digest: Digest) {
        state.withLock { state in
            state.present?.insert(digest)
            state.next?.insert(digest)
        }
    }

    // MARK: Reading the database's keys

    /// Whether the database's keys must be read: no reading has ended, one is under way, or too many keys have come
    /// since.
    var wantsReading: Bool {
        state.withLock { state in
            guard let present = state.present else { return true }
            return state.next != nil || present.count > present.capacity
        }
    }

    /// Forgets all keys, because the database may be another one.
    func forget() { state.withLock { $0 = State() } }

    /// Begins a new filter. All keys will be given to `add`; keys noted meanwhile go into it too.
    func begin(capacity: Int) {
        let bits = KeyBits(capacity: max(Self.leastCapacity, capacity))
        state.withLock { $0.next = bits }
    }

    func add(_ digests: [Digest]) {
        state.withLock { state in
            for digest in digests { state.next?.insert(digest) }
        }
    }

    /// Ends the reading: all keys have been given.
    func end() {
        state.withLock { state in
            if let next = state.next.take() { state.present = next }
        }
    }
}
