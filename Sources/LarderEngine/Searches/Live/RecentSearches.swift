// Which searches are still known: so many at once, those that have ended for a while only and within so many bytes. What
// is under way is never dropped. A value: time comes in.
import LarderCore
import LarderSettings

/// How many ended searches are kept, and for how long.
public struct SearchLimits: Sendable, Hashable {
    /// Searches at once, under way and ended.
    var count: Int
    /// Bytes of those that have ended.
    var bytes: Int
    /// For so long one that has ended is known.
    var age: Duration
}

struct RecentSearches<Value> {
    private struct Held {
        var value: Value
        /// When it ended, and what it holds since.
        var end: (time: MonotonicTime, bytes: Int)?
    }

    var limits: SearchLimits
    private var held: [String: Held] = [:]
    /// Those that have ended, the oldest first.
    private var ended: [String] = []
    private(set) var bytes = 0
    /// Ended ones dropped before their time, since this was made.
    private(set) var dropped = 0

    init(limits: SearchLimits) {
        self.limits = limits
    }

    var count: Int { held.count }
    var values: [Value] { held.values.map(\.value) }

    subscript(_ id: String) -> Value? { held[id]?.value }

    /// Adds one that is under way; the oldest that has ended makes room. False where none has.
    mutating func begin(_ id: String, _ value: Value, now: MonotonicTime) -> Bool {
        expire(now)
        while held.count >= limits.count {
            guard let oldest = ended.first else { return false }
            remove(oldest)
            dropped += 1
        }
        held[id] = Held(value: value)
        return true
    }

    /// It has ended and holds so many bytes from now on.
    mutating func end(_ id: String, bytes size: Int, now: MonotonicTime) {
        guard held[id] != nil, held[id]?.end == nil else { return }
        held[id]?.end = (now, size)
        ended.append(id)
        bytes += size
        // One that is larger than all room together is kept alone: its client has not asked yet.
        while bytes > limits.bytes, ended.count > 1, let oldest = ended.first {
            remove(oldest)
            dropped += 1
        }
        expire(now)
    }

    /// Forgets what ended too long ago.
    mutating func expire(_ now: MonotonicTime) {
        while let oldest = ended.first, let end = held[oldest]?.end, now - end.time >= limits.age { remove(oldest) }
    }

    mutating func remove(_ id: String) {
        guard let gone = held.removeValue(forKey: id) else { return }
        bytes -= gone.end?.bytes ?? 0
        if gone.end != nil { ended.removeAll { $0 == id } }
    }
}

extension Settings {
    /// What the settings say of live searches.
    public var searchLimits: SearchLimits {
        SearchLimits(count: search.liveMax, bytes: Int(clamping: search.liveSize), age: search.liveKeep)
    }
}
