// A change of protocol, such as to WebSocket (RFC 9110 §7.8, RFC 6455 §4.2.2). The host is asked first. If it answers 101,
// the connection becomes a tunnel. If it ignores the change, it is asked again without. An error ends the connection with
// the host's status: what the client has sent behind its request may be in the new protocol already.
import LarderCore
import LarderHTTP
import LarderIO
import LarderTLS
import Synchronization

/// A connection to a host, and the request that would change its protocol. The server sends it.
public final class UpgradeOffer: Sendable {
    let upgrade: ProtocolUpgrade
    let request: Bytes
    let target: ProxyTarget
    let tls: ClientContext?
    /// Makes the host's fields fit for the client.
    let fields: @Sendable (HeaderFields) -> HeaderFields
    /// Hears the status and the fields of the host's answer, unless the host is asked again. The status is nil if there
    /// was no proper answer.
    let answered: @Sendable (Int?, HeaderFields) -> Void
    private let socket: Atomic<Int32>

    /// - Parameters:
    ///   - request: the head of the request to the host.
    ///   - socket: connected and non-blocking. The offer owns it.
    ///   - tls: not nil if the host is spoken to by TLS.
    // More than six parameters: whom to ask for what, and what becomes of the answer.
    public init(
        _ upgrade: ProtocolUpgrade, _ request: Bytes, to target: ProxyTarget, over socket: Int32,
        tls: ClientContext? = nil, answered: @escaping @Sendable (Int?, HeaderFields) -> Void = { _, _ in },
        fields: @escaping @Sendable (HeaderFields) -> HeaderFields = { $0 }
    ) {
        (self.upgrade, self.request, self.target, self.tls) = (upgrade, request, target, tls)
        (self.fields, self.answered) = (fields, answered)
        self.socket = Atomic(socket)
    }

    deinit {
        let left = take()
        if left >= 0 { Syscall.close(left) }
    }

    /// The host's side of a tunnel. Nil if there is no memory.
    fileprivate func side(of socket: Int32, _ worker: Worker) -> (any TunnelSide)? {
        guard let tls else { return SocketSide(socket) }
        return TLSSession(tls, to: target.host).map { TLSSide(socket, $0, through: worker) }
    }

    /// The socket, which is then the caller's; negative if it was taken already.
    fileprivate func take() -> Int32 { socket.exchange(-1, ordering: .relaxed) }
}

/// A change of protocol that is under way.
struct Negotiation {
    let offer: UpgradeOffer
    var sent = 0
    var answer: UpgradeAnswer

    init(_ offer: UpgradeOffer) {
        self.offer = offer
        answer = UpgradeAnswer(to: offer.upgrade)
    }
}

extension Connection {
    /// Asks the host of an offer.
    /// - Parameter response: what the handler said; nil if none was asked.
    func begin(_ offer: UpgradeOffer, _ response: ServerResponse?, _ id: RequestID) {
        guard let asked = inHand, asked.request.id == id else { return }
        settleOutput()
        machine.tunnelAsked()
        // Answers to requests before this one may still wait for the client.
        guard pending.isEmpty, worker.shared.cells.tunnels.current < worker.settings.tunnels.count else {
            return refuse(offer, response, pending.isEmpty ? .tooManyTunnels : .notYet(offer.target))
        }
        let socket = offer.take()
        guard let host = offer.side(of: socket, worker) else {
            Syscall.close(socket)
            return refuse(offer, response, .noTunnel(to: offer.target, "TLS cannot begin."))
        }
        let client: any TunnelSide =
            secure.map { TLSSide(descriptor, $0.session, through: worker) } ?? SocketSide(descriptor)
        var toHost = TunnelFlow()
        toHost.take(stash.bytes)
        stash = .none
        let made = Tunnel(
            asked.request, to: offer.target, (client, host), socket, toHost, TunnelFlow(), Negotiation(offer), response,
            of: self)
        do {
            try made.open()
        } catch {
            Syscall.close(socket)
            return refuse(offer, response, .noTunnel(to: offer.target, "The connection cannot be watched."))
        }
        made.isEnding = machine.drains
        tunnel = made
        made.move()
    }

    /// Refuses a change of protocol before the host is asked.
    private func refuse(_ offer: UpgradeOffer, _ response: ServerResponse?, _ error: ClientFacingError) {
        guard let request = inHand?.request else { return }
        if let response {
            worker.shared.handler.ended(.notBegun(request, response, to: offer.target, error.status))
        }
        notConnected(error, to: offer.target, request.id)
    }

    /// Gives the client the host's answer 101, and begins the tunnel.
    fileprivate func switched(_ head: Bytes, _ rest: Bytes) {
        guard let tunnel, inHand != nil else { return leave() }
        inHand = nil
        machine.tunnelBegan()
        tunnel.negotiation = nil
        tunnel.toClient = TunnelFlow(first: head + rest)
        // What the client did meanwhile was noted by the connection.
        if input == .last { tunnel.clientChanged(.peerEnded) }
        tunnel.move()
    }

    /// Ends a change of protocol that the host did not make.
    func notSwitched(_ error: ClientFacingError) {
        guard let ended = tunnel.take() else { return }
        ended.close(.broken, refused: error.status)
        notConnected(error, to: ended.target, ended.id)
    }
}

extension Connection {
    /// Asks a host again that has ignored the change of protocol, as it may (RFC 9110 §7.8).
    fileprivate func askPlainly() {
        guard let ended = tunnel.take() else { return }
        ended.close(.broken, isTold: false)
        inHand?.request.fields.remove(.upgrade)
        if ended.upgraded != nil { dispatch() } else { connect(to: ended.target) }
    }
}

extension Tunnel {
    /// Sends the request to the host, and reads its answer.
    func negotiate() {
        let buffer = UnsafeMutableRawBufferPointer(connection.worker.input)
        host.flush()
        while var step = negotiation {
            // Read first: the request can leave as soon as a handshake has ended.
            let received = host.receive(into: buffer)
            if case .bytes(let count) = received {
                let outcome = step.answer.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                negotiation = step
                guard outcome == .incomplete else { return end(outcome, step.offer) }
            } else if received != .wouldBlock {
                return lost()
            }
            let rest = step.offer.request[step.sent...]
            var sent = Transfer.wouldBlock
            if !rest.isEmpty { sent = rest.withUnsafeBytes { host.send($0) } }
            switch sent {
            case .bytes(let count): step.sent += count
            case .wouldBlock: if received == .wouldBlock { return }
            // The answer may be there already.
            case .end, .failed: step.sent = step.offer.request.count
            }
            negotiation = step
        }
    }

    private func end(_ outcome: UpgradeAnswer.Outcome, _ offer: UpgradeOffer) {
        switch outcome {
        case .incomplete: break
        case .switched(let chosen, let fields, let rest):
            offer.answered(101, fields)
            var told = offer.fields(fields)
            // Only this server sets the field.
            told.remove(.xRequestID)
            var head = Bytes()
            ResponseEncoder.append(ResponseHead(status: 101, fields: told), length: nil, to: &head)
            ResponseEncoder.appendField("X-Request-Id", id.description, to: &head)
            ResponseEncoder.appendField("Connection", "Upgrade", to: &head)
            ResponseEncoder.appendField("Upgrade", chosen, to: &head)
            ResponseEncoder.endHead(&head)
            connection.switched(head, rest)
        case .refused(let status, _) where status < 400 && isSafe: connection.askPlainly()
        case .refused(let status, let fields):
            offer.answered(status, fields)
            connection.notSwitched(.notSwitched(by: target, status, offer.fields(fields)))
        case .malformed(let why):
            offer.answered(nil, [:])
            connection.notSwitched(.notSwitched(by: target, why))
        }
    }

    private func lost() {
        negotiation?.offer.answered(nil, [:])
        let why = (host as? TLSSide)?.failure.map { "\($0)" } ?? "It closed the connection without an answer."
        connection.notSwitched(.notSwitched(by: target, why))
    }
}

extension TunnelRecord {
    /// What is told of a change of protocol for which the host was not asked.
    static func notBegun(
        _ request: ServerRequest, _ response: ServerResponse, to target: ProxyTarget, _ status: Int
    ) -> TunnelRecord {
        TunnelRecord(
            id: request.id, target: target, peer: request.peer, receivedAt: request.receivedAt, took: .zero, sent: 0,
            received: 0, ending: .broken, status: status, upgraded: (request, response))
    }
}

extension ClientFacingError {
    static func notYet(_ target: ProxyTarget) -> ClientFacingError {
        ClientFacingError(
            status: 503, code: "notYet", detail: "Answers to earlier requests on this connection are not sent yet.",
            retryable: true, retryAfter: 1, closesConnection: true)
    }

    /// The fields of a refusal that a client needs, and that repeat nothing of the request.
    private static let told: FieldNameSet = ["WWW-Authenticate", "Retry-After", "Sec-WebSocket-Version"]

    static func notSwitched(by target: ProxyTarget, _ why: String) -> ClientFacingError {
        ClientFacingError(
            status: 502, code: "notSwitched",
            detail: "\(target.host):\(target.port) did not change the protocol. \(why)",
            closesConnection: true)
    }

    /// The error for a host that did not change the protocol (RFC 9110 §15.2.2).
    static func notSwitched(by target: ProxyTarget, _ status: Int, _ fields: HeaderFields) -> ClientFacingError {
        let kept = fields.filtered { $0.isIn(told) }
        return ClientFacingError(
            status: status >= 400 ? status : 502, code: "notSwitched",
            detail: "\(target.host) answered \(status) to the request to change the protocol."
                + (status < 400 ? " The request may have taken effect." : ""), fields: kept,
            closesConnection: true)
    }
}
