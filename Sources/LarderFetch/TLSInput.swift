// What a kept TLS connection has received and nobody has read. Beneath TLS the socket alone does not tell: session
// tickets and key updates come at any time after the handshake (RFC 8446 §4.6) and are no input. SSL_peek reads records,
// takes in such messages, and says whether application data or the connection's end has come
// (https://docs.openssl.org/3.0/man3/SSL_read/).
//
// libcurl's own BIOs work only inside its calls: they need the transfer that reads. So the connection gets a BIO of the
// bare socket for the look, and its own BIOs back after it. Nothing is written to the socket: a look that makes the
// connection want to write ends it.
import CCurl
import CSSL
import Glibc

enum TLSInput {
    /// Records looked at in one look. A server sends two tickets after a handshake; one that sends many more is odd.
    private static let mostRecords = 32

    /// Whether libcurl uses the very library that this program is linked with. A pointer of another one, or of another
    /// version, must not be touched.
    static let isReadable: Bool = {
        guard let used = larder_curl_tls_library(), let own = OpenSSL_version(OPENSSL_VERSION_STRING) else {
            return false
        }
        return isInUse("OpenSSL/" + String(cString: own), in: String(cString: used))
    }()

    /// Whether that library is the one in use. libcurl names all that it was built with, in its own order; those that are
    /// not in use stand in parentheses (https://curl.se/libcurl/c/curl_version_info.html).
    static func isInUse(_ library: String, in list: String) -> Bool {
        list.split(separator: " ").contains { $0 == library }
    }

    /// Whether nothing has come that an answer could begin with.
    /// - Parameter descriptor: the connection's socket, which does not block.
    static func isEmpty(_ ssl: OpaquePointer, descriptor: Int32) -> Bool {
        guard isBetweenRecords(ssl) else { return false }
        guard OpenSockets.hasInput(descriptor) else { return true }
        guard let input = BIO_new_socket(descriptor, BIO_NOCLOSE) else { return false }
        guard let output = BIO_new(BIO_s_mem()) else {
            BIO_free_all(input)
            return false
        }
        let (ownInput, ownOutput) = (SSL_get_rbio(ssl), SSL_get_wbio(ssl))
        BIO_up_ref(ownInput)
        BIO_up_ref(ownOutput)
        // Tickets go unsaved for this once: libcurl's callback needs its transfer too.
        let context = SSL_get_SSL_CTX(ssl)
        let keepsSession = SSL_CTX_sess_get_new_cb(context)
        larder_ssl_ctx_set_new_session(context, nil)
        SSL_set0_rbio(ssl, input)
        SSL_set0_wbio(ssl, output)
        let isEmpty = peek(ssl, descriptor) && BIO_ctrl_pending(output) == 0
        SSL_set0_rbio(ssl, ownInput)
        SSL_set0_wbio(ssl, ownOutput)
        larder_ssl_ctx_set_new_session(context, keepsSession)
        return isEmpty
    }

    /// Reads what is there. False where it is data, the end, a fault, or a part of a record.
    private static func peek(_ ssl: OpaquePointer, _ descriptor: Int32) -> Bool {
        for _ in 0..<mostRecords {
            // What an earlier call left in this thread's queue would be taken for this call's error
            // (https://docs.openssl.org/3.0/man3/SSL_get_error/).
            ERR_clear_error()
            var byte: UInt8 = 0
            let count = SSL_peek(ssl, &byte, 1)
            let error = SSL_get_error(ssl, count)
            ERR_clear_error()
            guard count <= 0, error == SSL_ERROR_WANT_READ else { return false }
            if !OpenSockets.hasInput(descriptor) { return isBetweenRecords(ssl) }
        }
        return false
    }

    /// Nothing is decrypted, nothing half read, no handshake message half done, no end announced.
    private static func isBetweenRecords(_ ssl: OpaquePointer) -> Bool {
        guard SSL_has_pending(ssl) == 0, SSL_is_init_finished(ssl) == 1, SSL_get_shutdown(ssl) == 0 else {
            return false
        }
        // "RH": the next to read is a record's header. Of a header that has come alone nothing is pending.
        return SSL_rstate_string(ssl).map { String(cString: $0) } == "RH"
    }
}
