// Finds out whose program accepts connections on a local port. Any user can listen on ports above 1023. While the
// daemon is not running, another user's program could listen in its place and would receive the token. The kernel lists
// the user of each TCP socket in /proc/net/tcp and tcp6 (proc_net(5)). Both are read after the connection is made and
// before it is used, so the socket that is judged is the one that answers.
//
// A connection to another machine is not judged: the user named it, and this machine cannot know who listens there.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderSettings

/// One TCP socket of this machine.
struct TCPSocket: Sendable, Hashable {
    var local: Address
    var remote: Address
    var isListening: Bool
    var user: UInt32

    /// Parses a row of /proc/net/tcp or tcp6; nil for the heading and for malformed rows.
    init?(row: Substring) {
        let words = row.split(separator: " ", maxSplits: 8)
        guard words.count > 7, let local = Self.address(words[1]), let remote = Self.address(words[2]),
            let user = UInt32(words[7])
        else { return nil }
        self.local = local
        self.remote = remote
        // TCP_LISTEN of <netinet/tcp.h>.
        isListening = words[3] == "0A"
        self.user = user
    }

    /// Parses "0100007F:2253". Each 32 bits of the address are printed as a number in this machine's byte order.
    private static func address(_ text: Substring) -> Address? {
        guard let colon = text.firstIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...], radix: 16)
        else { return nil }
        var digits = text[..<colon]
        guard [8, 32].contains(digits.utf8.count) else { return nil }
        var bytes: [UInt8] = []
        while !digits.isEmpty {
            guard let word = UInt32(digits.prefix(8), radix: 16) else { return nil }
            withUnsafeBytes(of: word) { bytes += $0 }
            digits = digits.dropFirst(8)
        }
        return Address.ipv6OrV4(bytes, port: port)
    }

    /// The sockets in one of the two files whose own port, or whose peer's, is this one. A machine may have tens of
    /// thousands of sockets, so only the rows that name the port are parsed.
    static func all(in table: Bytes, port: UInt16) -> [TCPSocket] {
        let digits = String(port, radix: 16, uppercase: true)
        let name = Bytes(text: String(repeating: "0", count: 4 - digits.count) + digits + " ")
        return table.withUnsafeBytes { table in
            var sockets: [TCPSocket] = []
            var start = 0
            while start < table.count {
                let end = place(of: 0x0A, in: table, from: start) ?? table.count
                let row = UnsafeRawBufferPointer(rebasing: table[start..<end])
                if Self.row(row, names: name), let socket = TCPSocket(row: Substring(decoding: row, as: UTF8.self)) {
                    sockets.append(socket)
                }
                start = end + 1
            }
            return sockets
        }
    }

    /// Whether a port of a row is this one. The first colon ends the row's number; the next two stand before ports.
    private static func row(_ row: UnsafeRawBufferPointer, names port: Bytes) -> Bool {
        guard var colon = place(of: 0x3A, in: row, from: 0) else { return false }
        for _ in 0..<2 {
            guard let next = place(of: 0x3A, in: row, from: colon + 1) else { return false }
            colon = next
            if row[(colon + 1)...].prefix(port.count).elementsEqual(port) { return true }
        }
        return false
    }

    private static func place(of byte: Int32, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let hit = memchr(base + start, byte, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(hit) - base
    }
}

extension Address {
    /// An IPv4-mapped IPv6 address is treated as the IPv4 address (RFC 4291 §2.5.5.2).
    fileprivate static func ipv6OrV4(_ bytes: [UInt8], port: UInt16) -> Address {
        if bytes.count == 4 { return .ipv4(bytes, port: port) }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? .ipv4(Array(bytes.suffix(4)), port: port) : .ipv6(bytes, port: port)
    }

    fileprivate var plain: Address {
        if case .ipv6(let bytes, let port) = self { return .ipv6OrV4(bytes, port: port) }
        return self
    }

    /// Whether the address means all addresses of this machine.
    fileprivate var isWildcard: Bool { host.allSatisfy { $0 == 0 } }

    /// The bytes of the address, without the port.
    fileprivate var host: [UInt8] {
        switch self {
        case .ipv4(let bytes, _), .ipv6(let bytes, _): bytes
        case .unix: []
        }
    }
}

/// The owner of the other end of a connection inside this machine.
enum PortOwner: Sendable, Hashable {
    case trusted
    case other(UInt32)
    /// The system does not list an owner.
    case unknown

    /// - Parameters:
    ///   - peer: the address that was connected to; `own` is the address of this end.
    ///   - trusted: the users who may receive the token.
    static func judge(peer: Address, own: Address, among sockets: [TCPSocket], trusted: Set<UInt32>) -> PortOwner {
        let (peer, own) = (peer.plain, own.plain)
        // This is the other end of this very connection. Until a process accepts the connection, its user is root, or
        // nobody in a container, which tells nothing.
        if let end = sockets.first(where: { !$0.isListening && $0.local == peer && $0.remote == own }),
            end.user != 0, end.user != overflow
        {
            return trusted.contains(end.user) ? .trusted : .other(end.user)
        }
        let listeners = sockets.filter {
            $0.isListening && $0.local.port == peer.port && ($0.local.host == peer.host || $0.local.isWildcard)
        }
        guard !listeners.isEmpty else { return .unknown }
        // Several processes may listen on one port, and it is not yet known which of them will accept.
        return listeners.first { !trusted.contains($0.user) }.map { .other($0.user) } ?? .trusted
    }

    /// The number that stands for users without a mapping in this namespace (user_namespaces(7)).
    private static let overflow: UInt32 = 65_534

    /// The users to whom the token may be sent: root, the calling user, and the daemon's user. The daemon's user is
    /// `$LARDER_DAEMON_USER` if that is set. Otherwise it is the user `larder`, which systemd creates with
    /// DynamicUser=, and also the owner of /run/larder, which only root can create.
    static func trusted(environment: [String: String]) throws(CommandFailure) -> Set<UInt32> {
        var users: Set<UInt32> = [0, getuid(), geteuid()]
        if let name = environment["LARDER_DAEMON_USER"], !name.isEmpty {
            guard let user = UInt32(name) ?? UserName.number(of: name) else {
                throw CommandFailure(.usage, "LARDER_DAEMON_USER: there is no user \"\(name)\" on this machine")
            }
            users.insert(user)
            return users
        }
        if let user = UserName.number(of: "larder") { users.insert(user) }
        var status = stat()
        if lstat("/run/larder", &status) == 0 { users.insert(status.st_uid) }
        return users
    }

    /// The owner of the other end of a connected socket. Unix sockets are `trusted`, because the permissions of their
    /// folders decide who may create them, and so are other machines.
    static func of(_ descriptor: Int32, trusted: Set<UInt32>) -> PortOwner {
        guard let peer = Socket.peerAddress(descriptor), peer.port != nil, let own = Socket.localAddress(descriptor)
        else {
            return .trusted
        }
        guard peer.isLoopback || peer.plain.host == own.plain.host else { return .trusted }
        // The kernel's table may change between two reads of one file, and then a row can be missing. So the look is
        // repeated.
        for _ in 0..<5 {
            let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap {
                TCPSocket.all(in: bytes(of: $0), port: peer.port ?? 0)
            }
            let owner = judge(peer: peer, own: own, among: sockets, trusted: trusted)
            if owner != .unknown { return owner }
        }
        return .unknown
    }

    private static func bytes(of path: String) -> Bytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { Syscall.close(descriptor) }
        var bytes = Bytes()
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        while bytes.count < 64 << 20,
            case .bytes(let count) = chunk.withUnsafeMutableBytes({ Syscall.read(descriptor, into: $0) })
        { bytes += chunk.prefix(count) }
        return bytes
    }
}

extension DaemonConnection {
    /// Throws if the token would go to another user's program.
    func checkOwner(trusted: Set<UInt32>) throws(CommandFailure) {
        let who: String
        switch PortOwner.of(descriptor, trusted: trusted) {
        case .trusted: return
        case .other(let user):
            let name = UserName.name(of: user).map { "\($0) (\(user))" } ?? String(user)
            who = "belongs to user \(name), who is neither root nor the daemon's user nor you"
        case .unknown: who = "has no owner in /proc/net/tcp"
        }
        throw CommandFailure(
            .refused, "the token was not sent: the port of \(address) \(who)",
            advice: "Use the Unix socket, or set LARDER_DAEMON_USER to the user that the daemon runs as.")
    }
}
