// `larder explain`: a request id is asked about as it is, a path is asked for first; in a pipe the daemon's JSON is told.
import LarderCore
import Testing

@testable import LarderCLI

private let explanation = """
    {"requestId":"0-2f","method":"GET","path":"/raw/api/a","route":"raw","status":200,"sources":[{"provider":"api",
    "outcome":"hit","explanation":["A stored answer \\u001b[2Jwas used."],"rule":{"name":"fresh"}}]}
    """

struct ExplainCommandTests {
    private func daemon() throws -> ScriptedDaemon {
        try ScriptedDaemon { head in
            head.hasPrefix("GET /v1/explain/0-2f ")
                ? answer(200, explanation, ["Content-Type: application/json"])
                : answer(200, "page", ["X-Request-Id: 0-2f"])
        }
    }

    @Test func aRequestIdIsAskedAboutAndNothingElseIs() async throws {
        let daemon = try daemon()
        let shown = await larder("explain", "0-2f", "--url", daemon.url)
        #expect(shown.status == .done, "\(shown.err)")
        #expect(shown.text == explanation + "\n")
        #expect(shown.err.isEmpty)
        #expect(daemon.heads.map { $0.prefix { $0 != "\r\n" } } == ["GET /v1/explain/0-2f HTTP/1.1"])
    }

    @Test func aPathIsAskedForFirst() async throws {
        let daemon = try daemon()
        let shown = await larder(
            "explain", "/raw/api/a?b=c", "-H", "X-Who: anna", "--only-if-cached", "--url", daemon.url)
        #expect(shown.status == .done, "\(shown.err)")
        #expect(shown.text == explanation + "\n")
        #expect(
            daemon.heads.map { $0.prefix { $0 != "\r\n" } } == [
                "GET /raw/api/a?b=c HTTP/1.1", "GET /v1/explain/0-2f HTTP/1.1",
            ])
        #expect(daemon.heads.first?.contains("X-Who: anna\r\n") == true)
        #expect(daemon.heads.first?.contains("Cache-Control: only-if-cached\r\n") == true)
        #expect(daemon.heads.last?.contains("X-Who") == false)
    }

    @Test func aTerminalGetsSentencesWithoutItsOwnCommandsInThem() async throws {
        let daemon = try daemon()
        let shown = await larder("explain", "0-2f", "--url", daemon.url, isTerminal: true)
        #expect(shown.text == "GET /raw/api/a: 200, request 0-2f\napi:\n  A stored answer  [2Jwas used.\n")
        let asked = await larder("explain", "0-2f", "--json", "--url", daemon.url, isTerminal: true)
        #expect(asked.text == explanation + "\n")
    }

    @Test func anAnswerWithoutAnIdIsNotADaemons() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, "page") }
        let shown = await larder("explain", "/a", "--url", daemon.url)
        #expect(shown.status == .broken)
        #expect(shown.out.isEmpty)
    }
}
