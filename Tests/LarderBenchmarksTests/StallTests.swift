// The slow requests beside the hits are told apart by paths, counts and log lines. If one of these is wrong, a round
// measures something else.
import Glibc
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct StallLookupTests {
    /// The counts in a file with these bytes.
    private func lookups(_ bytes: Bytes) throws -> StallLookups {
        var template = Array("/tmp/larder-lookups-XXXXXX".utf8CString)
        close(mkstemp(&template))
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        try Files.write(bytes, to: path)
        return try StallLookups(file: path)
    }

    @Test func theFileTellsWhatBeganAndThenWhatEnded() throws {
        #expect(try lookups([3, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]) == StallLookups(begun: 259, ended: 2))
    }

    @Test func whatBeganAndHasNotEndedIsUnderWay() {
        #expect(StallLookups(begun: 9, ended: 7).underWay == 2)
    }

    @Test func aFileWithoutBothCountsIsAFailure() {
        #expect(throws: Failure.self) { try lookups(Bytes(repeating: 0, count: 8)) }
    }
}

@Suite struct StallRoundTests {
    private func round() throws -> StallRound {
        StallRound(
            hits: try #require(LatencyRound((1...100).map { Int64($0) }, unanswered: 3)),
            aside: AsideRound(sent: 64, answered: 60, p50: 2_000_000, greatest: 9_000_000), discounted: 7, p99OfAll: 123
        )
    }

    @Test func theHitsOfARoundSurviveItsLines() throws {
        let again = try #require(StallRound(lines: try round().lines + "\n")).hits
        #expect([Int64(again.count), Int64(again.unanswered), again.p50, again.p99] == [100, 3, 50, 99])
    }

    @Test func whatWasBesideThemSurvivesTheLines() throws {
        let again = try #require(StallRound(lines: try round().lines + "\n")).aside
        #expect([again.sent, again.answered] == [64, 60])
        #expect([again.p50, again.greatest] == [2_000_000, 9_000_000])
    }

    @Test func whatIsNotCountedSurvivesTheLines() throws {
        let again = try #require(StallRound(lines: try round().lines + "\n"))
        #expect(again.discounted == 7)
        #expect(again.p99OfAll == 123)
    }

    @Test(arguments: [
        "", "aside 1 2 3 4 5 6", "latency 1 2 3 4 5 6", "aside 1 2 3 4 5 6\nlatency 1 2 3 4 5 6",
        "latency 1 2 3 4 5 6\naside 1 2 3 4 5", "latency 1 2 3 4 5 6\naside 1 2 3 4 5 x",
        "latency 1 2 3 4 5 6\naside 1 2 3 4 5 6 7", "latency 1 2 3 4 5 6\nbeside 1 2 3 4 5 6",
        "latency 1 2 3 4 5 6\naside 1 2 3 4 5 6\nand more",
    ])
    func linesOfAnotherFormAreNoRound(_ lines: String) {
        #expect(StallRound(lines: lines) == nil)
    }
}

@Suite struct StallPlanTests {
    /// As many requests as rounds of one second and whole runs need.
    @Test(arguments: [100, 400, 2400, 20_000])
    func coldRequestsAreForEachStoredObjectOnce(_ span: Int) {
        let plan = StallPlan(cause: .cold, span: span)
        let stored = [StallPlan.rowSize, StallPlan.fileSize].flatMap { size in
            (0..<span / 2).map { ObjectSizes(size: size).object($0).path }
        }
        #expect((0..<span).map(plan.path).sorted() == stored.sorted())
    }

    @Test func coldRequestsBeyondTheSpanBeginAnew() {
        let plan = StallPlan(cause: .cold, span: 100)
        #expect(plan.path(107) == plan.path(7))
    }

    @Test func aSilentProviderIsAskedForNoMoreThanItFetchesAtATime() {
        let plan = StallPlan(cause: .names, span: 8)
        var requests: [Substring: Int] = [:]
        for number in 0..<64 { requests[plan.path(number).split(separator: "/")[1], default: 0] += 1 }
        #expect(requests.count == 8)
        #expect(requests.values.allSatisfy { $0 == StallPlan.fetchesAtATime })
    }

    @Test func silentProvidersAreAskedInTurnAndThenAnew() {
        let plan = StallPlan(cause: .names, span: 2)
        #expect(
            [0, 7, 8, 16].map(plan.path) == ["/raw/silent0/0", "/raw/silent0/7", "/raw/silent1/8", "/raw/silent0/16"])
    }

    @Test func handshakesAreForTheNamesThatTheOriginHas() {
        let plan = StallPlan(cause: .handshakes, span: 64)
        #expect([0, 63, 64, 130].map(plan.path) == ["/raw/tls/0", "/raw/tls/63", "/raw/tls/0", "/raw/tls/2"])
    }
}

@Suite struct StallTLSTests {
    @Test func thePortStandsBehindTheLastColon() {
        #expect(StallTLS.port(in: "Using default temp DH parameters\nACCEPT 127.0.0.1:45123\n") == 45123)
    }

    @Test func aLineThatIsStillBeingWrittenTellsNoPort() {
        #expect(StallTLS.port(in: "ACCEPT 127.0.0.1:451") == nil)
    }

    @Test func outputWithoutTheLineTellsNoPort() {
        #expect(StallTLS.port(in: "ERROR 127.0.0.1:45123\n") == nil)
    }

    @Test func whatIsNoPortIsNone() {
        #expect(StallTLS.port(in: "ACCEPT 127.0.0.1:99999\n") == nil)
    }
}

@Suite struct StallVerdictTests {
    /// The verdict about cold entries, from the p99 with them: of the counted hits, and of all hits. Without cold
    /// entries the p99 is 100.
    private func verdict(counted: Double, ofAll: Double, done: Double = 1) throws -> Verdict {
        var figures = StallFigures()
        (figures.without.p99, figures.without.p99OfAll) = (Sample([100]), Sample([100]))
        (figures.with.p99, figures.with.p99OfAll) = (Sample([counted]), Sample([ofAll]))
        figures.done = Sample([done])
        var results = Results()
        results.stalls[.cold] = figures
        return try #require(Verdicts(results: results, arguments: try Arguments([])).stalls.first)
    }

    @Test func whereEveryHitMeetsTheGoalTheVerdictIsPlain() throws {
        #expect(try verdict(counted: 150, ofAll: 180).word == "met")
    }

    @Test func whereOnlyTheCountedHitsMeetTheGoalTheVerdictSaysSo() throws {
        #expect(try verdict(counted: 150, ofAll: 220).word == "met; of all hits missed by 10.0 %")
    }

    @Test func theFigureHasBothRatios() throws {
        #expect(
            try verdict(counted: 150, ofAll: 220).figure == "1.50 (1.50–1.50); of all hits 2.20 (2.20–2.20)")
    }

    @Test func whereNothingSlowWasDoneThereIsNoVerdict() throws {
        #expect(try verdict(counted: 150, ofAll: 220, done: 0).word == "not measured: nothing slow was done")
    }
}
