// What an origin of a test stands on: a blocking listener of its own.
import Glibc

/// Listens on 127.0.0.1, on a port of the kernel's choice. Whoever asks closes the descriptor.
public func listenOnLoopback() -> (descriptor: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            precondition(bind(listener, $0, length) == 0 && listen(listener, 256) == 0, "no port")
            getsockname(listener, $0, &length)
        }
    }
    return (listener, UInt16(bigEndian: address.sin_port))
}
