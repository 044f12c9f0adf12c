// Totals that survive restarts. The growth of the counters since the last save is added to the state database, so the
// answer to "how often did it help" survives an upgrade too.
import LarderCore
import LarderEngine
import LarderStore

/// Answers by provider and outcome over all runs.
actor Totals {
    private let state: StateStore
    private let counters: CounterRegistry
    private let log: Logger
    /// The counter values that have been added to the database.
    private var saved: [String: Int64] = [:]

    init(state: StateStore, counters: CounterRegistry, log: Logger) {
        self.state = state
        self.counters = counters
        self.log = log
    }

    /// Adds the growth since the last save.
    func save(_ providers: [String]) async {
        let deltas = unsaved(providers)
        guard !deltas.isEmpty else { return }
        for (name, delta) in deltas { saved[name, default: 0] += delta }
        await state.addTotals(deltas)
    }

    /// The totals by provider and outcome, including the current run.
    func report(_ providers: [String]) async -> [String: Int64] {
        var totals: [String: Int64] = [:]
        do {
            totals = try await state.totals()
        } catch {
            log.warning("the totals cannot be read", ["error": "\(error)"])
        }
        for (name, delta) in unsaved(providers) { totals[name, default: 0] += delta }
        return totals
    }

    /// Calls saved over all runs, by provider: answers that needed no call of their own. Providers that are no longer
    /// configured are included.
    func saved(_ providers: [String]) async -> [String: Int64] {
        let free: [CacheOutcome] = [.hit, .stale, .negative, .joined]
        var sums: [String: Int64] = [:]
        for (name, amount) in await report(providers) {
            guard let dot = name.lastIndex(of: "."), amount > 0,
                let outcome = CacheOutcome(rawValue: String(name[name.index(after: dot)...])), free.contains(outcome)
            else { continue }
            sums[String(name[..<dot]), default: 0] += amount
        }
        return sums
    }

    private func unsaved(_ providers: [String]) -> [String: Int64] {
        var deltas: [String: Int64] = [:]
        for provider in providers {
            for outcome in CacheOutcome.allCases where outcome != .none {
                let cell = counters.cell(EngineCounters.outcomes, provider, outcome.rawValue)
                deltas["\(provider).\(outcome.rawValue)"] = Int64(cell.current)
            }
            let hits = counters.cell(DaemonCounters.memoryHits, provider).current
            deltas["\(provider).hit", default: 0] += Int64(hits)
        }
        for (name, value) in saved { deltas[name]? -= value }
        return deltas.filter { $0.value != 0 }
    }
}
