// What a host asks the ledger of a budget that a fleet shares, and what the ledger replies. The ledger itself is a
// script of the engine (`QuotaScript`, LarderShared).
import LarderCore

/// What hosts and the ledger agree on.
public enum QuotaLedger {
    /// The term of a lease.
    public static let term: Duration = .seconds(2)
    /// How long a new ledger grants nothing. Longer than an earlier lease may last.
    public static let grace: Duration = .seconds(3)
}

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
