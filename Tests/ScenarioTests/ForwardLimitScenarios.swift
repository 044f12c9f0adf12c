// OPTIONS with `Max-Forwards`: the daemon answers a zero itself and counts other numbers down. A value that is no
// number or a huge number does no harm (RFC 9110 §7.6.2).
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ForwardLimitScenarios {
    private func withOrigin(_ body: (RunningLarder, ScriptedOrigin) async throws -> Void) async throws {
        let origin = ScriptedOrigin(answering: ok("asked", fields: "Allow: GET, OPTIONS\r\n"))
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { try await body($0, origin) }
    }

    @Test(arguments: ["0", "00"])
    func whereNoForwardsAreLeftTheAnswerIsOurs(_ hops: String) async throws {
        try await withOrigin { larder, origin in
            let answer = try await larder.send("OPTIONS", "/raw/api/a", fields: [("Max-Forwards", hops)])
            #expect(answer.status == 204, "\(answer)")
            #expect(answer["Allow"]?.contains("OPTIONS") == true, "\(answer)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [
        ("1", "0"), ("2", "1"), ("-9223372036854775808", "-9223372036854775808"), ("-1", "-1"),
        // A larger number is forwarded as the largest number that the daemon counts (RFC 9110 §7.6.2).
        ("99999999999", "4294967295"), ("99999999999999999999999999", "4294967295"), ("4294967295", "4294967294"),
    ])
    func otherwiseItIsForwardedWithOneLess(_ hops: String, _ sent: String) async throws {
        try await withOrigin { larder, origin in
            let answer = try await larder.send("OPTIONS", "/raw/api/a", fields: [("Max-Forwards", hops)])
            #expect(answer.status == 200, "\(answer)")
            #expect(origin.requests.map { $0.field("Max-Forwards") } == [sent])
            #expect(try await larder.get("/healthz").status == 200)
        }
    }
}
