// A certificate and its key, made or read. Making follows RFC 5280 §4.1 and §4.2: version 3, a random serial number,
// and extensions in the text form of x509v3_config(5).
import CSSL
import Glibc
import LarderCore

/// A certificate and its private key.
///
/// Unchecked `Sendable`: nothing changes the two after the initialiser's caller has filled them, and libcrypto counts
/// references and caches extensions under locks of its own (openssl-threads(7)).
final class KeyedCertificate: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer

    /// Takes the references to both.
    init(certificate: OpaquePointer, key: OpaquePointer) {
        self.certificate = certificate
        self.key = key
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// What a new certificate says.
    struct Contents {
        var name: String
        var from: WallTime
        var until: WallTime
        /// The NID of each extension, and its text.
        var extensions: [(Int32, String)]
    }

    /// Makes a P-256 key and a certificate for it, signed by the issuer, or by itself if there is none. Two operations
    /// on the curve.
    static func make(
        _ contents: Contents, by issuer: KeyedCertificate?
    ) throws(CertificateFailure) -> KeyedCertificate {
        ERR_clear_error()
        guard let key = larder_p256_key() else { throw .last }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw .last
        }
        let made = KeyedCertificate(certificate: certificate, key: key)
        guard made.fill(contents, serial: Secrets.random(16), issuer: issuer ?? made),
            X509_sign(certificate, (issuer ?? made).key, EVP_sha256()) > 0
        else { throw .last }
        return made
    }

    private func fill(_ contents: Contents, serial: Bytes, issuer: KeyedCertificate) -> Bool {
        let number = BN_bin2bn(serial, Int32(serial.count), nil)
        let name = X509_NAME_new()
        defer {
            BN_free(number)
            X509_NAME_free(name)
        }
        guard X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, contents.name, -1, -1, 0) == 1,
            X509_set_subject_name(certificate, name) == 1,
            X509_set_issuer_name(certificate, X509_get_subject_name(issuer.certificate)) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(contents.from.seconds)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(contents.until.seconds)) != nil,
            X509_set_pubkey(certificate, key) == 1
        else { return false }
        // The key identifiers are made from these two certificates (X509V3_set_ctx(3)).
        var maker = X509V3_CTX()
        X509V3_set_ctx(&maker, issuer.certificate, certificate, nil, nil, 0)
        for (kind, text) in contents.extensions {
            guard let made = X509V3_EXT_nconf_nid(nil, &maker, kind, text) else { return false }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(certificate, made, -1) == 1 else { return false }
        }
        return true
    }

    /// Reads a certificate and its key from PEM.
    static func read(certificate: Bytes, key: Bytes) throws(CertificateFailure) -> KeyedCertificate {
        defer { ERR_clear_error() }
        guard let made = PEM.reading(certificate, { PEM_read_bio_X509($0, nil, noPassword, nil) }) else {
            throw .brokenCertificate
        }
        guard let key = PEM.reading(key, { PEM_read_bio_PrivateKey($0, nil, noPassword, nil) }) else {
            X509_free(made)
            throw .brokenKey
        }
        let pair = KeyedCertificate(certificate: made, key: key)
        guard X509_check_private_key(made, key) == 1 else { throw .keyDoesNotMatch }
        return pair
    }

    /// The end of its validity.
    var expiry: WallTime {
        var parts = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) == 1 else { return .distantPast }
        return WallTime(seconds: Int64(timegm(&parts)))
    }

    /// The DNS names of the permitted subtrees. Nil without name constraints, or if these permit names of another kind.
    var permittedNames: [String]? {
        guard let raw = X509_get_ext_d2i(certificate, NID_name_constraints, nil, nil) else { return nil }
        let constraints = raw.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        var names: [String] = []
        for index in 0..<larder_permitted_count(constraints) {
            guard let name = larder_permitted_name(constraints, index), let start = ASN1_STRING_get0_data(name) else {
                return nil
            }
            names.append(Bytes(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(name)))).lossyText)
        }
        return names.isEmpty ? nil : names
    }
}
