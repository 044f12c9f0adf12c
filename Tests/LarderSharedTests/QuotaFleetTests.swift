// All hosts together make no more calls than the limit, whatever dies, and each call is within its lease.
import LarderCore
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct QuotaFleetTests {
    private static let limits: [[CallRate]] = [
        [CallRate(calls: 60, per: .seconds(30))],
        [CallRate(calls: 300, per: .seconds(20))],
        [CallRate(calls: 20, per: .seconds(2))],
        [CallRate(calls: 5, per: .seconds(1))],
        [CallRate(calls: 40, per: .seconds(5)), CallRate(calls: 300, per: .seconds(3600))],
        [CallRate(calls: 64, per: .seconds(30)), CallRate(calls: 90, per: .seconds(30))],
        [CallRate(calls: 3, per: .seconds(7)), CallRate(calls: 17, per: .seconds(61))],
    ]

    /// A call that is being written down when another host returns its lease leaves later than the ledger would count
    /// it. Windows of a second or two reveal this; longer windows hide it in the steps of their counts.
    @Test(arguments: limits.indices, 1...2 as ClosedRange<UInt64>)
    func aFleetKeepsItsBudgetWhateverDies(_ place: Int, _ seed: UInt64) throws {
        let limits = Self.limits[place]
        var fleet = try QuotaFleet(limits, hosts: 10, seed: seed)
        let figures = try fleet.run()
        for (limit, fullest) in zip(limits, figures.fullest) { #expect(fullest <= limit.calls, "\(figures)") }
        #expect(figures.late == 0 && figures.overdrawn == 0, "\(figures)")
        #expect(figures.refused > 0, "the budget is scarce: \(figures)")
        let isUsed = zip(limits, figures.fullest).contains { $1 * 2 >= $0.calls }
        #expect(isUsed, "what the limit permits can be used: \(figures)")
    }
}
