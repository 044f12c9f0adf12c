// The clients and the origin of a soak are blocking code on their own threads. This keeps them simple enough to be
// trusted.
import CLinux
import Glibc
import LarderCore

enum SoakThread {
    /// Runs the body on a new thread that nobody joins.
    static func start(_ body: @escaping @Sendable () -> Void) throws(Failure) {
        do throws(SystemThread.Failure) {
            try SystemThread.start(body).detach()
        } catch {
            throw .failed("thread", String(cString: strerror(error.code)))
        }
    }

    static func sleep(milliseconds: Int) {
        var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        var left = timespec()
        while nanosleep(&time, &left) != 0, errno == EINTR { time = left }
    }
}

/// A blocking socket with a buffer for reading.
final class SoakSocket {
    let descriptor: Int32
    private var buffer = Bytes(repeating: 0, count: 65_536)
    private var start = 0
    private var end = 0

    /// Why no more bytes arrive.
    enum Ending: Error, Equatable {
        case closed, reset, timeout
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes closing send a reset instead of an orderly end.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    func write(_ bytes: Bytes) throws(Ending) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw errno == EAGAIN ? .timeout : .reset }
            sent += count
        }
    }

    /// Passes the available bytes to the body: at least one byte, and at most `limit`.
    func read<Result>(atMost limit: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) throws(Ending) -> Result {
        if start == end { try fill() }
        let count = min(limit, end - start)
        defer { start += count }
        return buffer.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
    }

    private func fill() throws(Ending) {
        while true {
            let got = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if got < 0, errno == EINTR { continue }
            guard got != 0 else { throw .closed }
            guard got > 0 else { throw errno == EAGAIN ? .timeout : .reset }
            (start, end) = (0, got)
            return
        }
    }

    /// Reads a line without its end.
    func line() throws(Ending) -> String {
        var bytes = Bytes()
        while bytes.last != 10 {
            let byte = try read(atMost: 1) { $0[0] }
            bytes.append(byte)
            if bytes.count > 16_384 { throw .reset }
        }
        bytes.removeLast()
        if bytes.last == 13 { bytes.removeLast() }
        return bytes.lossyText
    }

    /// Reads a first line and the fields after it, up to the empty line.
    func head() throws(Ending) -> (first: String, fields: HeaderFields) {
        let first = try line()
        var fields = HeaderFields()
        while case let line = try line(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.add(String(line[..<colon]), String(ASCII.trimmed(line[line.index(after: colon)...])))
        }
        return (first, fields)
    }

    /// Reads the body that the fields announce, and passes on each piece with its offset. `take` returns false to end
    /// the reading.
    /// - Returns: the number of bytes that were read, and whether the body is complete.
    func body(
        _ fields: HeaderFields, _ take: (UnsafeBufferPointer<UInt8>, Int) -> Bool
    ) throws(Ending) -> (count: Int, isWhole: Bool) {
        var place = 0
        func pass(_ length: Int) throws(Ending) -> Bool {
            let end = place + length
            while place < end {
                let (count, goesOn) = try read(atMost: end - place) { ($0.count, take($0, place)) }
                place += count
                if !goesOn { return false }
            }
            return true
        }
        if fields.first(.transferEncoding) != nil {
            while true {
                let size = String(try line().prefix { $0 != ";" })
                guard let length = Int(size, radix: 16) else { throw .reset }
                guard length > 0 else { break }
                guard try pass(length) else { return (place, false) }
                _ = try line()
            }
            while try !line().isEmpty {}
        } else if let length = fields.first(.contentLength).flatMap({ Int($0) }) {
            guard try pass(length) else { return (place, false) }
        }
        return (place, true)
    }
}
