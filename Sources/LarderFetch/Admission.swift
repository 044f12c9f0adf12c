// Who may start a transfer now, who waits and who is turned away. A transfer that its upstream paces ends soon; one that
// a client paces lasts for as long as its client takes. So each kind has places of its own, so many in all and so many
// per origin, and neither can use up the other's. First come, first served, but nobody waits behind another origin's
// crowd. Pure.
import LarderCore

struct Admission: Sendable {
    enum Verdict: Sendable, Hashable {
        case granted
        case waits
        case refused
    }

    /// Who says how long a transfer lasts.
    enum Pace: Sendable, Hashable {
        case upstream
        case client
    }

    /// Transfers of one kind at a time.
    struct Places: Sendable {
        /// In all, and to one origin.
        var most: Int
        var mostPerOrigin: Int
        private(set) var taken = 0
        private var perOrigin: [Origin: Int] = [:]

        init(most: Int, mostPerOrigin: Int) {
            self.most = most
            self.mostPerOrigin = mostPerOrigin
        }

        func isFree(_ origin: Origin) -> Bool { taken < most && hasRoom(origin) }

        /// Whether that origin has fewer than it may have, whatever the others have.
        fileprivate func hasRoom(_ origin: Origin) -> Bool { (perOrigin[origin] ?? 0) < mostPerOrigin }

        fileprivate mutating func take(_ origin: Origin) {
            taken += 1
            perOrigin[origin, default: 0] += 1
        }

        fileprivate mutating func release(_ origin: Origin) {
            taken -= 1
            let left = (perOrigin[origin] ?? 0) - 1
            perOrigin[origin] = left > 0 ? left : nil
        }
    }

    /// The places of transfers that their upstream paces, and of those that a client paces.
    var brief: Places
    var paced: Places
    /// Fetches that may wait for each kind.
    var maxWaiting: Int
    private var queue: [(id: UInt64, origin: Origin, pace: Pace)] = []

    init(brief: Places, paced: Places, maxWaiting: Int) {
        self.brief = brief
        self.paced = paced
        self.maxWaiting = maxWaiting
    }

    var waiting: Int { queue.count }
    var active: Int { brief.taken + paced.taken }

    /// Asks for a place. A granted one is given back by `release`; one that waits is named by `next` later,
    /// or withdrawn.
    /// - Parameter isUnderWay: a fetch that goes on after a redirect or for its second try is not turned away.
    mutating func ask(_ id: UInt64, origin: Origin, pace: Pace = .upstream, isUnderWay: Bool = false) -> Verdict {
        if isFree(origin, pace) {
            take(origin, pace)
            return .granted
        }
        guard isUnderWay || queue.count(where: { $0.pace == pace }) < maxWaiting else { return .refused }
        queue.append((id, origin, pace))
        return .waits
    }

    /// The next one that may start, its place taken; nil where nobody may.
    mutating func next() -> UInt64? {
        guard brief.taken < brief.most || paced.taken < paced.most,
            let place = queue.firstIndex(where: { isFree($0.origin, $0.pace) })
        else { return nil }
        let (id, origin, pace) = queue.remove(at: place)
        take(origin, pace)
        return id
    }

    /// A transfer turns out to be paced by a client: it takes one of those places and gives its own back. False where
    /// none is free; then nothing changes.
    mutating func moveAside(_ origin: Origin) -> Bool {
        guard paced.isFree(origin) else { return false }
        paced.take(origin)
        brief.release(origin)
        return true
    }

    /// Whether somebody waits who would get the place that a transfer to that origin has among the brief ones.
    func isAwaited(_ origin: Origin) -> Bool {
        queue.contains { $0.pace == .upstream && ($0.origin == origin || brief.hasRoom($0.origin)) }
    }

    /// Gives a place back.
    mutating func release(_ origin: Origin, pace: Pace = .upstream) {
        switch pace {
        case .upstream: brief.release(origin)
        case .client: paced.release(origin)
        }
    }

    /// Leaves the queue.
    mutating func withdraw(_ id: UInt64) {
        queue.removeAll { $0.id == id }
    }

    private func isFree(_ origin: Origin, _ pace: Pace) -> Bool {
        switch pace {
        case .upstream: brief.isFree(origin)
        case .client: paced.isFree(origin)
        }
    }

    private mutating func take(_ origin: Origin, _ pace: Pace) {
        switch pace {
        case .upstream: brief.take(origin)
        case .client: paced.take(origin)
        }
    }
}
