// The client that a task works for. Clients that wait for the same provider take turns, so each fetch carries the name
// of the client that began it. The daemon's own work counts as one more client, without a name.
import LarderCore
import LarderHTTP
import LarderIO

/// The client that a task works for.
public struct AskingClient: Sendable {
    /// Nil if the daemon works by itself.
    @TaskLocal public static var current: AskingClient?

    private let peer: Peer
    private let fields: HeaderFields
    private let id: RequestID
    /// Tells when the client ends its input. Nil if the work does not depend on that.
    private(set) var halfClose: HalfClose?

    /// Keeps what identifies the client. The name is made only when a fetch needs it; most requests need none.
    public init(peer: Peer, fields: HeaderFields, id: RequestID, halfClose: HalfClose? = nil) {
        self.peer = peer
        self.fields = fields
        self.id = id
        self.halfClose = halfClose
    }

    /// The same client, for work that goes on without its connection.
    public var detached: AskingClient {
        var client = self
        client.halfClose = nil
        return client
    }

    /// The trace that the client's request belongs to; nil if it sent none or an invalid one.
    var trace: TraceContext? { TraceContext(fields) }

    /// The client's name. On a Unix socket it is the user, whom the kernel names. Otherwise it is the session, if the
    /// client names one; otherwise the address of another machine, or the connection on this machine.
    var name: String {
        if case .unix(let uid, _) = peer { return "user \(uid)" }
        if let session = fields.first(SessionCoordinator.field) {
            // The session field's question number does not distinguish clients.
            return "session \(session.prefix { $0 != ";" }.prefix(128))"
        }
        guard case .tcp(let address?) = peer else { return "request \(id)" }
        switch address {
        case .ipv4(let bytes, _) where !address.isLoopback: return "machine \(Address.text(bytes))"
        case .ipv6(let bytes, _) where !address.isLoopback: return "machine \(Address.text(bytes))"
        case .ipv4, .ipv6, .unix: return "connection \(address)"
        }
    }
}
