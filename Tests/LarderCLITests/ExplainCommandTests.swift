// `larder explain` asks about a request id directly and requests a path first. In a pipe it prints the daemon's JSON.
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

    @Test func aWordThatIsNeitherIsRefused() async throws {
        let daemon = try daemon()
        let shown = await larder("explain", "foo", "--url", daemon.url)
        #expect(shown.status == .usage && shown.err.contains("A path begins with \"/\""), "\(shown.err)")
        #expect(daemon.heads.isEmpty)
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

    @Test func aProviderThatDoesNotExistIsAnError() async throws {
        let refused = """
            {"requestId":"0-2f","method":"GET","path":"/raw/newsap/a","route":"raw","status":404,"problem":
            {"code":"unknownProvider","detail":"There is no provider \\"newsap\\"; did you mean \\"newsapi\\"?",
            "parameter":"provider","allowed":["itunes","newsapi"]},"sources":[]}
            """
        let daemon = try ScriptedDaemon { head in
            head.hasPrefix("GET /v1/explain/0-2f ")
                ? answer(200, refused, ["Content-Type: application/json"])
                : answer(404, "{}", ["X-Request-Id: 0-2f"])
        }
        for (operand, isTerminal) in [("/raw/newsap/a", true), ("/raw/newsap/a", false), ("0-2f", true)] {
            let shown = await larder("explain", operand, "--url", daemon.url, isTerminal: isTerminal)
            #expect(shown.status == .usage)
            #expect(shown.out.isEmpty)
            #expect(shown.err.contains(#"There is no provider "newsap"; did you mean "newsapi"?"#), "\(shown.err)")
            #expect(shown.err.contains("itunes, newsapi"), "\(shown.err)")
        }
    }

    @Test func aRequestThatWasRefusedAtTheDoorIsToldByItsOwnProblem() async throws {
        let unknown = #"{"status":404,"code":"unknownRequest","detail":"Nothing is known of request 0-2f any more."}"#
        let refused = #"{"status":403,"code":"foreignPage","detail":"Pages of other origins may not ask."}"#
        let daemon = try ScriptedDaemon { head in
            head.hasPrefix("GET /v1/explain/")
                ? answer(404, unknown, ["Content-Type: application/problem+json"])
                : answer(403, refused, ["X-Request-Id: 0-2f", "Content-Type: application/problem+json"])
        }
        let shown = await larder("explain", "/raw/api/a", "-H", "Sec-Fetch-Site: cross-site", "--url", daemon.url)
        #expect(shown.status == .refused, "\(shown.err)")
        #expect(shown.err.contains("Pages of other origins may not ask."), "\(shown.err)")
        #expect(!shown.err.contains("Nothing is known"))
        let byId = await larder("explain", "0-2f", "--url", daemon.url)
        #expect(byId.status == .noResults && byId.err.contains("Nothing is known"), "\(byId.err)")
    }

    @Test(arguments: ["/raw/own/only1", "raw/own/only1", "http://127.0.0.1:8787/raw/own/only1"])
    func theHeadlineNamesWhatWasAsked(_ operand: String) async throws {
        let fromMemory = #"{"requestId":"0-2f","method":"GET","path":"/only1","status":200,"sources":[]}"#
        let daemon = try ScriptedDaemon { head in
            answer(200, head.hasPrefix("GET /v1/explain/") ? fromMemory : "page", ["X-Request-Id: 0-2f"])
        }
        let shown = await larder("explain", operand, "--url", daemon.url, isTerminal: true)
        #expect(shown.text.hasPrefix("GET /raw/own/only1: 200, request 0-2f\n"), "\(shown.text)")
    }

    @Test(arguments: ["a page", #"{"requestId":"0-ff","sources":[]}"#, #"{"sources":[]}"#, #"{"requestId":"0-2f"}"#])
    func whatIsNoExplanationIsNotShownAsOne(_ body: String) async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, body, ["X-Request-Id: 0-2f"]) }
        let shown = await larder("explain", "/x", "--url", daemon.url)
        #expect(shown.status == .broken)
        #expect(shown.out.isEmpty)
        #expect(shown.err.contains("is not an explanation"), "\(shown.err)")
    }

    @Test func aBoundListenersAPIIsNotAskedForTheExplanation() async throws {
        let daemon = try ScriptedDaemon { head in
            head.hasPrefix("GET /v1/explain/") && head.contains("Cache-Control: only-if-cached\r\n")
                ? answer(504, #"{"status":504,"code":"notStored","detail":"Nothing is stored."}"#)
                : answer(200, "page", ["X-Request-Id: 0-2f"])
        }
        let shown = await larder("explain", "/x", "--url", daemon.url)
        #expect(shown.status == .broken && shown.out.isEmpty)
        #expect(shown.err.contains("is not an explanation"), "\(shown.err)")
    }

    @Test func anAnswerWithoutAnIdIsNotADaemons() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, "page") }
        let shown = await larder("explain", "/a", "--url", daemon.url)
        #expect(shown.status == .broken)
        #expect(shown.out.isEmpty)
    }
}
