// Responses that are only partly HTTP are the upstream's fault. They are reported as broken, not as unreachable or
// forbidden, and the third of five suspends the provider.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct BrokenAnswerScenarios {
    private static let answers: [String: String] = [
        "a bad chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        "a large head": "HTTP/1.1 200 OK\r\nX-Long: " + String(repeating: "a", count: 200_000)
            + "\r\nContent-Length: 0\r\n\r\n",
        "a circle": "HTTP/1.1 302 Found\r\nLocation: /search\r\nContent-Length: 0\r\n\r\n",
    ]

    @Test(arguments: ["a bad chunk", "a large head", "a circle"])
    func itIsBrokenAndTheThirdSuspends(_ name: String) async throws {
        let bytes = try #require(Self.answers[name])
        let origin = ScriptedOrigin(answering: bytes)
        defer { origin.stop() }
        let configuration = "providers: { itunes: { baseURL: \"\(origin.base)\", rate: off, quota: off } }"
        try await withLarder(configuration, time: ManualTime()) { larder async throws in
            for number in 0..<3 {
                let answer = try await larder.get("/v1/itunes/search?q=term\(number)")
                #expect(answer.status == 502, "\(answer)")
                #expect(try answer.json()["class"]?.string == "broken", "\(answer)")
                #expect(answer["Proxy-Status"]?.contains("http_protocol_error") == true, "\(answer)")
            }
            let asked = origin.requests.count
            let resting = try await larder.get("/v1/itunes/search?q=term3")
            #expect(resting.status == 503, "\(resting)")
            #expect(origin.requests.count == asked)
        }
    }

    /// Any origin can send such a pair, and so can any host that a picture's address names.
    @Test func aFirstFieldLineThatBeginsWithWhiteSpaceAfterAGoodAnswerEndsNothing() async throws {
        let origin = ScriptedOrigin { request in
            guard request.target.hasPrefix("/bad") else { return [.send(ok("good", fields: "X-Last: one\r\n"))] }
            return [.send("HTTP/1.1 200 OK\r\n folded: AAAA\r\nContent-Length: 1\r\n\r\nx")]
        }
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { larder in
            for number in 0..<2 {
                #expect(try await larder.get("/raw/api/good?\(number)").text == "good")
                let answer = try await larder.get("/raw/api/bad?\(number)")
                #expect(answer.status == 502, "\(answer)")
                #expect(try answer.json()["class"]?.string == "broken", "\(answer)")
            }
            #expect(try await larder.get("/raw/api/good?last").text == "good")
        }
    }
}
