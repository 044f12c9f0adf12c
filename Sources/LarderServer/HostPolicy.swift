// Protects against DNS rebinding. A foreign site can point its own name at this machine, and its pages then send that
// name in Host. Only names that strangers cannot point here are accepted: localhost, the loopback literals that
// browsers treat as trustworthy, the address that the connection came to, and the declared names.
//
// Other literals reach this machine too ("0.0.0.0", "[::]", "[::ffff:127.0.0.1]"), but browsers do not treat them as
// local (W3C Secure Contexts §3.1). To such hosts a browser sends no Sec-Fetch field, and no Origin with a plain GET. A
// foreign page's request would then look like the user's own. A browser reaches no Unix socket, so any name is right
// there.
import Glibc
import LarderCore
import LarderIO

/// The values of Host, or authorities of absolute targets, that every connection accepts. Each connection also accepts
/// the address that it came to (`isLocal`).
public struct HostPolicy: Sendable, Hashable {
    /// Declared names in lower case, without port. They include IPv4 literals.
    public let names: Set<String>
    /// Declared IPv6 literals as bytes, because an address has several spellings and a browser uses its own.
    public let literals: Set<Bytes>

    /// - Parameter names: names in any case. An IPv6 literal is written in brackets.
    public init(names: [String] = []) {
        self.names = Set(names.map { $0.lowercased() })
        literals = Set(names.compactMap { $0.hasPrefix("[") ? Self.ipv6($0.dropFirst().dropLast()) : nil })
    }

    /// Whether a request for that host is meant for this server. The port is ignored because it may be mapped.
    public func allows(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard host.count <= 512, let name = Self.name(host) else { return false }
        if name.first == "[" {
            return name == "[::1]" || Self.ipv6(name.dropFirst().dropLast()).map(literals.contains) ?? false
        }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return Self.isLoopback(name) || names.contains(name)
    }

    /// Whether the host is the address that a connection came to, in its canonical form (RFC 5952 §4; dotted decimal).
    /// - Parameter local: the address as `literal(of:)` writes it.
    static func isLocal(_ host: UnsafeBufferPointer<UInt8>, _ local: Bytes) -> Bool {
        guard !local.isEmpty, host.starts(with: local) else { return false }
        guard host.count > local.count else { return true }
        let port = host.dropFirst(local.count + 1)
        return host[local.count] == 0x3A && port.count <= 5 && port.allSatisfy { ASCII.isDigit($0) }
    }

    /// An address as it is written in Host, without port; empty if it is not an IP address. The address of an IPv4
    /// connection to a dual-stack socket is written as IPv4.
    static func literal(of address: Address?) -> Bytes {
        switch address {
        case .ipv4(let bytes, _)?: Bytes(text: Address.text(bytes))
        case .ipv6(let bytes, _)? where bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]:
            Bytes(text: Address.text(Bytes(bytes.suffix(4))))
        case .ipv6(let bytes, _)?: Bytes(text: "[\(Address.text(bytes))]")
        case .unix?, nil: []
        }
    }

    /// Whether a request for that host is meant for this server.
    public func allows(_ host: String) -> Bool {
        Bytes(text: host).withUnsafeBufferPointer { allows($0) }
    }

    /// Whether the host is syntactically valid (RFC 9110 §7.2). An empty host is.
    static func isWellFormed(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        var end = host.count
        if host.first == 0x5B {
            guard let close = host.firstIndex(of: 0x5D) else { return false }
            end = close + 1
        } else if let colon = host.firstIndex(of: 0x3A) {
            end = colon
        }
        if end < host.count {
            guard host[end] == 0x3A, host[(end + 1)...].allSatisfy({ ASCII.isDigit($0) }) else { return false }
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

    /// The name in `uri-host [":" port]` (RFC 9110 §7.2), lower case, without a trailing dot; nil if invalid.
    private static func name(_ host: UnsafeBufferPointer<UInt8>) -> String? {
        var end = host.count
        if host.first == 0x5B {
            guard let close = host.firstIndex(of: 0x5D) else { return nil }
            end = close + 1
        } else if let colon = host.firstIndex(of: 0x3A) {
            end = colon
        }
        guard end > 0, end == host.count || host[end] == 0x3A else { return nil }
        guard host.dropFirst(end + 1).allSatisfy({ ASCII.isDigit($0) }), host.count - end <= 6 else { return nil }
        var name = host[..<end].map(ASCII.lowercased)
        if name.last == 0x2E { name.removeLast() }
        let fits = name.allSatisfy { byte in
            PercentCoding.isUnreserved(byte) || byte == 0x3A || byte == 0x5B || byte == 0x5D
        }
        return fits && !name.isEmpty ? name.lossyText : nil
    }

    /// Whether the name is in 127.0.0.0/8. inet_pton(3) takes no octal, hexadecimal or short form, only dotted decimal.
    private static func isLoopback(_ name: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, name, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    private static func ipv6(_ name: Substring) -> Bytes? {
        var bytes = Bytes(repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(name), &bytes) == 1 ? bytes : nil
    }
}
