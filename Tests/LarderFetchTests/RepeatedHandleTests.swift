// Every defective head after a good answer of the same loop. A handle that serves a second transfer must remember
// nothing of the first one: with libcurl before 8.1.1 the second head was written into freed memory, which ends the
// process (https://github.com/curl/curl/issues/11101).
import LarderCore
import LarderFetch
import LarderTestSupport
import Testing

@Suite struct RepeatedHandleTests {
    private static let good = "HTTP/1.1 200 OK\r\nX-First: one\r\nX-Last: two\r\nContent-Length: 4\r\n\r\ngood"

    @Test(arguments: BadHead.all)
    func aDefectiveHeadAfterAGoodAnswerIsBrokenAndTouchesNothingOfIt(_ head: BadHead) async throws {
        let origin = ScriptedOrigin { request in
            request.target == "/bad" ? [.send(head.bytes + "\r\n12345"), .close] : [.send(Self.good)]
        }
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<3 {
                #expect(await rig.text(order(origin.base + "/good")) == "good")
                #expect(await rig.failure(order(origin.base + "/bad"))?.stage == .malformed)
            }
            #expect(await rig.text(order(origin.base + "/good")) == "good")
        }
    }

    @Test(arguments: [" ", "\t", " \t folded: AAAA", "\t\t", " " + String(repeating: "A", count: 4000)])
    func aFirstFieldLineThatBeginsWithWhiteSpaceEndsNothing(line: String) async throws {
        let origin = ScriptedOrigin { request in
            guard request.target == "/bad" else { return [.send(Self.good)] }
            return [.send("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 1\r\n\r\nx"), .close]
        }
        defer { origin.stop() }
        try await withRig { rig in
            for _ in 0..<20 {
                #expect(await rig.text(order(origin.base + "/good")) == "good")
                #expect(await rig.failure(order(origin.base + "/bad"))?.stage == .malformed)
            }
        }
    }
}
