// A fleet in virtual time, smaller than `scripts/bench --fleet-simulation` runs it.
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct FleetSimulationTests {
    private static let figures: FleetFigures = {
        var plan = FleetPlan()
        plan.hosts = 20
        plan.seconds = 200
        plan.answers = 500
        plan.limit = CallRate(calls: 600, per: .seconds(60))
        plan.outages = [(80, 10), (140, 3)]
        return FleetSimulation.run(plan)
    }()

    @Test func noWindowHoldsMoreCallsThanTheLimit() { #expect(Self.figures.fullestWindow <= 600, "\(Self.figures)") }

    @Test func noCallIsMadeAfterTheEndOfItsLease() { #expect(Self.figures.lateCalls == 0) }

    @Test func callsAreWithinATenthOfThoseOfOneSharedCache() {
        let figures = Self.figures
        #expect(figures.calls * 10 <= figures.callsOfOneCache * 11, "\(figures)")
    }

    @Test func noLeaseOutlivesItsTerm() { #expect(Self.figures.longestLease <= .seconds(2), "\(Self.figures)") }

    @Test func hostsWereKilledWhileTheyFetched() { #expect(Self.figures.kills >= 5, "\(Self.figures)") }

    @Test func underAScarceBudgetTheFleetStillKeepsIt() {
        var plan = FleetPlan()
        plan.hosts = 10
        plan.seconds = 150
        plan.answers = 2000
        plan.limit = CallRate(calls: 60, per: .seconds(30))
        plan.outages = [(50, 5), (100, 5)]
        let figures = FleetSimulation.run(plan)
        #expect(figures.fullestWindow <= 60 && figures.refused > 0, "\(figures)")
    }
}
