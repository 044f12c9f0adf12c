// Bytes on their way between two sockets of the loopback interface. A successful `send` says only that the kernel took
// the bytes. They may reach the other socket later, above all if the processors are busy.
import Glibc

/// Blocks until the other side's kernel has acknowledged every byte that was sent on this TCP socket. The bytes can
/// then be read there. Also returns if the connection has failed, because its bytes are then never acknowledged.
public func awaitDelivery(of descriptor: Int32, fileID: String = #fileID, line: Int = #line) throws {
    try blockUntil("the sent bytes have arrived", fileID: fileID, line: line) {
        var unacknowledged: Int32 = 0
        // SIOCOUTQ of linux/sockios.h (tcp(7)).
        guard ioctl(descriptor, 0x5411, &unacknowledged) == 0 else {
            throw WireError("SIOCOUTQ: \(String(cString: strerror(errno)))")
        }
        if unacknowledged == 0 { return true }
        var poller = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&poller, 1, 0) > 0 && Int32(poller.revents) & (POLLERR | POLLHUP) != 0
    }
}
