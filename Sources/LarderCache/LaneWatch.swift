// Decides which changes of a provider are reported: whether it can be reached, whether it is suspended, and how much of
// its budget is left. The watch compares the present state with what it last reported, so code that changes a lane need
// not know who listens.
import LarderCore

/// How much of a limit is left, as reported to observers.
public enum BudgetLevel: String, Sendable, Hashable, CaseIterable {
    /// All of it is left.
    case whole
    /// Some of it is used.
    case open
    /// At least four fifths of it are used.
    case scarce
    /// Nothing is left.
    case spent
}

/// The limit that is meant.
public enum BudgetKind: Sendable, Hashable {
    case rate
    case quota
    /// What the API itself says is left, under its own name.
    case credits(String)

    /// The name under which clients see it.
    public var word: String {
        switch self {
        case .rate: "rate"
        case .quota: "quota"
        case .credits(let name): "\(name)Credits"
        }
    }
}

/// The present state of one limit.
public struct BudgetSight: Sendable, Hashable {
    /// Nil if the API does not state it.
    public var limit: Int?
    /// Nil if it is no longer known. An API's statement holds until its reset.
    public var remaining: Int?

    public init(limit: Int?, remaining: Int?) {
        self.limit = limit
        self.remaining = remaining
    }
}

/// One change.
public enum LaneEvent: Sendable, Hashable {
    /// A call reached the provider, after calls that did not, or as the first call.
    case reachable
    /// A call did not reach the provider.
    case unreachable(FailureClass)
    /// The provider is suspended, or is suspended for longer than was reported.
    case suspended(Suspension)
    /// The suspension has ended: a probe succeeded, or a person ended it.
    case resumed
    /// A limit crossed one of its thresholds.
    case budget(BudgetKind, BudgetLevel, BudgetSight)
}

/// The present state of a lane.
public struct LaneSight: Sendable, Hashable {
    /// Nil while it is not known.
    public var isReachable: Bool?
    /// Why the provider cannot be reached.
    public var failure: FailureClass?
    public var suspension: Suspension?
    /// Whether the suspension is over, but no call has succeeded since.
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

    /// Whether the provider can answer nothing at present.
    public var isAway: Bool { isReachable == false || suspension != nil }

    /// The existing limits: the configured ones, then those of the API by name.
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

/// Remembers what was last reported. A value.
public struct LaneWatch: Sendable {
    private var isReachable: Bool?
    private var suspension: Suspension?
    private var levels: [BudgetKind: BudgetLevel] = [:]
    /// The full size of each limit.
    private var limits: [BudgetKind: Int] = [:]

    /// - Parameter sight: the state at the beginning. It is not reported.
    public init(_ sight: LaneSight) {
        _ = self.look(sight)
    }

    /// The level that was last reported.
    public func level(_ kind: BudgetKind) -> BudgetLevel { levels[kind] ?? .whole }

    /// Whether any limit is not whole. It then becomes whole by time alone.
    public var isWearing: Bool { levels.values.contains { $0 != .whole } }

    /// Whether a lane without limits and without a suspension would report nothing.
    public func isQuiet(_ isReachable: Bool?) -> Bool {
        suspension == nil && levels.isEmpty && (isReachable == nil || isReachable == self.isReachable)
    }

    /// Returns what changed since the last look, in the order of the cases of `LaneEvent`.
    public mutating func look(_ sight: LaneSight) -> [LaneEvent] {
        var events: [LaneEvent] = []
        if let now = sight.isReachable, now != isReachable {
            isReachable = now
            events.append(now ? .reachable : .unreachable(sight.failure ?? .unreachable))
        }
        if let now = sight.suspension {
            // An abandoned probe makes a suspension shorter, which is not reported.
            if suspension.map({ now.until > $0.until }) ?? true { events.append(.suspended(now)) }
        } else if suspension != nil {
            events.append(.resumed)
        }
        suspension = sight.suspension
        if levels.isEmpty, sight.budgets.isEmpty { return events }
        for kind in LaneSight.ordered(Set(levels.keys).union(sight.budgets.keys)) {
            let before = level(kind)
            guard let budget = sight.budgets[kind] else {
                // A limit that was removed from the settings is not reported. An API's statement ends with its reset,
                // after which its limit is whole again.
                if case .credits = kind, before == .scarce || before == .spent {
                    events.append(.budget(kind, .whole, BudgetSight(limit: limits[kind], remaining: nil)))
                }
                (levels[kind], limits[kind]) = (nil, nil)
                continue
            }
            let now = Self.level(budget, before)
            (levels[kind], limits[kind]) = (now, budget.limit)
            // A call that was made or came back does not cross a threshold.
            guard now != before, now != .open else { continue }
            if now == .scarce, before == .spent { continue }
            events.append(.budget(kind, now, budget))
        }
        return events
    }

    /// A limit stays scarce from four fifths used until it is whole again: a single call that comes back does not end
    /// it.
    private static func level(_ budget: BudgetSight, _ before: BudgetLevel) -> BudgetLevel {
        if let remaining = budget.remaining, remaining <= 0 { return .spent }
        if let limit = budget.limit, let remaining = budget.remaining {
            if remaining >= limit { return .whole }
            if remaining <= limit / 5 { return .scarce }
        }
        return before == .scarce || before == .spent ? .scarce : .open
    }
}
