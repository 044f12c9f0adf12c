// Resolves host names to addresses. getaddrinfo(3) blocks until name servers answer, which no loop may do, so each call
// runs on a thread of its own. The number of such threads is limited, for the case that name servers do not answer.
import Glibc
import LarderCore
import LarderIO

enum HostNames {
    typealias Resolve = @Sendable (String, UInt16, @escaping @Sendable ([Address]) -> Void) -> Void

    private static let mostThreads = 4
    private static let threads = Lock(0)

    /// Passes the addresses of a host to `done`, on any thread, in the order in which they should be tried. The list is
    /// empty if there are none. An IP address is passed back at once.
    @Sendable static func resolve(_ host: String, _ port: UInt16, _ done: @escaping @Sendable ([Address]) -> Void) {
        if let address = (try? Address("\(host):\(port)")) ?? (try? Address("[\(host)]:\(port)")) {
            return done([address])
        }
        let mayStart = threads.withLock { threads -> Bool in
            guard threads < mostThreads else { return false }
            threads += 1
            return true
        }
        guard mayStart else { return done([]) }
        do {
            let thread = try SystemThread.start(named: "resolve") {
                let found = look(host, port)
                threads.withLock { $0 -= 1 }
                done(found)
            }
            thread.detach()
        } catch {
            threads.withLock { $0 -= 1 }
            done([])
        }
    }

    private static func look(_ host: String, _ port: UInt16) -> [Address] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [Address] = []
        var next = list
        while let info = next, found.count < 8 {
            if let address = address(info.pointee, port) { found.append(address) }
            next = info.pointee.ai_next
        }
        return found
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
