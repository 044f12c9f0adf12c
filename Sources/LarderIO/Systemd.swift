// The interface to the service manager: inherited sockets (sd_listen_fds(3)), notifications (sd_notify(3)) and the
// watchdog (sd_watchdog_enabled(3)). All of it is configured by the environment, which is passed in as a value.
import CLinux
import Glibc
import LarderCore

/// Sends notifications to the datagram socket named by `$NOTIFY_SOCKET`.
public struct ServiceNotifier: Sendable {
    private let path: String

    /// Nil if no service manager listens.
    public init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            path.utf8.count < Address.maximumPath
        else { return nil }
        self.path = path
    }

    /// How long to wait for a manager that does not read.
    private static let patience = Duration.seconds(1)

    public func ready(status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }
    public func stopping() { send("STOPPING=1") }
    /// Never waits, so a loop may call it. If the manager's queue is full, it already holds signs of life.
    public func alive() { send("WATCHDOG=1", flags: Int32(MSG_DONTWAIT)) }
    public func status(_ text: String) { send("STATUS=\(Self.line(text))") }

    private static func line(_ text: String) -> String {
        text.replacingControls(with: " ")
    }

    /// Sends one message. A message that cannot be sent is dropped, because no notification is worth a failure. If the
    /// manager's queue is full, this waits for at most one second.
    public func send(_ message: String) { send(message, flags: 0) }

    private func send(_ message: String, flags: Int32) {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard let descriptor = try? Syscall.check("socket", { socket(AF_UNIX, kind, 0) }) else { return }
        defer { Syscall.close(descriptor) }
        var limit = timeval(tv_sec: Int(Self.patience.wholeSeconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8)
            // A leading "@" stands for the NUL byte of a name in the abstract namespace. The length of such a name
            // counts.
            if path.hasPrefix("@") { room[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let bytes = Bytes(text: message)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | flags, $0, length)
            }
        }
    }

    /// The longest interval between two signs of life; nil if the manager keeps no watchdog over this process.
    public static func watchdogInterval(environment: [String: String], pid: Int32 = getpid()) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != pid { return nil }
        return .microseconds(microseconds)
    }
}

/// A listening socket that was open when this process started.
public struct InheritedSocket: Sendable, Hashable {
    public let descriptor: Int32
    public let address: Address

    public init(descriptor: Int32, address: Address) {
        self.descriptor = descriptor
        self.address = address
    }

    /// The first descriptor that the service manager passes (SD_LISTEN_FDS_START).
    public static let firstDescriptor: Int32 = 3

    /// Returns the sockets passed to this process, prepared for loops. Descriptors that are not listening sockets are
    /// left alone.
    public static func take(
        environment: [String: String], pid: Int32 = getpid(), first: Int32 = firstDescriptor
    ) -> [InheritedSocket] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == pid,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count <= 256
        else { return [] }
        return (first..<first + count).compactMap { descriptor in
            guard isListening(descriptor), let address = Socket.localAddress(descriptor) else { return nil }
            do {
                try Socket.adopt(descriptor)
            } catch {
                return nil
            }
            return InheritedSocket(descriptor: descriptor, address: address)
        }
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var listens: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens == 1
    }
}
