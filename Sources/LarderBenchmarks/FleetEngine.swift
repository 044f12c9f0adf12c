// The engine of a simulated fleet: values, leases and a ledger under its own clock. It also judges, from nothing but what it granted and
// when: whether a call was made within its lease, and for how long the lease of a host that died held up others.
import LarderCache
import LarderCore

/// What the engine says of the lease of a fetch.
enum LeaseReply {
    case taken
    /// - Parameter deadSince: when its owner died, by the engine's clock. The host that asks cannot know it.
    case held(deadSince: Int64?)
    case settled
}

/// Instants are milliseconds of its own clock, which is not that of any host.
struct SimulatedEngine {
    struct Value {
        var freshUntil: Int64
        /// By the world's clock, for the judge.
        var trueFreshUntil: Int64
    }

    private struct Lease {
        /// 0 for one that tells that nothing was published.
        var owner: Int
        var host: Int
        var end: Int64
        var deadSince: Int64?
    }

    /// What it granted of the budget.
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
    /// Leases of hosts that had died, which another host found held.
    private var deadMet: Set<Int> = []
    var deadLeasesMet: Int { deadMet.count }

    /// It has lost everything. What it granted before, the judge remembers.
    mutating func lose() { (values, leases, signs, ledger) = ([:], [:], [:], nil) }

    // MARK: Answers

    func value(_ answer: Int) -> Value? {
        guard let value = values[answer], value.freshUntil > now else { return nil }
        return value
    }

    mutating func publish(_ answer: Int, _ value: Value) { values[answer] = value }

    // MARK: Leases of fetches

    /// Which answer it has, by the instant that is written in it; nil for none.
    func instant(_ answer: Int) -> Int64? { value(answer)?.freshUntil }

    /// SET NX PX, then GET.
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

    /// A host has died: the judge notes it, the engine does not know.
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

    /// A call goes out in the name of a lease.
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
