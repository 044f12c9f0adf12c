// The sockets that were opened for libcurl, so that one can be examined between two requests. libcurl 7.88 does not
// tell which socket a kept connection has before the request is sent on it, but it tells both ends of the connection.
import Glibc

/// An address and a port. An IPv4 address takes four bytes, and the rest is zero.
struct SocketEnd: Hashable {
    private var family: Int32
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    var port: Int32

    /// - Parameter address: in libcurl's text form, without brackets. Nil if it is no IP address.
    init?(address: UnsafePointer<CChar>?, port: Int32) {
        guard let address else { return nil }
        self.port = port
        family = AF_INET
        if withUnsafeMutablePointer(to: &high, { inet_pton(AF_INET, address, $0) }) == 1 { return }
        family = AF_INET6
        var both: (UInt64, UInt64) = (0, 0)
        guard withUnsafeMutablePointer(to: &both, { inet_pton(AF_INET6, address, $0) }) == 1 else { return nil }
        (high, low) = both
    }

    /// - Parameter bytes: the address in network order, as many bytes as its family has.
    fileprivate init(family: Int32, bytes: UnsafeRawBufferPointer, port: Int32) {
        self.family = family
        self.port = port
        withUnsafeMutableBytes(of: &high) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(8))) }
        if bytes.count > 8 {
            withUnsafeMutableBytes(of: &low) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(8)))
            }
        }
    }
}

/// Both ends of a connection. One end is not enough: the kernel gives one local port to several connections whose peers
/// differ.
struct ConnectionEnds: Hashable {
    var local: SocketEnd
    var peer: SocketEnd
}

/// Confined to one loop.
final class OpenSockets {
    private var descriptors = Set<Int32>(minimumCapacity: 8)
    /// Results of earlier searches. The ends of a connection do not change while its socket is open.
    private var known: [ConnectionEnds: Int32] = [:]

    var count: Int { descriptors.count }

    func add(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        descriptors.insert(descriptor)
        forget(descriptor)
    }

    /// Closes a socket that libcurl no longer uses. The kernel may reuse its number at once.
    func close(_ descriptor: Int32) -> Bool {
        descriptors.remove(descriptor)
        forget(descriptor)
        return Glibc.close(descriptor) == 0
    }

    private func forget(_ descriptor: Int32) {
        if let ends = known.first(where: { $0.value == descriptor })?.key { known[ends] = nil }
    }

    /// The socket of the connection between these ends.
    func descriptor(of ends: ConnectionEnds) -> Int32? {
        if let found = known[ends] { return found }
        // Most sockets have another local port, and need only one system call.
        let found = descriptors.first {
            Self.end($0, getsockname, port: ends.local.port) == ends.local
                && Self.end($0, getpeername, port: ends.peer.port) == ends.peer
        }
        if let found { known[ends] = found }
        return found
    }

    /// Whether a socket holds unread bytes or an unread end.
    static func hasInput(_ descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// One end of a connected socket. Nil if the socket has none, or if its port is not the wanted one.
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
                    end(family, &$0.pointee.sin_addr, 4, $0.pointee.sin_port, wanted)
                }
            case AF_INET6:
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    end(family, &$0.pointee.sin6_addr, 16, $0.pointee.sin6_port, wanted)
                }
            default: return nil
            }
        }
    }

    private static func end(
        _ family: Int32, _ address: UnsafeRawPointer, _ count: Int, _ portInNetworkOrder: UInt16, _ wanted: Int32?
    ) -> SocketEnd? {
        let port = Int32(UInt16(bigEndian: portInNetworkOrder))
        guard wanted == nil || wanted == port else { return nil }
        return SocketEnd(family: family, bytes: UnsafeRawBufferPointer(start: address, count: count), port: port)
    }
}
