// What a server needs to speak TLS as one host: an SSL_CTX with the host's certificate, and the rules of the handshake.
// TLS 1.2 at least, `http/1.1` or no protocol, the host's name or none, no renegotiation.
import CSSL
import LarderCore

/// The TLS server of one host. Any number of sessions on any threads may use it at once.
///
/// Unchecked `Sendable`: the SSL_CTX is complete when the initialiser returns. After that it is only used for new
/// sessions, which libssl does under locks of its own (SSL_CTX_new(3), openssl-threads(7)).
public final class HostContext: @unchecked Sendable {
    /// The host's name in lower case.
    public let host: String
    /// When its certificate ends.
    public let expiry: WallTime
    let pointer: OpaquePointer

    init(host: String, leaf: KeyedCertificate) throws(CertificateFailure) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .last }
        self.host = host
        self.pointer = pointer
        expiry = leaf.expiry
        guard SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
            SSL_CTX_use_certificate(pointer, leaf.certificate) == 1, SSL_CTX_use_PrivateKey(pointer, leaf.key) == 1
        else { throw .last }
        // Sessions are resumed by tickets alone: a cache would hold memory for clients that never return. A session of
        // another host is not resumed: its tickets have other keys, and its context another id. An id has 32 bytes at
        // most, so it is a digest (SSL_CTX_set_session_id_context(3)).
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_session_id_context(pointer, Digest(of: Bytes(text: host)).bytes, 32)
        larder_ssl_ctx_refuse_renegotiation(pointer)
        // An idle session keeps no buffers, and no chain is looked for: clients have the authority itself
        // (SSL_CTX_set_mode(3)).
        _ = SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN), nil)
        SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
        // Every session holds this object as long as its SSL, so the pointer never dangles.
        SSL_CTX_set_client_hello_cb(pointer, checkServerName, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_CTX_free(pointer) }
}

/// Selects `http/1.1`. A client that offers other protocols only gets the alert no_application_protocol
/// (RFC 7301 §3.2). It is not called for one that offers none.
private func selectProtocol(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    let offers = UnsafeBufferPointer(start: offered, count: Int(count))
    var place = 0
    while place < offers.count {
        let end = place + 1 + Int(offers[place])
        guard end <= offers.count else { break }
        if offers[(place + 1)..<end].elementsEqual("http/1.1".utf8), let offered {
            selected?.pointee = offered + place + 1
            length?.pointee = offers[place]
            return SSL_TLSEXT_ERR_OK
        }
        place = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Refuses a server name other than the host's by the alert unrecognized_name (RFC 6066 §3). It looks at the message
/// itself: for a resumed session of TLS 1.2, SSL_get_servername(3) gives the name with which that session began.
private func checkServerName(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    var (start, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
    guard let argument, let ssl,
        SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &start, &count) == 1
    else { return SSL_CLIENT_HELLO_SUCCESS }
    let context = Unmanaged<HostContext>.fromOpaque(argument).takeUnretainedValue()
    // A list of one name: the list's length, the kind, the name's length. libssl refuses any other form afterwards.
    let name = Bytes(UnsafeBufferPointer(start: start, count: count).dropFirst(5)).lossyText
    if ASCII.equalFolded(name, context.host) { return SSL_CLIENT_HELLO_SUCCESS }
    HandshakeWatch.of(ssl)?.wrongName = name
    alert?.pointee = Int32(SSL_AD_UNRECOGNIZED_NAME)
    return SSL_CLIENT_HELLO_ERROR
}
