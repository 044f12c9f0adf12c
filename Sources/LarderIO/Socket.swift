// Creates, queries and configures sockets. Every descriptor made here is closed on exec. Descriptors for a loop are
// non-blocking.
import CLinux
import Glibc
import LarderCore

/// The process at the other end of a Unix socket, as the kernel saw it when the connection was made (SO_PEERCRED).
public struct PeerCredentials: Sendable, Hashable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32
}

public enum Socket {
    /// Creates a listening socket for loops. A TCP port in use, or a Unix socket on which another process listens, is
    /// an error: a second daemon must not start beside the first. A Unix socket file on which nobody listens is
    /// replaced.
    /// - Parameter unixMode: the permissions of a Unix socket's file.
    public static func listen(
        on address: Address, backlog: Int32 = 1024, unixMode: UInt32 = 0o666
    ) throws(SystemError) -> Int32 {
        if case .unix(let path) = address { try removeDead(path) }
        let descriptor = try open(address.family, SOCK_STREAM, blocking: false)
        do {
            if case .unix = address {
            } else {
                try Syscall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            }
            if case .ipv6 = address { try Syscall.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
            _ = try Syscall.check("bind") { address.withSocketAddress { Glibc.bind(descriptor, $0, $1) } }
            if case .unix(let path) = address { _ = try Syscall.check("chmod") { chmod(path, unixMode) } }
            try prepareListener(descriptor, listening: true, backlog: backlog)
        } catch {
            Syscall.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Prepares an inherited listening socket for loops.
    public static func adopt(_ descriptor: Int32) throws(SystemError) {
        try Syscall.setCloseOnExec(descriptor)
        try Syscall.setNonBlocking(descriptor)
        try prepareListener(descriptor, listening: false, backlog: 0)
    }

    private static func prepareListener(_ descriptor: Int32, listening: Bool, backlog: Int32) throws(SystemError) {
        switch localAddress(descriptor) {
        case .ipv4, .ipv6:
            // Accepted sockets inherit these options. One call here replaces one for each connection.
            try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            // A client that is gone answers a probe with a reset (RFC 9293 §3.8.4). Otherwise a stream to which nothing
            // is written would never end.
            try Syscall.setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
            try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
            try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
            try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
            // Inherited too. Otherwise the kernel lets the buffer grow to the last number of net.ipv4.tcp_wmem, 4 MiB,
            // for each client that does not read. A Unix socket's buffer does not grow (net.core.wmem_default).
            try Syscall.setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(sendBuffer))
        case .unix, nil: break
        }
        if listening { _ = try Syscall.check("listen") { Glibc.listen(descriptor, backlog) } }
    }

    /// Removes a socket file on which nobody listens.
    private static func removeDead(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = try open(AF_UNIX, SOCK_STREAM, blocking: true)
        defer { Syscall.close(probe) }
        do throws(SystemError) {
            _ = try Syscall.check("connect") {
                Address.unix(path).withSocketAddress { Glibc.connect(probe, $0, $1) }
            }
        } catch {
            if error.code == ECONNREFUSED { _ = unlink(path) }
            return
        }
        throw SystemError(call: "bind", code: EADDRINUSE)
    }

    /// Returns a connected, blocking socket, for clients that may wait.
    public static func connect(to address: Address) throws(SystemError) -> Int32 {
        let descriptor = try open(address.family, SOCK_STREAM, blocking: true)
        do throws(SystemError) {
            _ = try Syscall.check("connect") { address.withSocketAddress { Glibc.connect(descriptor, $0, $1) } }
            if address.port != nil { try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        } catch {
            Syscall.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Returns a socket that is connecting, for a loop. It becomes writable when it is connected or has failed
    /// (`connectionError`).
    public static func beginConnecting(to address: Address) throws(SystemError) -> Int32 {
        let descriptor = try open(address.family, SOCK_STREAM, blocking: false)
        do throws(SystemError) {
            if address.port != nil { try Syscall.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
            _ = try Syscall.check("connect") { address.withSocketAddress { Glibc.connect(descriptor, $0, $1) } }
        } catch {
            if error.code == EINPROGRESS { return descriptor }
            Syscall.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Why a connection failed; nil if it did not (SO_ERROR).
    public static func connectionError(_ descriptor: Int32) -> Int32? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return EBADF }
        return code == 0 ? nil : code
    }

    /// Returns the two ends of a connection inside this process. Both are non-blocking.
    public static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        _ = try Syscall.check("socketpair") { socketpair(AF_UNIX, kind, 0, &ends) }
        return (ends[0], ends[1])
    }

    /// The address that a socket is bound to. If port 0 was requested, this has the port that the kernel chose.
    public static func localAddress(_ descriptor: Int32) -> Address? {
        address { getsockname(descriptor, $0, $1) }
    }

    /// The address of the other end.
    public static func peerAddress(_ descriptor: Int32) -> Address? {
        address { getpeername(descriptor, $0, $1) }
    }

    private static func address(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Address? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        return result == 0 ? Address(storage: storage, length: length) : nil
    }

    /// The process that connected to a Unix socket; nil for any other kind of socket.
    public static func peerCredentials(_ descriptor: Int32) -> PeerCredentials? {
        var credentials = larder_ucred()
        var length = socklen_t(MemoryLayout<larder_ucred>.size)
        guard getsockopt(descriptor, SOL_SOCKET, larder_SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        // For a TCP socket the kernel gives no process and no user.
        guard credentials.pid != 0 || credentials.uid != UInt32.max else { return nil }
        return PeerCredentials(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
    }

    /// The size in bytes of the send buffer of an accepted TCP connection. The kernel doubles it for its own bookkeeping
    /// (socket(7)). Below 64 KiB a segment of the loopback interface fills it, and writes wait for delayed
    /// acknowledgements.
    public static let sendBuffer = 128 << 10
    /// The size for a connection that is opened while many are open.
    public static let smallSendBuffer = 64 << 10

    /// Makes the send buffer of a connection small. If that fails, it keeps its size.
    public static func makeSendBufferSmall(_ descriptor: Int32) {
        try? Syscall.setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(smallSendBuffer))
    }

    private static func open(_ family: Int32, _ kind: __socket_type, blocking: Bool) throws(SystemError) -> Int32 {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | (blocking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        return try Syscall.check("socket") { socket(family, Int32(kind.rawValue) | flags, 0) }
    }
}
