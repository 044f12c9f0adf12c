// Decides which searches are remembered. Their number is limited; ended ones are also limited by age and by bytes.
// Searches that may still change are never dropped. A value; time comes in as a parameter.
import LarderCore
import LarderSettings

/// The limits of remembered searches.
public struct SearchLimits: Sendable, Hashable {
    /// The number of searches, under way and ended.
    var count: Int
    /// The size of all ended searches, in bytes.
    var bytes: Int
    /// How long an ended search is remembered.
    var age: Duration
}

struct RecentSearches<Value> {
    private struct Held {
        var value: Value
        /// When the search ended and how many bytes it holds; nil while it is under way.
        var end: (time: MonotonicTime, bytes: Int)?
    }

    var limits: SearchLimits
    private var held: [String: Held] = [:]
    /// The ids of ended searches, the oldest first.
    private var ended: [String] = []
    private(set) var bytes = 0
    /// The number of ended searches dropped early so far.
    private(set) var dropped = 0

    init(limits: SearchLimits) {
        self.limits = limits
    }

    var count: Int { held.count }
    var values: [Value] { held.values.map(\.value) }

    subscript(_ id: String) -> Value? { held[id]?.value }

    /// Adds a search that is under way. If there is no room, the oldest ended search is dropped. Returns false if none
    /// has ended.
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

    /// Records that a search has ended and now holds that many bytes.
    mutating func end(_ id: String, bytes size: Int, now: MonotonicTime) {
        guard held[id] != nil, held[id]?.end == nil else { return }
        held[id]?.end = (now, size)
        ended.append(id)
        bytes += size
        drop()
        expire(now)
    }

    /// Corrects the size of a search that has ended.
    mutating func resize(_ id: String, bytes size: Int) {
        guard let end = held[id]?.end else { return }
        held[id]?.end = (end.time, size)
        bytes += size - end.bytes
        drop()
    }

    /// Drops the oldest ended searches while all of them together are too large.
    private mutating func drop() {
        // A search larger than the whole limit is still kept alone, because its client has not fetched it yet.
        while bytes > limits.bytes, ended.count > 1, let oldest = ended.first {
            remove(oldest)
            dropped += 1
        }
    }

    /// Forgets searches that ended too long ago.
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
    /// The limits of live searches in these settings.
    public var searchLimits: SearchLimits {
        SearchLimits(count: search.liveMax, bytes: Int(clamping: search.liveSize), age: search.liveKeep)
    }
}
