// The counters of this room, as the loops use them.
import LarderCore

/// The counter cells, looked up once in the registry.
struct FetchCells: Sendable {
    let answered, retries, redirects, receivedBytes, newConnections, keptConnections, active, waiting,
        unfitConnections, paced, waited, waitedTime, full, late, forsaken: CounterCell
    private let failures: [FetchError.Stage: CounterCell]
    private let registry: CounterRegistry

    init(_ registry: CounterRegistry) {
        self.registry = registry
        answered = registry.cell(FetchCounters.fetches, "answered")
        failures = Dictionary(
            uniqueKeysWithValues: FetchError.Stage.allCases.map {
                ($0, registry.cell(FetchCounters.fetches, $0.rawValue))
            })
        newConnections = registry.cell(FetchCounters.requests, "new")
        keptConnections = registry.cell(FetchCounters.requests, "kept")
        unfitConnections = registry.cell(FetchCounters.unfitConnections)
        retries = registry.cell(FetchCounters.retries)
        redirects = registry.cell(FetchCounters.redirects)
        receivedBytes = registry.cell(FetchCounters.receivedBytes)
        active = registry.cell(FetchCounters.active)
        paced = registry.cell(FetchCounters.paced)
        waiting = registry.cell(FetchCounters.waiting)
        waited = registry.cell(FetchCounters.waited)
        waitedTime = registry.cell(FetchCounters.waitedTime)
        full = registry.cell(FetchCounters.unplaced, "full")
        late = registry.cell(FetchCounters.unplaced, "late")
        forsaken = registry.cell(FetchCounters.unplaced, "forsaken")
    }

    func observe(_ stages: TransferStages, of provider: String?) {
        for took in stages.took {
            registry.histogram(FetchCounters.stages, provider ?? FetchCounters.noProvider, took.stage.rawValue)
                .observe(microseconds: took.microseconds)
        }
    }

    /// Counts a transfer that has ended or was cut.
    func count(_ transfer: CurlTransfer, of order: FetchOrder) {
        if let stages = transfer.stages {
            observe(stages, of: order.provider)
            if let watcher = order.watcher { stages.tell(watcher, since: transfer.began) }
        }
        guard transfer.sends > 0 else { return }
        let fresh = min(transfer.sends, transfer.connectionsMade)
        receivedBytes.add(transfer.received)
        newConnections.add(fresh)
        keptConnections.add(transfer.sends - fresh)
    }

    func count(failure stage: FetchError.Stage) {
        failures[stage]?.add()
    }
}
