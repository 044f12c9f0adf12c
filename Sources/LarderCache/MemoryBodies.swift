// One body for all spellings of a question: entries of the same canonical key whose bodies are equal, byte for byte,
// hold the same storage, and it is charged once. The first holder brings the storage, the last takes it away.
import LarderCore

/// A body and how many entries hold it.
struct SharedBody: Sendable {
    var bytes: Bytes
    var holders: Int
}

/// Bodies by the key they answer and their length.
final class MemoryBodies: Sendable {
    struct Name: Sendable, Hashable {
        var key: Digest
        var length: Int
    }

    /// One entry's hold on a body.
    enum Hold: Sendable {
        /// A holder of the named body, charged when the first took hold.
        case shared(Name)
        /// Another body of the same key and length was there already: this one stands alone.
        case alone(Int)
    }

    private let bodies = Lock<[Name: SharedBody]>([:])

    /// Takes hold of a body: the storage to keep, and whether this holder pays for its bytes. `freed` are bytes that
    /// others had paid for and that went meanwhile.
    func hold(_ body: Bytes, key: Digest) -> (hold: Hold, bytes: Bytes, isNew: Bool, freed: Int) {
        let name = Name(key: key, length: body.count)
        // Bodies are compared outside the lock: what is found stays what it is, its storage is immutable.
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
        // The hold kept the other body from going while it was compared; it may be the last one now.
        return (.alone(body.count), body, true, release(.shared(name)))
    }

    /// Lets go; returns the bytes that are no longer kept.
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
