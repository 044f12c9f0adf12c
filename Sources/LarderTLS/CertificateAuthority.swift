// The authority whose certificates clients of the proxy trust. It can vouch only for the hosts that it was made for:
// critical name constraints (RFC 5280 §4.2.1.10) permit these and exclude every address, so its key is worth no more to
// a thief than these hosts. What it makes passes OpenSSL's strict check (X509_VERIFY_PARAM_set_flags(3)).
import CSSL
import LarderCore

/// A certificate authority for a list of hosts. Immutable: other hosts need another authority.
public final class CertificateAuthority: Sendable {
    /// The names that it may vouch for, in lower case. Each admits its subdomains. Empty if it may vouch for nothing.
    public let permittedNames: [String]
    /// When its certificate ends.
    public let expiry: WallTime
    /// The certificate in PEM. Public.
    public let certificatePEM: Bytes
    /// The SHA-256 digest of the certificate's DER form, by which people compare certificates.
    public let fingerprint: Digest
    let own: KeyedCertificate

    /// Makes an authority with a new P-256 key.
    ///
    /// Without hosts it may vouch for nothing: the one permitted name is then `invalid`, which no host has
    /// (RFC 6761 §6.4), because an absent list of permitted names would permit all.
    /// - Parameters:
    ///   - hosts: names, or patterns such as `*.example.org`, which stands for `example.org`.
    ///   - from: the beginning of its validity, in whole seconds.
    ///   - until: the end of its validity, in whole seconds.
    /// - Throws: `notAHost` for an address or another text that is no name; `library`.
    public convenience init(hosts: [String], from: WallTime, until: WallTime) throws(CertificateFailure) {
        let names = try HostName.permitted(for: hosts)
        let constraints =
            ["critical"] + (names.isEmpty ? [HostName.nothing] : names).map { "permitted;DNS:\($0)" } + [
                "excluded;IP:0.0.0.0/0.0.0.0", "excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0",
            ]
        // A number in the name, for clients that look for an issuer by its name alone.
        let contents = KeyedCertificate.Contents(
            name: "Larder CA \(Hex.encode(Secrets.random(4)))", from: from, until: until,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"), (NID_name_constraints, constraints.joined(separator: ",")),
            ])
        try self.init(KeyedCertificate.make(contents, by: nil))
    }

    /// Reads an authority from PEM.
    /// - Throws: `brokenCertificate`, `brokenKey`, `keyDoesNotMatch`, `notAnAuthority`, or `unconstrained` for an
    ///   authority without permitted DNS names.
    public convenience init(certificate: Bytes, key: Bytes) throws(CertificateFailure) {
        try self.init(KeyedCertificate.read(certificate: certificate, key: key))
    }

    private init(_ own: KeyedCertificate) throws(CertificateFailure) {
        // 1 stands for an authority by its basic constraints and key usage (X509_check_ca(3)).
        guard X509_check_ca(own.certificate) == 1 else { throw .notAnAuthority }
        guard let names = own.permittedNames else { throw .unconstrained }
        permittedNames = names.map { Bytes($0.utf8.map(ASCII.lowercased)).lossyText }.filter { $0 != HostName.nothing }
        expiry = own.expiry
        certificatePEM = try PEM.written { PEM_write_bio_X509($0, own.certificate) }
        fingerprint = Digest(of: try PEM.written { i2d_X509_bio($0, own.certificate) })
        self.own = own
    }

    /// The private key in PEM (PKCS #8), without a password. A secret: whoever has it can pose as the permitted hosts.
    public func keyPEM() throws(CertificateFailure) -> Bytes {
        try PEM.written { PEM_write_bio_PrivateKey($0, own.key, nil, nil, 0, nil, nil) }
    }

    /// Whether it may vouch for a host: a permitted name, or one with more labels on the left (RFC 5280 §4.2.1.10).
    /// Never for an address.
    public func covers(_ host: String) -> Bool {
        guard let host = HostName.normalised(host) else { return false }
        return permittedNames.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    /// The most days that clients accept: public authorities are held to 398, and some clients hold all to it.
    private static let leafDays: Int64 = 397

    /// Makes a server's certificate for one host, valid from a day before `now`, since a client's clock may be behind.
    func leaf(for host: String, at now: WallTime) throws(CertificateFailure) -> KeyedCertificate {
        guard let name = HostName.normalised(host) else { throw .notAHost(host) }
        guard covers(name) else { throw .notCovered(name) }
        guard now < expiry else { throw .expired }
        return try uncheckedLeaf("DNS:" + name, at: now)
    }

    /// The same for any subject alternative name, as one who had the key could make it.
    func uncheckedLeaf(_ name: String, at now: WallTime) throws(CertificateFailure) -> KeyedCertificate {
        let from = now + .seconds(-86_400)
        let contents = KeyedCertificate.Contents(
            // Nobody reads it, but an empty subject has rules of its own (RFC 5280 §4.1.2.6).
            name: "Larder", from: from, until: min(from + .seconds(Self.leafDays * 86_400), expiry),
            extensions: [
                (NID_basic_constraints, "CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"), (NID_subject_alt_name, name),
            ])
        return try KeyedCertificate.make(contents, by: own)
    }
}
