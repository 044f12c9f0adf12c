// Which connections are closed for others that want in; `ConnectionShares` says how many. Pure: each connection tells
// what it does with its place, and time is a parameter.
import LarderCore

/// What a connection does with its place.
enum ConnectionUse: Sendable, Hashable {
    /// Nothing has been under way since then.
    case idle(since: MonotonicTime)
    /// Part of a request has come, and no handler has it. Since the head began, or since the last bytes of its body.
    case incomplete(since: MonotonicTime)
    /// A request is with its handler, or bytes wait to be written.
    case busy
}

enum Shedding {
    /// Connections that are idle for less than this are never closed for others: a client may be about to ask.
    static let idleGrace = Duration.seconds(1)
    /// The same for requests that are incomplete: an honest one is sent in one piece or a few.
    static let incompleteGrace = Duration.seconds(2)

    /// Chooses connections to close: the idlest first. Where these are not enough and somebody waits, the requests that
    /// have been incomplete for longest: one byte on each connection must not keep everybody else out.
    /// - Parameter part: how many to close at most.
    /// - Returns: indices of `uses`, in the order in which to close.
    static func choose(
        _ part: Int, of uses: [ConnectionUse], somebodyWaits: Bool, at now: MonotonicTime
    ) -> [Int] {
        var idle: [(since: MonotonicTime, index: Int)] = []
        var incomplete: [(since: MonotonicTime, index: Int)] = []
        for (index, use) in uses.enumerated() {
            switch use {
            case .idle(let since) where now - since >= idleGrace: idle.append((since, index))
            case .incomplete(let since) where somebodyWaits && now - since >= incompleteGrace:
                incomplete.append((since, index))
            case .idle, .incomplete, .busy: break
            }
        }
        idle.sort { $0.since < $1.since }
        if idle.count < part { incomplete.sort { $0.since < $1.since } }
        return (idle + incomplete).prefix(part).map(\.index)
    }
}
