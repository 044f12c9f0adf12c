// For whom a task works. Clients that wait for the same provider take turns, so each fetch carries the name of the client
// who began it. What the daemon does by itself is one more client, without a name.
import LarderCore
import LarderHTTP
import LarderIO

/// The client that a task works for.
public struct AskingClient: Sendable {
    /// Nil where nobody asked: the daemon works by itself.
    @TaskLocal public static var current: AskingClient?

    private let peer: Peer
    private let fields: HeaderFields
    private let id: RequestID

    /// Keeps what names the client. The name is made only when a fetch needs it: most requests need none.
    public init(peer: Peer, fields: HeaderFields, id: RequestID) {
        self.peer = peer
        self.fields = fields
        self.id = id
    }

    /// The trace that its request is a part of; nil where it sent none, or one that is invalid.
    var trace: TraceContext? { TraceContext(fields) }

    /// The user on a Unix socket, whom the kernel names; else the session, which the client names; else the address of
    /// another machine, or the connection on this one.
    var name: String {
        if case .unix(let uid, _) = peer { return "user \(uid)" }
        if let session = fields.first(SessionCoordinator.field) {
            // Its number tells one question from another, not one client.
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
