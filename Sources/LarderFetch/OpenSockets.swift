// The sockets that were opened for libcurl, to look at one between two requests: libcurl 7.88 does not tell which socket a
// kept connection has before the request is on it, but it tells both ports.
import Glibc

/// Confined to the fetch loop.
final class OpenSockets {
    private var descriptors: [Int32] = []

    func add(_ descriptor: Int32) {
        guard descriptor >= 0, !descriptors.contains(descriptor) else { return }
        // Closed ones answer no more, or are another's by now; they are weeded out before there are many.
        if descriptors.count >= 256 { descriptors.removeAll { Self.ports($0) == nil } }
        descriptors.append(descriptor)
    }

    /// Whether the connection between those ports holds bytes, or its end, that nobody has read.
    func hasInput(local: Int32, peer: Int32) -> Bool {
        for descriptor in descriptors {
            guard let ports = Self.ports(descriptor), ports == (local, peer) else { continue }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wanted, 1, 0) > 0
        }
        return false
    }

    /// Own and peer's port of a connected socket.
    private static func ports(_ descriptor: Int32) -> (Int32, Int32)? {
        guard let own = port(descriptor, getsockname), let peer = port(descriptor, getpeername) else { return nil }
        return (own, peer)
    }

    private static func port(
        _ descriptor: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            guard pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, { ask(descriptor, $0, &length) }) == 0
            else { return nil }
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int32(UInt16(bigEndian: $0.pointee.sin_port))
                }
            case AF_INET6:
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    Int32(UInt16(bigEndian: $0.pointee.sin6_port))
                }
            default: return nil
            }
        }
    }
}
