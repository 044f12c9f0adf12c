// The other end of a connection, as far as the kernel tells it.

/// Who sent a request.
public enum Peer: Sendable, Hashable {
    /// Over TCP; the address where the kernel could still tell it.
    case tcp(Address?)
    /// Over a Unix socket, with the user and process the kernel saw (SO_PEERCRED).
    case unix(uid: UInt32, pid: Int32)
    /// The daemon's own self-probe.
    case probe
}
