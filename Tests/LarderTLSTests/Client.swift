// The client's side of a session: the peer's certificate must lead to one of the given roots and carry the host's name.
import CSSL
import LarderCore

@testable import LarderTLS

final class ClientContext {
    let pointer: OpaquePointer

    /// - Parameter protocols: what is offered by ALPN; nothing if it is empty.
    init(roots: Bytes, protocols: [String] = ["http/1.1"]) throws {
        guard let pointer = SSL_CTX_new(TLS_client_method()) else { throw CertificateFailure.last }
        self.pointer = pointer
        for root in PEM.certificates(roots) {
            X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), root)
            X509_free(root)
        }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        let offers = protocols.flatMap { [UInt8($0.utf8.count)] + Bytes(text: $0) }
        // This function returns 0 for success (SSL_CTX_set_alpn_protos(3)).
        guard offers.isEmpty || SSL_CTX_set_alpn_protos(pointer, offers, UInt32(offers.count)) == 0 else {
            throw CertificateFailure.last
        }
    }

    deinit { SSL_CTX_free(pointer) }
}

extension TLSSession {
    /// A client's session. The first `read` makes the first ciphertext.
    convenience init?(_ context: ClientContext, host: String, sendsName: Bool) {
        self.init(context, SSL_new(context.pointer))
        SSL_set_connect_state(ssl)
        SSL_set1_host(ssl, host)
        guard sendsName else { return }
        host.withCString {
            _ = SSL_ctrl(
                ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0)
            )
        }
    }
}
