// The engine of a simulated fleet: values, leases and a ledger, with its own clock. It also contains the judge. From
// the grants and their times alone the judge decides whether a call was made within its lease, and how long the lease
// of a dead host delayed others.
import LarderCache
import LarderCore

/// The engine's reply to a request for the lease of a fetch.
enum LeaseReply {
    case taken
    /// - Parameter deadSince: when the owner died, by the engine's clock. The asking host cannot know this; only the
    ///   judge uses it.
    case held(deadSince: Int64?)
    case settled
}

/// A simulated engine. Instants are milliseconds of its own clock, which differs from the clock of every host.
struct SimulatedEngine {
    struct Value {
        var freshUntil: Int64
        /// The same instant by the world's clock, for the judge.
        var trueFreshUntil: Int64
    }

    private struct Lease {
        /// 0 for a note that nothing was published.
        var owner: Int
        var host: Int
        var end: Int64
        var deadSince: Int64?
    }

    /// A grant of calls from the budget.
    private struct Grant {
        var end: Int64
        var left: Int
    }

    var now: Int64 = 0
    private var values: [Int: Value] = [:]
    private var leases: [Int: Lease] = [:]
    private var signs: [String: Int64] = [:]
    private var ledger: QuotaLedger?
    private var epochs = 0
    private var grants: [String: Grant] = [:]
    private(set) var lateCalls = 0
    private(set) var overdrawn = 0
    private(set) var longestDeadLease: Int64 = 0
    /// The leases of dead hosts that another host found held.
    private var deadMet: Set<Int> = []
    var deadLeasesMet: Int { deadMet.count }

    /// Loses all values, leases, signs of life and the ledger, like a restarted engine. The judge keeps the earlier
    /// grants.
    mutating func lose() { (values, leases, signs, ledger) = ([:], [:], [:], nil) }

    // MARK: Answers

    func value(_ answer: Int) -> Value? {
        guard let value = values[answer], value.freshUntil > now else { return nil }
        return value
    }

    mutating func publish(_ answer: Int, _ value: Value) { values[answer] = value }

    // MARK: Leases of fetches

    /// The freshness end of a stored answer, which identifies it; nil if none is stored.
    func instant(_ answer: Int) -> Int64? { value(answer)?.freshUntil }

    /// Corresponds to SET NX PX, then GET.
    mutating func take(_ answer: Int, owner: Int, host: Int) -> LeaseReply {
        if let lease = leases[answer], lease.end > now {
            guard lease.owner != 0 else { return .settled }
            if let since = lease.deadSince {
                deadMet.insert(lease.owner)
                longestDeadLease = max(longestDeadLease, now - since)
            }
            return .held(deadSince: lease.deadSince)
        }
        leases[answer] = Lease(owner: owner, host: host, end: now + SharedWait.term.milliseconds)
        return .taken
    }

    mutating func renew(_ answer: Int, owner: Int) {
        guard let lease = leases[answer], lease.owner == owner, lease.end > now else { return }
        leases[answer]?.end = now + SharedWait.term.milliseconds
    }

    mutating func release(_ answer: Int, owner: Int, isSettled: Bool) {
        guard let lease = leases[answer], lease.owner == owner, lease.end > now else { return }
        leases[answer] =
            isSettled ? Lease(owner: 0, host: lease.host, end: now + SharedWait.settledFor.milliseconds) : nil
    }

    /// Records the death of a host for the judge. The engine itself does not know of it.
    mutating func hostDied(_ host: Int) {
        for (answer, lease) in leases where lease.host == host && lease.owner != 0 && lease.end > now {
            leases[answer]?.deadSince = lease.deadSince ?? now
        }
    }

    // MARK: The budget

    mutating func sign(_ host: Int) { signs["\(host)"] = now }

    mutating func ask(_ ask: QuotaAsk) -> QuotaReply {
        var current: QuotaLedger
        if let ledger {
            current = ledger
        } else {
            epochs += 1
            current = QuotaLedger(epoch: "\(epochs)", now: now)
        }
        let alive = Set(signs.filter { $0.value >= now - 10_000 }.keys)
        let reply = current.ask(ask, alive: alive, now: now)
        ledger = current
        if reply.granted > 0 {
            grants[ask.lease] = Grant(end: now + QuotaLedger.term.milliseconds, left: reply.granted)
        }
        return reply
    }

    /// Records a call that is sent under a lease.
    mutating func judgeCall(_ lease: String) {
        guard let grant = grants[lease], grant.end > now else {
            lateCalls += 1
            return
        }
        guard grant.left > 0 else {
            overdrawn += 1
            return
        }
        grants[lease]?.left -= 1
    }
}
