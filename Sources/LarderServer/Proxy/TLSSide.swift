// A side of a tunnel that speaks TLS. What the socket does not take waits in the session, which is bounded, and leaves
// with a later step. What the session holds comes without an event of the socket, so the side says when it has more.
import LarderCore
import LarderIO
import LarderTLS

/// Confined to its connection's loop.
final class TLSSide: TunnelSide {
    private let descriptor: Int32
    private let session: TLSSession
    private var ends = false
    /// Whether the socket was empty at the last read, and whether it was reset.
    private var (isDry, isBroken) = (false, false)
    /// The loop's own, which outlives every connection.
    private let ciphertext: UnsafeMutableRawBufferPointer
    /// Why the session failed.
    private(set) var failure: TLSFailure?

    init(_ descriptor: Int32, _ session: TLSSession, through worker: Worker) {
        self.descriptor = descriptor
        self.session = session
        ciphertext = UnsafeMutableRawBufferPointer(worker.ciphertext)
    }

    var waiting: Int { session.ciphertextCount }
    var hasInput: Bool { !isDry }

    /// Fills the buffer as far as it can. A socket that takes nothing more is told by `send` and `flush`: what it sent
    /// before can still be read.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        var count = 0
        isDry = false
        while count < buffer.count {
            let result = session.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if waiting > 0 { flush() }
            switch result {
            case .bytes(let more): count += more
            case .needsOutput: return count > 0 ? .bytes(count) : .wouldBlock
            case .ended: return count > 0 ? .bytes(count) : .end
            // Many peers close without a word. What they sent is whole by its own framing or not.
            case .failed(.truncated) where session.isHandshakeDone && !isBroken:
                return count > 0 ? .bytes(count) : .end
            case .failed(let failure):
                self.failure = failure
                return count > 0 ? .bytes(count) : .failed(0)
            case .needsInput:
                switch Syscall.receive(descriptor, into: ciphertext) {
                case .bytes(let taken):
                    // Less than a record waits in the session, so there is room.
                    _ = session.receive(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(ciphertext)[..<taken]))
                case .wouldBlock:
                    isDry = true
                    return count > 0 ? .bytes(count) : .wouldBlock
                case .end: session.inputEnded()
                case .failed:
                    isBroken = true
                    session.inputEnded()
                }
            }
        }
        return .bytes(count)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            if case .failed(let code) = flush() { return .failed(code) }
            let hadRoom = waiting == 0
            let taken = session.write(bytes)
            if case .failed(let code) = flush() { return .failed(code) }
            if taken > 0 { return .bytes(taken) }
            // What waited may have left meanwhile. Then no event of the socket follows, and there is room now.
            guard !hadRoom, waiting == 0 else { return .wouldBlock }
        }
    }

    func endSending() {
        session.close()
        ends = true
        flush()
    }

    @discardableResult
    func flush() -> Transfer {
        while waiting > 0 {
            switch session.withCiphertext({ Syscall.send(descriptor, $0) }) {
            case .bytes(let count): session.drop(count)
            case let other: return other
            }
        }
        if ends { Syscall.shutdownWrite(descriptor) }
        ends = false
        return .bytes(0)
    }
}
