// Who may start a transfer now, who waits and who is turned away: so many at a time in all, so many per origin, so many
// waiting. First come, first served, but nobody waits behind another origin's crowd. Pure.
import LarderCore

struct Admission: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        case refused
    }

    /// Transfers at a time in all, and to one origin; fetches that may wait.
    var maxActive: Int
    var maxPerOrigin: Int
    var maxWaiting: Int

    private(set) var active = 0
    private var perOrigin: [Origin: Int] = [:]
    private var queue: [(id: UInt64, origin: Origin)] = []

    init(maxActive: Int, maxPerOrigin: Int, maxWaiting: Int) {
        self.maxActive = maxActive
        self.maxPerOrigin = maxPerOrigin
        self.maxWaiting = maxWaiting
    }

    var waiting: Int { queue.count }

    /// Asks for a slot. A granted one is given back by `release`; one that waits is named by `next` later,
    /// or withdrawn.
    /// - Parameter isUnderWay: a fetch that goes on after a redirect or for its second try is not turned away.
    mutating func ask(_ id: UInt64, origin: Origin, isUnderWay: Bool = false) -> Verdict {
        if isFree(origin) {
            take(origin)
            return .granted
        }
        guard isUnderWay || queue.count < maxWaiting else { return .refused }
        queue.append((id, origin))
        return .waits
    }

    /// The next one that may start, its slot taken; nil where nobody may.
    mutating func next() -> UInt64? {
        guard active < maxActive, let place = queue.firstIndex(where: { isFree($0.origin) }) else { return nil }
        let (id, origin) = queue.remove(at: place)
        take(origin)
        return id
    }

    /// Gives a slot back.
    mutating func release(_ origin: Origin) {
        active -= 1
        let left = (perOrigin[origin] ?? 0) - 1
        perOrigin[origin] = left > 0 ? left : nil
    }

    /// Leaves the queue.
    mutating func withdraw(_ id: UInt64) {
        queue.removeAll { $0.id == id }
    }

    private func isFree(_ origin: Origin) -> Bool {
        active < maxActive && (perOrigin[origin] ?? 0) < maxPerOrigin
    }

    private mutating func take(_ origin: Origin) {
        active += 1
        perOrigin[origin, default: 0] += 1
    }
}
