// The report on a fleet's figures names each goal that is missed.
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct FleetReportTests {
    private func figures() -> SharedFigures {
        var figures = SharedFigures()
        figures.zipf = (requests: 1000, different: 100, shared: 105, alone: 200)
        figures.added = Sample([0.4, 0.5, 0.6])
        figures.instructions = (without: 3000, dead: 3030)
        var outage = OutageFigures(title: "killed")
        outage.p99 = (quiet: 100, lost: 105)
        figures.outages = [outage]
        figures.budget = BudgetFigures(limit: 200, calls: 200)
        return figures
    }

    private func words(_ figures: SharedFigures?) throws -> [String] {
        var results = Results()
        results.fleet = figures
        return Verdicts(results: results, arguments: try Arguments([])).fleet.map(\.word)
    }

    @Test func whatIsWithinItsGoalsIsMet() throws {
        #expect(Set(try words(figures())) == ["met"])
    }

    @Test func oneCallAboveTheBudgetIsAMiss() throws {
        var figures = figures()
        figures.budget.calls = 201
        #expect(try words(figures).filter { $0 != "met" } == ["missed by 1"])
    }

    @Test func oneErrorWhileTheEngineIsAwayIsAMiss() throws {
        var figures = figures()
        figures.outages[0].errors = 1
        #expect(try words(figures).filter { $0 != "met" } == ["missed by 1"])
    }

    @Test func aHitThatWaitsLongerWhileTheEngineIsAwayIsAMiss() throws {
        var figures = figures()
        figures.outages[0].p99.lost = 220
        #expect(try words(figures).filter { $0 != "met" } == ["missed by 100.0 %"])
    }

    @Test func aMissedGoalOfADeadTierIsTold() throws {
        var figures = figures()
        figures.instructions = (without: 3000, dead: 3366)
        #expect(try words(figures).filter { $0 != "met" } == ["missed by 10.0 %"])
    }

    @Test func whatWasNotMeasuredSaysSo() throws {
        #expect(try words(nil).allSatisfy { $0.contains("--only fleet") })
    }
}
