// Makes the connections of tunnels. A connection that leads to one of this daemon's own listeners is closed before a byte
// is sent: a tunnel there would reach routes that a page or another machine may not.
import LarderCore
import LarderFetch
import LarderIO
import LarderServer
import LarderTLS

struct TunnelConnector: Sendable {
    private let fetcher: CurlUpstream
    /// Whether a tape answers in place of the network.
    private let isReplaying: Bool
    /// The ports that this daemon listens on.
    private let ownPorts = Lock<Set<UInt16>>([])
    /// What TLS to hosts needs, by the file of authorities. Reading such a file takes some milliseconds.
    private let contexts = Lock<(files: [String: ClientContext], generation: Int)>(([:], 0))
    /// The time for finding the host and connecting to it.
    private static let limit = Duration.seconds(30)

    init(_ fetcher: CurlUpstream, isReplaying: Bool) {
        self.fetcher = fetcher
        self.isReplaying = isReplaying
    }

    /// A connected, non-blocking socket, which the caller closes, and what TLS over it needs.
    struct Connection: Sendable {
        var socket: Int32
        var tls: ClientContext?
    }

    /// Connects to a host that is spoken to by HTTP first.
    /// - Parameter authorities: a PEM file; nil for the system's.
    func connect(
        to target: ProxyTarget, addresses: AddressPolicy, authorities: String?, in compute: ComputeGate
    ) async throws(FetchError) -> Connection {
        let tls = target.form == .https ? try await context(authorities, target, compute) : nil
        return Connection(
            socket: try await connect(host: target.host, port: target.port, addresses: addresses), tls: tls)
    }

    private func context(
        _ file: String?, _ target: ProxyTarget, _ compute: ComputeGate
    ) async throws(FetchError) -> ClientContext {
        let (known, generation) = contexts.withLock { ($0.files[file ?? ""], $0.generation) }
        if let known { return known }
        do {
            let made = try await compute.run { () throws(CertificateFailure) in try ClientContext(authorities: file) }
            contexts.withLock { if $0.generation == generation { $0.files[file ?? ""] = made } }
            return made
        } catch {
            throw FetchError(
                stage: .secure, origin: target.origin, message: "The authorities cannot be read: \(error).")
        }
    }

    /// Forgets what files of authorities said, because they may have changed.
    func reloaded() { contexts.withLock { $0 = ([:], $0.generation + 1) } }

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
