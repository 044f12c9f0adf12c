// What a server may be told, as one immutable value: a reload swaps it whole, on every loop.
import LarderCore
import LarderHTTP
import LarderIO

/// One address to listen on.
public struct ListenerSpec: Sendable, Hashable {
    public var address: Address
    /// Its number: part of the memory tier's key.
    public var number: UInt16
    /// The provider whose root it serves; nil for the whole interface.
    public var provider: String? { didSet { scope = ReadyScope.of(provider) } }
    /// What it serves, as a number: part of the key of what the database keeps ready.
    public private(set) var scope: UInt64
    /// A listening socket that was handed down, used instead of making one.
    public var inherited: Int32?
    /// Left out, without an error, where the machine has no such address family or address (::1 without IPv6).
    public var isOptional: Bool

    public init(
        address: Address, number: UInt16, provider: String? = nil, inherited: Int32? = nil, isOptional: Bool = false
    ) {
        self.address = address
        self.number = number
        self.provider = provider
        scope = ReadyScope.of(provider)
        self.inherited = inherited
        self.isOptional = isOptional
    }

    /// The listeners with handed-down sockets in the places of equal addresses. Sockets that no entry
    /// names are added behind, with the following numbers.
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

/// Limits on everything a client can make grow or last.
public struct ServerLimits: Sendable, Hashable {
    /// Connections at once, over all loops; further ones wait in the kernel's queue. A part is kept for Unix sockets
    /// (`ConnectionLimit`), and near the limit some are closed for others (`Shedding`).
    public var maxConnections: Int
    public var head: HeadLimits
    /// Bytes of a decoded request body.
    public var maxBody: Int
    /// Bytes of input taken from one connection before others have their turn.
    public var maxInput: Int
    /// From a head's first byte to its last; for a body, from one piece to the next.
    public var headTimeout: Duration
    /// Without a request in hand.
    public var idleTimeout: Duration
    /// Without a byte taken by a client that is owed some.
    public var writeTimeout: Duration
    /// For transfers that a client paces: a body it sends, an answer it takes.
    public var minimumRate: MinimumRate
    /// For a client to take an error before the connection is cut.
    public var lingerTimeout: Duration

    public init(
        maxConnections: Int = 4096, head: HeadLimits = HeadLimits(), maxBody: Int = 1 << 20, maxInput: Int = 256 << 10,
        headTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(75),
        writeTimeout: Duration = .seconds(30), lingerTimeout: Duration = .seconds(2),
        minimumRate: MinimumRate = MinimumRate()
    ) {
        self.maxConnections = maxConnections
        self.head = head
        self.maxBody = maxBody
        self.maxInput = maxInput
        self.headTimeout = headTimeout
        self.idleTimeout = idleTimeout
        self.writeTimeout = writeTimeout
        self.lingerTimeout = lingerTimeout
        self.minimumRate = minimumRate
    }
}

/// Which requests get a line in the access log.
public enum AccessLogging: String, Sendable, Hashable, CaseIterable {
    case off
    /// All but those answered from memory.
    case misses
    case all
}

/// Everything a reload may change.
public struct ServerSettings: Sendable {
    public var limits: ServerLimits
    public var hosts: HostPolicy
    public var crossSite: CrossSitePolicy
    public var accessLog: AccessLogging

    public init(
        limits: ServerLimits = ServerLimits(), hosts: HostPolicy = HostPolicy(),
        crossSite: CrossSitePolicy = CrossSitePolicy(), accessLog: AccessLogging = .misses
    ) {
        self.limits = limits
        self.hosts = hosts
        self.crossSite = crossSite
        self.accessLog = accessLog
    }
}

/// A listener that could not be opened.
public struct ListenError: Error, Sendable, Hashable, CustomStringConvertible {
    public let address: Address
    public let cause: SystemError

    public var description: String { "cannot listen on \(address): \(cause)" }
}
