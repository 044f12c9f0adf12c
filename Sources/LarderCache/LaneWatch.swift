// What is worth telling of a provider's manners: that it went away or came back, began or ended a rest, and how its budget
// wears. The watch compares what is with what it told last, so that whoever changes a lane need not know who listens.
import LarderCore

/// A limit of calls as somebody sees it who wants to know whether it will do.
public enum BudgetLevel: String, Sendable, Hashable, CaseIterable {
    /// All of it is there.
    case whole
    /// Some of it is used.
    case open
    /// Four fifths of it are used.
    case scarce
    /// Nothing is left.
    case spent
}

/// Which limit.
public enum BudgetKind: Sendable, Hashable {
    case rate
    case quota
    /// What the API itself says is left, by its name for that.
    case credits(String)

    /// As clients are told of it.
    public var word: String {
        switch self {
        case .rate: "rate"
        case .quota: "quota"
        case .credits(let name): "\(name)Credits"
        }
    }
}

/// One limit now.
public struct BudgetSight: Sendable, Hashable {
    /// Nil where the API does not tell.
    public var limit: Int?
    /// Nil where nobody knows it any more: an API's word holds up to its reset.
    public var remaining: Int?

    public init(limit: Int?, remaining: Int?) {
        self.limit = limit
        self.remaining = remaining
    }
}

/// One thing that changed.
public enum LaneEvent: Sendable, Hashable {
    /// A call reached it, after some that did not or as the first one.
    case reachable
    /// A call did not reach it.
    case unreachable(FailureClass)
    /// It rests, or longer than was told.
    case suspended(Suspension)
    /// The rest is over: a trial succeeded, or a person ended it.
    case resumed
    /// A limit went past one of its marks.
    case budget(BudgetKind, BudgetLevel, BudgetSight)
}

/// What a lane looks like now.
public struct LaneSight: Sendable, Hashable {
    /// nil while nobody knows.
    public var isReachable: Bool?
    /// Why it is not.
    public var failure: FailureClass?
    public var suspension: Suspension?
    /// The rest is over, and no call has shown yet that it works.
    public var isProbing: Bool
    public var budgets: [BudgetKind: BudgetSight]

    public init(
        isReachable: Bool?, failure: FailureClass?, suspension: Suspension?, isProbing: Bool = false,
        budgets: [BudgetKind: BudgetSight]
    ) {
        self.isReachable = isReachable
        self.failure = failure
        self.suspension = suspension
        self.isProbing = isProbing
        self.budgets = budgets
    }

    /// Nothing can be had from it at present.
    public var isAway: Bool { isReachable == false || suspension != nil }

    /// The limits there are: our own, then the API's by their names.
    public var kinds: [BudgetKind] { Self.ordered(budgets.keys) }

    static func ordered(_ kinds: some Sequence<BudgetKind>) -> [BudgetKind] {
        func place(_ kind: BudgetKind) -> (Int, String) {
            switch kind {
            case .rate: (0, "")
            case .quota: (1, "")
            case .credits(let name): (2, name)
            }
        }
        return kinds.sorted { place($0) < place($1) }
    }
}

/// Remembers what was told. A value.
public struct LaneWatch: Sendable {
    private var isReachable: Bool?
    private var suspension: Suspension?
    private var levels: [BudgetKind: BudgetLevel] = [:]
    /// How much of each there is when all of it is there.
    private var limits: [BudgetKind: Int] = [:]

    /// - Parameter sight: what is known at the beginning, of which nothing is told.
    public init(_ sight: LaneSight) {
        _ = self.look(sight)
    }

    /// The levels as they were told last.
    public func level(_ kind: BudgetKind) -> BudgetLevel { levels[kind] ?? .whole }

    /// Whether a limit is not whole, so that it becomes whole by time alone.
    public var isWearing: Bool { levels.values.contains { $0 != .whole } }

    /// What changed since the last look, in the order of the cases of `LaneEvent`.
    public mutating func look(_ sight: LaneSight) -> [LaneEvent] {
        var events: [LaneEvent] = []
        if let now = sight.isReachable, now != isReachable {
            isReachable = now
            events.append(now ? .reachable : .unreachable(sight.failure ?? .unreachable))
        }
        if let now = sight.suspension {
            // A trial that was given up makes a rest shorter, which is no news.
            if suspension.map({ now.until > $0.until }) ?? true { events.append(.suspended(now)) }
        } else if suspension != nil {
            events.append(.resumed)
        }
        suspension = sight.suspension
        for kind in LaneSight.ordered(Set(levels.keys).union(sight.budgets.keys)) {
            let before = level(kind)
            guard let budget = sight.budgets[kind] else {
                // A limit that the settings took away says nothing; an API's word ends with its reset, by which all of it
                // is there again.
                if case .credits = kind, before == .scarce || before == .spent {
                    events.append(.budget(kind, .whole, BudgetSight(limit: limits[kind], remaining: nil)))
                }
                (levels[kind], limits[kind]) = (nil, nil)
                continue
            }
            let now = Self.level(budget, before)
            (levels[kind], limits[kind]) = (now, budget.limit)
            // That a call was made, or one is there again, is no threshold.
            guard now != before, now != .open else { continue }
            if now == .scarce, before == .spent { continue }
            events.append(.budget(kind, now, budget))
        }
        return events
    }

    /// A limit is scarce from four fifths on until all of it is there again: one call that comes back is no end of it.
    private static func level(_ budget: BudgetSight, _ before: BudgetLevel) -> BudgetLevel {
        if let remaining = budget.remaining, remaining <= 0 { return .spent }
        if let limit = budget.limit, let remaining = budget.remaining {
            if remaining >= limit { return .whole }
            if remaining <= limit / 5 { return .scarce }
        }
        return before == .scarce || before == .spent ? .scarce : .open
    }
}
