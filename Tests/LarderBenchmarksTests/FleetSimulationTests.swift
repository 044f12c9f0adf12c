// A fleet in virtual time, smaller than the one of `scripts/bench --fleet-simulation`. Each bounded figure is measured
// by the side that would suffer: the upstream, the engine, or the waiting host. The bounds are written out here, not
// taken from the machines.
import LarderCore
import Testing

@testable import LarderBenchmarks

@Suite struct FleetSimulationTests {
    private static let figures: FleetFigures = {
        var plan = FleetPlan()
        plan.hosts = 20
        plan.seconds = 200
        plan.answers = 500
        plan.lifetime = .seconds(20)
        plan.limit = CallRate(calls: 2000, per: .seconds(60))
        plan.outages = [
            .init(kind: .killed, from: 80, length: 10), .init(kind: .frozen, from: 110, length: 4),
            .init(kind: .killed, from: 140, length: 3),
        ]
        plan.killEvery = 4
        return FleetSimulation.run(plan)
    }()

    /// Hosts without a budget, which can lose only hits.
    private static let unlimited: FleetFigures = {
        var plan = FleetPlan()
        plan.hosts = 20
        plan.seconds = 150
        plan.answers = 500
        plan.lifetime = .seconds(20)
        plan.limit = nil
        plan.outages = []
        plan.killEvery = 4
        return FleetSimulation.run(plan)
    }()

    @Test func noWindowHoldsMoreCallsThanTheLimit() { #expect(Self.figures.fullestWindow <= 2000, "\(Self.figures)") }

    @Test func noCallIsMadeAfterTheEndOfItsLease() { #expect(Self.figures.lateCalls == 0, "\(Self.figures)") }

    @Test func noMoreCallsAreMadeThanTheEngineGranted() { #expect(Self.figures.overdrawn == 0, "\(Self.figures)") }

    @Test func callsAreWithinATenthOfThoseOfOneSharedCache() {
        for figures in [Self.figures, Self.unlimited] {
            #expect(figures.calls * 10 <= figures.callsOfOneCache * 11, "\(figures)")
        }
    }

    @Test func noLeaseOutlivesItsTerm() {
        for figures in [Self.figures, Self.unlimited] {
            #expect(figures.longestDeadLease <= .seconds(2), "\(figures)")
        }
    }

    /// The bound is a term, a pause, and an operation on each side of them.
    @Test func nobodyWaitsLongerForAHostThatDied() {
        for figures in [Self.figures, Self.unlimited] {
            #expect(figures.longestHoldUp <= .milliseconds(2200), "\(figures)")
        }
    }

    @Test func hostsWereKilledWhileOthersWaitedForThem() {
        #expect(Self.figures.kills >= 5 && Self.figures.deadLeasesMet >= 3, "\(Self.figures)")
        #expect(Self.unlimited.deadLeasesMet >= 3, "\(Self.unlimited)")
    }

    /// The bound covers the time in transit, and the drift of clocks of different speed between two looks.
    @Test func clocksAnHourApartReadTheSameTimeLeft() {
        for figures in [Self.figures, Self.unlimited] {
            #expect(figures.worstLifetime <= .milliseconds(500), "\(figures)")
        }
    }

    private func scarce(_ calls: Int, _ seconds: Int, seed: UInt64 = 1) -> FleetFigures {
        var plan = FleetPlan()
        plan.hosts = 10
        plan.seconds = 100
        plan.rate = 10
        plan.answers = 20_000
        plan.slowWriteEvery = 4
        plan.seed = seed
        plan.limit = CallRate(calls: calls, per: .seconds(Double(seconds)))
        plan.outages = [.init(kind: .killed, from: 30, length: 5), .init(kind: .frozen, from: 60, length: 5)]
        return FleetSimulation.run(plan)
    }

    /// A call that is being written down when another host returns its lease leaves later than the ledger would count
    /// it. Windows of a second or two reveal this; longer windows hide it in the steps of their counts.
    @Test(arguments: [(60, 30), (300, 20), (20, 2), (5, 1)], 1...2 as ClosedRange<UInt64>)
    func underAScarceBudgetTheFleetStillKeepsIt(_ limit: (calls: Int, seconds: Int), _ seed: UInt64) {
        let figures = scarce(limit.calls, limit.seconds, seed: seed)
        #expect(figures.fullestWindow <= limit.calls && figures.refused > 0, "\(figures)")
    }
}
