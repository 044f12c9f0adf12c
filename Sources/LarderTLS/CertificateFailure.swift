// Why there is no certificate. Each case is one plain sentence, which a command shows as it is.
import CSSL

/// Why a certificate could not be made or read. `description` says in a sentence what each case is.
public enum CertificateFailure: Error, Sendable, Hashable, CustomStringConvertible {
    case notAHost(String)
    case brokenCertificate
    case brokenKey
    case keyDoesNotMatch
    case notAnAuthority
    case unconstrained
    case notCovered(String)
    case expired
    /// Has the reason in OpenSSL's words.
    case library(String)

    public var description: String {
        switch self {
        case .notAHost(let text): "\"\(text)\" is no host name that a certificate can carry."
        case .brokenCertificate: "The text holds no certificate in PEM, or a broken one."
        case .brokenKey: "The text holds no private key in PEM, a broken one, or one with a password."
        case .keyDoesNotMatch: "The private key does not belong to the certificate."
        case .notAnAuthority: "The certificate is not that of an authority: it may not sign others."
        case .unconstrained: "The authority's certificate has no name constraints with permitted hosts."
        case .notCovered(let host): "The authority's certificate does not permit \(host)."
        case .expired: "The authority's certificate has expired."
        case .library(let text): "OpenSSL failed: \(text)."
        }
    }

    /// The oldest failure in the thread's queue: the cause. Later ones are its consequences (ERR_get_error(3)). The
    /// queue is emptied, for others on the thread.
    static var last: CertificateFailure {
        defer { ERR_clear_error() }
        return .library(reasonText(ERR_peek_error()))
    }
}

func reasonText(_ code: UInt) -> String {
    ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
}
