// Decides which addresses an origin found in a response may have. Refused is every address that the IANA
// special-purpose registries (RFC 6890 and its updates) do not call globally reachable, and every form that carries
// such an IPv4 address inside IPv6. Pure: the caller passes the address that a socket is about to connect to, or has
// connected to.
import CCurl  // its headers define sockaddr for this module
import Glibc
import LarderCore

/// An IP address.
enum PublicAddress: Sendable, Hashable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)

    /// Parses an IPv4 or IPv6 literal without brackets. A zone after "%" is ignored. Nil for names.
    init?(_ text: some StringProtocol) {
        let bare = String(text.prefix { $0 != "%" })
        var v4 = in_addr()
        if inet_pton(AF_INET, bare, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, bare, &v6) == 1 else { return nil }
        self = withUnsafeBytes(of: &v6) { Self.v6($0) }
    }

    /// The address inside a socket address. Nil for any family but IPv4 and IPv6, and if the socket address is
    /// truncated.
    init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let raw = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self = .v4(UInt32(bigEndian: raw.sin_addr.s_addr))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            var raw = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self = withUnsafeBytes(of: &raw.sin6_addr) { Self.v6($0) }
        default:
            return nil
        }
    }

    private static func v6(_ bytes: UnsafeRawBufferPointer) -> PublicAddress {
        .v6(
            high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Whether the address belongs to the public Internet.
    var isPublic: Bool {
        switch self {
        case .v4(let address):
            return !Self.reservedV4.contains { address >> (32 - $0.length) == $0.prefix >> (32 - $0.length) }
        case .v6(let high, let low):
            // Only 2000::/3 is allocated as global unicast (RFC 4291 §2.4). The one exception is NAT64's well-known
            // prefix, which is as public as the IPv4 address inside it (RFC 6052).
            if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 {
                return PublicAddress.v4(UInt32(truncatingIfNeeded: low)).isPublic
            }
            guard high >> 61 == 0b001 else { return false }
            return !Self.reservedV6.contains { high >> (64 - $0.length) == $0.prefix >> (64 - $0.length) }
        }
    }

    /// IPv4 blocks that are not globally reachable, or do not name a single host (https://www.iana.org/assignments/
    /// iana-ipv4-special-registry).
    private static let reservedV4: [(prefix: UInt32, length: UInt32)] = [
        (0x0000_0000, 8),  // "this network", 0.0.0.0 connects to this machine
        (0x0A00_0000, 8),  // private, RFC 1918
        (0x6440_0000, 10),  // carrier-grade NAT, RFC 6598
        (0x7F00_0000, 8),  // loopback
        (0xA9FE_0000, 16),  // link-local, where clouds keep their metadata
        (0xAC10_0000, 12),  // private, RFC 1918
        (0xC000_0000, 24),  // protocol assignments, RFC 6890
        (0xC000_0200, 24),  // documentation, RFC 5737
        (0xC058_6300, 24),  // 6to4 relays, RFC 7526
        (0xC0A8_0000, 16),  // private, RFC 1918
        (0xC612_0000, 15),  // benchmarking, RFC 2544
        (0xC633_6400, 24),  // documentation, RFC 5737
        (0xCB00_7100, 24),  // documentation, RFC 5737
        (0xE000_0000, 4),  // multicast
        (0xF000_0000, 4),  // reserved, and the broadcast address
    ]

    /// Blocks within 2000::/3 that are not globally reachable (https://www.iana.org/assignments/
    /// iana-ipv6-special-registry). A prefix is the upper 64 bits.
    private static let reservedV6: [(prefix: UInt64, length: UInt64)] = [
        (0x2001_0000_0000_0000, 23),  // protocol assignments: Teredo, benchmarking, ORCHID, RFC 2928
        (0x2001_0DB8_0000_0000, 32),  // documentation, RFC 3849
        (0x2002_0000_0000_0000, 16),  // 6to4, which carries any IPv4 address and leads nowhere since RFC 7526
        (0x3FFF_0000_0000_0000, 20),  // documentation, RFC 9637
    ]
}

extension PublicAddress {
    /// Whether a host, as a URL names it, can only be this machine or its network, whatever it resolves to. Used behind
    /// a proxy, where the address of the origin's socket cannot be seen.
    static func isPlainlyLocal(host: String) -> Bool {
        var name = host[...]
        if name.first == "[", name.last == "]" { name = name.dropFirst().dropLast() }
        if let literal = PublicAddress(name) { return !literal.isPublic }
        while name.last == "." { name = name.dropLast() }
        // Search domains resolve names without a dot. The listed domains are reserved for local use (RFC 6761, 6762,
        // 8375 and ICANN's .internal).
        let labels = name.lowercased().split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return true }
        return ["localhost", "local", "internal", "localdomain", "lan", "home", "arpa"].contains(String(last))
    }
}
