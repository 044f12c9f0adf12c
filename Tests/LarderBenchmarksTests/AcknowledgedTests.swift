// Which writes were acknowledged long enough before a crash, and which were not.
import Testing

@testable import LarderBenchmarks

@Suite struct AcknowledgedTests {
    private func noted() -> Acknowledged {
        var acknowledged = Acknowledged()
        for (object, instant) in [(1, 100), (2, 900), (3, 901)] as [(Int, Int64)] {
            acknowledged.note(object, at: instant)
        }
        return acknowledged
    }

    @Test func onlyWhatIsOldEnoughIsSafe() {
        let split = noted().split(crash: 1000, safeAfter: 100)
        #expect(split.safe == [1, 2] && split.recent == [3])
    }

    @Test func theFirstTimeCounts() {
        var acknowledged = noted()
        acknowledged.note(1, at: 999)
        #expect(acknowledged.instants[1] == 100)
    }

    @Test func aLineSaysTheSameToTheParent() {
        let line = noted().line
        #expect(Acknowledged(line.split(separator: " "))?.instants == noted().instants)
    }

    @Test(arguments: ["", "hits 1:2", "acknowledged 1", "acknowledged a:2", "acknowledged 1:2:3"])
    func otherLinesAreNone(_ line: String) {
        #expect(Acknowledged(line.split(separator: " ")) == nil)
    }

    @Test func aRoundKeepsItOnItsWay() {
        var round = LoadRound()
        (round.count, round.acknowledged) = (7, noted())
        let read = LoadRound(lines: round.lines)
        #expect(read?.count == 7 && read?.acknowledged.instants == noted().instants)
    }
}
