// The other end of a connection, as far as the kernel reports it.

/// The sender of a request.
public enum Peer: Sendable, Hashable {
    /// A TCP client; the address is nil if the kernel could no longer report it.
    case tcp(Address?)
    /// A client of a Unix socket, with the user and process that the kernel saw (SO_PEERCRED).
    case unix(uid: UInt32, pid: Int32)
    /// The daemon's own self-probe.
    case probe
}
