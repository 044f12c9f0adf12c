// The places of all fetch loops, in one table under a lock (`PlaceTable`). An exchange belongs to one loop. Limits that
// hold for all loops are decided here, each decision in one locked step. A step produces actions: work that an
// exchange's loop has to do. The loop that takes an action performs it, or posts it once to the exchange's loop. If a
// granted exchange no longer exists, the grant is returned.
import LarderCore

final class SharedPlaces: Sendable {
    private let table: Lock<PlaceTable>
    private let cells: FetchCells
    /// The route to each loop, indexed by the loop's number.
    private let ways = Lock<[WayBack]>([])

    init(_ settings: FetchSettings, cells: FetchCells) {
        table = Lock(PlaceTable(settings))
        self.cells = cells
    }

    /// Sets the routes to the loops. Called before the first exchange.
    func connect(_ ways: [WayBack]) { self.ways.withLock { $0 = ways } }

    func way(to core: Int) -> WayBack? { ways.withLock { core < $0.count ? $0[core] : nil } }

    func post(to core: Int, _ body: @escaping @Sendable (FetchCore) -> Void) { way(to: core)?.post(body) }

    /// Performs one step of the table.
    func step<Result: Sendable>(_ body: (inout PlaceTable) -> Result) -> Result {
        table.withLock { table in
            defer { show(table.admission) }
            return body(&table)
        }
    }

    /// Updates the counters. The lock must be held, else two loops could write their values in the wrong order. The
    /// cells are atomic and take no lock.
    private func show(_ admission: Admission) {
        cells.active.set(admission.active)
        cells.paced.set(admission.paced.taken)
        cells.waiting.set(admission.waiting)
    }
}
