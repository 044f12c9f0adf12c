// Makes the connections of tunnels. A connection that leads to one of this daemon's own listeners is closed before a byte
// is sent: a tunnel there would reach routes that a page or another machine may not.
import LarderCore
import LarderFetch
import LarderIO

struct TunnelConnector: Sendable {
    private let fetcher: CurlUpstream
    /// Whether a tape answers in place of the network.
    private let isReplaying: Bool
    /// The ports that this daemon listens on.
    private let ownPorts = Lock<Set<UInt16>>([])
    /// The time for finding the host and connecting to it.
    private static let limit = Duration.seconds(30)

    init(_ fetcher: CurlUpstream, isReplaying: Bool) {
        self.fetcher = fetcher
        self.isReplaying = isReplaying
    }

    func listening(on addresses: [Address]) {
        ownPorts.withLock { $0 = Set(addresses.compactMap(\.port)) }
    }

    /// Connects to a host.
    /// - Returns: a connected, non-blocking socket. The caller closes it.
    func connect(host: String, port: UInt16, addresses: AddressPolicy) async throws(FetchError) -> Int32 {
        guard !isReplaying else {
            throw FetchError(
                stage: .unrecorded, origin: "\(host):\(port)",
                message: "A tape is replayed, and what passes unread is on no tape. The rule \"cache\" of proxy.hosts "
                    + "and a CA (larder ca) let it be read.")
        }
        let socket = try await fetcher.connect(host: host, port: port, addresses: addresses, within: Self.limit)
        guard leadsHere(socket) else { return socket }
        Syscall.close(socket)
        throw FetchError(
            stage: .forbidden, origin: "\(host):\(port)", message: "It is an address of this daemon itself.")
    }

    /// Whether the other end is a listener of this machine on one of our ports. A connection of a machine with itself has
    /// one address at both ends, unless it is a loopback address.
    private func leadsHere(_ socket: Int32) -> Bool {
        guard let peer = Socket.peerAddress(socket), let port = peer.port,
            ownPorts.withLock({ $0.contains(port) })
        else { return false }
        return peer.isLoopback || Socket.localAddress(socket)?.hasHost(of: peer) == true
    }
}
