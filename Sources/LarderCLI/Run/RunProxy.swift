// The parts of a run's proxy: two loops, a server on a port of its own, and the clients behind it.
import LarderCore
import LarderFetch
import LarderIO
import LarderServer
import LarderTLS

struct RunProxy: Sendable {
    let port: UInt16
    let handler: RunHandler
    private let loops: [EventLoop]
    private let server: HTTPServer
    private let clients: [CurlUpstream]

    /// The most requests at once.
    private static let most = 1024

    /// - Parameters:
    ///   - socket: the daemon's Unix socket.
    ///   - parent: the proxy through which the parent reaches the network; nil if it has none.
    init(
        _ plan: RunHandler.Plan, _ authority: CertificateAuthority, tape: RunTape?, socket: String, parent: String?,
        tell: @escaping @Sendable (String) -> Void
    ) throws(CommandFailure) {
        do {
            let (home, loop) = (try EventLoop(name: "run home", index: 0), try EventLoop(name: "run", index: 1))
            let counters = CounterRegistry()
            let limits = ExchangeLimits(maxConnections: Self.most, maxStreams: Self.most, maxQueue: Self.most)
            var toDaemon = FetchSettings(
                userAgent: "", maxTransfers: Self.most, maxStreams: Self.most, standard: limits)
            toDaemon.detour = Detour(unixSocket: socket)
            let daemon = CurlUpstream(
                loop: home, clients: [loop], settings: toDaemon, log: .silent, counters: counters)
            let network = CurlUpstream(
                loop: home, clients: [loop], settings: FetchSettings(userAgent: "", proxy: parent), log: .silent,
                counters: counters)
            handler = RunHandler(
                plan, contexts: HostContexts(authority: authority), daemon: daemon, network: network,
                gate: ComputeGate(width: 2), tape: tape, tell: tell)
            var settings = ServerSettings(accessLog: .off, tunnels: TunnelLimits(count: Self.most))
            settings.limits.maxBody = 64 << 20
            // By the daemon's, `larder explain` finds the request.
            settings.keepsRequestIDs = true
            server = HTTPServer(
                loops: [loop], listeners: [ListenerSpec(address: try Address("127.0.0.1:0"), number: 0, isProxy: true)],
                ready: nil, handler: handler, settings: settings, log: .silent, counters: counters)
            loops = [home, loop]
            clients = [daemon, network]
            for loop in loops { try loop.start() }
            port = try server.start().first?.port ?? 0
        } catch {
            throw CommandFailure(.failed, "the proxy of the run cannot be started: \(error)")
        }
    }

    func stop() async {
        await server.drain(deadline: .zero)
        for client in clients { await client.shutdown() }
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
    }
}
