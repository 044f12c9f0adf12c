// Tells which keys are surely not stored, and which targets surely have no row that is kept ready: a Bloom filter over
// the digests and the places of such rows. A look-up that must miss asks no thread and reads no page. The filter errs
// on one side only: what it lacks is not stored; what it has may have been removed since, and is looked up.
//
// Only the writer brings rows into the database, and it notes each before it commits. Those from an earlier run are
// read from indexes in idle time. Until that is done everything may be stored.
import LarderCore

/// What a filter holds: two words that are as good as random.
struct KeyMark {
    let one: UInt64
    let other: UInt64

    /// A digest is as good as random, so its own words serve as the hashes.
    init(_ digest: Digest) { (one, other) = (digest.words.0, digest.words.1) }

    /// The place of a row that is kept ready is a hash, whose two lowest bits are 0. The second word is the high half of a
    /// product: it depends on all bits of the hash.
    init(_ place: ReadyPlace) {
        one = UInt64(bitPattern: place.first) >> 2
        other = one.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15).high
    }
}

/// The bits of one filter: four for each key.
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

    mutating func insert(_ mark: KeyMark) {
        count += 1
        for number: UInt64 in 0..<4 {
            let bit = place(mark, number)
            words[Int(bit >> 6)] |= 1 << (bit & 63)
        }
    }

    func contains(_ mark: KeyMark) -> Bool {
        for number: UInt64 in 0..<4 {
            let bit = place(mark, number)
            if words[Int(bit >> 6)] & 1 << (bit & 63) == 0 { return false }
        }
        return true
    }

    private func place(_ mark: KeyMark, _ number: UInt64) -> UInt64 {
        (mark.one &+ number &* (mark.other | 1)) & mask
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
        /// The number of keys above which the database's keys are read again, into a larger filter.
        var limit = 0
    }
    private let state = Lock(State())

    /// Whether it is certain that nothing is stored under this key.
    func lacks(_ digest: Digest) -> Bool { lacks(KeyMark(digest)) }

    /// Whether it is certain that no row at this place is kept ready.
    func lacks(_ place: ReadyPlace) -> Bool { lacks(KeyMark(place)) }

    private func lacks(_ mark: KeyMark) -> Bool {
        state.withLock { state in
            guard let isThere = state.present?.contains(mark) else { return false }
            return !isThere
        }
    }

    /// Notes a key that is about to be stored.
    func note(_ digest: Digest) { note(KeyMark(digest)) }

    /// Notes the place of a row that is about to be kept ready.
    func note(_ place: ReadyPlace) { note(KeyMark(place)) }

    private func note(_ mark: KeyMark) {
        state.withLock { state in
            state.present?.insert(mark)
            state.next?.insert(mark)
        }
    }

    // MARK: Reading the database's keys

    /// Whether the database's keys must be read: no reading has ended, one is under way, or too many keys have come
    /// since.
    var wantsReading: Bool {
        state.withLock { state in
            guard let present = state.present else { return true }
            return state.next != nil || present.count > state.limit
        }
    }

    /// Forgets all keys, because the database may be another one.
    func forget() { state.withLock { $0 = State() } }

    /// Begins a new filter. All keys will be given to `add`; keys noted meanwhile go into it too.
    func begin(capacity: Int) {
        let bits = KeyBits(capacity: max(Self.leastCapacity, capacity))
        state.withLock { $0.next = bits }
    }

    func add(_ digests: [Digest]) { add(digests.map { KeyMark($0) }) }

    func add(_ places: [ReadyPlace]) { add(places.map { KeyMark($0) }) }

    private func add(_ marks: [KeyMark]) {
        state.withLock { state in
            for mark in marks { state.next?.insert(mark) }
        }
    }

    /// Ends the reading: all keys have been given.
    func end() {
        state.withLock { state in
            guard let next = state.next.take() else { return }
            // There may be more than were expected. They are not read again until their number has doubled.
            state.limit = max(next.capacity, 2 * next.count)
            state.present = next
        }
    }
}
