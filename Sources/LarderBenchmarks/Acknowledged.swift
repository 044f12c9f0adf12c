// The objects that a server has acknowledged, and when it first did so. An answer that counts as stored survives a
// crash only after a delay (`cache.commitWithin`).
import LarderCore

struct Acknowledged {
    /// The first acknowledgement of each object, in nanoseconds of CLOCK_MONOTONIC.
    private(set) var instants: [Int: Int64] = [:]

    init() {}

    mutating func note(_ object: Int, at instant: Int64) {
        if instants[object] == nil { instants[object] = instant }
    }

    /// Splits the objects: those that a crash at this instant must not lose, and those that it may lose.
    /// - Parameter time: the time after which an acknowledged answer is safe, in nanoseconds.
    func split(crash: Int64, safeAfter time: Int64) -> (safe: [Int], recent: [Int]) {
        let safe = instants.filter { $0.value <= crash - time }.map(\.key).sorted()
        let recent = instants.filter { $0.value > crash - time }.map(\.key).sorted()
        return (safe, recent)
    }

    /// The line in which a child passes this to its parent.
    var line: String {
        "acknowledged" + instants.sorted { $0.key < $1.key }.map { " \($0.key):\($0.value)" }.joined()
    }

    /// Parses the words of `line`; nil for other words.
    init?(_ words: [Substring]) {
        guard words.first == "acknowledged" else { return nil }
        for word in words.dropFirst() {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let object = Int(parts[0]), let instant = Int64(parts[1]) else { return nil }
            instants[object] = instant
        }
    }
}
