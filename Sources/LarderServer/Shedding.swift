// Chooses the connections to close when others wait; `ConnectionShares` says how many. Pure: each connection reports
// its use, and time is a parameter.
import LarderCore

/// What a connection uses its place for.
enum ConnectionUse: Sendable, Hashable {
    /// Nothing has been in progress since then.
    case idle(since: MonotonicTime)
    /// Part of a request has arrived, no handler has it. Since its head's start or its last body bytes.
    case incomplete(since: MonotonicTime)
    /// A request is with its handler, or bytes wait to be written.
    case busy
}

enum Shedding {
    /// Connections idle for less than this are never closed: their clients may be about to send a request.
    static let idleGrace = Duration.seconds(1)
    /// The same for incomplete requests. An honest client sends a request in one piece or a few.
    static let incompleteGrace = Duration.seconds(2)

    /// Chooses connections to close, those idle for longest first. If these are too few and a client waits, the
    /// requests that have been incomplete for longest follow: a byte on each connection must not keep everyone else
    /// out.
    /// - Parameter part: the most connections to close.
    /// - Returns: indices into `uses`, in the order in which to close.
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
