// Counts how many calls an API allows. Rate and quota are sliding windows: no span of a window's length holds more than
// its number of calls. The last N calls are remembered; one more is allowed when the Nth last has left the window.
// Windows are measured on the monotonic clock, so no step of the wall clock opens one early or keeps it shut. Of the
// previous run only wall times are known; those later than now count as now, so a budget is blocked for one window at
// most.
//
// What an API says of the calls that are left can only reduce the budget: other programs use the same key, and the
// response has not counted our calls under way.
import LarderCore

/// The calls to one provider. A value. Its owner records each call durably before the call is sent.
public struct CallBudget: Sendable {
    /// The reply to a request for a call.
    public enum Grant: Sendable, Hashable {
        /// The call is granted and counted.
        case granted
        /// No call is left. At this time one more is allowed.
        case spent(until: MonotonicTime)
    }

    public let rate: CallRate?
    public let quota: CallRate?
    private var calls: CallRing
    /// The allowances that the API stated, less the calls taken since.
    private var told: [Told] = []
    /// The number of calls taken and counted so far. Directly after a call was taken, this is the number of that call.
    /// A response cannot know of calls with a higher number than its own.
    public private(set) var taken = 0
    /// The number of the call whose response last stated what is left.
    private var heard = 0
    /// The numbers of the last calls that were given back. A response has not counted these calls.
    private var returned: [Int] = []

    /// The longest time ahead for which the API's statement is believed.
    public static let longestBelieved: Duration = .seconds(86_400)
    /// The most allowances that are kept. APIs have one or two.
    public static let mostAllowances = 8
    /// The most numbers of given-back calls that are kept. A forgotten one counts as made, so that less seems left.
    static let mostReturned = 256

    /// The API's statement about one limit. `resetsAt` is computed from the time at which it arrived.
    private struct Told: Sendable {
        var name: String
        var limit: Int?
        var remaining: Int
        var resetsAt: MonotonicTime
    }

    /// - Parameter calls: the known calls, in any order. Only the latest that matter are kept. The wall time of a call
    ///   identifies it on record.
    public init(rate: CallRate?, quota: CallRate?, calls: [Moment] = []) {
        self.rate = rate
        self.quota = quota
        self.calls = CallRing(limit: max(rate?.calls ?? 0, quota?.calls ?? 0))
        for call in calls.sorted(by: { ($0.monotonic, $0.wall) < ($1.monotonic, $1.wall) }) { self.calls.insert(call) }
    }

    /// Makes a budget from a record of calls, given as wall times in any order.
    public init(rate: CallRate?, quota: CallRate?, recorded: [WallTime], now: Moment) {
        self.init(rate: rate, quota: quota, calls: recorded.map { Self.placed($0, now) })
    }

    /// When a recorded call happened. The record has only a wall time, and the wall clock may have been set since.
    private static func placed(_ call: WallTime, _ now: Moment) -> Moment {
        Moment(wall: call, monotonic: min(now.monotonic, now.monotonic(at: call)))
    }

    /// A budget that is used up now. For use when the record of calls is lost.
    public static func spent(rate: CallRate?, quota: CallRate?, now: Moment) -> CallBudget {
        let count = max(rate?.calls ?? 0, quota?.calls ?? 0)
        return CallBudget(rate: rate, quota: quota, calls: Array(repeating: now, count: count))
    }

    /// The same calls under other limits, after the settings changed. The old limits may have remembered too few calls.
    /// If a new window is longer or its count larger, pass the recorded calls too.
    public func with(rate: CallRate?, quota: CallRate?) -> CallBudget {
        with(rate: rate, quota: quota, calls: calls.all)
    }

    /// The same calls under other limits, together with recorded calls that the old limits had not remembered. A call
    /// in both counts once. Several calls at one time count as often as the record or the memory has them.
    ///
    /// - Parameter started: the clocks when this run began. A call that is only on record may have been made under the
    ///   first or the present wall clock of this run. It counts at the later of the two times.
    public func with(
        rate: CallRate?, quota: CallRate?, recorded: [WallTime], started: Moment, now: Moment
    ) -> CallBudget {
        var unknown = recorded.reduce(into: [WallTime: Int]()) { $0[$1, default: 0] += 1 }
        for call in calls.all { unknown[call.wall, default: 0] -= 1 }
        let missing = unknown.flatMap { call, count in
            let placed = max(Self.placed(call, now).monotonic, min(now.monotonic, started.monotonic(at: call)))
            return Array(repeating: Moment(wall: call, monotonic: placed), count: max(0, count))
        }
        return with(rate: rate, quota: quota, calls: calls.all + missing)
    }

    private func with(rate: CallRate?, quota: CallRate?, calls: [Moment]) -> CallBudget {
        var budget = CallBudget(rate: rate, quota: quota, calls: calls)
        budget.told = told
        budget.taken = taken
        budget.heard = heard
        budget.returned = returned
        return budget
    }

    /// Whether any limit applies.
    public var isLimited: Bool { rate != nil || quota != nil }

    /// Whether the API has stated what is left.
    public var hasCredits: Bool { !told.isEmpty }

    /// The windows of the limits.
    public var windows: [Duration] { Set([rate, quota].compactMap { $0?.window }).sorted() }

    /// The longest time for which calls are remembered; zero without limits.
    public var longestWindow: Duration { max(rate?.window ?? .zero, quota?.window ?? .zero) }

    /// Whether a call can be taken now. Counts nothing.
    /// - Parameter kept: what must be left afterwards.
    public mutating func look(now: Moment, leaving kept: BudgetShares.Kept = .nothing) -> Grant {
        if !told.isEmpty { forgetTold(now) }
        if let end = blockedUntil(kept), end > now.monotonic { return .spent(until: end) }
        return .granted
    }

    /// Takes one call, if one is left.
    public mutating func take(now: Moment, leaving kept: BudgetShares.Kept = .nothing) -> Grant {
        if case .spent(let end) = look(now: now, leaving: kept) { return .spent(until: end) }
        calls.insert(now)
        takeTold()
        return .granted
    }

    /// Takes one call, if one is left, that may be sent until `last`, and counts it at that time.
    mutating func take(now: Moment, countedFrom last: Moment, leaving kept: BudgetShares.Kept) -> Grant {
        if case .spent(let end) = look(now: now, leaving: kept) { return .spent(until: end) }
        calls.insert(last)
        takeTold()
        return .granted
    }

    /// Whether the API's own statement leaves no call, whatever the configured limits allow.
    public func isDenied(now: Moment) -> Bool {
        told.contains { $0.remaining == 0 && $0.resetsAt > now.monotonic }
    }

    /// Counts a call from now, when it is sent. Recording it took time, or it was reserved ahead and counted at its
    /// last possible time, but the provider counts when it receives the call. The call's wall time on record stays.
    /// - Parameter call: the call as it was taken.
    /// - Returns: whether the call may be sent. It is refused and given back if recording took so long that other calls
    ///   have used up the limits.
    public mutating func send(_ call: inout Moment, callNumber: Int, now: Moment) -> Grant {
        let isLate = call.monotonic < now.monotonic
        // A call that was forgotten meanwhile has left every window. It is treated like a new call.
        calls.remove(call)
        if isLate, let end = windowsBlockedUntil(.nothing), end > now.monotonic {
            noteReturn(of: callNumber)
            return .spent(until: end)
        }
        call.monotonic = now.monotonic
        calls.insert(call)
        return .granted
    }

    /// Counts a call that was made regardless of the limits.
    public mutating func count(at call: Moment) {
        calls.insert(call)
        takeTold()
    }

    /// Gives back a call that was taken but never made.
    /// - Parameters:
    ///   - call: the call as it is counted: as taken, or as changed by `send`.
    ///   - callNumber: the value of `taken` directly after the call was taken.
    public mutating func giveBack(_ call: Moment, callNumber: Int) {
        calls.remove(call)
        noteReturn(of: callNumber)
    }

    private mutating func noteReturn(of callNumber: Int) {
        if returned.count == Self.mostReturned { returned.removeFirst() }
        returned.append(callNumber)
        // If the allowances came with the response to a later call, nothing is added: the API did not count this call,
        // and `learn` subtracted only later calls.
        guard heard < callNumber else { return }
        for place in told.indices {
            told[place].remaining = min(told[place].limit ?? .max, told[place].remaining + 1)
        }
    }

    /// When a call is allowed again: when the windows allow one and every exhausted allowance of the API has been
    /// reset.
    private func blockedUntil(_ kept: BudgetShares.Kept) -> MonotonicTime? {
        // An API may tell any number: the product would be too large.
        let spent = told.filter { told in
            let (hundreds, rest) = (told.limit ?? 0).quotientAndRemainder(dividingBy: 100)
            return told.remaining <= hundreds * kept.percentOfTold + rest * kept.percentOfTold / 100
        }
        return (spent.map(\.resetsAt) + [windowsBlockedUntil(kept)].compactMap { $0 }).max()
    }

    /// The time at which the Nth last call has left its window, for the limit that blocks longest.
    private func windowsBlockedUntil(_ kept: BudgetShares.Kept) -> MonotonicTime? {
        [(rate, kept.rate), (quota, kept.quota)].compactMap { limit, kept -> MonotonicTime? in
            guard let limit, let call = calls.last(max(1, limit.calls - kept)) else { return nil }
            return call.monotonic + limit.window
        }.max()
    }

    /// The number of calls that may be made now: the smallest remainder of all limits; nil if nothing is limited.
    public func remaining(now: Moment) -> Int? {
        let usage = usage(now: now)
        return ([usage.rate, usage.quota].compactMap { $0 } + allowances(now: now).map(\.remaining)).min()
    }

    /// Takes in the allowances that a response states. They replace earlier statements, less the calls that the
    /// response cannot have counted.
    ///
    /// - Parameter callNumber: the value of `taken` directly after the answered call was taken.
    public mutating func learn(_ credits: Credits, callNumber: Int, now: Moment) {
        forgetTold(now)
        heard = callNumber
        let uncounted = max(0, taken - callNumber - returned.count { $0 > callNumber })
        for allowance in credits.allowances {
            let reset = min(now.monotonic(at: allowance.resetsAt), now.monotonic + Self.longestBelieved)
            told.removeAll { $0.name == allowance.name }
            guard reset > now.monotonic, told.count < Self.mostAllowances else { continue }
            told.append(
                Told(
                    name: allowance.name, limit: allowance.limit,
                    remaining: max(0, allowance.remaining - uncounted), resetsAt: reset))
        }
    }

    /// Takes in allowances that were known at an earlier time. Calls recorded after that time are subtracted. No reset
    /// is further ahead than it was then, whatever the clock says now.
    public mutating func recall(_ credits: Credits, savedAt: WallTime, now: Moment) {
        let since = calls.all.reduce(0) { $0 + ($1.wall > savedAt ? 1 : 0) }
        var credits = credits
        for place in credits.allowances.indices {
            let length = max(.zero, credits.allowances[place].resetsAt - savedAt)
            credits.allowances[place].resetsAt = min(credits.allowances[place].resetsAt, now.wall + length)
        }
        learn(credits, callNumber: taken - since, now: now)
    }

    /// The allowances of the API that have not been reset yet.
    public func allowances(now: Moment) -> [Credits.Allowance] {
        told.filter { $0.resetsAt > now.monotonic }.sorted { $0.name < $1.name }.map { told in
            Credits.Allowance(
                name: told.name, limit: told.limit, remaining: told.remaining, resetsAt: now.wall(at: told.resetsAt))
        }
    }

    /// Removes allowances whose reset has passed.
    private mutating func forgetTold(_ now: Moment) {
        told.removeAll { $0.resetsAt <= now.monotonic }
    }

    private mutating func takeTold() {
        taken &+= 1
        for place in told.indices { told[place].remaining = max(0, told[place].remaining - 1) }
    }

    /// The calls left of each limit; nil for a limit that is off.
    public func usage(now: Moment) -> (rate: Int?, quota: Int?) {
        func left(_ limit: CallRate?) -> Int? {
            limit.map { max(0, $0.calls - calls.count(after: now.monotonic, window: $0.window)) }
        }
        return (left(rate), left(quota))
    }

    /// When both limits will be whole again if no more calls are made; nil if they are whole now.
    public func resetsAt(now: Moment) -> MonotonicTime? {
        guard let last = calls.last else { return nil }
        let end = last.monotonic + longestWindow
        return end > now.monotonic ? end : nil
    }

    /// When this limit will be whole again if no more calls are made; nil if it is whole now.
    public func resetsAt(_ limit: CallRate?, now: Moment) -> MonotonicTime? {
        guard let limit, let last = calls.last else { return nil }
        let end = last.monotonic + limit.window
        return end > now.monotonic ? end : nil
    }

    /// Whether a call may be made for which no client waits. Half of each limit, and half of the API's allowances, is
    /// reserved for calls with waiting clients. Counts nothing.
    public func spare(now: Moment) -> Grant {
        var ends = [rate, quota].compactMap { limit -> MonotonicTime? in
            guard let limit, let call = calls.last(max(1, limit.calls / 2)) else { return nil }
            return call.monotonic + limit.window
        }
        // Half of each allowance of the API is reserved as well.
        for allowance in told where allowance.remaining <= (allowance.limit ?? 0) / 2 {
            ends.append(allowance.resetsAt)
        }
        guard let end = ends.max(), end > now.monotonic else { return .granted }
        return .spent(until: end)
    }

    /// When the next limit, including those of the API, will be whole again if no more calls are made; nil if all are
    /// whole.
    public func nextWhole(now: Moment) -> MonotonicTime? {
        let ends =
            told.map(\.resetsAt).filter { $0 > now.monotonic } + [rate, quota].compactMap { resetsAt($0, now: now) }
        return ends.min()
    }

    /// The calls that are remembered, oldest first.
    public var remembered: [Moment] { calls.all }
}

/// The last calls up to `limit`, ordered by the monotonic clock, in a circular array that grows up to that limit.
private struct CallRing: Sendable {
    let limit: Int
    private var storage: [Moment] = []
    private var start = 0
    private(set) var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    private subscript(position: Int) -> Moment {
        get { storage[(start + position) % storage.count] }
        set { storage[(start + position) % storage.count] = newValue }
    }

    var last: Moment? { count > 0 ? self[count - 1] : nil }

    /// The call that is `number` calls back (1 is the last); nil if there are not so many.
    func last(_ number: Int) -> Moment? {
        number > 0 && number <= count ? self[count - number] : nil
    }

    var all: [Moment] { (0..<count).map { self[$0] } }

    /// Inserts a call. Calls may arrive out of order: threads overtake each other, and some calls count from a later
    /// time.
    mutating func insert(_ call: Moment) {
        // When the ring is full, the oldest call is forgotten, which may be this one.
        guard limit > 0, count < limit || self[0].monotonic <= call.monotonic else { return }
        if count == storage.count, count < limit {
            storage = all
            start = 0
            storage.append(contentsOf: repeatElement(call, count: min(limit, max(8, count * 2)) - count))
        }
        if count == storage.count {
            start = (start + 1) % storage.count
            count -= 1
        }
        count += 1
        var place = count - 1
        while place > 0, self[place - 1].monotonic > call.monotonic {
            self[place] = self[place - 1]
            place -= 1
        }
        self[place] = call
    }

    /// Removes exactly this call, if it is remembered.
    mutating func remove(_ call: Moment) {
        guard let place = (0..<count).last(where: { self[$0] == call }) else { return }
        for later in (place + 1)..<max(place + 1, count) { self[later - 1] = self[later] }
        count -= 1
    }

    /// The number of calls in the window that ends now. A binary search, because the calls are ordered.
    func count(after now: MonotonicTime, window: Duration) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].monotonic + window <= now { low = middle + 1 } else { high = middle }
        }
        return count - low
    }
}
