// History figures in the state database: bounded, replaced slot by slot, and added to databases that lack the tables.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct StateHistoryTests {
    private func row(_ at: Int64, _ figures: Bytes = [1]) -> HistoryRow {
        HistoryRow(ring: "hour", at: WallTime(seconds: at), figures: figures)
    }

    private func bounds(_ oldest: Int64, _ newest: Int64, runs: Int = 10) -> HistoryBounds {
        HistoryBounds(oldest: ["hour": WallTime(seconds: oldest)], newest: WallTime(seconds: newest), runs: runs)
    }

    @Test func slotsAreReplacedAndSurviveARestart() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.openState()
            try await first.writeHistory([row(100), row(105)], runs: [], within: bounds(0, 200))
            try await first.writeHistory([row(105, [2])], runs: [], within: bounds(0, 200))
            await first.close()
            let second = try bench.openState()
            #expect(try await second.history().rows == [row(100), row(105, [2])])
            await second.close()
        }
    }

    @Test func whatIsTooOldOrLaterThanNowIsRemovedWithEachWrite() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let stranger = HistoryRow(ring: "century", at: WallTime(seconds: 100), figures: [])
            try await store.writeHistory([row(50), row(100), row(900), stranger], runs: [], within: bounds(0, 1000))
            try await store.writeHistory([row(110)], runs: [], within: bounds(60, 200))
            #expect(try await store.history().rows == [row(100), row(110)])
            await store.close()
        }
    }

    @Test func onlyTheNewestRunsStay() async throws {
        try await withBench { (bench) async throws in
            let store = try bench.openState()
            let runs = (1...5).map { number in
                HistoryRun(began: WallTime(seconds: Int64(number)), ended: WallTime(seconds: Int64(number + 1)))
            }
            try await store.writeHistory([], runs: runs, within: bounds(0, 4, runs: 3))
            #expect(try await store.history().runs == Array(runs[1...3]), "the last one begins later than now")
            await store.close()
        }
    }

    @Test func aDatabaseOfTheFirstStepIsCarriedOver() async throws {
        try await withBench { (bench) async throws in
            let connection = try StateSchema.open(
                bench.directory + "/state.db", migrations: Array(StateSchema.migrations.prefix(1)))
            try connection.execute("INSERT INTO total (name, amount) VALUES ('itunes.hit', 7)")
            connection.close()
            let store = try bench.openState()
            #expect(try await store.totals() == ["itunes.hit": 7])
            #expect(try await store.history().rows.isEmpty)
            try await store.writeHistory([row(100)], runs: [], within: bounds(0, 200))
            #expect(try await store.history().rows == [row(100)])
            #expect(!store.wasSetAside)
            await store.close()
        }
    }
}
