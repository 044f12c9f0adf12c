// Which handshakes succeed, and how the others are told apart.
import CSSL
import LarderCore
import Testing

@testable import LarderTLS

struct HandshakeTests {
    @Test(arguments: [1, 7, Int.max])
    func aHandshakeInStepsOfAnySizeIsDoneAndCarriesData(step: Int) throws {
        let pair = try Pair(step: step)
        pair.run()
        #expect(pair.server.isHandshakeDone && pair.client.isHandshakeDone)
        #expect(pair.server.write("answer") == 6 && pair.client.write("question") == 8)
        pair.run()
        #expect(pair.serverGot.lossyText == "question" && pair.clientGot.lossyText == "answer")
        #expect(pair.serverState == .needsInput && pair.clientState == .needsInput)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func versionsFromTLS12OnAreSpoken(version: Int32) throws {
        let pair = try Pair.with { SSL_CTX_ctrl($0, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil) }
        pair.run()
        #expect(pair.server.isHandshakeDone)
        #expect(pair.server.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
    }

    @Test func tls11IsRefused() throws {
        let pair = try Pair.with {
            SSL_CTX_ctrl($0, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
            SSL_CTX_ctrl($0, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
            SSL_CTX_set_cipher_list($0, "DEFAULT:@SECLEVEL=0")
        }
        pair.run()
        #expect(pair.serverState == .failed(.incompatible("unsupported protocol")))
        #expect(pair.clientState == .failed(.alert("protocol_version")))
    }

    @Test func aClientWithoutACommonCipherSuiteIsToldAsIncompatible() throws {
        let pair = try Pair.with {
            SSL_CTX_ctrl($0, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            SSL_CTX_set_cipher_list($0, "AES128-GCM-SHA256")
        }
        pair.run()
        #expect(pair.serverState == .failed(.incompatible("no shared cipher")))
    }

    @Test func aClientThatOffersOnlyHTTP2IsRefused() throws {
        let pair = try offering(["h2"])
        pair.run()
        #expect(pair.serverState == .failed(.noCommonProtocol))
        #expect(pair.clientState == .failed(.alert("no_application_protocol")))
    }

    @Test(arguments: [["h2", "http/1.1"], ["http/1.0", "http/1.1", "h2"], []])
    func aClientThatOffersHTTP11OrNothingIsServed(protocols: [String]) throws {
        let pair = try offering(protocols)
        pair.run()
        #expect(pair.server.isHandshakeDone && pair.client.isHandshakeDone)
    }

    private func offering(_ protocols: [String]) throws -> Pair {
        let authority = try authority()
        return try Pair(
            context: HostContexts(authority: authority).make(for: "example.org", at: present),
            trust: ClientContext(roots: authority.certificatePEM, protocols: protocols))
    }

    /// A name that begins with a dot is none (RFC 6066 §3), though libcrypto takes it for all subdomains.
    @Test(arguments: ["other.example.org", "example.com", ".org", "example.org."])
    func anotherServerNameIsRefused(name: String) throws {
        let pair = try Pair(asked: name)
        pair.run()
        #expect(pair.serverState == .failed(.wrongName(name)))
        #expect(pair.clientState == .failed(.alert("unrecognized_name")))
    }

    @Test func aFailuresSentenceHoldsNoControlCharacters() {
        #expect(!TLSFailure.wrongName("a\u{1B}[2J\u{9B}\n").description.holdsControls)
    }

    @Test func aMissingServerNameIsAccepted() throws {
        let pair = try Pair(sendsName: false)
        pair.run()
        #expect(pair.server.isHandshakeDone && pair.client.isHandshakeDone)
    }

    @Test func theCaseOfAServerNameDoesNotMatter() throws {
        let pair = try Pair(asked: "EXAMPLE.org")
        pair.run()
        #expect(pair.server.isHandshakeDone && pair.client.isHandshakeDone)
    }

    @Test func aClientThatTrustsNothingIsToldAsUnknownCA() throws {
        let pair = try Pair(trust: ClientContext(roots: []))
        pair.run()
        #expect(pair.serverState == .failed(.alert("unknown_ca")))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "CONNECT example.org:443 HTTP/1.1\r\n\r\n", "QUERY / HTTP/1.1\r\n\r\n",
        "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}", "SSH-2.0-OpenSSH_9.2\r\n",
    ])
    func firstBytesThatAreNotTLSAreToldAsSuch(text: String) throws {
        let pair = try Pair()
        _ = pair.server.receive(Bytes(text: text))
        pair.readServer()
        #expect(pair.serverState == .failed(.notTLS))
    }

    @Test func aRecordWithAWrongVersionLaterIsMalformed() throws {
        let pair = try Pair()
        pair.run()
        _ = pair.server.receive(Bytes(text: "GET / HTTP/1.1\r\n\r\n"))
        pair.readServer()
        guard case .failed(.malformed) = pair.serverState else {
            Issue.record("\(pair.serverState)")
            return
        }
    }

    @Test func aDamagedRecordIsMalformed() throws {
        let pair = try Pair()
        pair.run()
        _ = pair.client.write("question")
        var record = pair.client.withCiphertext { Bytes($0) }
        record[record.count - 1] ^= 1
        _ = pair.server.receive(record)
        pair.readServer()
        #expect(pair.serverState == .failed(.malformed("decryption failed or bad record mac")))
        #expect(pair.serverGot.isEmpty)
        #expect(pair.server.write("answer") == 0)
    }
}
