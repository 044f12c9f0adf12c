// Whether a kept TLS connection holds input that nobody has read. The socket alone does not tell: session tickets and
// key updates come at any time after the handshake (RFC 8446 §4.6) and do not count as input. SSL_peek reads records,
// processes such messages, and says whether application data or the connection's end has come
// (https://docs.openssl.org/3.0/man3/SSL_read/).
//
// libcurl's own BIOs work only inside its calls, because they need the transfer that reads. The check therefore gives
// the connection a BIO of the bare socket, and restores its own BIOs afterwards. Nothing is written to the socket: if
// the check makes the connection want to write, the connection is unfit.
import CCurl
import CSSL
import Glibc

enum TLSInput {
    /// The most records read in one check. A server sends two tickets after a handshake; many more are suspicious.
    private static let mostRecords = 32

    /// Whether libcurl uses the same library, of the same version, that this program is linked with. A pointer of any
    /// other library must not be touched.
    static let isReadable: Bool = {
        guard let used = larder_curl_tls_library(), let own = OpenSSL_version(OPENSSL_VERSION_STRING) else {
            return false
        }
        return isInUse("OpenSSL/" + String(cString: own), in: String(cString: used))
    }()

    /// Whether `library` is the one in use. libcurl lists all TLS libraries that it was built with, in its own order.
    /// Those not in use stand in parentheses (https://curl.se/libcurl/c/curl_version_info.html).
    static func isInUse(_ library: String, in list: String) -> Bool {
        list.split(separator: " ").contains { $0 == library }
    }

    /// Whether nothing has come that a response could begin with.
    /// - Parameter descriptor: the connection's socket, which is non-blocking.
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
        // Tickets are not saved during this check, because libcurl's callback needs its transfer too.
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

    /// Reads what has come. Returns false for data, the end, an error, or a part of a record.
    private static func peek(_ ssl: OpaquePointer, _ descriptor: Int32) -> Bool {
        for _ in 0..<mostRecords {
            // An error that an earlier call left in this thread's queue would be taken for this call's error
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

    /// Whether no decrypted or partly read data is pending, no handshake message is incomplete, and neither side has
    /// announced the end.
    private static func isBetweenRecords(_ ssl: OpaquePointer) -> Bool {
        guard SSL_has_pending(ssl) == 0, SSL_is_init_finished(ssl) == 1, SSL_get_shutdown(ssl) == 0 else {
            return false
        }
        // "RH": a record's header is read next. SSL_has_pending does not see a header that came without its body.
        return SSL_rstate_string(ssl).map { String(cString: $0) } == "RH"
    }
}
