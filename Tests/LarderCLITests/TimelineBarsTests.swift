// The stages of an explanation as bars.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct TimelineBarsTests {
    private func lines(_ json: String, width: Int = 80) throws -> [String] {
        TimelineBars(try JSON.parse(Bytes(text: json))).lines(width: width)
    }

    private static let spans = """
        {"timeline":[{"stage":"lookUp","provider":"itunes","startMilliseconds":0,"milliseconds":0.1},
        {"stage":"answer","provider":"itunes","startMilliseconds":50,"milliseconds":50},
        {"stage":"write","startMilliseconds":100,"milliseconds":100}]}
        """

    @Test func eachStageIsABarOnOneScale() throws {
        #expect(
            try lines(Self.spans) == [
                "stage   provider     ms  when",
                "lookUp  itunes     0.10  █",
                "answer  itunes    50.00            ██████████",
                "write               100                      ████████████████████",
            ])
    }

    @Test func aNarrowTerminalGetsTheFiguresAlone() throws {
        #expect(try lines(Self.spans, width: 30).allSatisfy { !$0.contains("█") && DisplayWidth.of($0) <= 30 })
    }

    @Test func stagesThatWereNotKeptAreCounted() throws {
        let json = #"{"timeline":[{"stage":"join","startMilliseconds":0,"milliseconds":0}],"timelineLeftOut":2}"#
        #expect(try lines(json).last == "and 2 more stages")
    }

    @Test(arguments: ["{}", #"{"timeline":[]}"#, #"{"timeline":[{"stage":1}]}"#])
    func whereNothingWasNotedNothingIsShown(_ json: String) throws {
        #expect(try lines(json).isEmpty)
    }
}
