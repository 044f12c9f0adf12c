// The sockets that were opened for libcurl, to look at one between two requests: libcurl 7.88 does not tell which socket a
// kept connection has before the request is on it, but it tells both ends.
import Glibc

/// Address, as text without brackets, and port.
struct SocketEnd: Hashable {
    var address: String
    var port: Int32
}

/// Both ends of a connection. One of them is not enough: the kernel gives a local port to several connections whose
/// peers differ.
struct ConnectionEnds: Hashable {
    var local: SocketEnd
    var peer: SocketEnd
}

/// Confined to one loop.
final class OpenSockets {
    private var descriptors: Set<Int32> = []

    var count: Int { descriptors.count }

    func add(_ descriptor: Int32) {
        if descriptor >= 0 { descriptors.insert(descriptor) }
    }

    /// Closes one that libcurl has done with. Its number may be another's at once.
    func close(_ descriptor: Int32) -> Bool {
        descriptors.remove(descriptor)
        return Glibc.close(descriptor) == 0
    }

    /// The socket of the connection between those ends.
    func descriptor(of ends: ConnectionEnds) -> Int32? {
        // Most differ by their local port: nothing more is asked of those.
        descriptors.first {
            Self.end($0, getsockname, port: ends.local.port) == ends.local
                && Self.end($0, getpeername, port: ends.peer.port) == ends.peer
        }
    }

    /// Whether a socket holds bytes, or its end, that nobody has read.
    static func hasInput(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// One end of a connected socket; nil where it has none, or one of another port than the wanted one.
    private static func end(
        _ descriptor: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32,
        port wanted: Int32? = nil
    ) -> SocketEnd? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            guard pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, { ask(descriptor, $0, &length) }) == 0
            else { return nil }
            let family = Int32(pointer.pointee.ss_family)
            switch family {
            case AF_INET:
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    text(family, &$0.pointee.sin_addr, $0.pointee.sin_port, wanted)
                }
            case AF_INET6:
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    text(family, &$0.pointee.sin6_addr, $0.pointee.sin6_port, wanted)
                }
            default: return nil
            }
        }
    }

    private static func text(
        _ family: Int32, _ address: UnsafeRawPointer, _ portInNetworkOrder: UInt16, _ wanted: Int32?
    ) -> SocketEnd? {
        let port = Int32(UInt16(bigEndian: portInNetworkOrder))
        guard wanted == nil || wanted == port else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return SocketEnd(
            address: String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
            port: port)
    }
}
