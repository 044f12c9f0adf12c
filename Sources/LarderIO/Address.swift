// Socket addresses as values, in their usual notation: "127.0.0.1:8787", "[::1]:0", "unix:/run/larder.sock". Host names
// are not resolved, so that the addresses listened on are always exact.
import CLinux
import Glibc
import LarderCore

/// The error for text that is not an address. The message says what is expected.
public struct AddressError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
}

/// The address of a listener, a server or a client.
public enum Address: Sendable, Hashable, CustomStringConvertible {
    /// Four bytes in written order, and the port.
    case ipv4([UInt8], port: UInt16)
    /// Sixteen bytes in written order, and the port.
    case ipv6([UInt8], port: UInt16)
    /// A file system path; empty for a peer that has none.
    case unix(String)

    /// Parses an address.
    public init(_ text: String) throws(AddressError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count < Self.maximumPath, !path.utf8.contains(0) else {
                throw AddressError(
                    description: "\"\(text)\": a Unix socket needs an absolute path of at most "
                        + "\(Self.maximumPath - 1) bytes, as in unix:/run/larder/larder.sock")
            }
            self = .unix(path)
            return
        }
        let wanted = "write an address as 127.0.0.1:8787, [::1]:8787 or unix:/path"
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            throw AddressError(description: "\"\(text)\" has no port from 0 to 65535: \(wanted)")
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard let bytes = Self.numeric(String(host), family: AF_INET6, count: 16) else {
                throw AddressError(description: "\"\(host)\" is no IPv6 address: \(wanted)")
            }
            self = .ipv6(bytes, port: port)
        } else {
            guard let bytes = Self.numeric(String(host), family: AF_INET, count: 4) else {
                throw AddressError(description: "\"\(host)\" is no IP address: \(wanted)")
            }
            self = .ipv4(bytes, port: port)
        }
    }

    /// The size of `sun_path` in bytes (unix(7)).
    static let maximumPath = 108

    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy(ASCII.isDigit) ? UInt16(text) : nil
    }

    private static func numeric(_ text: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    public var description: String {
        switch self {
        case .ipv4(let bytes, let port): "\(Self.render(bytes, family: AF_INET)):\(port)"
        case .ipv6(let bytes, let port): "[\(Self.render(bytes, family: AF_INET6))]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Returns the canonical text of four or sixteen bytes, without brackets and port (RFC 5952).
    public static func text(_ bytes: [UInt8]) -> String {
        render(bytes, family: bytes.count == 4 ? AF_INET : AF_INET6)
    }

    private static func render(_ bytes: [UInt8], family: Int32) -> String {
        if family == AF_INET, bytes.count == 4 {
            return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])"
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The port; nil for a Unix socket.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix: nil
        }
    }

    /// Whether both addresses have the same host, whatever their ports.
    public func hasHost(of other: Address) -> Bool {
        switch (self, other) {
        case (.ipv4(let one, _), .ipv4(let two, _)), (.ipv6(let one, _), .ipv6(let two, _)): one == two
        default: false
        }
    }

    /// Whether only this machine can reach the address: 127.0.0.0/8, ::1, the IPv4-mapped form of 127.0.0.0/8, and Unix
    /// sockets.
    public var isLoopback: Bool {
        switch self {
        case .ipv4(let bytes, _): bytes.first == 127
        case .ipv6(let bytes, _):
            bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
                || bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] && bytes[12] == 127
        case .unix: true
        }
    }

    var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls the body with the address as the kernel's structure.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch self {
        case .ipv4(let bytes, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes.prefix(4)) }
            return withUnsafePointer(to: &address) { Self.rebound($0, body) }
        case .ipv6(let bytes, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix(16)) }
            return withUnsafePointer(to: &address) { Self.rebound($0, body) }
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return withUnsafePointer(to: &address) { Self.rebound($0, body) }
        }
    }

    private static func rebound<Value, Result>(
        _ value: UnsafePointer<Value>, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // Every socket address structure begins with its family, like `sockaddr`.
        value.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Value>.size)) }
    }

    /// Reads an address that the kernel wrote; nil for an unsupported family.
    init?(storage: sockaddr_storage, length: socklen_t) {
        var storage = storage
        let family = Int32(storage.ss_family)
        let bytes = withUnsafeBytes(of: &storage) { [UInt8]($0.prefix(Int(length))) }
        func port() -> UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }
        switch family {
        case AF_INET where bytes.count >= 8: self = .ipv4([UInt8](bytes[4..<8]), port: port())
        case AF_INET6 where bytes.count >= 24: self = .ipv6([UInt8](bytes[8..<24]), port: port())
        case AF_UNIX: self = .unix(String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self))
        default: return nil
        }
    }
}
