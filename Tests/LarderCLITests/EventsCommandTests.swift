// `larder events`: one line for each event, in the form for a person and in the form for a program.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCLI

@Suite struct EventsCommandTests {
    private func event(_ name: String, _ data: String) -> EventTextReader.Event {
        EventTextReader.Event(name, data: Bytes(text: data))
    }

    @Test(arguments: [
        ("reachability", #""reachable":true"#, "can be reached"),
        ("reachability", #""reachable":false,"class":"timedOut""#, "cannot be reached (timedOut)"),
        (
            "suspension", #""suspended":true,"until":"2026-01-01T00:01:00Z","class":"limited""#,
            "suspended until 2026-01-01 00:01:00 UTC (limited)"
        ),
        ("suspension", #""suspended":false"#, "works again"),
        (
            "budget", #""level":"scarce","limit":"rate","calls":20,"remaining":4"#,
            "rate is scarce: 4 of 20 calls left"
        ),
        (
            "budget", #""level":"spent","limit":"quota","calls":100,"remaining":0"#,
            "quota is spent: none of 100 calls left"
        ),
        ("budget", #""level":"whole","limit":"rate","calls":20,"remaining":20"#, "rate is whole again: 20 calls"),
        ("budget", #""level":"spent","limit":"userCredits","remaining":0"#, "userCredits is spent: none left"),
        ("budget", #""level":"whole","limit":"userCredits""#, "userCredits is whole again"),
    ])
    func everyEventIsALine(_ name: String, _ facts: String, _ text: String) {
        let told = event(name, #"{"provider":"itunes","at":"2026-01-01T00:00:00Z",\#(facts)}"#)
        #expect(EventsCommand.lines(told) == ["2026-01-01 00:00:00 UTC  itunes      \(text)"])
    }

    @Test func aRestThatIsOverIsSaidToBe() {
        let told = event(
            "snapshot",
            #"{"at":"2026-01-01T00:00:00Z","providers":[{"provider":"itunes","suspended":false,"probing":true,"class":"limited"}]}"#
        )
        #expect(
            EventsCommand.lines(told) == [
                "2026-01-01 00:00:00 UTC  itunes      the suspension is over: the next call tries it (limited)"
            ])
    }

    private static let stream = """
        event: snapshot
        data: {"at":"2026-01-01T00:00:00Z","providers":[{"provider":"itunes","reachable":true,"suspended":false,"budgets":[{"limit":"rate","calls":20,"remaining":20}]},{"provider":"jokes","suspended":false,"budgets":[]}]}

        event: reachability
        id: 1
        data: {"provider":"itunes","at":"2026-01-01T00:00:05Z","reachable":false,"class":"unreachable"}


        """

    private func daemon() throws -> ScriptedDaemon {
        try ScriptedDaemon { _ in answer(200, Self.stream, ["Content-Type: text/event-stream"]) }
    }

    @Test func aTerminalShowsThemUntilTheDaemonEnds() async throws {
        let daemon = try daemon()
        let shown = await larder("events", "--url", daemon.url, isTerminal: true)
        #expect(
            shown.text == """
                2026-01-01 00:00:00 UTC  itunes      20 of 20 calls left (rate)
                2026-01-01 00:00:00 UTC  jokes       nothing to report
                2026-01-01 00:00:05 UTC  itunes      cannot be reached (unreachable)

                """)
        #expect(shown.status == .noDaemon && shown.err.contains("has ended"))
        #expect(daemon.heads.first?.hasPrefix("GET /v1/events HTTP/1.1\r\n") == true)
    }

    @Test func aPipeGetsALineOfJSONEach() async throws {
        let daemon = try daemon()
        let shown = await larder("events", "--url", daemon.url)
        #expect(shown.status == .done)
        let lines = try shown.text.split(separator: "\n").map { try JSON.parse(Bytes(text: String($0))) }
        #expect(lines.map { $0["event"]?.string } == ["snapshot", "reachability"])
        #expect(lines.last?["reachable"]?.bool == false)
    }

    @Test func aRefusalIsAProblem() async throws {
        let daemon = try ScriptedDaemon { _ in
            answer(503, #"{"type":"/problems/overloaded","status":503,"detail":"Too many.","retryable":true}"#)
        }
        let shown = await larder("events", "--url", daemon.url)
        #expect(shown.status == .limited && shown.err == "larder: Too many.\n", "\(shown)")
    }
}
