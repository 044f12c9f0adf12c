// Why an operation of the shared tier brought nothing. None of these is an error to a client: it is counted, and the way goes on
// without the tier.

/// A class of failure. The raw values are labels of `larder_shared_failures_total`.
public enum SharedFailure: String, Error, Sendable, Hashable, CaseIterable {
    // What the connection did.
    /// No connection could be made, or no address belongs to the name.
    case unreachable
    /// The time of the operation was over.
    case timedOut
    /// The connection ended in the middle of a reply, or before it.
    case cut
    /// What came is no reply, or one that the command does not have.
    case garbage
    /// Too much waits already.
    case overloaded
    /// The tier is being closed.
    case closed

    // What the engine answered.
    case outOfMemory, readOnly, loading, moved, noAuth, wrongType
    /// The user may not use the command or the key (ACL).
    case noPermission
    /// Any other error.
    case refused

    /// From the text of an error reply, which begins with a word in capitals.
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
            // A password that is wrong, or needed nowhere, is told by old engines without a word of its own.
            self = text.contains("invalid password") || text.contains("AUTH") ? .noAuth : .refused
        }
    }

    /// Whether it says that the engine is of no use at present, so that the breaker counts it. A full engine still answers
    /// look-ups, and so does one that only reads.
    var isOfEngine: Bool {
        switch self {
        case .unreachable, .timedOut, .cut, .garbage, .loading, .moved, .noAuth, .noPermission: true
        case .overloaded, .closed, .outOfMemory, .readOnly, .wrongType, .refused: false
        }
    }
}
