// NTLM and Negotiate authenticate the connection to the upstream, which all clients share (RFC 4559 §6).
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ConnectionAuthenticationScenarios {
    /// Authenticates each connection by the first request with credentials on it, as such servers do.
    private func origin() -> ScriptedOrigin {
        let known = Lock<Set<Int>>([])
        return ScriptedOrigin { request in
            if request.field("Authorization") != nil { known.withLock { _ = $0.insert(request.connection) } }
            guard known.withLock({ $0.contains(request.connection) }) else {
                let challenges = "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n"
                return [.send(ok("who?", status: "401 Unauthorized", fields: challenges))]
            }
            return [.send(ok("secret of one person", fields: "Cache-Control: public, max-age=60\r\n"))]
        }
    }

    @Test(arguments: ["NTLM TlRMTVNTUAAB", "Negotiate YII="])
    func aConnectionIsNeverAuthenticatedForOneClientAndUsedForOthers(credentials: String) async throws {
        let origin = origin()
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            #expect(try await larder.get("/raw/api/a").status == 401)
            let refused = try await larder.get("/raw/api/a", ("Authorization", credentials))
            #expect(refused.status == 501, "\(refused)")
            #expect(try refused.json()["code"]?.string == "notImplemented", "\(refused)")
            #expect(refused.text.contains("authenticates a connection"), "\(refused)")
            let posted = try await larder.send(
                "POST", "/raw/api/a", fields: [("Authorization", credentials)], body: "x")
            #expect(posted.status == 501, "\(posted)")
            #expect(try await larder.get("/raw/api/a").status == 401)
            // Nothing with credentials was sent.
            #expect(origin.requests.allSatisfy { $0.method == "GET" && $0.field("Authorization") == nil })
        }
    }

    @Test func aBuiltInAPIIsNotSentThemEither() async throws {
        let origin = ScriptedOrigin(answering: ok("{}"))
        defer { origin.stop() }
        let configuration = "providers: { itunes: { baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            let refused = try await larder.get("/raw/itunes/search?term=x", ("Authorization", "NTLM TlRM"))
            #expect(refused.status == 501, "\(refused)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func withAConfiguredKeyTheClientsCredentialsAreNotSentAndNotRefused() async throws {
        let origin = ScriptedOrigin(answering: ok("for all"))
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\", key: 0123456789 } }"
        try await withLarder(configuration) { larder in
            let answer = try await larder.get("/raw/api/a", ("Authorization", "NTLM TlRM"))
            #expect(answer.text == "for all", "\(answer)")
            #expect(origin.requests.first?.field("Authorization") == "Bearer 0123456789")
        }
    }
}
