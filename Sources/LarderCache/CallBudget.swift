// How many calls an API allows: a rate and a quota, both as sliding windows: in no span of that length are there more
// than that many calls. Remembering the last N calls is enough: one more is allowed when the Nth last has left the
// window. That is constant work a call and bounded memory.
//
// Windows are measured on the monotonic clock, so no step of the wall clock opens one early or holds one shut. Of the last
// run only wall times are known. Those beyond now, which a clock that was set back leaves on record, have happened, so at
// worst just now: the budget is never overdrawn, and blocked for one window at most.
//
// Some APIs say with each answer what is left. That can only take away: other programs use the same key, and calls of
// ours are under way that the answer has not counted. What it leaves above our own count stays unused.
import LarderCore

/// The calls to one provider. A value; its owner reserves each call durably before it is sent.
public struct CallBudget: Sendable {
    /// The answer to asking for a call.
    public enum Grant: Sendable, Hashable {
        /// Granted and counted.
        case granted
        /// Nothing left; at that instant there is one more.
        case spent(until: MonotonicTime)
    }

    public let rate: CallRate?
    public let quota: CallRate?
    private var calls: CallRing
    /// What the API said is left, less the calls taken since.
    private var told: [Told] = []
    /// Calls taken and counted so far, which just after a call was taken is that call's number. An answer cannot know of calls
    /// with a higher number than its own.
    public private(set) var taken = 0
    /// The number of the call whose answer last said what is left.
    private var heard = 0
    /// The numbers of the last calls that were given back: no answer need have counted those.
    private var returned: [Int] = []

    /// What an API says is believed this far ahead.
    public static let longestBelieved: Duration = .seconds(86_400)
    /// More allowances than this are not kept: APIs have one or two.
    public static let mostAllowances = 8
    /// More numbers of calls given back are not kept. One that is forgotten counts as made, so that less seems left.
    static let mostReturned = 256

    /// What the API said of one limit. Its reset is a length from when it was heard.
    private struct Told: Sendable {
        var name: String
        var limit: Int?
        var remaining: Int
        var resetsAt: MonotonicTime
    }

    /// - Parameter calls: known calls, in any order; only as many of the latest as matter are kept. The wall time of each
    ///   is its name on record.
    public init(rate: CallRate?, quota: CallRate?, calls: [Moment] = []) {
        self.rate = rate
        self.quota = quota
        self.calls = CallRing(limit: max(rate?.calls ?? 0, quota?.calls ?? 0))
        for call in calls.sorted(by: { ($0.monotonic, $0.wall) < ($1.monotonic, $1.wall) }) { self.calls.insert(call) }
    }

    /// The budget that a record of calls leaves, as wall times in any order.
    public init(rate: CallRate?, quota: CallRate?, recorded: [WallTime], now: Moment) {
        self.init(rate: rate, quota: quota, calls: recorded.map { Self.placed($0, now) })
    }

    /// When a call on record happened. What is known of it is a wall time of a clock that may have been set since.
    private static func placed(_ call: WallTime, _ now: Moment) -> Moment {
        Moment(wall: call, monotonic: min(now.monotonic, now.monotonic(at: call)))
    }

    /// A budget that was used up at that instant: for when the record of calls is lost.
    public static func spent(rate: CallRate?, quota: CallRate?, now: Moment) -> CallBudget {
        let count = max(rate?.calls ?? 0, quota?.calls ?? 0)
        return CallBudget(rate: rate, quota: quota, calls: Array(repeating: now, count: count))
    }

    /// The same calls under other limits, after the settings changed. What the old limits had no need to remember
    /// cannot be known: where a new window is longer or its count larger, pass the recorded calls too.
    public func with(rate: CallRate?, quota: CallRate?) -> CallBudget {
        with(rate: rate, quota: quota, calls: calls.all)
    }

    /// The same calls under other limits, with those on record that the old limits had no need to remember. A call that
    /// is in both counts once; several of one instant count as often as the record or the memory has them.
    ///
    /// - Parameter started: what the clocks said when this run began. A call of this run that is on record only was made on
    ///   one of the wall clocks of this run: it counts as made when the later of the first and the present one says.
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

    /// Whether calls are limited at all.
    public var isLimited: Bool { rate != nil || quota != nil }

    /// The longest span that calls are remembered for; zero without limits.
    public var longestWindow: Duration { max(rate?.window ?? .zero, quota?.window ?? .zero) }

    /// Whether there is a call to take now. Nothing is counted.
    public mutating func look(now: Moment) -> Grant {
        if !told.isEmpty { forgetTold(now) }
        if let end = blockedUntil, end > now.monotonic { return .spent(until: end) }
        return .granted
    }

    /// Takes one call, if there is one.
    public mutating func take(now: Moment) -> Grant {
        if case .spent(let end) = look(now: now) { return .spent(until: end) }
        calls.insert(now)
        takeTold()
        return .granted
    }

    /// Takes one call, if there is one, that may be sent until a later instant, and counts it from there.
    mutating func take(now: Moment, countedFrom last: Moment) -> Grant {
        if case .spent(let end) = look(now: now) { return .spent(until: end) }
        calls.insert(last)
        takeTold()
        return .granted
    }

    /// Whether what the API says is left leaves nothing, whatever the own limits allow.
    public func isDenied(now: Moment) -> Bool {
        told.contains { $0.remaining == 0 && $0.resetsAt > now.monotonic }
    }

    /// A call that was taken before is sent now, and counts from now: writing it down took its time, or it was reserved ahead and
    /// counted from its last instant, and the provider counts what it receives. Its name on record stays.
    /// - Parameter call: as it was taken.
    /// - Returns: whether it may be sent. It may not where writing took so long that others have used up the limits; it is
    ///   given back then.
    public mutating func send(_ call: inout Moment, callNumber: Int, now: Moment) -> Grant {
        let isLate = call.monotonic < now.monotonic
        // One that was forgotten meanwhile has left every window, and is asked for like a new one.
        calls.remove(call)
        if isLate, let end = windowsBlockedUntil, end > now.monotonic {
            noteReturn(of: callNumber)
            return .spent(until: end)
        }
        call.monotonic = now.monotonic
        calls.insert(call)
        return .granted
    }

    /// Counts a call that was made whatever the limits said.
    public mutating func count(at call: Moment) {
        calls.insert(call)
        takeTold()
    }

    /// Takes a call back that was taken and never made.
    /// - Parameters:
    ///   - call: as it is counted: when it was taken, or what `send` made of that.
    ///   - callNumber: `taken` as it was just after.
    public mutating func giveBack(_ call: Moment, callNumber: Int) {
        calls.remove(call)
        noteReturn(of: callNumber)
    }

    private mutating func noteReturn(of callNumber: Int) {
        if returned.count == Self.mostReturned { returned.removeFirst() }
        returned.append(callNumber)
        // What is left came with the answer to a later call. The API did not count this call, since it was never made, and
        // `learn` took off later calls only. So there is nothing to add.
        guard heard < callNumber else { return }
        for place in told.indices {
            told[place].remaining = min(told[place].limit ?? .max, told[place].remaining + 1)
        }
    }

    /// The instant from which a call is allowed: when the windows allow one, and when what the API says is spent is there
    /// again.
    private var blockedUntil: MonotonicTime? {
        (told.filter { $0.remaining == 0 }.map(\.resetsAt) + [windowsBlockedUntil].compactMap { $0 }).max()
    }

    /// When the Nth last call has left its window, for each limit.
    private var windowsBlockedUntil: MonotonicTime? {
        [rate, quota].compactMap { limit -> MonotonicTime? in
            guard let limit, let call = calls.last(limit.calls) else { return nil }
            return call.monotonic + limit.window
        }.max()
    }

    /// The calls that may be made right now: the smallest of all limits' rest; nil where nothing is limited.
    public func remaining(now: Moment) -> Int? {
        let usage = usage(now: now)
        return ([usage.rate, usage.quota].compactMap { $0 } + allowances(now: now).map(\.remaining)).min()
    }

    /// Takes in what an answer says is left. Its last word counts, less the calls that it cannot have counted.
    ///
    /// - Parameter callNumber: `taken` as it was when the answered call had just been taken.
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

    /// Takes in what was known at an earlier instant: calls on record after it are taken off. No reset lies further ahead
    /// than it did then, whatever the clock says now.
    public mutating func recall(_ credits: Credits, savedAt: WallTime, now: Moment) {
        let since = calls.all.reduce(0) { $0 + ($1.wall > savedAt ? 1 : 0) }
        var credits = credits
        for place in credits.allowances.indices {
            let length = max(.zero, credits.allowances[place].resetsAt - savedAt)
            credits.allowances[place].resetsAt = min(credits.allowances[place].resetsAt, now.wall + length)
        }
        learn(credits, callNumber: taken - since, now: now)
    }

    /// What the API says is left, as far as that is still known.
    public func allowances(now: Moment) -> [Credits.Allowance] {
        told.filter { $0.resetsAt > now.monotonic }.sorted { $0.name < $1.name }.map { told in
            Credits.Allowance(
                name: told.name, limit: told.limit, remaining: told.remaining, resetsAt: now.wall(at: told.resetsAt))
        }
    }

    /// Forgets what is past its reset.
    private mutating func forgetTold(_ now: Moment) {
        told.removeAll { $0.resetsAt <= now.monotonic }
    }

    private mutating func takeTold() {
        taken &+= 1
        for place in told.indices { told[place].remaining = max(0, told[place].remaining - 1) }
    }

    /// What is left of each limit; nil for one that is off.
    public func usage(now: Moment) -> (rate: Int?, quota: Int?) {
        func left(_ limit: CallRate?) -> Int? {
            limit.map { max(0, $0.calls - calls.count(after: now.monotonic, window: $0.window)) }
        }
        return (left(rate), left(quota))
    }

    /// When all of both limits will be there again if nothing more is called; nil where it already is.
    public func resetsAt(now: Moment) -> MonotonicTime? {
        guard let last = calls.last else { return nil }
        let end = last.monotonic + longestWindow
        return end > now.monotonic ? end : nil
    }

    /// When all of one of the limits will be there again if nothing more is called; nil where it already is.
    public func resetsAt(_ limit: CallRate?, now: Moment) -> MonotonicTime? {
        guard let limit, let last = calls.last else { return nil }
        let end = last.monotonic + limit.window
        return end > now.monotonic ? end : nil
    }

    /// Whether a call may be made for which nobody waits: half of each limit, and of what
    /// the API says there is, is left to those who do. Nothing is counted.
    public func spare(now: Moment) -> Grant {
        var ends = [rate, quota].compactMap { limit -> MonotonicTime? in
            guard let limit, let call = calls.last(max(1, limit.calls / 2)) else { return nil }
            return call.monotonic + limit.window
        }
        // So is half of what the API says there is.
        for allowance in told where allowance.remaining <= (allowance.limit ?? 0) / 2 {
            ends.append(allowance.resetsAt)
        }
        guard let end = ends.max(), end > now.monotonic else { return .granted }
        return .spent(until: end)
    }

    /// When the next of the limits, those of the API among them, will be whole again if nothing more is called; nil where
    /// all are.
    public func nextWhole(now: Moment) -> MonotonicTime? {
        let ends =
            told.map(\.resetsAt).filter { $0 > now.monotonic } + [rate, quota].compactMap { resetsAt($0, now: now) }
        return ends.min()
    }

    /// The calls that are remembered, oldest first.
    public var remembered: [Moment] { calls.all }
}

/// The last so many calls, in order of the monotonic clock whatever the order of their coming, in one circular array that grows up to its limit.
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

    /// The instant that is the given number of calls back (1 is the last), where there are so many.
    func last(_ number: Int) -> Moment? {
        number > 0 && number <= count ? self[count - number] : nil
    }

    var all: [Moment] { (0..<count).map { self[$0] } }

    /// Calls may arrive out of the clock's order: threads overtake each other, and some calls count from a later instant.
    mutating func insert(_ call: Moment) {
        // Of one more than are remembered the oldest is forgotten, which may be this one.
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

    /// Takes out that very call, where it is remembered.
    mutating func remove(_ call: Moment) {
        guard let place = (0..<count).last(where: { self[$0] == call }) else { return }
        for later in (place + 1)..<max(place + 1, count) { self[later - 1] = self[later] }
        count -= 1
    }

    /// How many calls lie in the window that ends now. Binary search: the instants are in order.
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
