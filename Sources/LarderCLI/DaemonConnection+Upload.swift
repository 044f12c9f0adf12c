// Sends a request whose body is a file. The file is sent as fast as the daemon reads it, and sending stops while the
// upload is paused. The daemon may answer before it has the whole file, so both directions are polled.
import Glibc
import LarderCore
import LarderIO

/// A file that is read once, from its beginning. It is closed when its value is destroyed.
struct OutgoingFile: ~Copyable {
    let descriptor: Int32
    let length: Int64

    /// - Throws: a usage failure if the path is not a regular file with content.
    init(_ path: String) throws(CommandFailure) {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw CommandFailure(.usage, "\(path) cannot be read") }
        var facts = stat()
        guard fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else {
            close(opened)
            throw CommandFailure(.usage, "\(path) is not a file with content")
        }
        descriptor = opened
        length = Int64(facts.st_size)
    }

    deinit { Syscall.close(descriptor) }
}

extension DaemonConnection {
    /// Sends the file and reads the response.
    /// - Parameters:
    ///   - limit: how long to wait for the response after everything is sent, and for the daemon's 100 (Continue).
    ///   - tell: called from time to time with the number of bytes sent.
    func upload(
        _ request: DaemonRequest, _ file: borrowing OutgoingFile, within limit: Duration, tell: (Int64) -> Void
    ) throws(CommandFailure) -> DaemonResponse {
        var request = request
        // The daemon can then refuse a request by its head before any of the file is sent (RFC 9110 §10.1.1).
        request.fields.set(.expect, "100-continue")
        try send(Self.head(request, authority: address.authority, length: file.length))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var reader = DaemonResponseReader(isHead: false)
        var sent: Int64 = 0
        var piece = Bytes()[...]
        while true {
            let wantsToSend = reader.sawInterim && sent < file.length
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN | (wantsToSend ? POLLOUT : 0)), revents: 0)
            // A paused upload may stop for as long as the daemon permits.
            let patience = wantsToSend ? -1 : Int32(clamping: max(1, limit.milliseconds))
            let ready = poll(&wanted, 1, patience)
            guard ready != 0 else {
                throw CommandFailure(
                    .unreachable, "no answer came within \(Units.format(duration: limit)); the picture may have arrived"
                )
            }
            if wanted.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                if let response = try receive(&reader) { return response }
            } else if wantsToSend {
                if piece.isEmpty { piece = try Self.read(file, at: sent)[...] }
                switch piece.withUnsafeBytes({ Syscall.send(descriptor, $0) }) {
                case .bytes(let count):
                    piece = piece.dropFirst(count)
                    sent += Int64(count)
                    tell(sent)
                case .wouldBlock: break
                case .failed, .end:
                    // The response that explains the refusal may still be readable.
                    if let response = try receive(&reader) { return response }
                }
            }
        }
    }

    private func receive(_ reader: inout DaemonResponseReader) throws(CommandFailure) -> DaemonResponse? {
        var chunk = Bytes(repeating: 0, count: 64 << 10)
        do throws(MalformedAnswer) {
            switch chunk.withUnsafeMutableBytes({ Syscall.receive(descriptor, into: $0) }) {
            case .bytes(let count): return try reader.feed(chunk.prefix(count))
            case .end: return try reader.end()
            case .wouldBlock: return nil
            case .failed(let code):
                throw MalformedAnswer(message: "\(SystemError(call: "recv", code: code))")
            }
        } catch {
            throw CommandFailure(.noDaemon, "\(address): \(error.message)")
        }
    }

    private static func read(_ file: borrowing OutgoingFile, at offset: Int64) throws(CommandFailure) -> Bytes {
        let most = Int(min(256 << 10, file.length - offset))
        var failed = false
        let piece = Bytes(room: most) { out, count in
            let got = pread(file.descriptor, out.baseAddress, most, off_t(offset))
            failed = got <= 0
            count = max(0, got)
        }
        guard !failed else { throw CommandFailure(.failed, "the file became shorter while it was being read") }
        return piece
    }
}
