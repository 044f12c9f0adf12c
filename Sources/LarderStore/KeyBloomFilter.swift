// Which keys are surely not stored: a Bloom filter over the digests in the database, so that a look-up which must miss
// asks no thread and reads no page. It errs on one side only: a key that it does not know is not stored; one that it
// knows may have been removed since, and is looked for.
//
// The writer alone brings rows into the database, and notes each key before it commits. What an earlier run has left is
// read from the index of the digests in idle time; until that is done every key may be stored.
import LarderCore

/// Bits of one filter: four for each key, which are cut from its digest.
struct KeyBits {
    /// Keys it was made for: with as many one look-up in a hundred and fifty is in vain.
    let capacity: Int
    /// Keys noted, some perhaps twice.
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

    /// A digest is as good as random, so its own words are the hashes.
    private func place(_ digest: Digest, _ number: UInt64) -> UInt64 {
        (digest.words.0 &+ number &* (digest.words.1 | 1)) & mask
    }
}

/// Asked by every look-up, written by the writer's thread.
final class KeyBloomFilter: Sendable {
    /// The least number of keys a filter is made for.
    static let leastCapacity = 1 << 14

    private struct State {
        /// Knows every key in the database; nil until one does.
        var present: KeyBits?
        /// Is being filled to take its place.
        var next: KeyBits?
    }
    private let state = Lock(State())

    /// Whether nothing can be stored under that key.
    func lacks(_ digest: Digest) -> Bool {
        state.withLock { state in
            guard let isThere = state.present?.contains(digest) else { return false }
            return !isThere
        }
    }

    /// The key is about to be stored.
    func note(_ digest: Digest) {
        state.withLock { state in
            state.present?.insert(digest)
            state.next?.insert(digest)
        }
    }

    // MARK: Reading what is there

    /// Whether the database's keys are to be read, since none have been or many more have come since.
    var wantsReading: Bool {
        state.withLock { state in
            guard let present = state.present else { return true }
            return state.next != nil || present.count > present.capacity
        }
    }

    /// Another database, perhaps: nothing is known any more.
    func forget() { state.withLock { $0 = State() } }

    /// All keys will be given to `add`, and whatever is noted meanwhile belongs to them.
    func begin(capacity: Int) {
        let bits = KeyBits(capacity: max(Self.leastCapacity, capacity))
        state.withLock { $0.next = bits }
    }

    func add(_ digests: [Digest]) {
        state.withLock { state in
            for digest in digests { state.next?.insert(digest) }
        }
    }

    /// All have been given.
    func end() {
        state.withLock { state in
            if let next = state.next.take() { state.present = next }
        }
    }
}
