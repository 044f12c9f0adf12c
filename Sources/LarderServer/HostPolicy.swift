// Against DNS rebinding: a page of a foreign site, whose name was made to point here, sends that name in Host. Only
// names that cannot be made to point here by strangers are accepted: IP literals, localhost, and those declared.
import Glibc
import LarderCore

/// Which values of Host (or authorities of absolute targets) are accepted.
public struct HostPolicy: Sendable, Hashable {
    /// Further names, in lower case, without port.
    public let names: Set<String>

    /// - Parameter names: as a person writes them; case does not matter.
    public init(names: [String] = []) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether a request for that host is meant for this server. The port does not matter: it may be mapped.
    public func allows(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard host.count <= 512, let name = Self.name(host) else { return false }
        if name.first == "[" { return Self.isIPv6(name.dropFirst().dropLast()) }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return Self.isIPv4(name) || names.contains(name)
    }

    /// Whether a request for that host is meant for this server.
    public func allows(_ host: String) -> Bool {
        Bytes(text: host).withUnsafeBufferPointer { allows($0) }
    }

    /// Whether it could be some server's host at all (RFC 9110 §7.2): an empty one could.
    static func isWellFormed(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = host.count
        if host.first == 0x5B {
            guard let close = host.firstIndex(of: 0x5D) else { return false }
            end = close + 1
        } else if let colon = host.firstIndex(of: 0x3A) {
            end = colon
        }
        if end < host.count {
            guard host[end] == 0x3A, host[(end + 1)...].allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
        }
        let isLiteral = host.first == 0x5B
        return host[..<end].allSatisfy { byte in
            if PercentCoding.isUnreserved(byte) { return true }
            switch byte {
            // Sub-delimiters and percent-encoding (RFC 3986 §3.2.2).
            case 0x21, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x3B, 0x3D: return true
            case 0x3A, 0x5B, 0x5D: return isLiteral
            default: return false
            }
        }
    }

    /// The name of `uri-host [":" port]` (RFC 9110 §7.2), lower case, without a trailing dot; nil where it is none.
    private static func name(_ host: UnsafeBufferPointer<UInt8>) -> String? {
        var end = host.count
        if host.first == 0x5B {
            guard let close = host.firstIndex(of: 0x5D) else { return nil }
            end = close + 1
        } else if let colon = host.firstIndex(of: 0x3A) {
            end = colon
        }
        guard end > 0, end == host.count || host[end] == 0x3A else { return nil }
        guard host.dropFirst(end + 1).allSatisfy({ $0 &- 0x30 < 10 }), host.count - end <= 6 else { return nil }
        var name = host[..<end].map(ASCII.lowercased)
        if name.last == 0x2E { name.removeLast() }
        let fits = name.allSatisfy { byte in
            PercentCoding.isUnreserved(byte) || byte == 0x3A || byte == 0x5B || byte == 0x5D
        }
        return fits && !name.isEmpty ? name.lossyText : nil
    }

    private static func isIPv4(_ name: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, name, &address) == 1
    }

    private static func isIPv6(_ name: Substring) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, String(name), &address) == 1
    }
}
