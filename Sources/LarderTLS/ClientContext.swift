// What a client needs to speak TLS to any host: an SSL_CTX with the authorities that count. TLS 1.2 at least, the protocol
// http/1.1, and the host's certificate is always verified, with its name (RFC 9525).
import CSSL
import LarderCore

/// Any number of sessions on any threads may use it at once.
///
/// Unchecked `Sendable`: the SSL_CTX is complete when the initialiser returns (see `HostContext`).
public final class ClientContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameter file: a PEM file of the authorities that count; nil for the system's.
    public init(authorities file: String?) throws(CertificateFailure) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_client_method()) else { throw .last }
        self.pointer = pointer
        let isRead =
            file.map { SSL_CTX_load_verify_file(pointer, $0) } ?? SSL_CTX_set_default_verify_paths(pointer)
        let offers = [8] + Bytes(text: "http/1.1")
        // SSL_CTX_set_alpn_protos(3) returns 0 for success.
        guard isRead == 1, SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
            SSL_CTX_set_alpn_protos(pointer, offers, UInt32(offers.count)) == 0
        else { throw .last }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        larder_ssl_ctx_refuse_renegotiation(pointer)
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    }

    deinit { SSL_CTX_free(pointer) }
}

extension TLSSession {
    /// Makes a client's session. The first `read` makes its first ciphertext. Nil if there is no memory.
    /// - Parameter host: a name or an address literal; IPv6 in brackets.
    public convenience init?(_ context: ClientContext, to host: String) {
        self.init(context, SSL_new(context.pointer))
        SSL_set_connect_state(ssl)
        SSL_set_hostflags(
            ssl, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), literal) == 1 { return }
        ERR_clear_error()
        guard SSL_set1_host(ssl, host) == 1 else { return nil }
        // The server name is no address (RFC 6066 §3). The function behind the macro of SSL_set_tlsext_host_name(3).
        host.withCString {
            _ = SSL_ctrl(
                ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0)
            )
        }
    }
}
