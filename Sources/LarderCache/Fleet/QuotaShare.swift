// What one host may call of a budget that a fleet shares: the lease that it holds, and no more. Without the engine that is all it may
// spend. A lease is timed by the host's monotonic clock from before it was asked for, and ends a little early, so that no clock that
// runs slowly makes it last longer than the ledger counts it.
import LarderCore

/// One budget as one host sees it. Pure: instants come in.
public struct QuotaShare: Sendable {
    public enum Take: Sendable, Hashable {
        /// One call, to be sent before that instant.
        case granted(until: MonotonicTime)
        /// The ledger is to be asked.
        case ask
        /// There is none before that instant.
        case spent(until: MonotonicTime)
        /// The ledger did not answer; it is not asked again before that instant.
        case unanswered(until: MonotonicTime)
        /// The ledger is new and waits for the hosts; it is to be asked again at that instant.
        case wait(until: MonotonicTime)
    }

    private struct Lease: Sendable {
        var name: String
        var left: Int
        var used = 0
        /// Of these, calls that have not left yet.
        var inHand = 0
        var until: MonotonicTime
    }

    /// A lease ends so much before its term.
    public static let margin: Duration = .milliseconds(100)
    /// After a question without an answer none is asked for so long.
    public static let pause: Duration = .seconds(1)
    /// More calls are never asked for at once.
    static let most = 64

    /// The ledger that was last heard of; "" for none.
    public private(set) var epoch = ""
    private var seen: [Int] = []
    private var lease: Lease?
    private var closedUntil = MonotonicTime.distantPast
    private enum Closed: Sendable {
        case spent, unanswered, new
    }
    /// Why it is closed, if it is.
    private var closed = Closed.spent
    private var debt = 0
    /// Calls that were used of the last lease.
    private var demand = 0

    public init() {}

    /// Calls that may be made without asking.
    public func left(now: MonotonicTime) -> Int { lease.map { $0.until > now ? $0.left : 0 } ?? 0 }
    /// When the lease in hand ends, used up or not.
    public var leaseEnd: MonotonicTime? { lease?.until }

    public mutating func take(now: MonotonicTime) -> Take {
        if let current = lease, current.until > now, current.left > 0 {
            lease?.left -= 1
            lease?.used += 1
            lease?.inHand += 1
            return .granted(until: current.until)
        }
        guard closedUntil > now else { return .ask }
        return switch closed {
        case .spent: .spent(until: closedUntil)
        case .unanswered: .unanswered(until: closedUntil)
        case .new: .wait(until: closedUntil)
        }
    }

    /// A call that was granted until then leaves now, or never.
    public mutating func callLeft(grantedUntil until: MonotonicTime) {
        // Each lease ends at another instant: they are asked for one after the other.
        guard let current = lease, current.until == until else { return }
        lease?.inHand = max(0, current.inHand - 1)
    }

    /// A call was made that could not be taken before, such as a redirect.
    public mutating func countMade(now: MonotonicTime) {
        if case .granted(let until) = take(now: now) { return callLeft(grantedUntil: until) }
        debt += 1
    }

    /// The question to the ledger, with what is left of the lease in hand given back. It is as good as gone from here on.
    /// - Parameters:
    ///   - name: of the lease, by chance.
    ///   - waiting: calls that wait for it; 0 asks for none, and only reports.
    ///   - own: this host's calls in each window.
    public mutating func ask(
        host: String, name: String, waiting: Int, limits: [CallRate], own: [Int], now: MonotonicTime
    ) -> QuotaAsk {
        var ask = QuotaAsk(
            host: host, knows: epoch, lease: name, wanted: 0, debt: debt, limits: limits, own: own,
            seen: seen.count == limits.count ? seen : limits.map { _ in 0 })
        if waiting > 0 {
            let share = limits.map { max(1, $0.calls / 16) }.min() ?? 1
            ask.wanted = min(max(waiting, demand), share, Self.most)
        }
        debt = 0
        if waiting > 0 || (lease?.until ?? .distantPast) <= now { giveBack(into: &ask) }
        return ask
    }

    private mutating func giveBack(into ask: inout QuotaAsk) {
        guard let lease else { return }
        demand = lease.used
        self.lease = nil
        // The ledger counts what is given back from now on, and a call that has not left yet would leave later. So such a lease
        // runs out: it counts in full, from its end.
        guard lease.inHand == 0 else { return }
        ask.returned = lease.name
        ask.returnedUsed = lease.used
    }

    /// The ledger's answer.
    /// - Parameter sentAt: an instant before the question was sent.
    public mutating func answered(_ reply: QuotaReply, to ask: QuotaAsk, sentAt: MonotonicTime, now: MonotonicTime) {
        // A new ledger counts what its hosts report, which the debt is part of.
        if !reply.isOpen { debt += ask.debt }
        epoch = reply.epoch
        if reply.isOpen { seen = reply.used }
        closedUntil = .distantPast
        if reply.granted > 0 {
            lease = Lease(
                name: ask.lease, left: reply.granted, until: sentAt + (QuotaLedger.term - Self.margin))
        } else if ask.wanted > 0 {
            closedUntil = now + reply.wait
        }
        closed = reply.isOpen ? .spent : .new
    }

    /// There was no answer. What was given back counts in full there, and what may have been granted is not used.
    public mutating func unanswered(_ ask: QuotaAsk, now: MonotonicTime) {
        debt += ask.debt
        if ask.wanted > 0 { (closed, closedUntil) = (.unanswered, now + Self.pause) }
    }
}
