// Whether a place that an upstream names is one of this daemon's own, outside of the provider's mount. A redirect there
// would make a browser carry out what the upstream chose, such as a search in the console, as if the user had asked.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import LarderServer
import LarderSettings

/// The addresses of this daemon, as far as its configuration and one request tell. A port may be mapped to another, so
/// the port in the request's `Host` counts as well.
struct OwnAddresses: Sendable {
    private let mount: String
    /// The authority that the client wrote, without the default port. Empty if it wrote none.
    private let here: String
    private let names: HostPolicy
    private let ports: Set<UInt16>

    /// - Parameters:
    ///   - host: the request's `Host`.
    ///   - mount: see `WayOut`.
    init(host: String?, mount: String, _ settings: Settings) {
        self.mount = mount
        here = HTTPURL("http://\(host ?? "")/")?.authority ?? ""
        names = HostPolicy(names: settings.hostNames)
        ports = Set(settings.listen.compactMap { (try? Address($0.address))?.port })
    }

    /// Whether a URL leads to this daemon, but not to the provider that the client asks.
    func isElsewhereHere(_ url: HTTPURL) -> Bool {
        let port = Self.port(url.authority, url.scheme)
        let isOwnName = url.authority == here || names.allows(url.authority) || Self.isLoopbackNumber(url.authority)
        guard isOwnName else { return false }
        if url.authority == here || !here.isEmpty && port == Self.port(here, "http") {
            return !isBelowMount(url.target)
        }
        return port.map(ports.contains) ?? false
    }

    private func isBelowMount(_ target: String) -> Bool {
        guard !mount.isEmpty, target.hasPrefix(mount) else { return mount.isEmpty }
        // Browsers take "%2e" for a dot (URL Standard, "double-dot URL path segment"), and so leave the mount by it.
        guard !target.lowercased().contains("%2e") else { return false }
        let next = target.utf8.dropFirst(mount.utf8.count).first
        return next == nil || next == 0x2F || next == 0x3F
    }

    /// Whether browsers take the host for a loopback address in one of its other spellings, such as 127.1 or 2130706433
    /// (inet_aton(3)), or [0:0:0:0:0:0:0:1] (RFC 4291 §2.2).
    private static func isLoopbackNumber(_ authority: String) -> Bool {
        if authority.utf8.first == 0x5B { return isLoopback6(authority.dropFirst().prefix { $0 != "]" }) }
        var address = in_addr()
        let host = String(authority.prefix { $0 != ":" })
        guard inet_aton(host, &address) != 0 else { return false }
        let number = UInt32(bigEndian: address.s_addr)
        return number >> 24 == 127 || number == 0
    }

    private static func isLoopback6(_ host: Substring) -> Bool {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(host), &address) == 1 else { return false }
        let bytes = withUnsafeBytes(of: address) { Bytes($0) }
        // The loopback address, the unspecified one, and both of IPv4 in the mapped form (RFC 4291 §2.5.5.2).
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        if isMapped { return bytes[12] == 127 || bytes[12...].allSatisfy { $0 == 0 } }
        return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
    }

    private static func port(_ authority: String, _ scheme: String) -> UInt16? {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return scheme == "https" ? 443 : 80
        }
        return UInt16(authority[authority.index(after: colon)...])
    }
}
