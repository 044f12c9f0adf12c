// Counts the calls of a fleet to one API, as the engine does. This is the engine's script (`QuotaScript`, LarderShared)
// as a pure machine for the simulation. The two are kept alike by hand, and `QuotaScriptTests` asks both the same.
// `FleetQuotaScenarios` tests the script's promise on an engine: all hosts together make no more calls than the limit,
// even after the engine has lost its data.
//
// A host takes a lease of a few calls for a short term. A lease that is out counts in full. When it is given back, the
// used calls count from then. When it is not given back, all of its calls count from its end. No call is made after the
// end of its lease, so no span of a window's length holds more calls than the limit. Counts are kept in buckets of a
// 64th of the window, and each bucket counts from its end.
//
// A new ledger does not know earlier calls. It grants nothing until every host that is alive has reported what it knows
// and all earlier leases are over. Then the larger of the hosts' own calls and the highest total that a host last saw
// counts as called now. If a host does not report, the ledger waits for one window.
import LarderCore

/// A host's question to the ledger.
public struct QuotaAsk: Sendable, Hashable {
    public var host: String
    /// The name of the ledger that the host last heard of; "" for none.
    public var knows: String
    /// The random name of the lease that the host wants.
    public var lease: String
    public var wanted: Int
    /// The number of calls that were made without a lease.
    public var debt: Int
    /// The name of an earlier lease; "" for none. `returnedUsed` is the number of its calls that were used.
    public var returned = ""
    public var returnedUsed = 0
    public var limits: [CallRate]
    /// This host's own calls in each window.
    public var own: [Int]
    /// All calls in each window, as the host was last told.
    public var seen: [Int]
}

/// The ledger's reply.
public struct QuotaReply: Sendable, Hashable {
    /// The ledger's random name.
    public var epoch: String
    public var granted: Int
    /// When nothing was granted: the time after which a new question is useful.
    public var wait: Duration
    /// False for a new ledger that waits for the hosts.
    public var isOpen: Bool
    /// All calls in each window, including this lease.
    public var used: [Int]

    public init(epoch: String, granted: Int, wait: Duration, isOpen: Bool, used: [Int]) {
        self.epoch = epoch
        self.granted = granted
        self.wait = wait
        self.isOpen = isOpen
        self.used = used
    }
}

/// The ledger. A value. Times are in milliseconds of the engine's clock.
public struct QuotaLedger: Sendable {
    /// The term of a lease.
    public static let term: Duration = .seconds(2)
    /// How long a new ledger grants nothing. Longer than an earlier lease may last.
    public static let grace: Duration = .seconds(3)
    static let buckets: Int64 = 64

    public let epoch: String
    private let born: Int64
    private var isOpen = false
    private var leases: [String: (calls: Int, end: Int64)] = [:]
    /// The number of calls by window in milliseconds, then by the end of the bucket.
    private var charges: [Int64: [Int64: Int]] = [:]
    private var reported: Set<String> = []
    /// By window: the sum of the hosts' own calls, and the largest total that any of them saw.
    private var own: [Int64: Int] = [:]
    private var seen: [Int64: Int] = [:]

    public init(epoch: String, now: Int64) {
        self.epoch = epoch
        born = now
    }

    /// The number of leases that are out.
    public var leaseCount: Int { leases.count }

    private mutating func charge(_ window: Int64, _ calls: Int, at: Int64) {
        guard calls > 0 else { return }
        let step = max(1, window / Self.buckets)
        charges[window, default: [:]][(at + step - 1) / step * step, default: 0] += calls
    }

    /// Answers a question.
    /// - Parameter alive: the hosts that gave a recent sign of life.
    public mutating func ask(_ ask: QuotaAsk, alive: Set<String>, now: Int64) -> QuotaReply {
        let windows = ask.limits.map { $0.window.milliseconds }
        if ask.knows == epoch, leases.removeValue(forKey: ask.returned) != nil {
            for window in windows { charge(window, ask.returnedUsed, at: now) }
        }
        for (name, lease) in leases where lease.end <= now {
            leases[name] = nil
            for window in windows { charge(window, lease.calls, at: lease.end) }
        }
        for window in charges.keys { charges[window] = charges[window]?.filter { $0.key > now - window } }
        report(ask, windows, now)
        guard opens(windows, alive, now) else {
            return QuotaReply(
                epoch: epoch, granted: 0, wait: .milliseconds(250), isOpen: false, used: windows.map { _ in 0 })
        }
        for window in windows { charge(window, ask.debt, at: now) }
        let out = leases.values.reduce(0) { $0 + $1.calls }
        var used = windows.map { out + (charges[$0]?.values.reduce(0, +) ?? 0) }
        var granted = ask.wanted
        for (limit, used) in zip(ask.limits, used) { granted = min(granted, limit.calls - used) }
        granted = max(0, granted)
        var wait: Int64 = 0
        if granted > 0 {
            leases[ask.lease] = (granted, now + Self.term.milliseconds)
            used = used.map { $0 + granted }
        } else if ask.wanted > 0 {
            for (place, limit) in ask.limits.enumerated() where used[place] >= limit.calls {
                let ends = (charges[windows[place]]?.keys.map { $0 } ?? []) + leases.values.map(\.end)
                if let first = ends.min() { wait = max(wait, first + windows[place] - now) }
            }
            wait = max(1, wait)
        }
        return QuotaReply(epoch: epoch, granted: granted, wait: .milliseconds(wait), isOpen: true, used: used)
    }

    private mutating func report(_ ask: QuotaAsk, _ windows: [Int64], _ now: Int64) {
        guard reported.insert(ask.host).inserted else { return }
        let isOfBefore = !ask.knows.isEmpty && ask.knows != epoch
        for (place, window) in windows.enumerated() {
            let before = max(own[window] ?? 0, seen[window] ?? 0)
            own[window, default: 0] += ask.own[place]
            if isOfBefore { seen[window] = max(seen[window] ?? 0, ask.seen[place]) }
            let after = max(own[window] ?? 0, seen[window] ?? 0)
            if isOpen { charge(window, after - before, at: now) }
        }
    }

    private mutating func opens(_ windows: [Int64], _ alive: Set<String>, _ now: Int64) -> Bool {
        if isOpen { return true }
        let isOver = now >= born + (windows.max() ?? 0)
        guard isOver || (now >= born + Self.grace.milliseconds && alive.isSubset(of: reported)) else { return false }
        isOpen = true
        if !isOver {
            for window in windows { charge(window, max(own[window] ?? 0, seen[window] ?? 0), at: now) }
        }
        return true
    }
}
