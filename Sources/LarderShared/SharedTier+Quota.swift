// Budgets that a fleet shares. A call is taken from this host's lease. If the lease has no calls left, the host asks
// the ledger, once for all the calls that wait.
import LarderCache
import LarderCore
import LarderIO

/// Identifies a budget, with its limits.
public struct QuotaSubject: Sendable, Hashable {
    public var provider: String
    /// What the API distinguishes its callers by. It does not appear in any name in the engine.
    public var identity: Bytes
    public var limits: [CallRate]
    /// The percentage of each limit that this lease leaves to those who may use the reserve.
    public var reserve = 0
    /// Whether the calls may use the reserve. They have a lease of their own, from the same ledger.
    public var isReserve = false

    /// The name of the lease on this host.
    var lease: String { isReserve ? "\(provider) reserve" : provider }

    /// The limits less what is left to others.
    var ownLimits: [CallRate] {
        limits.map { CallRate(calls: max(1, $0.calls - $0.calls * reserve / 100), per: $0.window) }
    }

    public init(provider: String, identity: Bytes, limits: [CallRate]) {
        self.provider = provider
        self.identity = identity
        self.limits = limits
    }
}

/// Whether one call may be made.
public enum QuotaTurn: Sendable, Hashable {
    /// The call may be made before that instant of the tier's clock (see `leaves`).
    case granted(until: MonotonicTime)
    /// No call is left. One is available after that time.
    case spent(for: Duration)
    /// The engine, which keeps the budget, does not answer. It is asked again after that time.
    case unanswered(for: Duration)
}

/// One budget of this host, and its pending question to the ledger.
struct QuotaState: Sendable {
    var share = QuotaShare()
    var subject: QuotaSubject?
    var asking: Promise<Void>?
    var waiting = 0
}

extension SharedTier {
    /// Takes one call of the fleet's budget.
    /// - Parameter own: returns this host's own calls in each window.
    public func takeCall(_ subject: QuotaSubject, own: @Sendable () -> [Int]) async -> QuotaTurn {
        let began = loop.clock.monotonic()
        quotas.withLock { $0[subject.lease, default: QuotaState()].waiting += 1 }
        defer { quotas.withLock { $0[subject.lease]?.waiting -= 1 } }
        var hasWaited = false
        while true {
            let now = loop.clock.monotonic()
            let (take, other, mine) = quotas.withLock { quotas -> (QuotaShare.Take, Promise<Void>?, Promise<Void>?) in
                var state = quotas[subject.lease] ?? QuotaState()
                defer { quotas[subject.lease] = state }
                let take = state.share.take(now: now)
                guard take == .ask else { return (take, nil, nil) }
                if let asking = state.asking { return (take, asking, nil) }
                let mine = Promise<Void>()
                state.asking = mine
                return (take, nil, mine)
            }
            switch take {
            case .granted(let until):
                count(SharedCounters.quota, "granted")
                return .granted(until: until)
            case .spent(let until):
                count(SharedCounters.quota, "spent")
                return .spent(for: until - now)
            case .unanswered(let until):
                count(SharedCounters.quota, "spent")
                return .unanswered(for: until - now)
            case .wait(let until):
                // All calls that come meanwhile wait. The ledger opens when the hosts have reported, which takes
                // seconds.
                guard now - began < settings.times.ledgerPatience else {
                    count(SharedCounters.quota, "spent")
                    return .spent(for: until - now)
                }
                if !hasWaited { count(SharedCounters.quota, "waited") }
                hasWaited = true
                await pause(until - now)
                continue
            case .ask: break
            }
            if let other {
                await other.wait()
                continue
            }
            _ = await askLedger(subject, own(), waits: true)
            quotas.withLock { $0[subject.lease]?.asking = nil }
            mine?.fulfil()
        }
    }

    /// Records that a call granted until `until` is now sent, or is not sent at all.
    /// - Parameter isWanted: false if the call is not sent, whatever the time.
    /// - Returns: whether the call may still be sent.
    public func leaves(_ subject: QuotaSubject, grantedUntil until: MonotonicTime, isWanted: Bool) -> Bool {
        let isInTime = loop.clock.monotonic() < until
        quotas.withLock { $0[subject.lease]?.share.callLeft(grantedUntil: until) }
        return isWanted && isInTime
    }

    /// Counts a call that could not be taken in advance, such as a redirect.
    public func countCall(_ provider: String) {
        let now = loop.clock.monotonic()
        quotas.withLock { $0[provider, default: QuotaState()].share.countMade(now: now) }
    }

    /// Reports this host's calls to the ledger, so that a new ledger need not wait for them. Gives back a lease that
    /// has ended.
    /// - Returns: whether the ledger received the report.
    public func reportCalls(_ subject: QuotaSubject, own: [Int]) async -> Bool {
        var reserve = subject
        reserve.isReserve = true
        if quotas.withLock({ [lease = reserve.lease] in $0[lease] != nil }) {
            _ = await askLedger(reserve, own, waits: false)
        }
        return await askLedger(subject, own, waits: false) != nil
    }

    /// Gives the remaining calls of every lease back to the ledger.
    public func returnCalls() async {
        let subjects = quotas.withLock { $0.values.compactMap { $0.share.leaseEnd == nil ? nil : $0.subject } }
        for subject in subjects {
            _ = await askLedger(subject, subject.limits.map { _ in 0 }, waits: false, isLast: true)
        }
    }

    /// - Returns: whether the ledger is open. False if it is new and still waits for the hosts; nil if there is no
    ///   reply.
    private func askLedger(_ subject: QuotaSubject, _ own: [Int], waits: Bool, isLast: Bool = false) async -> Bool? {
        let sentAt = loop.clock.monotonic()
        let words = [SharedGeneration.random(), SharedGeneration.random()].map {
            String(decoding: $0.text, as: UTF8.self)
        }
        let ask = quotas.withLock { quotas -> QuotaAsk in
            var state = quotas[subject.lease] ?? QuotaState()
            defer { quotas[subject.lease] = state }
            state.subject = subject
            return state.share.ask(
                host: host.id, name: words[0], waiting: waits ? max(1, state.waiting) : 0, limits: subject.ownLimits,
                own: own, now: isLast ? sentAt + .seconds(60) : sentAt)
        }
        let name = names.quota(codec.code(of: subject.identity, Bytes(text: subject.provider)))
        let command = QuotaScript.command(ask, ledger: name, hosts: names.hosts, fresh: words[1])
        let answer = await perform("quota", [command])?.first
        let reply = answer.flatMap { QuotaScript.reply($0, to: ask) }
        if reply == nil, let answer { note(failure: answer.failure ?? .garbage) }
        let now = loop.clock.monotonic()
        quotas.withLock { quotas in
            if let reply {
                quotas[subject.lease]?.share.answered(reply, to: ask, sentAt: sentAt, now: now)
            } else {
                quotas[subject.lease]?.share.unanswered(ask, now: now)
            }
        }
        if let reply, reply.granted > 0 { count(SharedCounters.quota, "leased") }
        return reply?.isOpen
    }

    /// The calls that this host may make without asking, by provider, for the sign of life.
    var callsInHand: [(provider: String, calls: Int)] {
        let now = loop.clock.monotonic()
        let leases = quotas.withLock {
            $0.map { ($0.value.subject?.provider ?? $0.key, $0.value.share.left(now: now)) }
        }
        return Dictionary(leases, uniquingKeysWith: +).filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value)
        }
    }
}
