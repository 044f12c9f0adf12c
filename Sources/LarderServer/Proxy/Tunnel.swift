// A tunnel between a client's connection and a host (RFC 9110 §9.3.6). Nothing in it is read. The connection owns it and
// remains the client's side: its place among the connections, its descriptor and its end. Both descriptors have
// edge-triggered events.
import LarderCore
import LarderHTTP
import LarderIO

/// A descriptor as a side of a tunnel.
final class SocketSide: TunnelSide {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Syscall.receive(descriptor, into: buffer)
    }
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer { Syscall.send(descriptor, bytes) }
    func endSending() { Syscall.shutdownWrite(descriptor) }
}

/// Confined to the connection's loop.
final class Tunnel: EventHandler {
    let id: RequestID
    let target: ProxyTarget
    private let began: MonotonicTime
    private let receivedAt: WallTime
    /// Whether the request may be repeated without harm.
    let isSafe: Bool
    /// When a byte last passed.
    private var active: MonotonicTime
    unowned let connection: Connection
    private let client: any TunnelSide
    let host: any TunnelSide
    /// The host's connected socket, which the tunnel closes.
    private let socket: Int32
    /// The change of protocol that the host has not answered yet. No byte of the client passes before it has.
    var negotiation: Negotiation?
    private let isUpgrade: Bool
    let upgraded: (request: ServerRequest, response: ServerResponse)?
    private var registration: Registration?
    private var toHost: TunnelFlow
    var toClient: TunnelFlow
    private var isPutOff = false
    /// Whether the server stops. Then a tunnel ends as soon as it is quiet.
    var isEnding = false
    private static let quiet = Duration.seconds(1)
    /// How long a host may be silent after the client has ended its side.
    private static let halfClosed = Duration.seconds(30)

    /// How long a host may take to answer a request that would change the protocol.
    private static let longestNegotiation = Duration.seconds(30)

    /// The bytes that one direction moves before others have their turn.
    private static let budget = 1 << 20

    /// - Parameters:
    ///   - sides: the client and the host.
    ///   - toHost: the flow from the client to the host.
    ///   - response: what the handler said to a request that changes the protocol.
    // More than six parameters: both sides, both directions, and who asked for what.
    init(
        _ request: ServerRequest, to target: ProxyTarget, _ sides: (client: any TunnelSide, host: any TunnelSide),
        _ socket: Int32, _ toHost: TunnelFlow, _ toClient: TunnelFlow, _ negotiation: Negotiation? = nil,
        _ response: ServerResponse? = nil, of connection: Connection
    ) {
        id = request.id
        self.target = target
        self.connection = connection
        (client, host) = sides
        self.socket = socket
        isUpgrade = negotiation != nil
        self.negotiation = negotiation
        upgraded = response.map { (request, $0) }
        receivedAt = request.receivedAt
        isSafe = request.method.isSafe
        (self.toHost, self.toClient) = (toHost, toClient)
        began = connection.worker.loop.monotonic
        active = began
    }

    func open() throws(SystemError) {
        registration = try connection.worker.loop.register(
            socket, [.readable, .writable, .peerEnd, .edge], handler: self)
        connection.worker.shared.cells.tunnels.add()
    }

    /// An event of the host's socket.
    func ready(_ events: ReadyEvents) {
        toClient.note(events)
        move()
    }

    /// An event of the client's socket.
    func clientReady(_ events: ReadyEvents) {
        clientChanged(events)
        move()
    }

    func clientChanged(_ events: ReadyEvents) { toHost.note(events) }

    /// Moves what can be moved in both directions.
    func move() {
        if negotiation != nil { return negotiate() }
        let before = progress
        if case .failed = client.flush() { return connection.endTunnel(.broken) }
        if case .failed = host.flush() { toHost.giveUp() }
        let buffer = UnsafeMutableRawBufferPointer(connection.worker.input)
        let moved = (sent: toHost.moved, received: toClient.moved)
        let up = toHost.move(from: client, to: host, through: buffer, budget: Self.budget)
        let down = toClient.move(from: host, to: client, through: buffer, budget: Self.budget)
        if progress != before {
            active = connection.worker.loop.monotonic
            connection.worker.shared.cells.passed(
                sent: toHost.moved - moved.sent, received: toClient.moved - moved.received)
        }
        // The rest of a request cannot be sent any more, but its response may be there already.
        if up == .sinkBroke { toHost.giveUp() }
        if up == .sourceBroke || down == .sinkBroke || down == .sourceBroke { return connection.endTunnel(.broken) }
        if toClient.isDone, client.waiting == 0, host.waiting == 0 || toHost.isDiscarding,
            toHost.isOver || toHost.isDone && !toHost.isDiscarding
        {
            return connection.endTunnel(.whole)
        }
        guard up == .hasMore || down == .hasMore, !isPutOff else { return }
        isPutOff = true
        connection.worker.loop.soon { [weak self] in
            guard let self, registration != nil else { return }
            isPutOff = false
            move()
        }
    }

    /// Changes with each byte that passes.
    private var progress: Int { toHost.moved &+ toClient.moved &- client.waiting &- host.waiting }

    /// Why a time limit ends the tunnel now; nil if none does.
    func expired(at now: MonotonicTime, _ limits: TunnelLimits, linger: Duration) -> TunnelEnding? {
        if now - active >= limits.idle { return .idle }
        if negotiation != nil { return now - began >= Self.longestNegotiation ? .idle : nil }
        // The host has ended, and the client has all that it sent. The tunnel closes after a pause in which the client can
        // end by itself (RFC 9110 §9.3.6).
        if toClient.isDone, client.waiting == 0, now - active >= linger { return .whole }
        // The client has ended its side, and over TCP one that is gone looks the same.
        if toHost.isDone, now - active >= Self.halfClosed { return .idle }
        if isEnding, now - active >= Self.quiet { return .stopped }
        if let total = limits.total, now - began >= total { return .tooLong }
        return nil
    }

    /// Closes the host's side. The connection closes the client's.
    /// - Parameters:
    ///   - status: what the client is answered, if there will be no tunnel.
    ///   - isTold: whether this is the end of the request.
    func close(_ ending: TunnelEnding, refused status: Int? = nil, isTold: Bool = true) {
        guard let registration else { return }
        let worker = connection.worker
        worker.loop.deregister(registration)
        self.registration = nil
        Syscall.close(socket)
        worker.shared.cells.tunnels.add(-1)
        let record = TunnelRecord(
            id: id, target: target, peer: connection.peer, receivedAt: receivedAt,
            took: worker.loop.monotonic - began, sent: toHost.moved, received: toClient.moved, ending: ending,
            status: status ?? (negotiation != nil ? 499 : isUpgrade ? 101 : 200), upgraded: upgraded)
        if negotiation == nil {
            worker.shared.cells.ended(record)
            connection.log(record)
        }
        if isTold, negotiation == nil || upgraded != nil { worker.shared.handler.ended(record) }
    }
}
