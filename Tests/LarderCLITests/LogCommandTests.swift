// `larder log`: one line for each request, for a person and for a program, and a note of what was dropped.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct LogCommandTests {
    private static let request =
        #"{"id":"0-1","at":"2026-01-01T00:00:05.250Z","method":"GET","target":"/v1/search?q=…","route":"search","status":200,"bytes":12,"milliseconds":12.34,"client":"127.0.0.1","provider":"itunes","outcome":"miss","sentence":"x"}"#
    private static let hit =
        #"{"id":"0-2","at":"2026-01-01T00:00:06.000Z","method":"GET","target":"/v1/search?q=…","route":"search","status":200,"outcome":"hit","tier":"memory","provider":"itunes","sentence":"x"}"#

    private static let stream = """
        event: requests
        data: {"dropped":0,"redacted":true,"requests":[\(request)]}

        event: requests
        data: {"dropped":40,"redacted":true,"requests":[\(hit)]}


        """

    private func daemon() throws -> ScriptedDaemon {
        try ScriptedDaemon { head in
            head.contains("/events")
                ? answer(200, Self.stream, ["Content-Type: text/event-stream"])
                : answer(200, #"{"capacity":1000,"redacted":true,"requests":[\#(Self.hit),\#(Self.request)]}"#)
        }
    }

    @Test func aTerminalShowsALineEachAndWhatWasDropped() async throws {
        let daemon = try daemon()
        let shown = await larder("log", "--url", daemon.url, isTerminal: true, width: 120)
        #expect(
            shown.text == """
                00:00:05.250 200 miss          12.3ms itunes     127.0.0.1       GET  /v1/search?q=…
                00:00:06.000 200 hit           memory itunes                     GET  /v1/search?q=…
                … 40 more came faster than they can be shown

                """)
        #expect(shown.status == .noDaemon && shown.err.contains("has ended"))
        #expect(daemon.heads.first?.hasPrefix("GET /v1/requests/events?last=20 HTTP/1.1\r\n") == true)
    }

    @Test func aPipeGetsALineOfJSONEach() async throws {
        let daemon = try daemon()
        let shown = await larder("log", "--url", daemon.url, "--last", "3", "--outcome", "hit", "--slow", "100ms")
        #expect(shown.text == "\(Self.request)\n\(Self.hit)\n{\"dropped\":40}\n" && shown.status == .done)
        let asked = "GET /v1/requests/events?last=3&outcome=hit&slow=100ms HTTP/1.1\r\n"
        #expect(daemon.heads.first?.hasPrefix(asked) == true, "\(daemon.heads)")
    }

    @Test func withoutFollowingItEndsWithTheLast() async throws {
        let daemon = try daemon()
        let shown = await larder("log", "--url", daemon.url, "--no-follow")
        #expect(shown.text == "\(Self.request)\n\(Self.hit)\n" && shown.status == .done)
        #expect(daemon.heads.first?.hasPrefix("GET /v1/requests?limit=20 HTTP/1.1\r\n") == true)
    }

    @Test func aWrongFilterIsAUsageFailure() async throws {
        let daemon = try ScriptedDaemon { _ in
            answer(400, #"{"type":"/problems/invalidParameter","status":400,"detail":"Bad.","parameter":"status"}"#)
        }
        #expect(await larder("log", "--url", daemon.url, "--status", "9").status == .usage)
        #expect(await larder("log", "--follow", "--no-follow").status == .usage)
    }

    @Test(arguments: [(0.04, "0.0ms"), (1.25, "1.3ms"), (350, "350ms"), (2_540, "2.5s")])
    func timesAreShort(_ milliseconds: Double, _ text: String) {
        #expect(LogLineText.time(milliseconds) == text)
    }

    @Test func aLineIsNeverWiderThanTheTerminal() throws {
        let line = LogLineText(try JSON.parse(Bytes(text: Self.request)))
        for width in [60, 80, 100, 140] { #expect(DisplayWidth.of(line.line(width: width)) <= width) }
    }
}
