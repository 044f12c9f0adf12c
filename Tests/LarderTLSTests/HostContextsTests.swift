// The table of contexts: made once, bounded, and apart from each other.
import CSSL
import LarderCore
import Testing

@testable import LarderTLS

struct HostContextsTests {
    @Test func aContextIsMadeOnceAndThenFound() throws {
        let contexts = HostContexts(authority: try authority())
        #expect(contexts.made(for: "example.org", at: present) == nil)
        let context = try contexts.make(for: "Example.org", at: present)
        #expect(contexts.made(for: "example.ORG", at: present) === context)
        #expect(try contexts.make(for: "example.org", at: present) === context)
        #expect(contexts.count == 1)
    }

    @Test func theNumberOfContextsIsBoundedAndTheIdleOneLeaves() throws {
        let contexts = HostContexts(authority: try authority(), limit: 2)
        let one = try contexts.make(for: "a.example.org", at: present)
        _ = try contexts.make(for: "b.example.org", at: present)
        #expect(contexts.made(for: "a.example.org", at: present) === one)
        _ = try contexts.make(for: "c.example.org", at: present)
        #expect(contexts.count == 2)
        #expect(contexts.made(for: "a.example.org", at: present) === one)
        #expect(contexts.made(for: "b.example.org", at: present) == nil)
    }

    @Test func aContextThatHasEndedIsMadeAnew() throws {
        let contexts = HostContexts(authority: try authority())
        let context = try contexts.make(for: "example.org", at: present)
        #expect(contexts.made(for: "example.org", at: context.expiry) == nil)
        let later = try contexts.make(for: "example.org", at: context.expiry)
        #expect(later !== context && later.expiry > context.expiry && contexts.count == 1)
    }

    @Test func anUncoveredHostHasNoContext() throws {
        let contexts = HostContexts(authority: try authority())
        #expect(throws: CertificateFailure.notCovered("example.com")) {
            try contexts.make(for: "example.com", at: present)
        }
        #expect(contexts.count == 0)
    }

    @Test func manyThreadsGetOneContext() async throws {
        let contexts = HostContexts(authority: try authority())
        let made = try await withThrowingTaskGroup(of: HostContext.self) { group in
            for _ in 0..<8 { group.addTask { try contexts.make(for: "example.org", at: present) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.allSatisfy { $0 === made[0] })
    }

    @Test func aSessionOutlivesItsTable() throws {
        var contexts: HostContexts? = HostContexts(authority: try authority(), limit: 1)
        let pair = try Pair(context: contexts?.make(for: "example.org", at: present), sendsName: true)
        contexts = nil
        pair.run()
        // The pair's client trusts another authority, so the name was looked at and the handshake went on.
        #expect(pair.serverState == .failed(.alert("unknown_ca")))
    }

    @Test func twoHostsCertificatesDoNotMix() throws {
        let authority = try authority()
        let contexts = HostContexts(authority: authority)
        let trust = try ClientContext(roots: authority.certificatePEM)
        let pair = try Pair(
            context: contexts.make(for: "b.example.org", at: present), trust: trust, asked: "a.example.org",
            sendsName: false)
        pair.run()
        #expect(SSL_get_verify_result(pair.client.ssl) == X509_V_ERR_HOSTNAME_MISMATCH)
        #expect(pair.serverState == .failed(.alert("bad_certificate")))
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aResumedSessionUnderAnotherServerNameIsRefused(version: Int32) throws {
        let authority = try authority()
        let context = try HostContexts(authority: authority).make(for: "a.example.org", at: present)
        let trust = try ClientContext(roots: authority.certificatePEM)
        SSL_CTX_ctrl(trust.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        let first = try Pair(context: context, trust: trust, asked: "a.example.org")
        first.run()
        let session = SSL_get1_session(first.client.ssl)
        defer { SSL_SESSION_free(session) }
        let next = try Pair(context: context, trust: trust, asked: "b.example.org")
        SSL_set_session(next.client.ssl, session)
        next.run()
        #expect(next.serverState == .failed(.wrongName("b.example.org")))
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aSessionIsResumedByItsOwnHostOnly(version: Int32) throws {
        let authority = try authority()
        let contexts = HostContexts(authority: authority)
        let trust = try ClientContext(roots: authority.certificatePEM)
        SSL_CTX_ctrl(trust.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        func pair(_ host: String) throws -> Pair {
            try Pair(
                context: contexts.make(for: host, at: present), trust: trust, asked: host, sendsName: false)
        }
        let first = try pair("a.example.org")
        first.run()
        let session = SSL_get1_session(first.client.ssl)
        defer { SSL_SESSION_free(session) }
        for (host, isResumed) in [("b.example.org", false), ("a.example.org", true)] {
            let next = try pair(host)
            SSL_set_session(next.client.ssl, session)
            next.run()
            #expect(next.server.isHandshakeDone)
            #expect((SSL_session_reused(next.server.ssl) == 1) == isResumed)
        }
    }
}
