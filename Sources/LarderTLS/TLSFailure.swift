// Why a session ended, as words for logs and for people. The cause is the oldest error in the thread's queue
// (ERR_get_error(3)).
import CSSL
import LarderCore

/// Why a session failed. `description` says in a sentence what each case is.
public enum TLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Has the alert's name of RFC 8446 §6, such as `unknown_ca`.
    case alert(String)
    /// Has the server name that the client asked for.
    case wrongName(String)
    case noCommonProtocol
    /// The peers share no version, cipher suite or key exchange. This and `malformed` have OpenSSL's reason.
    case incompatible(String)
    case notTLS
    case malformed(String)
    case renegotiation
    /// The peer's certificate is not valid, for OpenSSL's reason (X509_STORE_CTX_get_error(3)).
    case unverified(String)
    case tooManyKeyUpdates
    /// The socket ended without close_notify. What was read may be cut short.
    case truncated

    public var description: String {
        switch self {
        case .alert("unknown_ca"):
            "The client does not trust the authority that signed the certificate (alert unknown_ca)."
        case .alert(let name): "The peer ended the TLS session by the alert \(name)."
        case .wrongName(let name):
            "The client asked for the server name \"\(name.replacingControls(with: "?"))\", which is not the host."
        case .noCommonProtocol: "The client does not offer the protocol http/1.1."
        case .incompatible(let reason): "There is no form of TLS that both sides know: \(reason)."
        case .notTLS: "The peer does not speak TLS."
        case .malformed(let reason): "What the peer sent is no proper TLS: \(reason)."
        case .unverified(let reason): "The server's certificate is not valid: \(reason)."
        case .renegotiation: "The client began a second handshake, which is refused."
        case .tooManyKeyUpdates: "The peer changed its keys too often."
        case .truncated: "The connection ended without the end of the TLS session."
        }
    }

    /// The failure that the last call for this SSL left in the thread's queue.
    static func last(_ ssl: OpaquePointer) -> TLSFailure {
        let code = ERR_peek_error()
        let reason = ERR_GET_REASON(code)
        // Reasons from 1000 on are alerts that the peer sent (ssl.h, SSL_AD_REASON_OFFSET).
        if reason >= SSL_AD_REASON_OFFSET, reason < SSL_AD_REASON_OFFSET + 256 {
            return .alert(alertName(reason - SSL_AD_REASON_OFFSET))
        }
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            return .unverified(String(cString: X509_verify_cert_error_string(SSL_get_verify_result(ssl))))
        case SSL_R_NO_APPLICATION_PROTOCOL: return .noCommonProtocol
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_KEY_SHARE,
            SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
            return .incompatible(reasonText(code))
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .notTLS
        case SSL_R_WRONG_VERSION_NUMBER where SSL_get_state(ssl) == TLS_ST_BEFORE: return .notTLS
        default: return .malformed(reasonText(code))
        }
    }

    /// OpenSSL has the names with spaces ("unknown CA").
    private static func alertName(_ number: Int32) -> String {
        let name = SSL_alert_desc_string_long(number).map { String(cString: $0) } ?? "unknown"
        return name == "unknown" ? "\(number)" : name.lowercased().replacing(" ", with: "_")
    }
}
