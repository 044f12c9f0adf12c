// One provider's manners: its budgets and its suspension, and what is known of its reachability. It belongs to the upstream
// desk and never leaves it; calls are counted when they are sent, so nothing that a cache answered ever counts.
import LarderCache
import LarderCore
import LarderIO

/// Whether a call may leave now.
enum Admission: Sendable, Hashable {
    case granted
    /// Granted, and the suspension's one trial call.
    case probe
    /// The provider rests until then, for that reason.
    case suspended(until: WallTime, FailureClass)
    /// The budget is spent until then.
    case spent(until: WallTime)
}

/// What happened to a provider's last calls, for status.
struct Reachability: Sendable {
    var lastSuccess: WallTime?
    var lastFailure: WallTime?
    var lastFailureClass: FailureClass?
    var lastFailureDetail: String?

    /// "reachable", "unreachable" or "unknown": what the last call came to.
    var word: String {
        switch (lastSuccess, lastFailure) {
        case (nil, nil): "unknown"
        case (let success?, let failure?): success >= failure ? "reachable" : failureWord
        case (_?, nil): "reachable"
        case (nil, _?): failureWord
        }
    }

    /// The same as a truth; nil while it is unknown.
    var isReachable: Bool? {
        switch word {
        case "reachable": true
        case "unreachable": false
        default: nil
        }
    }

    private var failureWord: String {
        // A provider that answers with a refusal was reached.
        switch lastFailureClass {
        case .unreachable, .timedOut: "unreachable"
        default: "reachable"
        }
    }
}

/// A class: as a value in the desk's table it would be moved out and in again for every step of a call.
final class ProviderLane {
    var budget: CallBudget
    var suspension: SuspensionMachine
    var reachability = Reachability()
    /// Whether this provider is ever suspended: a plain pass-through is not, its errors are the upstream's own.
    var suspends: Bool
    /// What was told of it.
    private(set) var watch = LaneWatch(LaneSight(isReachable: nil, failure: nil, suspension: nil, budgets: [:]))
    /// The look at it that is due when the next of its limits will be whole again.
    var nextLook: (at: WallTime, timer: TimerToken)?
    /// Reads what an answer's fields say of the calls that are left.
    var credits: @Sendable (HeaderFields, WallTime) -> Credits?
    /// When that was last written down.
    var creditsSavedAt: WallTime = .distantPast

    init(
        budget: CallBudget, suspension: SuspensionMachine, suspends: Bool,
        credits: @escaping @Sendable (HeaderFields, WallTime) -> Credits? = { _, _ in nil }
    ) {
        self.budget = budget
        self.suspension = suspension
        self.suspends = suspends
        self.credits = credits
    }

    /// Hears what an answer says is left, after the call that had that mark. True where it should be written down: at
    /// once where nothing is left, else once a minute.
    func heard(_ fields: HeaderFields, mark: Int, now: WallTime) -> Bool {
        guard let credits = credits(fields, now) else { return false }
        budget.learn(credits, mark: mark, now: now)
        let isSpent = credits.allowances.contains { $0.remaining == 0 }
        guard isSpent || now < creditsSavedAt || now - creditsSavedAt >= .seconds(60) else { return false }
        creditsSavedAt = now
        return true
    }

    /// What it looks like now.
    func sight(now: WallTime) -> LaneSight {
        let usage = budget.usage(now: now)
        var budgets: [BudgetKind: BudgetSight] = [:]
        if let rate = budget.rate { budgets[.rate] = BudgetSight(limit: rate.calls, remaining: usage.rate ?? 0) }
        if let quota = budget.quota { budgets[.quota] = BudgetSight(limit: quota.calls, remaining: usage.quota ?? 0) }
        for allowance in budget.allowances(now: now) {
            budgets[.credits(allowance.name)] = BudgetSight(limit: allowance.limit, remaining: allowance.remaining)
        }
        return LaneSight(
            isReachable: reachability.isReachable, failure: reachability.lastFailureClass,
            suspension: suspends ? suspension.suspension : nil,
            isProbing: suspends && suspension.isProbing(at: now), budgets: budgets)
    }

    /// What changed since the last time this was asked.
    func takeEvents(now: WallTime) -> [LaneEvent] { watch.look(sight(now: now)) }

    /// Whether a call could leave now. Suspension first: a resting provider costs nothing. Nothing is taken from the budget,
    /// but a trial is this caller's from now on.
    func permit(now: WallTime) -> Admission { pass(isProbe: false, now: now) { $0.look(now: now) } }

    /// Takes a call from the budget for one that is about to be sent.
    /// - Parameter isProbe: the trial is this caller's already.
    func admit(isProbe: Bool, now: WallTime) -> Admission { pass(isProbe: isProbe, now: now) { $0.take(now: now) } }

    private func pass(isProbe: Bool, now: WallTime, _ ask: (inout CallBudget) -> CallBudget.Grant) -> Admission {
        var isProbe = isProbe
        if suspends {
            if isProbe, let rest = suspension.rest(at: now) {
                // Suspended anew while it waited: there is no trial any more.
                return .suspended(until: rest.until, rest.failure)
            }
            if !isProbe {
                switch suspension.mayCall(now: now) {
                case .yes: break
                case .probe: isProbe = true
                case .no(let until): return .suspended(until: until, suspension.suspension?.failure ?? .suspended)
                }
            }
        }
        switch ask(&budget) {
        case .granted: return isProbe ? .probe : .granted
        case .spent(let until):
            if isProbe { suspension.abandoned(now: now) }
            return .spent(until: until)
        }
    }

    /// A call brought an answer that speaks for a working provider. True where a suspension ended by it.
    func succeeded(now: WallTime) -> Bool {
        reachability.lastSuccess = now
        let wasSuspended = suspends && suspension.suspension != nil
        suspension.succeeded()
        return wasSuspended && suspension.suspension == nil
    }

    /// A call failed. Returns when the provider is called again, where it is suspended by this.
    func failed(
        _ failure: FailureClass, detail: String, retryAt: WallTime?, now: WallTime, random: UInt64
    ) -> WallTime? {
        reachability.lastFailure = now
        reachability.lastFailureClass = failure
        reachability.lastFailureDetail = detail
        guard suspends else { return nil }
        return suspension.failed(failure, now: now, retryAt: retryAt, random: random)?.until
    }
}
