// Budgets that a fleet shares: a call is taken from this host's lease, and where there is none left the ledger is asked, once for all
// calls that wait for it.
import LarderCache
import LarderCore
import LarderIO

/// Whose budget it is, and its limits.
public struct QuotaSubject: Sendable, Hashable {
    public var provider: String
    /// What the API tells its callers apart by. No name in the engine shows it.
    public var identity: Bytes
    public var limits: [CallRate]

    public init(provider: String, identity: Bytes, limits: [CallRate]) {
        self.provider = provider
        self.identity = identity
        self.limits = limits
    }
}

/// Whether one call may be made.
public enum QuotaTurn: Sendable, Hashable {
    /// It may, before that instant of the tier's clock (`leaves`).
    case granted(until: MonotonicTime)
    /// There is one after that time.
    case spent(for: Duration)
    /// The engine, which keeps the budget, does not answer. It is asked again after that time.
    case unanswered(for: Duration)
}

/// One budget of this host, and the question to the ledger that is under way.
struct QuotaState: Sendable {
    var share = QuotaShare()
    var subject: QuotaSubject?
    var asking: Promise<Void>?
    var waiting = 0
}

extension SharedTier {
    /// A new ledger opens after a few seconds: a call waits so long for that.
    private static let patience = QuotaLedger.grace + .seconds(1)

    /// Takes one call of the fleet's budget.
    /// - Parameter own: this host's calls in each window.
    public func takeCall(_ subject: QuotaSubject, own: @Sendable () -> [Int]) async -> QuotaTurn {
        let began = loop.clock.monotonic()
        quotas.withLock { $0[subject.provider, default: QuotaState()].waiting += 1 }
        defer { quotas.withLock { $0[subject.provider]?.waiting -= 1 } }
        while true {
            let now = loop.clock.monotonic()
            let (take, other, mine) = quotas.withLock { quotas -> (QuotaShare.Take, Promise<Void>?, Promise<Void>?) in
                var state = quotas[subject.provider] ?? QuotaState()
                defer { quotas[subject.provider] = state }
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
                // All who come meanwhile wait: the ledger opens when the hosts have reported, which takes seconds.
                guard now - began < Self.patience else {
                    count(SharedCounters.quota, "spent")
                    return .spent(for: until - now)
                }
                await pause(until - now)
                continue
            case .ask: break
            }
            if let other {
                await other.wait()
                continue
            }
            _ = await askLedger(subject, own(), waits: true)
            quotas.withLock { $0[subject.provider]?.asking = nil }
            mine?.fulfil()
        }
    }

    /// A call that was granted until then is sent now, if at all.
    /// - Parameter isWanted: false where it is not sent, whatever the time.
    /// - Returns: whether it may still be sent.
    public func leaves(_ provider: String, grantedUntil until: MonotonicTime, isWanted: Bool) -> Bool {
        let isInTime = loop.clock.monotonic() < until
        quotas.withLock { $0[provider]?.share.callLeft(grantedUntil: until) }
        return isWanted && isInTime
    }

    /// A call was made that could not be taken before.
    public func countCall(_ provider: String) {
        let now = loop.clock.monotonic()
        quotas.withLock { $0[provider]?.share.countMade(now: now) }
    }

    /// Tells the ledger of this host's calls, so that a new one need not wait for it, and gives back a lease that is over.
    /// - Returns: whether it has heard.
    public func reportCalls(_ subject: QuotaSubject, own: [Int]) async -> Bool {
        await askLedger(subject, own, waits: false) != nil
    }

    /// Gives back what is left of every lease.
    public func returnCalls() async {
        let subjects = quotas.withLock { $0.values.compactMap { $0.share.leaseEnd == nil ? nil : $0.subject } }
        for subject in subjects {
            _ = await askLedger(subject, subject.limits.map { _ in 0 }, waits: false, isLast: true)
        }
    }

    /// - Returns: false where the ledger is new and waits for the hosts; nil where there is no answer.
    private func askLedger(_ subject: QuotaSubject, _ own: [Int], waits: Bool, isLast: Bool = false) async -> Bool? {
        let sentAt = loop.clock.monotonic()
        var random = SystemRandomNumberGenerator()
        let words = [SharedGeneration.random(&random), SharedGeneration.random(&random)].map {
            String(decoding: $0.text, as: UTF8.self)
        }
        let ask = quotas.withLock { quotas -> QuotaAsk in
            var state = quotas[subject.provider] ?? QuotaState()
            defer { quotas[subject.provider] = state }
            state.subject = subject
            return state.share.ask(
                host: host.id, name: words[0], waiting: waits ? max(1, state.waiting) : 0, limits: subject.limits,
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
                quotas[subject.provider]?.share.answered(reply, to: ask, sentAt: sentAt, now: now)
            } else {
                quotas[subject.provider]?.share.unanswered(ask, now: now)
            }
        }
        if let reply, reply.granted > 0 { count(SharedCounters.quota, "leased") }
        return reply?.isOpen
    }

    /// Calls in hand, by provider: for the sign of life.
    var callsInHand: [(provider: String, calls: Int)] {
        let now = loop.clock.monotonic()
        return quotas.withLock { $0.map { ($0.key, $0.value.share.left(now: now)) } }.filter { $0.1 > 0 }.sorted {
            $0.0 < $1.0
        }
    }
}
