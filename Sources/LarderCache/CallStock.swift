// Keeps calls of one provider that are taken from its budget and recorded, but not sent yet. In a burst, each call
// would otherwise wait for its own commit. With one commit that reserves a few calls ahead, most calls find theirs
// here.
//
// A reserved call may be sent until its last possible time and counts at that time until it is sent, so no window can
// have it later. A call that is not used by then was never sent and is given back. At most a twentieth of the smallest
// limit is reserved at a time, and never the last remaining calls, because the budget must show what is left for
// others. Pure.
import LarderCore

/// Calls reserved ahead. A value. Its owner records them and takes back those that expire.
public struct CallStock: Sendable {
    /// One reserved call.
    public struct Call: Sendable, Hashable {
        /// Its time in the budget, which also identifies it on record and is the last time at which it may be sent.
        public var counted: Moment
        /// Its number in the budget (`CallBudget.taken`).
        public var number: Int
        /// The value of `CallStock.round` when the call was taken.
        fileprivate var round: Int
    }

    /// How long a call may stay in stock. A burst ends sooner, and a longer time would count calls later than they are
    /// made.
    public static let keeps: Duration = .seconds(1)
    /// The number of turns within `burstSpan`, including the present one, that make a burst.
    static let burst = 3
    static let burstSpan: Duration = .milliseconds(250)
    /// The fraction of a limit that may be reserved ahead: one twentieth.
    static let share = 20
    /// The most calls that are reserved ahead, whatever the limit.
    static let most = 16

    /// The calls in stock, the first to expire first.
    private var calls: [Call] = []
    /// The number of calls that are being recorded for the stock.
    private var coming = 0
    /// How often the stock was emptied. Calls that were being recorded then belong to an earlier round.
    private var round = 0
    /// The times of the last turns. At each turn a call was recorded or taken from this stock.
    private var turns: [MonotonicTime] = []

    public init() {}

    /// The number of calls reserved ahead, including those that are being recorded.
    public var count: Int { calls.count + coming }

    /// Whether calls for the stock are being recorded.
    public var isComing: Bool { coming > 0 }

    /// Whether the stock has a call that may still be sent.
    public func holds(now: MonotonicTime) -> Bool { calls.contains { now <= $0.counted.monotonic } }

    /// Records that a call's turn has come. Calls are reserved ahead only if turns follow each other closely.
    public mutating func noteTurn(now: MonotonicTime) {
        if turns.count == Self.burst { turns.removeFirst() }
        turns.append(now)
    }

    /// Takes a call to be sent now; nil if there is none that may still be sent.
    public mutating func use(now: MonotonicTime) -> Call? {
        calls.firstIndex { now <= $0.counted.monotonic }.map { calls.remove(at: $0) }
    }

    /// Takes calls from the budget to be recorded together with the current call, which has been taken already. Takes
    /// none outside a burst, and none if the API itself states what is left, because its statement is newer than our
    /// count.
    /// - Parameter kept: what must be left for others. Anybody may use a call of the stock.
    public mutating func reserveAhead(
        from budget: inout CallBudget, leaving kept: BudgetShares.Kept = .nothing, now: Moment
    ) -> [Call] {
        guard let first = turns.first, turns.count == Self.burst, now.monotonic - first <= Self.burstSpan,
            budget.allowances(now: now).isEmpty,
            let limit = [budget.rate, budget.quota].compactMap({ $0?.calls }).min(),
            let left = budget.remaining(now: now)
        else { return [] }
        let room = min(limit / Self.share, Self.most) - count
        let last = now + Self.keeps
        var ahead: [Call] = []
        while ahead.count < min(room, left / 2), case .granted = budget.take(now: now, countedFrom: last, leaving: kept)
        {
            ahead.append(
                Call(counted: last, number: budget.taken, round: round))
        }
        coming += ahead.count
        return ahead
    }

    /// Adds calls that were taken for the stock, after they were recorded or could not be.
    /// - Returns: the calls that are not added, because they are not recorded or because the stock was emptied
    ///   meanwhile.
    public mutating func came(_ ahead: [Call], areWritten: Bool) -> [Call] {
        coming -= ahead.count { $0.round == round }
        guard areWritten else { return ahead }
        calls += ahead.filter { $0.round == round }
        return ahead.filter { $0.round != round }
    }

    /// Takes out the calls that must no longer be sent.
    public mutating func removeOver(now: MonotonicTime) -> [Call] {
        defer { calls.removeAll { $0.counted.monotonic < now } }
        return calls.filter { $0.counted.monotonic < now }
    }

    /// Takes out all calls, because the limits change or the daemon stops. Calls that are being recorded will not be
    /// added.
    public mutating func empty() -> [Call] {
        round += 1
        coming = 0
        defer { calls = [] }
        return calls
    }
}
