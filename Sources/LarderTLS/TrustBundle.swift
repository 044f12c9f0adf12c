// What a program is given instead of the system's roots: the same roots and the authority, as PEM for most programs and
// as a PKCS #12 trust store for Java. The caller reads and writes the files.
import CSSL
import LarderCore

/// The certificates that a program under Larder trusts.
public struct TrustBundle: Sendable {
    /// The bundle's text: the system's roots as they were given, and the authority after them.
    public let pem: Bytes

    /// - Parameter system: the text of the system's file of roots in PEM; empty if there is none.
    public init(system: Bytes, authority: CertificateAuthority) {
        let gap: Bytes = system.isEmpty || system.last == 0x0A ? [] : [0x0A]
        pem = system + gap + authority.certificatePEM
    }

    /// Where the system's roots are, the likeliest first: what `SSL_CERT_FILE` names, else the places of Debian and
    /// Alpine, Fedora, openSUSE, and OpenSSL itself. The first that exists counts.
    /// - Parameter override: the value of `SSL_CERT_FILE`, which then is the only place.
    public static func systemFiles(override: String?) -> [String] {
        if let override, !override.isEmpty { return [override] }
        return [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
    }

    /// The password of Java's trust stores, known to all. The store is in plain: Java reads it without one too.
    public static let javaPassword = "changeit"

    /// A PKCS #12 file (RFC 7292) with the bundle's certificates, each marked as trusted the way Java does it. Its MAC
    /// is by `javaPassword`.
    /// - Throws: `library`.
    public func javaTrustStore() throws(CertificateFailure) -> Bytes {
        let certificates = PEM.certificates(pem)
        defer { for certificate in certificates { X509_free(certificate) } }
        ERR_clear_error()
        var bags: OpaquePointer?
        var isComplete = true
        for (index, certificate) in certificates.enumerated() where isComplete {
            isComplete = larder_add_trusted(&bags, certificate, "root-\(index + 1)") == 1
        }
        // It frees the bags in every case.
        let store = larder_trust_store(bags, Self.javaPassword)
        defer { PKCS12_free(store) }
        guard isComplete, let store else { throw .last }
        return try PEM.written { i2d_PKCS12_bio($0, store) }
    }
}
