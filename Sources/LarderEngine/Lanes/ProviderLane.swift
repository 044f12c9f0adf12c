// One provider's limits: its budgets, its suspension, and what is known of its reachability. A lane belongs to
// `LaneTable` and never leaves it. Calls are counted when they are sent, so answers from the cache never count.
import LarderCache
import LarderCore
import LarderIO

/// Whether a call may be sent now.
enum LaneAdmission: Sendable, Hashable {
    case granted
    /// The call may be sent, and is the one trial of a suspended provider.
    case probe
    /// The provider is suspended until then, for that reason.
    case suspended(until: MonotonicTime, FailureClass)
    /// The budget is spent until then.
    case spent(until: MonotonicTime)
    /// What is left of the budget is kept for others until then (`BudgetShares`).
    case kept(until: MonotonicTime)
    /// The API asked callers with these credentials to wait.
    case resting(CallerRests.Rest)
}

extension LaneAdmission {
    /// Whether the budget refused the call.
    var isOverBudget: Bool {
        switch self {
        case .spent, .kept: true
        case .granted, .probe, .suspended, .resting: false
        }
    }
}

/// Who makes a call, as far as its lane decides by it.
struct CallUser: Sendable, Hashable {
    /// A digest of the client's own credentials; empty if the call carries none.
    var caller: Bytes = []
    /// The tool that the call is counted for.
    var tool = ""
    /// May rise while the call waits.
    var urgency = Urgency.ordinary
}

/// The outcome of a provider's last calls, for status.
public struct Reachability: Sendable {
    /// The last success in this run.
    public var lastSuccess: WallTime?
    /// The last failure in this run.
    public var lastFailure: WallTime?
    /// The class of the last failure.
    public var lastFailureClass: FailureClass?
    /// The detail of the last failure.
    public var lastFailureDetail: String?

    /// Whether the last call failed. The two times above cannot tell, because the wall clock may have been set between
    /// them.
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

    /// Whether the last call reached the provider; nil if no call was made yet.
    public var isReachable: Bool? {
        guard hasFailedLast else { return lastSuccess == nil ? nil : true }
        // A provider that answers with an error was reached.
        return lastFailureClass != .unreachable && lastFailureClass != .timedOut
    }

    /// `isReachable` as a word for status pages.
    public var word: String { Self.word(isReachable) }

    /// Returns the word for status pages; also for a provider without any calls.
    public static func word(_ isReachable: Bool?) -> String {
        switch isReachable {
        case true: "reachable"
        case false: "unreachable"
        case nil: "unknown"
        }
    }
}

/// The state of one provider's lane. A class: a value in the table's dictionary would be moved out and in again at
/// every step of a call.
final class ProviderLane {
    var budget: CallBudget {
        didSet {
            budgetChanges &+= 1
            isUnlimited = !budget.isLimited
            hasCredits = budget.hasCredits
        }
    }
    /// Whether the budget has no limits, and whether the API stated what is left. Asked at every step of a call, where the
    /// budget itself would be copied.
    private(set) var isUnlimited: Bool
    private var hasCredits: Bool
    /// How often the budget was changed. A caller that made a new budget outside the lock can tell whether the old one
    /// is still the same.
    private(set) var budgetChanges = 0
    /// What the budget keeps for whom, and the calls by tool.
    var shares: BudgetShares
    /// Calls that are reserved ahead and not sent.
    var stock = CallStock()
    var suspension: SuspensionMachine
    var reachability = Reachability()
    /// The callers that the API asked to wait.
    var rests = CallerRests()
    /// Questions that succeeded lately.
    var known = KnownQuestions()
    /// Whether failures suspend this provider. A plain pass-through provider is never suspended: its errors are the
    /// upstream's.
    var suspends: Bool
    /// The state of the lane that was last reported.
    var watch = LaneWatch(LaneSight(isReachable: nil, failure: nil, suspension: nil, budgets: [:]))
    /// When the next look at the lane is due (nil if none is planned), and how many looks were planned so far.
    var nextLook: MonotonicTime?
    var looksPlanned = 0
    /// Reads from an answer's fields how many calls the API says are left.
    var credits: @Sendable (HeaderFields, WallTime) -> Credits?
    /// When the credits were last written down.
    var creditsSavedAt: MonotonicTime = .distantPast
    /// Whether the log has said, for the present suspension, that its length differs from the one the provider named.
    var hasToldOfBound = false

    init(
        budget: CallBudget, shares: BudgetShares = BudgetShares(), suspension: SuspensionMachine, suspends: Bool,
        credits: @escaping @Sendable (HeaderFields, WallTime) -> Credits? = { _, _ in nil }
    ) {
        self.budget = budget
        isUnlimited = !budget.isLimited
        hasCredits = budget.hasCredits
        self.shares = shares
        self.suspension = suspension
        self.suspends = suspends
        self.credits = credits
    }

    /// Takes in what an answer says is left after the call with this number. Returns true if it should be written down:
    /// at once if nothing is left, otherwise once a minute.
    func heard(_ fields: HeaderFields, callNumber: Int, now: Moment) -> Bool {
        guard let credits = credits(fields, now.wall) else { return false }
        budget.learn(credits, callNumber: callNumber, now: now)
        let isSpent = credits.allowances.contains { $0.remaining == 0 }
        guard isSpent || now.monotonic >= creditsSavedAt + .seconds(60) else { return false }
        creditsSavedAt = now.monotonic
        return true
    }

    /// Until when an answer's fields say that no call is left; nil if they do not say so.
    func spentUntil(_ fields: HeaderFields, now: Moment) -> WallTime? {
        credits(fields, now.wall)?.allowances.filter { $0.remaining == 0 }.map(\.resetsAt).max()
    }

    /// Whether the suspension is heeded. A suspension by hand counts for every provider.
    var heedsSuspension: Bool { suspends || suspension.isByHand }

    /// Whether nothing can have changed since the last report: there are no limits and no suspension, and the provider is as
    /// reachable as it was.
    var isUneventful: Bool {
        isUnlimited && !hasCredits && suspension.suspension == nil
            && watch.isQuiet(reachability.isReachable)
    }

    /// Returns the state of the lane as it would be reported now.
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

    /// Whether a call could be sent now. The suspension is checked first, since a call to a suspended provider must
    /// cost nothing. The budget is unchanged, but a trial now belongs to this caller.
    /// - Parameters:
    ///   - user: who makes the call.
    ///   - isProbe: whether the caller already has the trial.
    func permit(_ user: CallUser = CallUser(), isProbe: Bool = false, now: Moment) -> LaneAdmission {
        if let rest = rests.rest(of: user.caller, now: now.monotonic) { return .resting(rest) }
        let kept = kept(from: user, now)
        return pass(isProbe: isProbe, now: now) { budget in
            // Of those who enter for a call that is being recorded, the first gets it.
            mayUseStock(of: budget, now: now) || awaitsStock(of: budget, kept, now: now)
                ? .granted : budget.look(now: now, leaving: kept)
        }
    }

    /// What a call must leave for others.
    private func kept(from user: CallUser, _ now: Moment) -> BudgetShares.Kept {
        shares.kept(from: user.tool, user.urgency, rate: budget.rate, quota: budget.quota, now: now.monotonic)
    }

    /// The calls of each tool in the windows of the limits.
    func toolUse(now: Moment) -> [String: ToolUse] {
        func calls(_ tool: String, _ limit: CallRate?) -> Int {
            limit.map { shares.calls(of: tool, in: $0.window, now: now.monotonic) } ?? 0
        }
        let used = shares.tools.map { ($0, ToolUse(rate: calls($0, budget.rate), quota: calls($0, budget.quota))) }
        return Dictionary(used, uniquingKeysWith: { first, _ in first })
    }

    /// What a call for the stock must leave: all that is kept for anybody, because anybody may use it.
    func keptFromStock(_ now: Moment) -> BudgetShares.Kept { kept(from: CallUser(), now) }

    /// Whether nothing is left but calls that are being recorded for the stock. The next caller waits for them: a
    /// refusal would leave them unused.
    func awaitsStock(_ user: CallUser, now: Moment) -> Bool { awaitsStock(of: budget, kept(from: user, now), now: now) }

    private func awaitsStock(of budget: CallBudget, _ kept: BudgetShares.Kept, now: Moment) -> Bool {
        guard stock.isComing, !stock.holds(now: now.monotonic), !budget.isDenied(now: now) else { return false }
        var budget = budget
        return budget.look(now: now, leaving: kept) != .granted
    }

    /// Takes a call from the stock if possible, otherwise from the budget. The call is about to be sent.
    /// - Parameters:
    ///   - user: who makes the call.
    ///   - isProbe: whether the caller already has the trial.
    /// - Returns: also the call if it came from the stock. It is already on record, and counts from now.
    func admit(
        _ user: CallUser = CallUser(), isProbe: Bool, now: Moment
    ) -> (admission: LaneAdmission, used: CallStock.Call?) {
        // The API may have asked while the call waited for its place.
        if let rest = rests.rest(of: user.caller, now: now.monotonic) {
            if isProbe { suspension.abandoned(now: now.monotonic) }
            return (.resting(rest), nil)
        }
        var used: CallStock.Call?
        let kept = kept(from: user, now)
        let admission = pass(isProbe: isProbe, now: now) { budget in
            if mayUseStock(of: budget, now: now) { used = stock.use(now: now.monotonic) }
            guard var call = used?.counted, let number = used?.number else {
                return budget.take(now: now, leaving: kept)
            }
            defer { used?.counted = call }
            return budget.send(&call, callNumber: number, now: now)
        }
        switch admission {
        case .granted, .probe:
            shares.count(user.tool, windows: budget.windows, now: now.monotonic)
        case .suspended, .spent, .kept, .resting: break
        }
        return (admission, used)
    }

    /// Whether a call of this lane need not wait: there are no limits, or a call in stock is already on record.
    func leavesAtOnce(now: Moment) -> Bool { isUnlimited || mayUseStock(of: budget, now: now) }

    /// What the API says is left overrides calls that were reserved before it said so.
    private func mayUseStock(of budget: CallBudget, now: Moment) -> Bool {
        stock.holds(now: now.monotonic) && !budget.isDenied(now: now)
    }

    private func pass(isProbe: Bool, now: Moment, _ ask: (inout CallBudget) -> CallBudget.Grant) -> LaneAdmission {
        var isProbe = isProbe
        // A provider that failures never suspend needs no trial after a suspension by hand.
        if !suspends, suspension.isProbing(at: now.monotonic) { suspension.resume() }
        if heedsSuspension {
            if isProbe, let rest = suspension.rest(at: now.monotonic) {
                // The provider was suspended again while the call waited, so there is no trial any more.
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
            return budget.look(now: now) == .granted ? .kept(until: until) : .spent(until: until)
        }
    }

    /// Records an answer from a working provider. Returns true if this ended a suspension.
    /// - Parameter isTrial: whether it answered the trial with a known question.
    func succeeded(isTrial: Bool, now: Moment) -> Bool {
        reachability.succeeded(at: now.wall)
        let wasSuspended = heedsSuspension && suspension.suspension != nil
        suspension.succeeded(inTrialAt: isTrial ? now.monotonic : nil)
        return wasSuspended && suspension.suspension == nil
    }

    /// Records a failure.
    func failed(
        _ failure: UpstreamFailure, _ weight: FailureWeight, now: Moment, random: UInt64
    ) -> SuspensionMachine.Consequence {
        reachability.failed(failure.failure, failure.detail, at: now.wall)
        guard suspends else { return .none }
        let isResting = suspension.rest(at: now.monotonic) != nil
        let consequence = suspension.failed(
            failure.failure, weight, now: now.monotonic, retryAt: failure.retryAt.map { now.monotonic(at: $0) },
            random: random)
        if case .suspended = consequence, !isResting { hasToldOfBound = false }
        return consequence
    }
}
