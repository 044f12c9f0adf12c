// What an authority may vouch for, held by OpenSSL's own verification with its strict flag, which Python 3.13 sets.
import CSSL
import LarderCore
import Testing

@testable import LarderTLS

struct AuthorityTests {
    /// The result of verifying a leaf as a TLS client does: X509_V_OK, or why not.
    private func verify(_ leaf: KeyedCertificate, _ authority: CertificateAuthority, host: String? = nil) -> Int32 {
        let store = X509_STORE_new()
        let check = X509_STORE_CTX_new()
        defer {
            X509_STORE_CTX_free(check)
            X509_STORE_free(store)
        }
        X509_STORE_add_cert(store, authority.own.certificate)
        X509_STORE_CTX_init(check, store, leaf.certificate, nil)
        X509_STORE_CTX_set_purpose(check, X509_PURPOSE_SSL_SERVER)
        let rules = X509_STORE_CTX_get0_param(check)
        X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_X509_STRICT))
        if let host { X509_VERIFY_PARAM_set1_host(rules, host, 0) }
        X509_verify_cert(check)
        return X509_STORE_CTX_get_error(check)
    }

    @Test(arguments: ["example.org", "a.b.example.org", "packages.example"])
    func strictVerificationPassesForCoveredHosts(host: String) throws {
        let authority = try authority(["example.org", "*.packages.example"])
        #expect(authority.covers(host))
        #expect(verify(try authority.leaf(for: host, at: present), authority, host: host) == X509_V_OK)
    }

    @Test(arguments: ["DNS:example.com", "DNS:badexample.org", "DNS:org", "DNS:*.com"])
    func aLeafOfAnUncoveredHostFailsVerification(name: String) throws {
        let authority = try authority()
        #expect(verify(try authority.uncheckedLeaf(name, at: present), authority) == X509_V_ERR_PERMITTED_VIOLATION)
    }

    @Test(arguments: ["IP:192.0.2.1", "IP:127.0.0.1", "IP:2001:db8::1", "DNS:example.org,IP:::1"])
    func aLeafOfAnAddressFailsVerification(name: String) throws {
        let authority = try authority()
        #expect(verify(try authority.uncheckedLeaf(name, at: present), authority) == X509_V_ERR_EXCLUDED_VIOLATION)
    }

    @Test(arguments: ["DNS:example.org", "DNS:localhost", "DNS:org"])
    func anAuthorityForNoHostVouchesForNothing(name: String) throws {
        let authority = try authority([])
        #expect(authority.permittedNames.isEmpty && !authority.covers("invalid"))
        #expect(verify(try authority.uncheckedLeaf(name, at: present), authority) == X509_V_ERR_PERMITTED_VIOLATION)
    }

    @Test(arguments: [
        ("EXAMPLE.org", true), ("www.example.org", true), ("a.b.example.org", true), ("example.com", false),
        ("badexample.org", false), ("org", false), ("", false), (".example.org", false), ("a..example.org", false),
        ("example.org.", false), ("192.0.2.1", false), ("::1", false), ("exämple.org", false),
    ])
    func coversIsTheRuleOfNameConstraints(host: String, isCovered: Bool) throws {
        #expect(try authority().covers(host) == isCovered)
    }

    @Test(arguments: [
        "192.0.2.1", "::1", "", "*", "a b", "example.org,DNS:example.com", "example.org\n", "*.*.org", "@alt",
        String(repeating: "a", count: 64) + ".org",
    ])
    func whatIsNoHostNameGetsIntoNoCertificate(text: String) throws {
        #expect(throws: CertificateFailure.notAHost(text)) { try authority([text]) }
        #expect(throws: CertificateFailure.notAHost(text)) { try authority().leaf(for: text, at: present) }
    }

    @Test func patternsAndRepetitionsAreOneName() throws {
        let names = try authority(["Example.org", "*.example.org", "b.example"]).permittedNames
        #expect(names == ["example.org", "b.example"])
    }

    @Test func aLeafForAnUncoveredHostIsNotMade() throws {
        #expect(throws: CertificateFailure.notCovered("example.com")) {
            try authority().leaf(for: "example.com", at: present)
        }
    }

    @Test func aLeafNeverOutlivesItsAuthorityOr397Days() throws {
        let long = try authority()
        let leaf = try long.leaf(for: "example.org", at: present)
        #expect(leaf.expiry.seconds == present.seconds + 396 * 86_400)
        let short = try CertificateAuthority(hosts: ["example.org"], from: present, until: present + .seconds(60))
        #expect(try short.leaf(for: "example.org", at: present).expiry == short.expiry)
        #expect(throws: CertificateFailure.expired) { try short.leaf(for: "example.org", at: short.expiry) }
    }

    @Test func theAuthorityReadsBack() throws {
        let made = try authority(["example.org", "*.packages.example"])
        let read = try CertificateAuthority(certificate: made.certificatePEM, key: made.keyPEM())
        #expect(read.permittedNames == ["example.org", "packages.example"])
        #expect(read.expiry == made.expiry && read.expiry.seconds == present.seconds + 3600 * 24 * 1000)
        #expect(read.fingerprint == made.fingerprint && read.certificatePEM == made.certificatePEM)
        let leaf = try read.leaf(for: "example.org", at: present)
        #expect(verify(leaf, made, host: "example.org") == X509_V_OK)
    }

    @Test func anAuthorityForNoHostReadsBack() throws {
        let made = try authority([])
        #expect(try CertificateAuthority(certificate: made.certificatePEM, key: made.keyPEM()).permittedNames.isEmpty)
    }

    @Test func brokenTextsAreNamed() throws {
        let made = try authority()
        let key = try made.keyPEM()
        let broken = Bytes(text: made.certificatePEM.lossyText.replacing("\nMII", with: "\nAAA"))
        #expect(throws: CertificateFailure.brokenCertificate) {
            try CertificateAuthority(certificate: broken, key: key)
        }
        #expect(throws: CertificateFailure.brokenCertificate) { try CertificateAuthority(certificate: [], key: key) }
        #expect(throws: CertificateFailure.brokenKey) {
            try CertificateAuthority(certificate: made.certificatePEM, key: made.certificatePEM)
        }
    }

    @Test func aKeyOfAnotherAuthorityIsRefused() throws {
        let (one, other) = (try authority(), try authority())
        #expect(throws: CertificateFailure.keyDoesNotMatch) {
            try CertificateAuthority(certificate: one.certificatePEM, key: other.keyPEM())
        }
    }

    @Test func aServersCertificateIsNoAuthority() throws {
        let leaf = try authority().leaf(for: "example.org", at: present)
        let certificate = try PEM.written { PEM_write_bio_X509($0, leaf.certificate) }
        let key = try PEM.written { PEM_write_bio_PrivateKey($0, leaf.key, nil, nil, 0, nil, nil) }
        #expect(throws: CertificateFailure.notAnAuthority) {
            try CertificateAuthority(certificate: certificate, key: key)
        }
    }

    @Test func anAuthorityWithoutConstraintsIsRefused() throws {
        let contents = KeyedCertificate.Contents(
            name: "open", from: present, until: present + .seconds(60),
            extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
        let open = try KeyedCertificate.make(contents, by: nil)
        let certificate = try PEM.written { PEM_write_bio_X509($0, open.certificate) }
        let key = try PEM.written { PEM_write_bio_PrivateKey($0, open.key, nil, nil, 0, nil, nil) }
        #expect(throws: CertificateFailure.unconstrained) {
            try CertificateAuthority(certificate: certificate, key: key)
        }
    }
}
