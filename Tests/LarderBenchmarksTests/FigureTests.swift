// The arithmetic of the tables.
import Testing

@testable import LarderBenchmarks

@Suite struct FigureTests {
    @Test func medianOfAnOddNumberIsTheMiddleValue() {
        #expect(Sample([9, 1, 5]).median == 5)
    }

    @Test func medianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        #expect(Sample([1, 9, 3, 5]).median == 4)
    }

    @Test func anEmptySampleHasNoFigure() {
        #expect(Sample().median == nil)
        #expect(Figures.spread(Sample(), Figures.grouped) == "–")
    }

    @Test func ratiosPairTheRoundsInTheirOrder() {
        #expect(Sample([10, 40]).ratio(to: Sample([5, 10])).values == [2, 4])
    }

    @Test func percentilesAreNearestRanks() {
        let hundred = (1...100).map { Int64($0) }
        #expect(percentile(0.5, of: hundred) == 50)
        #expect(percentile(0.99, of: hundred) == 99)
        #expect(percentile(0.999, of: hundred) == 100)
        #expect(percentile(0.5, of: []) == nil)
    }

    @Test(arguments: [(0.0, "0"), (999, "999"), (1000, "1,000"), (1_234_567.4, "1,234,567"), (-1500, "-1,500")])
    func groupedNumbersHaveACommaEveryThreeDigits(_ value: Double, _ text: String) {
        #expect(Figures.grouped(value) == text)
    }

    @Test(arguments: [(1.625, 1, "1.6"), (0.05, 2, "0.05"), (-0.5, 1, "-0.5"), (12.0, 0, "12"), (0.999, 2, "1.00")])
    func fixedNumbersAreRounded(_ value: Double, _ places: Int, _ text: String) {
        #expect(Figures.fixed(value, places) == text)
    }

    @Test func aTableIsPaddedMarkdown() {
        let table = Figures.table([["Server", "1 KB"], ["nginx", "10"]])
        #expect(table == "| Server | 1 KB |\n| ------ | ---: |\n| nginx  |   10 |\n")
    }

    @Test func aLatencyRoundSurvivesItsLine() throws {
        let round = try #require(LatencyRound((1...1000).map { Int64($0) }, unanswered: 2))
        let again = try #require(LatencyRound(line: round.line + "\n"))
        #expect(again.p50 == 500)
        #expect(again.p99 == 990)
        #expect(again.p999 == 999)
        #expect(again.greatest == 1000)
        #expect(again.count == 1000)
        #expect(again.unanswered == 2)
    }
}
