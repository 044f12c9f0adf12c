// `larder history`: what a terminal shows of the figures over time.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct HistoryCommandTests {
    private static let body = """
        {"span":"hour","stepSeconds":5,"from":"2026-01-01T00:00:00Z","to":"2026-01-01T00:01:59Z","points":[
        {"at":"2026-01-01T00:00:00Z","requests":{"hit":3,"miss":1},"upstream":{"itunes":1},"errors":0,"bytes":2048,"p99":1.25},
        {"at":"2026-01-01T00:00:05Z","requests":{},"upstream":{},"errors":0,"bytes":0},
        {"at":"2026-01-01T00:01:55Z","requests":{"stale":1},"upstream":{},"errors":2,"bytes":10,"p99":12.4}],
        "saved":{"itunes":12345}}
        """

    @Test func slotsAreAddedUpByRow() throws {
        let groups = HistoryCommand.groups(try JSON.parse(Bytes(text: Self.body)), count: 12)
        #expect(groups.count == 12)
        #expect(groups[0].from == "2026-01-01T00:00:00Z" && groups[11].from == "2026-01-01T00:01:50Z")
        #expect(groups[0].requests == 4 && groups[0].hits == 3 && groups[0].calls == 1 && groups[0].slowest == 1.25)
        #expect(groups[1].requests == nil, "the daemon did not run")
        #expect(groups[11].requests == 1 && groups[11].hits == 1 && groups[11].errors == 2)
    }

    @Test(arguments: [1, 5, 7, 12, 24, 72])
    func noSlotIsLostHoweverManyPartsThereAre(_ count: Int) throws {
        let groups = HistoryCommand.groups(try JSON.parse(Bytes(text: Self.body)), count: count)
        #expect(groups.reduce(0) { $0 + ($1.requests ?? 0) } == 5)
    }

    @Test func barsShowSharesAndGaps() {
        #expect(HistoryCommand.bars([0, nil, 1, 50, 100]) == "▁ ▂▅█")
        #expect(HistoryCommand.bars([nil, 0]) == " ▁")
    }

    @Test func theTerminalShowsATableAndWhatWasSaved() async throws {
        let daemon = try ScriptedDaemon { _ in answer(200, Self.body) }
        let shown = await larder("history", "--url", daemon.url, isTerminal: true)
        #expect(daemon.heads.last?.hasPrefix("GET /v1/history?span=hour HTTP/1.1\r\n") == true)
        #expect(shown.text.contains("Calls saved over every run: itunes 12345"), "\(shown)")
        #expect(shown.text.contains("00:00:00Z"), "\(shown)")
        #expect(await larder("history", "--span", "day", "--url", daemon.url).status == .usage)
    }
}
