// What a session learns from the messages of its handshakes. libssl does not limit by itself how often a client begins
// a handshake or changes keys; both are counted from the messages that it reports (SSL_set_msg_callback(3)).
import CSSL

final class HandshakeWatch {
    /// The server name that was refused.
    var wrongName: String?
    /// KeyUpdate messages of the peer since the last data in either direction.
    var keyUpdates = 0
    /// Whether the client began another handshake after the first.
    private(set) var wasAskedAgain = false
    /// Finished messages of both peers. Two of them end a handshake (RFC 5246 §7.3, RFC 8446 §2).
    private var finished = 0

    /// The watch must live as long as the SSL.
    func attach(to ssl: OpaquePointer) {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_msg_callback(ssl) { isSent, _, content, bytes, count, ssl, _ in
            guard content == SSL3_RT_HANDSHAKE, count > 0, let bytes, let ssl else { return }
            // The first byte of a message is its kind (RFC 8446 §4).
            HandshakeWatch.of(ssl)?.note(isSent: isSent == 1, kind: Int32(bytes.load(as: UInt8.self)))
        }
    }

    static func of(_ ssl: OpaquePointer) -> HandshakeWatch? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<HandshakeWatch>.fromOpaque($0).takeUnretainedValue() }
    }

    private func note(isSent: Bool, kind: Int32) {
        switch kind {
        case SSL3_MT_FINISHED: finished += 1
        case SSL3_MT_CLIENT_HELLO where !isSent && finished >= 2: wasAskedAgain = true
        case SSL3_MT_KEY_UPDATE where !isSent: keyUpdates += 1
        default: break
        }
    }
}
