// Calls of one provider that are taken from its budget and written down, and not sent yet. In a burst each call would wait
// for a commit of its own before it is sent; with one commit that reserves a few ahead most of them find theirs here.
//
// A call in stock may be sent until its last instant, and counts from that one until it is sent: no window can have it later.
// What is not used by then was never sent and is given back. At most a twentieth of the smallest limit is ahead at a time, and
// never the last calls that are left: what is left for others is what the budget says. Pure.
import LarderCore

/// Calls reserved ahead. A value; its owner writes them down and takes back what is over.
public struct CallStock: Sendable {
    /// One such call.
    public struct Call: Sendable, Hashable {
        /// Its instant in the budget, its name on record, and the last one at which it may be sent.
        public var counted: Moment
        /// Its number in the budget (`CallBudget.taken`).
        public var number: Int
        /// `CallStock.round` when it was taken.
        fileprivate var round: Int
    }

    /// How long a call may be in stock. A burst is over sooner; a longer time would count calls later than they are made.
    public static let keeps: Duration = .seconds(1)
    /// So many turns within that time, the present one included, are a burst.
    static let burst = 3
    static let burstSpan: Duration = .milliseconds(250)
    /// The part of a limit that may be ahead.
    static let share = 20
    /// More are never ahead, whatever the limit.
    static let most = 16

    /// The soonest over first.
    private var calls: [Call] = []
    /// Calls that are just being written down for the stock.
    private var coming = 0
    /// How often the stock was emptied. What is written down meanwhile belongs to an earlier round.
    private var round = 0
    /// The last turns at which a call had to be written down or came from here.
    private var turns: [MonotonicTime] = []

    public init() {}

    /// How many are ahead now, those included that are being written down.
    public var count: Int { calls.count + coming }

    /// Whether a call lies here that may still be sent.
    public func holds(now: MonotonicTime) -> Bool { calls.contains { now <= $0.counted.monotonic } }

    /// Notes that a call's turn has come: only where turns follow each other closely is anything reserved ahead.
    public mutating func noteTurn(now: MonotonicTime) {
        if turns.count == Self.burst { turns.removeFirst() }
        turns.append(now)
    }

    /// Takes a call to be sent now; nil where none is left in time.
    public mutating func use(now: MonotonicTime) -> Call? {
        calls.firstIndex { now <= $0.counted.monotonic }.map { calls.remove(at: $0) }
    }

    /// Takes some from the budget to be written down with the call whose turn it is, which has been taken already.
    /// None outside a burst, and none where the API itself tells what is left: its word is newer than ours.
    public mutating func reserveAhead(from budget: inout CallBudget, now: Moment) -> [Call] {
        guard let first = turns.first, turns.count == Self.burst, now.monotonic - first <= Self.burstSpan,
            budget.allowances(now: now).isEmpty,
            let limit = [budget.rate, budget.quota].compactMap({ $0?.calls }).min(),
            let left = budget.remaining(now: now)
        else { return [] }
        let room = min(limit / Self.share, Self.most) - count
        let last = now + Self.keeps
        var ahead: [Call] = []
        while ahead.count < min(room, left / 2), case .granted = budget.take(now: now, countedFrom: last) {
            ahead.append(
                Call(counted: last, number: budget.taken, round: round))
        }
        coming += ahead.count
        return ahead
    }

    /// Calls that were taken for the stock are on record now, or could not be put there.
    /// - Returns: those that do not come into it, since they are not on record or it was emptied meanwhile.
    public mutating func came(_ ahead: [Call], areWritten: Bool) -> [Call] {
        coming -= ahead.count { $0.round == round }
        guard areWritten else { return ahead }
        calls += ahead.filter { $0.round == round }
        return ahead.filter { $0.round != round }
    }

    /// Takes out what may no longer be sent.
    public mutating func removeOver(now: MonotonicTime) -> [Call] {
        defer { calls.removeAll { $0.counted.monotonic < now } }
        return calls.filter { $0.counted.monotonic < now }
    }

    /// Takes out all of it, because the limits change or the daemon stops. What is being written down does not come into it.
    public mutating func empty() -> [Call] {
        round += 1
        coming = 0
        defer { calls = [] }
        return calls
    }
}
