// Addresses of a name. getaddrinfo(3) waits for name servers, which no loop may: it runs on a thread of its own, one at a time.
import Glibc
import LarderCore
import LarderIO

enum HostNames {
    /// The first address of a host, told on any thread; nil where there is none. An IP address is told at once.
    static func resolve(_ host: String, port: UInt16, _ done: @escaping @Sendable (Address?) -> Void) {
        if let address = (try? Address("\(host):\(port)")) ?? (try? Address("[\(host)]:\(port)")) {
            return done(address)
        }
        do {
            let thread = try SystemThread.start(named: "resolve") { done(look(host, port)) }
            thread.detach()
        } catch {
            done(nil)
        }
    }

    private static func look(_ host: String, _ port: UInt16) -> Address? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var next = list
        while let info = next {
            if let address = address(info.pointee, port) { return address }
            next = info.pointee.ai_next
        }
        return nil
    }

    private static func address(_ info: addrinfo, _ port: UInt16) -> Address? {
        guard let raw = UnsafeRawPointer(info.ai_addr) else { return nil }
        switch info.ai_family {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self)
            return .ipv4(withUnsafeBytes(of: address.sin_addr) { [UInt8]($0) }, port: port)
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            return .ipv6(withUnsafeBytes(of: address.sin6_addr) { [UInt8]($0) }, port: port)
        default: return nil
        }
    }
}
