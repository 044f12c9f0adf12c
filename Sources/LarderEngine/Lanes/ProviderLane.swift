// One provider's manners: its budgets and its suspension, and what is known of its reachability. It belongs to the
// table of lanes and never leaves it; calls are counted when they are sent, so nothing that a cache answered ever counts.
import LarderCache
import LarderCore
import LarderIO

/// Whether a call may leave now.
enum LaneAdmission: Sendable, Hashable {
    case granted
    /// Granted, and the suspension's one trial call.
    case probe
    /// The provider rests until then, for that reason.
    case suspended(until: MonotonicTime, FailureClass)
    /// The budget is spent until then.
    case spent(until: MonotonicTime)
}

/// What happened to a provider's last calls, for status.
public struct Reachability: Sendable {
    /// Of this run.
    public var lastSuccess: WallTime?
    /// Of this run.
    public var lastFailure: WallTime?
    /// Of what kind it was.
    public var lastFailureClass: FailureClass?
    /// What it said.
    public var lastFailureDetail: String?

    /// The last call came to a failure: told apart from the times, of which one may be of another clock.
    private var hasFailedLast = false

    mutating func succeeded(at now: WallTime) {
        lastSuccess = now
        hasFailedLast = false
    }

    mutating func failed(_ failure: FailureClass, _ detail: String, at now: WallTime) {
        lastFailure = now
        lastFailureClass = failure
        lastFailureDetail = detail
        hasFailedLast = true
    }

    /// What the last call came to; nil while none was made.
    public var isReachable: Bool? {
        guard hasFailedLast else { return lastSuccess == nil ? nil : true }
        // A provider that answers with a refusal was reached.
        return lastFailureClass != .unreachable && lastFailureClass != .timedOut
    }

    /// The same in the words of status pages.
    public var word: String { Self.word(isReachable) }

    /// Of a provider of which nothing is known, too.
    public static func word(_ isReachable: Bool?) -> String {
        switch isReachable {
        case true: "reachable"
        case false: "unreachable"
        case nil: "unknown"
        }
    }
}

/// A class: as a value in the client's table it would be moved out and in again for every step of a call.
final class ProviderLane {
    var budget: CallBudget { didSet { budgetChanges &+= 1 } }
    /// How often the budget was changed: whoever makes another of it outside the lock finds out whether it is still the same.
    private(set) var budgetChanges = 0
    /// Calls that are reserved and not sent.
    var stock = CallStock()
    var suspension: SuspensionMachine
    var reachability = Reachability()
    /// Whether this provider is ever suspended: a plain pass-through is not, its errors are the upstream's own.
    var suspends: Bool
    /// What was told of it.
    var watch = LaneWatch(LaneSight(isReachable: nil, failure: nil, suspension: nil, budgets: [:]))
    /// When the next of its limits will be whole again, if a look at it is planned then; and how many looks were ever planned.
    var nextLook: MonotonicTime?
    var looksPlanned = 0
    /// Reads what an answer's fields say of the calls that are left.
    var credits: @Sendable (HeaderFields, WallTime) -> Credits?
    /// When that was last written down.
    var creditsSavedAt: MonotonicTime = .distantPast
    /// The log has said of the rest at hand that its length is not what the provider named.
    var hasToldOfBound = false

    init(
        budget: CallBudget, suspension: SuspensionMachine, suspends: Bool,
        credits: @escaping @Sendable (HeaderFields, WallTime) -> Credits? = { _, _ in nil }
    ) {
        self.budget = budget
        self.suspension = suspension
        self.suspends = suspends
        self.credits = credits
    }

    /// Hears what an answer says is left, after the call of that number. True where it should be written down: at
    /// once where nothing is left, else once a minute.
    func heard(_ fields: HeaderFields, callNumber: Int, now: Moment) -> Bool {
        guard let credits = credits(fields, now.wall) else { return false }
        budget.learn(credits, callNumber: callNumber, now: now)
        let isSpent = credits.allowances.contains { $0.remaining == 0 }
        guard isSpent || now.monotonic >= creditsSavedAt + .seconds(60) else { return false }
        creditsSavedAt = now.monotonic
        return true
    }

    /// Whether its suspension counts: that of a person counts for every provider.
    var heedsSuspension: Bool { suspends || suspension.isByHand }

    /// What it looks like now.
    func sight(now: Moment) -> LaneSight {
        let usage = budget.usage(now: now)
        var budgets: [BudgetKind: BudgetSight] = [:]
        if let rate = budget.rate { budgets[.rate] = BudgetSight(limit: rate.calls, remaining: usage.rate ?? 0) }
        if let quota = budget.quota { budgets[.quota] = BudgetSight(limit: quota.calls, remaining: usage.quota ?? 0) }
        for allowance in budget.allowances(now: now) {
            budgets[.credits(allowance.name)] = BudgetSight(limit: allowance.limit, remaining: allowance.remaining)
        }
        return LaneSight(
            isReachable: reachability.isReachable, failure: reachability.lastFailureClass,
            suspension: heedsSuspension ? suspension.suspension : nil,
            isProbing: heedsSuspension && suspension.isProbing(at: now.monotonic), budgets: budgets)
    }

    /// Whether a call could leave now. Suspension first: a resting provider costs nothing. Nothing is taken from the budget,
    /// but a trial is this caller's from now on.
    func permit(now: Moment) -> LaneAdmission {
        pass(isProbe: false, now: now) { budget in
            mayUseStock(of: budget, now: now) ? .granted : budget.look(now: now)
        }
    }

    /// Takes a call from the stock, or else from the budget, for one that is about to be sent.
    /// - Parameter isProbe: the trial is this caller's already.
    /// - Returns: also the call of the stock, where it is one: that is on record already, and counts from now.
    func admit(isProbe: Bool, now: Moment) -> (admission: LaneAdmission, used: CallStock.Call?) {
        var used: CallStock.Call?
        let admission = pass(isProbe: isProbe, now: now) { budget in
            if mayUseStock(of: budget, now: now) { used = stock.use(now: now.monotonic) }
            guard var call = used?.counted, let number = used?.number else { return budget.take(now: now) }
            defer { used?.counted = call }
            return budget.send(&call, callNumber: number, now: now)
        }
        return (admission, used)
    }

    /// Whether a call of this lane has nothing to wait for: there are no limits, or one of its calls is on record already.
    func leavesAtOnce(now: Moment) -> Bool { !budget.isLimited || mayUseStock(of: budget, now: now) }

    /// What the API says is left counts more than what was reserved before it said so.
    private func mayUseStock(of budget: CallBudget, now: Moment) -> Bool {
        stock.holds(now: now.monotonic) && !budget.isDenied(now: now)
    }

    private func pass(isProbe: Bool, now: Moment, _ ask: (inout CallBudget) -> CallBudget.Grant) -> LaneAdmission {
        var isProbe = isProbe
        // Whoever is never suspended by failures needs no trial when a person's rest is over.
        if !suspends, suspension.isProbing(at: now.monotonic) { suspension.resume() }
        if heedsSuspension {
            if isProbe, let rest = suspension.rest(at: now.monotonic) {
                // Suspended anew while it waited: there is no trial any more.
                return .suspended(until: rest.until, rest.failure)
            }
            if !isProbe {
                switch suspension.mayCall(now: now.monotonic) {
                case .yes: break
                case .probe: isProbe = true
                case .no(let until): return .suspended(until: until, suspension.suspension?.failure ?? .suspended)
                }
            }
        }
        switch ask(&budget) {
        case .granted: return isProbe ? .probe : .granted
        case .spent(let until):
            if isProbe { suspension.abandoned(now: now.monotonic) }
            return .spent(until: until)
        }
    }

    /// A call brought an answer that speaks for a working provider. True where a suspension ended by it.
    func succeeded(now: WallTime) -> Bool {
        reachability.succeeded(at: now)
        let wasSuspended = heedsSuspension && suspension.suspension != nil
        suspension.succeeded()
        return wasSuspended && suspension.suspension == nil
    }

    /// A call failed. Returns when the provider is called again, where it is suspended by this.
    func failed(
        _ failure: FailureClass, detail: String, retryAt: WallTime?, now: Moment, random: UInt64
    ) -> MonotonicTime? {
        reachability.failed(failure, detail, at: now.wall)
        guard suspends else { return nil }
        let isResting = suspension.rest(at: now.monotonic) != nil
        let until = suspension.failed(
            failure, now: now.monotonic, retryAt: retryAt.map { now.monotonic(at: $0) }, random: random)?.until
        if until != nil, !isResting { hasToldOfBound = false }
        return until
    }
}
