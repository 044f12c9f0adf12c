// Ports and blocking listeners for the origins of tests.
import CLinux
import Glibc

/// A port of 127.0.0.1 that stays reserved while this object lives, whether or not something listens there. Without the
/// reservation, the kernel could give a closed port to another socket. It could even become the local port of the
/// connection that must be refused.
public final class LoopbackPort: Sendable {
    public let number: UInt16
    /// A socket that is bound to the port and never listens.
    private let holder: Int32

    /// Reserves a port that the kernel chooses. Connections to it are refused until `listen`.
    public init() {
        (holder, number) = Self.bound(to: 0)
    }

    deinit { close(holder) }

    /// Listens on the port. When the caller closes the returned descriptor, the port refuses connections again.
    public func listen() -> Int32 {
        let (listener, _) = Self.bound(to: number)
        precondition(Glibc.listen(listener, 256) == 0, "nobody can listen at \(number)")
        return listener
    }

    private static func bound(to port: UInt16) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Two sockets may be bound to one port if both permit it and neither of them listens yet (socket(7)).
        var isShared: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0, "no port")
                getsockname(descriptor, $0, &length)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// Sets how long a blocking read may take before it fails.
public func setReceiveTimeout(_ descriptor: Int32, seconds: Int) {
    var value = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &value, socklen_t(MemoryLayout<timeval>.size))
}

/// Listens on 127.0.0.1, on a port that the kernel chooses. The caller closes the descriptor.
public func listenOnLoopback() -> (descriptor: Int32, port: UInt16) {
    let port = LoopbackPort()
    return (port.listen(), port.number)
}
