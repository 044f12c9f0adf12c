// Why an operation of the shared tier failed. None of these failures is an error to a client: it is counted, and the
// request continues without the tier.

/// A class of failure. The raw values are labels of `larder_shared_failures_total`.
public enum SharedFailure: String, Error, Sendable, Hashable, CaseIterable {
    // Failures of the connection.
    /// No connection could be made, or the name has no address.
    case unreachable
    /// The operation did not finish in its time.
    case timedOut
    /// The connection ended before or inside a reply.
    case cut
    /// The bytes received are not a reply, or not one that fits the command.
    case garbage
    /// Too many operations are waiting, or there is no memory.
    case overloaded
    /// The tier is being closed.
    case closed

    // Error replies of the engine.
    case outOfMemory, readOnly, loading, moved, noAuth, wrongType
    /// The user lacks the right to the command or the key (ACL).
    case noPermission
    /// Any other error reply.
    case refused

    /// Classifies the text of an error reply, which begins with a word in capitals.
    init(reply text: String) {
        switch text.prefix(while: { $0 != " " }) {
        case "OOM": self = .outOfMemory
        case "READONLY", "MISCONF": self = .readOnly
        case "LOADING", "BUSY", "MASTERDOWN": self = .loading
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN", "TRYAGAIN": self = .moved
        case "NOAUTH", "WRONGPASS": self = .noAuth
        case "NOPERM": self = .noPermission
        case "WRONGTYPE": self = .wrongType
        default:
            // Old engines report a wrong or unexpected password without an error word of its own.
            self = text.contains("invalid password") || text.contains("AUTH") ? .noAuth : .refused
        }
    }

    /// Whether the failure means that the engine is unusable at present, so that the breaker counts it. An engine that
    /// is full or read-only still answers look-ups.
    var isOfEngine: Bool {
        switch self {
        case .unreachable, .timedOut, .cut, .garbage, .loading, .moved, .noAuth, .noPermission: true
        case .overloaded, .closed, .outOfMemory, .readOnly, .wrongType, .refused: false
        }
    }
}
