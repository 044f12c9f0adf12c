// One TLS connection as values: bytes in, bytes out, no descriptor, no clock. Its owner moves the ciphertext between
// socket and session, and neither side of it holds more than a bound. libssl's errors are in a queue of the thread, so
// the queue is emptied before each call (SSL_get_error(3)).
import CSSL
import LarderCore

/// What a read gave.
public enum TLSRead: Sendable, Hashable {
    /// So many bytes of plaintext, at least one.
    case bytes(Int)
    /// Everything received was read. Handshake messages may be waiting to be sent.
    case needsInput
    /// The peer must first take what is waiting to be sent.
    case needsOutput
    /// The peer has said that it sends no more (close_notify). Writing still works.
    case ended
    /// Send the ciphertext, in which an alert may be, and close the socket. Only after `truncated` writing still works.
    case failed(TLSFailure)
}

/// A TLS session. It belongs to one loop.
public final class TLSSession {
    /// The most ciphertext that is kept for each direction, in bytes. What libssl adds comes on top: handshake, alerts,
    /// answers to key updates, the heads of short records if the client asked for these (RFC 6066 §4). It is less than
    /// 16 KiB and the length of the input that caused it.
    public static let limit = 64 * 1024
    /// The most that a record is longer than its plaintext: TLS 1.2, CBC with SHA-384. Others add 22 to 29 bytes.
    private static let overhead = 96
    /// The longest plaintext of a record (RFC 8446 §5.1), and what a shorter one has at least, unless it is the last.
    private static let (longest, shortest) = (16 * 1024, 2048)
    /// The most memory that an empty BIO keeps, in bytes: enough for a request, and for an answer of 1 KiB.
    private static let mostKept = 4 * 1024
    /// The most key changes of the peer without data between them. libssl and RFC 8446 §4.6.3 set no limit.
    private static let mostKeyUpdates = 32

    let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Bytes of the output that were sent already.
    private var sent = 0
    private let watch = HandshakeWatch()
    /// libssl's callbacks look at this object.
    private let context: AnyObject
    private var failure: TLSFailure?
    private var inputHasEnded = false
    /// Whether the peer's close_notify has come.
    private var peerHasEnded = false
    private var isClosed = false
    /// Whether both peers have finished the handshake, so that `write` takes bytes. Stays true.
    public private(set) var isHandshakeDone = false

    /// Makes a server's session. Nil if there is no memory.
    public convenience init?(_ context: HostContext) {
        self.init(context, SSL_new(context.pointer))
        SSL_set_accept_state(ssl)
    }

    /// Takes the reference to the SSL, which is of the context.
    init?(_ context: AnyObject, _ ssl: OpaquePointer?) {
        guard let ssl else { return nil }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            return nil
        }
        SSL_set_bio(ssl, input, output)
        (self.ssl, self.input, self.output, self.context) = (ssl, input, output, context)
        watch.attach(to: ssl)
    }

    deinit { SSL_free(ssl) }

    /// The protocol's version, such as "TLSv1.3". Meaningful after the handshake.
    public var version: String { String(cString: SSL_get_version(ssl)) }

    /// Whether `read` has something to look at before the socket gives more.
    public var hasUndeliveredInput: Bool { BIO_ctrl_pending(input) > 0 || SSL_pending(ssl) > 0 }

    /// Takes bytes that came from the socket. Returns how many: fewer than all if `limit` bytes were not yet read. Then
    /// `read`, and offer the rest again.
    public func receive(_ ciphertext: UnsafeRawBufferPointer) -> Int {
        let count = min(ciphertext.count, Self.limit - BIO_ctrl_pending(input))
        return count > 0 ? max(0, Int(BIO_write(input, ciphertext.baseAddress, Int32(count)))) : 0
    }

    /// Says that the socket has ended. If no close_notify came before, `read` then gives `.failed(.truncated)`.
    public func inputEnded() { inputHasEnded = true }

    /// Reads plaintext, and takes the steps of the handshake. Call it until it gives something other than bytes, and
    /// then send the ciphertext.
    /// - Parameter buffer: not empty.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSRead {
        precondition(!buffer.isEmpty, "a read needs room")
        if let failure { return .failed(failure) }
        // A peer that causes answers and takes none gets no further.
        guard ciphertextCount <= Self.limit else { return .needsOutput }
        // libssl takes some thousand instructions to find that there is nothing to read.
        if isHandshakeDone, !inputHasEnded, !peerHasEnded, !hasUndeliveredInput { return .needsInput }
        Self.emptyErrors()
        var count = 0
        let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        let reason = SSL_get_error(ssl, result)
        if !isHandshakeDone { isHandshakeDone = SSL_is_init_finished(ssl) == 1 }
        if let name = watch.wrongName { return fail(.wrongName(name)) }
        if watch.wasAskedAgain { return fail(.renegotiation) }
        if watch.keyUpdates > Self.mostKeyUpdates { return fail(.tooManyKeyUpdates) }
        switch reason {
        case SSL_ERROR_NONE:
            watch.keyUpdates = 0
            if !hasUndeliveredInput { shrink(input) }
            return .bytes(count)
        case SSL_ERROR_WANT_READ:
            if BIO_ctrl_pending(input) == 0 { shrink(input) }
            return inputHasEnded ? .failed(.truncated) : .needsInput
        case SSL_ERROR_ZERO_RETURN:
            peerHasEnded = true
            return .ended
        default: return fail(.last(ssl))
        }
    }

    /// Empties the thread's queue of errors. Nearly always it is empty, and a look costs a tenth of emptying it.
    private static func emptyErrors() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    private func fail(_ failure: TLSFailure) -> TLSRead {
        self.failure = failure
        // Others on the thread find an empty queue.
        ERR_clear_error()
        return .failed(failure)
    }

    /// Encrypts bytes, as many as `limit` allows; room comes back when everything was sent. Returns how many: 0 before
    /// the end of the handshake, after `close`, and after a failure, which `read` then gives.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isHandshakeDone, !isClosed, failure == nil else { return 0 }
        var taken = 0
        while taken < bytes.count {
            let rest = bytes.count - taken
            let count = min(rest, Self.longest, Self.limit - BIO_ctrl_pending(output) - Self.overhead)
            guard count == rest || count >= Self.shortest else { break }
            Self.emptyErrors()
            var written = 0
            let result = SSL_write_ex(ssl, bytes.baseAddress.map { $0 + taken }, count, &written)
            guard result == 1 else {
                // It waits for the rest of a message of the peer, which `read` will see.
                if SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ { _ = fail(.last(ssl)) }
                break
            }
            taken += written
            watch.keyUpdates = 0
        }
        return taken
    }

    /// The number of bytes that wait to be sent.
    public var ciphertextCount: Int { BIO_ctrl_pending(output) - sent }

    /// Shows the bytes to send. They are valid inside the body, which must not call the session.
    public func withCiphertext<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Where the bytes lie (BIO_get_mem_data(3)).
        var start: UnsafeRawPointer?
        let count = BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        return try body(UnsafeRawBufferPointer(start: start.map { $0 + sent }, count: count - sent))
    }

    /// Removes bytes that were sent, at most `ciphertextCount`.
    public func drop(_ count: Int) {
        precondition(0...ciphertextCount ~= count, "more bytes dropped than there are")
        sent += count
        guard count > 0, ciphertextCount == 0 else { return }
        if !shrink(output) { _ = BIO_ctrl(output, BIO_CTRL_RESET, 0, nil) }
        sent = 0
    }

    /// Gives an empty BIO new memory if it has much: it is as large as it ever was (BIO_s_mem(3)), and most connections are
    /// idle. Returns false if it keeps what it has.
    @discardableResult
    private func shrink(_ bio: OpaquePointer) -> Bool {
        var memory: UnsafeMutablePointer<BUF_MEM>?
        _ = BIO_ctrl(bio, BIO_C_GET_BUF_MEM_PTR, 0, &memory)
        guard let memory, memory.pointee.max > Self.mostKept, let empty = BUF_MEM_new() else { return false }
        _ = BIO_ctrl(bio, BIO_C_SET_BUF_MEM, Int(BIO_CLOSE), empty)
        return true
    }

    /// Says that no more is written (close_notify), once. Reading still works (RFC 8446 §6.1). Before the end of the
    /// handshake and after a failure there is nothing to say (SSL_shutdown(3)).
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        guard isHandshakeDone, failure == nil else { return }
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }
}
