// The only file of this target that reads errno. Every call is retried on EINTR and reports its failure as a value that
// names the call. `close` is not retried, because Linux frees the descriptor first (close(2)).
import CLinux
import Glibc
import LarderCore

/// A failed system call and its error code. Contains no address, path or content.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call's name, such as "bind".
    public let call: String
    /// The `errno` value.
    public let code: Int32

    public init(call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    /// The error of a thread that could not be started.
    public init(_ failure: SystemThread.Failure) {
        self.init(call: "pthread_create", code: failure.code)
    }

    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// The call and the system's text, such as "bind: Address already in use".
    public var description: String {
        var text = [CChar](repeating: 0, count: 128)
        // The XSI version, which fills the buffer and returns a code.
        guard strerror_r(code, &text, text.count) == 0 else { return "\(call): error \(code)" }
        return "\(call): " + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The result of a non-blocking read or write.
public enum Transfer: Sendable, Hashable {
    /// The number of bytes transferred. A write may transfer fewer than offered.
    case bytes(Int)
    /// The peer sends no more. Only for reads.
    case end
    /// Nothing can be transferred now.
    case wouldBlock
    /// The connection is unusable. The value is the `errno`.
    case failed(Int32)
}

/// The result of accepting a connection.
public enum Accepted: Sendable, Hashable {
    case connection(Int32)
    case none
    /// No descriptor or memory is left. Wait before the next attempt.
    case exhausted
    /// The connection was lost, or had a network error of its own. Try the next (accept(2)).
    case lost
}

/// The system calls that Larder uses.
public enum Syscall {
    /// Returns the call's result or throws its error. Retries while the call is interrupted.
    @inline(__always)
    static func check<Result: SignedInteger>(
        _ call: StaticString, _ body: () -> Result
    ) throws(SystemError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemError(call: call, code: code) }
        }
    }

    @inline(__always)
    private static func transfer(_ body: () -> Int) -> Transfer {
        while true {
            let count = body()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            let code = errno
            if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
            if code != EINTR { return .failed(code) }
        }
    }

    /// Reads the available bytes from a socket.
    public static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Writes to a socket as much as it takes. Never raises SIGPIPE.
    /// - Parameter more: whether more bytes follow at once, so that the last packet may wait for them (MSG_MORE).
    public static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, more: Bool = false) -> Transfer {
        if buffer.isEmpty { return .bytes(0) }
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        return transfer { Glibc.send(descriptor, buffer.baseAddress, buffer.count, flags) }
    }

    /// sendfile(2) has no MSG_NOSIGNAL, so the signal is ignored before the first call.
    private static let pipeSignalIsIgnored: Void = larder_ignore_signal(SIGPIPE)

    /// Writes bytes of a file to a socket, as much as it takes. `end` says that the file has no bytes there. What is not
    /// in memory is read from the disk first.
    public static func sendFile(_ descriptor: Int32, _ file: Int32, from start: Int, count: Int) -> Transfer {
        pipeSignalIsIgnored
        while true {
            var offset = off_t(start)
            let sent = larder_sendfile(descriptor, file, &offset, count)
            if sent > 0 { return .bytes(sent) }
            if sent == 0 { return .end }
            let code = Int32(-sent)
            if code == EAGAIN { return .wouldBlock }
            if code != EINTR { return .failed(code) }
        }
    }

    /// Writes at most 64 pieces in one call. Never raises SIGPIPE, which is why it uses sendmsg instead of writev.
    public static func send(_ descriptor: Int32, pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Transfer {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 64) { vectors in
            let count = min(pieces.count, vectors.count)
            for index in 0..<count {
                let piece = pieces[index]
                vectors.initializeElement(
                    at: index,
                    to: iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count))
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = numericCast(count)
            return transfer { sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Reads the available bytes from any descriptor.
    public static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Reads bytes of a file from a place in it.
    public static func read(_ descriptor: Int32, at start: Int, into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    {
        transfer { pread(descriptor, buffer.baseAddress, buffer.count, off_t(start)) }
    }

    /// Writes to any descriptor as much as it takes.
    public static func write(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Transfer {
        if buffer.isEmpty { return .bytes(0) }
        return transfer { Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Accepts a connection. Its descriptor is non-blocking and closed on exec.
    public static func accept(_ listener: Int32) -> Accepted {
        while true {
            let descriptor = larder_accept4(listener, nil, nil)
            if descriptor >= 0 { return .connection(descriptor) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK, EINVAL, EBADF: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .lost
            }
        }
    }

    /// Whether a read, or an accept on a listening socket, would find something now or within the given milliseconds.
    public static func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&poller, 1, milliseconds)
            // A signal ends poll(2) early and says nothing about the descriptor.
            if ready < 0, errno == EINTR { continue }
            return ready > 0
        }
    }

    public static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Closes a connection so that the peer reads an error instead of an end. Used if what was sent must not look
    /// complete. TCP only; a Unix socket has no reset.
    public static func closeWithReset(_ descriptor: Int32) {
        resetAtClose(descriptor)
        close(descriptor)
    }

    /// Makes the close of a connection, also the one at the end of the process, a reset. TCP only.
    public static func resetAtClose(_ descriptor: Int32) {
        var setting = linger(l_onoff: 1, l_linger: 0)
        // If this fails, the peer reads an end. The descriptor is closed all the same.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the sending direction. The peer reads the end after the data sent before.
    public static func shutdownWrite(_ descriptor: Int32) {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    static func setNonBlocking(_ descriptor: Int32) throws(SystemError) {
        let flags = try check("fcntl") { fcntl(descriptor, F_GETFL) }
        _ = try check("fcntl") { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }

    static func setCloseOnExec(_ descriptor: Int32) throws(SystemError) {
        _ = try check("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        _ = try check("setsockopt") {
            withUnsafeBytes(of: value) {
                setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
            }
        }
    }

    /// Raises the limit of open descriptors to the hard limit. Returns the limit then in force, or 0 if it is unknown.
    @discardableResult
    public static func raiseOpenFiles() -> Int {
        var limit = rlimit()
        guard larder_get_nofile(&limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if larder_set_nofile(&raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
