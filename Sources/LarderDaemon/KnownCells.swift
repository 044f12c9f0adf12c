// Counters of every request, found by what they count and not by their text: a name is put together once for each.
import LarderCore

/// Cells of one family that were asked for before. The registry owns them; here is only the short way to them.
struct KnownCells<Key: Hashable & Sendable>: Sendable {
    private let cells = Lock<[Key: CounterCell]>([:])

    /// The cell of that key; made by the registry the first time.
    func cell(_ key: Key, _ make: () -> CounterCell) -> CounterCell {
        if let known = cells.withLock({ $0[key] }) { return known }
        let made = make()
        cells.withLock { $0[key] = made }
        return made
    }
}

struct OutcomeKey: Hashable, Sendable {
    var provider: String
    var outcome: CacheOutcome
}

struct RequestKey: Hashable, Sendable {
    var route: String
    /// By the hundred: a bounded set of series.
    var status: Int
}

extension DaemonContext {
    /// One more answer of a provider's data.
    func count(_ outcome: CacheOutcome, of provider: String) {
        outcomeCells.cell(OutcomeKey(provider: provider, outcome: outcome)) {
            counters.cell(DaemonCounters.outcomes, provider, outcome.rawValue)
        }.add()
    }

    /// One more request answered by a route.
    func count(route: String, status: Int) {
        requestCells.cell(RequestKey(route: route, status: status / 100)) {
            counters.cell(DaemonCounters.requests, route, "\(status / 100)xx")
        }.add()
    }
}
