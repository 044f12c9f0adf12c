// The places of all fetch loops, in one table under a lock (`PlaceTable`). An exchange belongs to its loop and never leaves it;
// what is bounded for all of them is decided here, in one locked step each. What a step decides for an exchange is an errand.
// The loop that takes it on does it, or posts it to the exchange's loop: once, and to no other loop. A grant that finds its
// exchange gone gives the place back.
import LarderCore

final class SharedPlaces: Sendable {
    private let table: Lock<PlaceTable>
    private let cells: FetchCells
    /// How to reach each loop, by its number.
    private let ways = Lock<[WayBack]>([])

    init(_ settings: FetchSettings, cells: FetchCells) {
        table = Lock(PlaceTable(settings))
        self.cells = cells
    }

    /// Before the first exchange.
    func connect(_ ways: [WayBack]) { self.ways.withLock { $0 = ways } }

    func way(to core: Int) -> WayBack? { ways.withLock { core < $0.count ? $0[core] : nil } }

    func post(to core: Int, _ body: @escaping @Sendable (FetchCore) -> Void) { way(to: core)?.post(body) }

    /// Takes one step of the table.
    func step<Result: Sendable>(_ body: (inout PlaceTable) -> Result) -> Result {
        table.withLock { table in
            defer { show(table.admission) }
            return body(&table)
        }
    }

    /// With the lock held: else two loops could set their figures in the other order. The cells are atomic and take no lock.
    private func show(_ admission: Admission) {
        cells.active.set(admission.active)
        cells.paced.set(admission.paced.taken)
        cells.waiting.set(admission.waiting)
    }
}
