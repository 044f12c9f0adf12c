// Where to look for the daemon: the address that the user gives, else its Unix socket, else its TCP port.
import Glibc
import LarderCore
import LarderIO
import LarderSettings

/// One address to try.
public struct DaemonAddress: Sendable, Hashable, CustomStringConvertible {
    public enum Place: Sendable, Hashable {
        case unix(String)
        /// A host name, or an IP address without brackets.
        case tcp(host: String, port: UInt16)
    }

    public var place: Place
    /// The value of the `Host` field.
    public var authority: String

    public var description: String {
        switch place {
        case .unix(let path): "unix:\(path)"
        case .tcp: "http://\(authority)"
        }
    }

    public static let standardPort: UInt16 = 8787

    /// The addresses to try, in order. A URL from the user is the only one.
    static func candidates(
        url: String?, environment: [String: String], exists: (String) -> Bool = { access($0, F_OK) == 0 }
    ) throws(CommandFailure) -> [DaemonAddress] {
        if let url = url ?? environment["LARDER_URL"], !url.isEmpty { return [try DaemonAddress(url: url)] }
        // The last one is the socket of the unit larder.socket.
        let sockets =
            StandardPlaces(environment: environment).sockets + ["/run/larder/larder.sock", "/run/larder.sock"]
        return sockets.filter(exists).map { DaemonAddress(place: .unix($0), authority: "localhost") }
            + [
                DaemonAddress(
                    place: .tcp(host: "127.0.0.1", port: standardPort), authority: "127.0.0.1:\(standardPort)")
            ]
    }

    init(place: Place, authority: String) {
        self.place = place
        self.authority = authority
    }

    /// Parses "http://127.0.0.1:8787" or "unix:/run/larder/larder.sock", and the bare "127.0.0.1:8787" of `listening`
    /// lines.
    init(url: String) throws(CommandFailure) {
        if url.hasPrefix("unix:") {
            let path = String(url.dropFirst(5))
            guard path.hasPrefix("/") else { throw CommandFailure(.usage, "\(url): a socket needs an absolute path") }
            self.init(place: .unix(path), authority: "localhost")
            return
        }
        guard !url.lowercased().hasPrefix("https://") else {
            throw CommandFailure(
                .usage, "\(url): Larder supports only plain http; for TLS use a proxy and a client with TLS")
        }
        var rest = url[...]
        if url.lowercased().hasPrefix("http://") { rest = rest.dropFirst("http://".count) }
        while rest.hasSuffix("/") { rest.removeLast() }
        let isBracketed = rest.hasPrefix("[")
        let close = isBracketed ? rest.firstIndex(of: "]") : rest.startIndex
        guard let close, !rest.isEmpty, !rest.contains("/"), !rest.contains("@"), !rest.contains(" ") else {
            throw CommandFailure(.usage, "\(url) is not an address such as http://127.0.0.1:8787")
        }
        var host = String(rest)
        var port = DaemonAddress.standardPort
        if let colon = rest.lastIndex(of: ":"), colon > close || !isBracketed {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else {
                throw CommandFailure(.usage, "\(url) has no port from 1 to 65535")
            }
            host = String(rest[..<colon])
            port = number
        }
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw CommandFailure(.usage, "\(url) names no host") }
        self.init(place: .tcp(host: host, port: port), authority: isBracketed ? "[\(host)]:\(port)" : "\(host):\(port)")
    }

    /// The socket addresses to connect to. A name is resolved by getaddrinfo(3).
    func socketAddresses() -> [Address] {
        switch place {
        case .unix(let path): return (try? Address("unix:\(path)")).map { [$0] } ?? []
        case .tcp(let host, let port):
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return [] }
            defer { freeaddrinfo(found) }
            var addresses: [Address] = []
            var next = found
            while let entry = next {
                next = entry.pointee.ai_next
                guard let address = Self.numeric(entry.pointee), !addresses.contains(address) else { continue }
                addresses.append(address)
            }
            return addresses
        }
    }

    /// Converts the entry to text and parses it, which needs no knowledge of the memory layout of `Address`.
    private static func numeric(_ entry: addrinfo) -> Address? {
        var host = [CChar](repeating: 0, count: 256)
        var service = [CChar](repeating: 0, count: 32)
        let result = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        guard result == 0 else { return nil }
        let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let port = String(decoding: service.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return try? Address(entry.ai_family == AF_INET6 ? "[\(name)]:\(port)" : "\(name):\(port)")
    }
}
