// Remembers a failed fetch for a short time, so that a burst of requests costs the upstream one call instead of one
// each, and a failed refresh is not tried again on every hit. The pause counts from the end of the attempt, on the
// monotonic clock. The methods are `@inlinable` because generics run unspecialised in another module, and every miss
// asks here.
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

    /// The failure to repeat for this key; nil if the fetch may be tried again.
    @inlinable
    public mutating func recall(_ digest: Digest, now: MonotonicTime) -> Failure? {
        guard let entry = entries[digest] else { return nil }
        if now < entry.until { return entry.failure }
        entries[digest] = nil
        return nil
    }

    @inlinable
    public mutating func remember(_ digest: Digest, _ failure: Failure, until: MonotonicTime, now: MonotonicTime) {
        // Removes expired failures, so that they hold no memory even if nobody asks for their keys again.
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
        // The queue may hold digests that were forgotten meanwhile. It is compacted when they are the greater part.
        if order.count > 2 * limit + 64 {
            order = order[head...].filter { entries[$0] != nil }
            head = 0
        }
    }

    @inlinable
    public mutating func forget(_ digest: Digest) {
        entries[digest] = nil
    }

    /// Forgets the failures for which the closure returns true.
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
