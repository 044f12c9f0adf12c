// What a server has acknowledged, and when it first did: an answer that counts as stored is safe from a crash so much later
// (`cache.commitWithin`).
import LarderCore

struct Acknowledged {
    /// By object, in nanoseconds of CLOCK_MONOTONIC.
    private(set) var instants: [Int: Int64] = [:]

    init() {}

    mutating func note(_ object: Int, at instant: Int64) {
        if instants[object] == nil { instants[object] = instant }
    }

    /// The objects that a crash at that instant may not lose, and those that it may.
    /// - Parameter time: after which an acknowledged answer is safe, in nanoseconds.
    func split(crash: Int64, safeAfter time: Int64) -> (safe: [Int], recent: [Int]) {
        let safe = instants.filter { $0.value <= crash - time }.map(\.key).sorted()
        let recent = instants.filter { $0.value > crash - time }.map(\.key).sorted()
        return (safe, recent)
    }

    /// The form in which a child hands it to its parent.
    var line: String {
        "acknowledged" + instants.sorted { $0.key < $1.key }.map { " \($0.key):\($0.value)" }.joined()
    }

    /// Nil for words that `line` did not write.
    init?(_ words: [Substring]) {
        guard words.first == "acknowledged" else { return nil }
        for word in words.dropFirst() {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let object = Int(parts[0]), let instant = Int64(parts[1]) else { return nil }
            instants[object] = instant
        }
    }
}
