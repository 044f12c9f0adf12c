// Decides what one host may call of a budget that a fleet shares: the lease that it holds, and no more. Without the
// engine that lease is all it may spend. The host's monotonic clock times the lease from before it was requested. The
// lease ends a little early, so that a slow clock never makes it last longer than the ledger counts it.
import LarderCore

/// One shared budget as one host sees it. Pure: times are parameters.
public struct QuotaShare: Sendable {
    public enum Take: Sendable, Hashable {
        /// One call, to be sent before this time.
        case granted(until: MonotonicTime)
        /// The ledger must be asked.
        case ask
        /// No call is available before this time.
        case spent(until: MonotonicTime)
        /// The ledger did not answer and is not asked again before this time.
        case unanswered(until: MonotonicTime)
        /// The ledger is new and waits for the hosts. It must be asked again at this time.
        case wait(until: MonotonicTime)
    }

    private struct Lease: Sendable {
        var name: String
        var left: Int
        var used = 0
        /// Granted calls that have not been sent yet. They are included in `used`.
        var inHand = 0
        var until: MonotonicTime
    }

    /// How long before its term a lease ends.
    public static let margin: Duration = .milliseconds(100)
    /// The pause after a question without a reply.
    public static let pause: Duration = .seconds(1)
    /// The most calls that are requested at once.
    static let most = 64

    /// The name of the ledger that was last heard of; "" for none.
    public private(set) var epoch = ""
    private var seen: [Int] = []
    private var lease: Lease?
    private var closedUntil = MonotonicTime.distantPast
    private enum Closed: Sendable {
        case spent, unanswered, new
    }
    /// Why no question is asked before `closedUntil`.
    private var closed = Closed.spent
    private var debt = 0
    /// The number of calls that were used of the last lease.
    private var demand = 0

    public init() {}

    /// The number of calls that may be made without asking.
    public func left(now: MonotonicTime) -> Int { lease.map { $0.until > now ? $0.left : 0 } ?? 0 }
    /// When the current lease ends, whether used up or not.
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

    /// Records that a call granted until this time is sent now, or never will be.
    public mutating func callLeft(grantedUntil until: MonotonicTime) {
        // Leases are requested one after the other, so each ends at a different time and the time identifies the lease.
        guard let current = lease, current.until == until else { return }
        lease?.inHand = max(0, current.inHand - 1)
    }

    /// Records a call that could not be requested in advance, such as a redirect.
    public mutating func countMade(now: MonotonicTime) {
        if case .granted(let until) = take(now: now) { return callLeft(grantedUntil: until) }
        debt += 1
    }

    /// Makes the question to the ledger. If calls wait or the current lease has ended, the lease is given back and no
    /// longer used.
    /// - Parameters:
    ///   - name: a random name for the new lease.
    ///   - waiting: the number of calls that wait for it. With 0 the question requests none and only reports.
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
        // The ledger counts the used calls from now, but a call that is not sent yet would be sent later. Such a lease
        // is not given back: it counts in full, from its end.
        guard lease.inHand == 0 else { return }
        ask.returned = lease.name
        ask.returnedUsed = lease.used
    }

    /// Takes the ledger's reply.
    /// - Parameter sentAt: a time before the question was sent.
    public mutating func answered(_ reply: QuotaReply, to ask: QuotaAsk, sentAt: MonotonicTime, now: MonotonicTime) {
        // A closed ledger has not charged the debt, so the host keeps it for a later question.
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

    /// Records that no reply came. The ledger counts the lease that was given back in full, and a lease that it may
    /// have granted is not used.
    public mutating func unanswered(_ ask: QuotaAsk, now: MonotonicTime) {
        debt += ask.debt
        if ask.wanted > 0 { (closed, closedUntil) = (.unanswered, now + Self.pause) }
    }
}
