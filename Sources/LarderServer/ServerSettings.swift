// The server's settings as one immutable value. A reload replaces the whole value on every loop.
import LarderCore
import LarderHTTP
import LarderIO

/// One address to listen on.
public struct ListenerSpec: Sendable, Hashable {
    public var address: Address
    /// The listener's number, which is part of the memory tier's key.
    public var number: UInt16
    /// The provider whose root the listener serves; nil for the whole interface.
    public var provider: String? { didSet { scope = ReadyScope.of(provider) } }
    /// What the listener serves, as a number. It is part of the key of ready responses in the database.
    public internal(set) var scope: UInt64
    /// An inherited listening socket, used instead of a new one.
    public var inherited: Int32?
    /// Whether the listener is left out, without an error, if the machine lacks the address (::1 without IPv6).
    public var isOptional: Bool
    /// Whether the listener is a proxy: it takes CONNECT and absolute targets, and nothing else.
    public var isProxy: Bool

    public init(
        address: Address, number: UInt16, provider: String? = nil, inherited: Int32? = nil, isOptional: Bool = false,
        isProxy: Bool = false
    ) {
        self.address = address
        self.number = number
        self.provider = provider
        // Nothing is stored under the scope of proxy listeners: each host has its own.
        scope = ReadyScope.of(isProxy ? "proxy listener" : provider)
        self.inherited = inherited
        self.isOptional = isOptional
        self.isProxy = isProxy
    }

    /// Returns the listeners with inherited sockets assigned to equal addresses. Sockets that match no listener are
    /// appended with the following numbers.
    public static func joined(_ listeners: [ListenerSpec], inherited: [InheritedSocket]) -> [ListenerSpec] {
        var joined = listeners
        var next = (listeners.map(\.number).max() ?? 0) &+ (listeners.isEmpty ? 0 : 1)
        for socket in inherited {
            if let place = joined.firstIndex(where: { $0.address == socket.address && $0.inherited == nil }) {
                joined[place].inherited = socket.descriptor
            } else {
                joined.append(ListenerSpec(address: socket.address, number: next, inherited: socket.descriptor))
                next &+= 1
            }
        }
        return joined
    }
}

/// Limits on everything that a client can make grow or last.
public struct ServerLimits: Sendable, Hashable {
    /// The most connections at once, over all loops. Further clients wait in the kernel's queue. Some places are
    /// reserved for Unix sockets (`ConnectionLimit`), and near the limit some connections are closed (`Shedding`).
    public var maxConnections: Int
    public var head: HeadLimits
    /// The most bytes of a decoded request body.
    public var maxBody: Int
    /// The most bytes of input taken from one connection before others have their turn.
    public var maxInput: Int
    /// The time from a head's first byte to its last.
    public var headTimeout: Duration
    /// The time from one piece of a request body to the next.
    public var bodyTimeout: Duration
    /// The longest time without a request in hand.
    public var idleTimeout: Duration
    /// How long a queued call waits for a client that has ended its input.
    public var halfClose: Duration
    /// The longest time in which a client takes none of the bytes that wait for it.
    public var writeTimeout: Duration
    /// The minimum rate of transfers that a client paces: an upload it sends, a response it reads.
    public var minimumRate: MinimumRate
    /// The time for a client to read an error before the connection is cut.
    public var lingerTimeout: Duration

    public init(
        maxConnections: Int = 4096, head: HeadLimits = HeadLimits(), maxBody: Int = 1 << 20, maxInput: Int = 256 << 10,
        headTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(30),
        idleTimeout: Duration = .seconds(75), halfClose: Duration = .seconds(5),
        writeTimeout: Duration = .seconds(30), lingerTimeout: Duration = .seconds(2),
        minimumRate: MinimumRate = MinimumRate()
    ) {
        self.maxConnections = maxConnections
        self.head = head
        self.maxBody = maxBody
        self.maxInput = maxInput
        self.headTimeout = headTimeout
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.halfClose = halfClose
        self.writeTimeout = writeTimeout
        self.lingerTimeout = lingerTimeout
        self.minimumRate = minimumRate
    }
}

/// Which requests are logged in the access log.
public enum AccessLogging: String, Sendable, Hashable, CaseIterable {
    case off
    /// All requests except those answered from memory.
    case misses
    case all
}

/// Everything that a reload may change.
public struct ServerSettings: Sendable {
    public var limits: ServerLimits
    public var hosts: HostPolicy
    public var crossSite: CrossSitePolicy
    public var accessLog: AccessLogging
    public var tunnels: TunnelLimits
    /// The password that clients of proxy listeners must send over TCP; nil if there is none.
    public var proxyPassword: String?
    /// Whether responses keep the `X-Request-Id` that the handler gives them: that of the daemon behind it.
    public var keepsRequestIDs = false

    public init(
        limits: ServerLimits = ServerLimits(), hosts: HostPolicy = HostPolicy(),
        crossSite: CrossSitePolicy = CrossSitePolicy(), accessLog: AccessLogging = .misses,
        tunnels: TunnelLimits = TunnelLimits(), proxyPassword: String? = nil
    ) {
        self.limits = limits
        self.hosts = hosts
        self.crossSite = crossSite
        self.accessLog = accessLog
        self.tunnels = tunnels
        self.proxyPassword = proxyPassword
    }
}

/// A listener that could not be opened.
public struct ListenError: Error, Sendable, Hashable, CustomStringConvertible {
    public let address: Address
    public let cause: SystemError

    public var description: String { "cannot listen on \(address): \(cause)" }

    /// What the user of a daemon can do about it.
    public var advice: String? {
        guard cause.isAddressInUse else { return nil }
        if case .unix = address { return "If it is another Larder: larder status." }
        return "If it is another Larder: larder status. Otherwise listen elsewhere: --listen 127.0.0.1:8790."
    }
}
