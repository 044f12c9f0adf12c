// Fields for one client only: the request that made the call gets them. A request answered from the store does not.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct OwnFieldsScenarios {
    private func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\", forwardCookies: true } }"
    }

    @Test func aCookieThatIsSetReachesWhoSentOneAndNobodyElse() async throws {
        let origin = ScriptedOrigin { request in
            let who = request.field("Cookie") ?? "nobody"
            return [.send(ok("for \(who)", fields: "Cache-Control: max-age=60\r\nSet-Cookie: seen=\(who)\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            for who in ["anna", "bert", "anna"] {
                let answer = try await larder.get("/raw/api/a", ("Cookie", who))
                #expect(answer.text == "for \(who)", "\(answer)")
                #expect(answer["Set-Cookie"] == "seen=\(who); Path=/raw/api/", "\(answer)")
                #expect(answer["Cache-Status"]?.contains("stored") == false, "\(answer)")
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test func aPublicAnswersCookieIsTheFirstAskersAlone() async throws {
        let origin = ScriptedOrigin(
            answering: ok("page", fields: "Cache-Control: public, max-age=60\r\nSet-Cookie: a=b\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let first = try await larder.get("/raw/api/a")
            #expect(first["Set-Cookie"] == "a=b; Path=/raw/api/", "\(first)")
            for _ in 0..<3 {
                let hit = try await larder.get("/raw/api/a")
                #expect(hit.text == "page")
                #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit)")
                #expect(hit["Set-Cookie"] == nil, "\(hit)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aFieldThatIsPrivateIsForWhoAsked() async throws {
        let origin = ScriptedOrigin(
            answering: ok(
                "page", fields: "Cache-Control: max-age=60, private=\"X-User\"\r\nX-User: anna\r\nX-All: 1\r\n"))
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let first = try await larder.get("/raw/api/a")
            #expect(first["X-User"] == "anna", "\(first)")
            for _ in 0..<3 {
                let hit = try await larder.get("/raw/api/a")
                #expect(hit["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(hit)")
                #expect(hit["X-User"] == nil, "\(hit)")
                #expect(hit["X-All"] == "1", "\(hit)")
            }
            #expect(origin.requests.count == 1)
        }
    }
}
