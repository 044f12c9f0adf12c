// Shares one body between all spellings of a question. Entries of the same canonical key with equal bodies, byte for
// byte, hold the same storage, and it is charged once. The first holder brings the storage. The last one frees it.
import LarderCore

/// A body and the number of entries that hold it.
struct SharedBody: Sendable {
    var bytes: Bytes
    var holders: Int
}

/// The shared bodies, by canonical key and length.
final class MemoryBodies: Sendable {
    struct Name: Sendable, Hashable {
        var key: Digest
        var length: Int
    }

    /// One entry's hold on a body.
    enum Hold: Sendable {
        /// The entry holds the named body, which was charged when the first entry took hold.
        case shared(Name)
        /// A different body of the same key and length was already there, so this entry has its own.
        case alone(Int)
    }

    private let bodies = Lock<[Name: SharedBody]>([:])

    /// Takes hold of a body. Returns the storage to keep and whether this holder pays for its bytes. `freed` is the
    /// number of bytes paid for by others that were freed meanwhile.
    func hold(_ body: Bytes, key: Digest) -> (hold: Hold, bytes: Bytes, isNew: Bool, freed: Int) {
        let name = Name(key: key, length: body.count)
        // The bodies are compared outside the lock. The storage that was found is immutable.
        let known = bodies.withLock { bodies -> Bytes? in
            guard let known = bodies[name] else {
                bodies[name] = SharedBody(bytes: body, holders: 1)
                return nil
            }
            bodies[name] = SharedBody(bytes: known.bytes, holders: known.holders + 1)
            return known.bytes
        }
        guard let known else { return (.shared(name), body, true, 0) }
        if known == body { return (.shared(name), known, false, 0) }
        // This hold kept the other body alive during the comparison. It may now be the last one.
        return (.alone(body.count), body, true, release(.shared(name)))
    }

    /// Releases a hold. Returns the number of bytes that are no longer kept.
    func release(_ hold: Hold) -> Int {
        switch hold {
        case .alone(let length): return length
        case .shared(let name):
            return bodies.withLock { bodies in
                guard let known = bodies[name] else { return 0 }
                if known.holders > 1 {
                    bodies[name] = SharedBody(bytes: known.bytes, holders: known.holders - 1)
                    return 0
                }
                bodies[name] = nil
                return name.length
            }
        }
    }

    var count: Int { bodies.withLock { $0.count } }
}
