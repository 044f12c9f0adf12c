// A failed fetch is remembered for a moment, so that a burst of askers costs the upstream one call and not one each,
// and a refresh that failed is not tried again on every hit. The pause counts from the end of the attempt, on the clock that
// does not step.
// `@inlinable`, since generics run unspecialised in another room, and every miss asks here.
import LarderCore

/// Keys whose last fetch failed, with the failure, for a short time. Bounded: the oldest are forgotten first.
public struct FailureMemory<Failure: Sendable>: Sendable {
    @usableFromInline var entries: [Digest: (until: MonotonicTime, failure: Failure)] = [:]
    @usableFromInline var order: [Digest] = []
    @usableFromInline var head = 0
    public let limit: Int

    @inlinable
    public init(limit: Int) {
        self.limit = limit
    }

    @inlinable
    public var count: Int { entries.count }

    /// The failure to repeat for this key, or nil where it may be tried again.
    @inlinable
    public mutating func recall(_ digest: Digest, now: MonotonicTime) -> Failure? {
        guard let entry = entries[digest] else { return nil }
        if now < entry.until { return entry.failure }
        entries[digest] = nil
        return nil
    }

    @inlinable
    public mutating func remember(_ digest: Digest, _ failure: Failure, until: MonotonicTime, now: MonotonicTime) {
        // What is over holds on to nothing, though nobody asks for it again.
        while head < order.count {
            if let entry = entries[order[head]] {
                if now < entry.until { break }
                entries[order[head]] = nil
            }
            head += 1
        }
        if entries.updateValue((until, failure), forKey: digest) == nil { order.append(digest) }
        while entries.count > limit, head < order.count {
            entries[order[head]] = nil
            head += 1
        }
        // The queue holds digests that were forgotten meanwhile; it is cut when they are the greater part.
        if order.count > 2 * limit + 64 {
            order = order[head...].filter { entries[$0] != nil }
            head = 0
        }
    }

    @inlinable
    public mutating func forget(_ digest: Digest) {
        entries[digest] = nil
    }

    /// Forgets those of which the body says so.
    @inlinable
    public mutating func forget(where isOver: (Failure) -> Bool) {
        entries = entries.filter { !isOver($0.value.failure) }
    }

    @inlinable
    public mutating func forgetAll() {
        entries = [:]
        order = []
        head = 0
    }
}
