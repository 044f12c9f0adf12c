// Reading the keys that the database holds, in idle time, a slice after the other along the index of their digests.
import LarderCore

extension StoreWriter {
    /// Keys read between two looks at the clock.
    static let keysPerSlice = 1024

    /// Reads on within one time budget.
    func readKeys() {
        guard let database, shared.keys.wantsReading else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            if upkeep.lastKey == nil {
                let entries = try database.connection.number("SELECT sum(entries) FROM provider") ?? 0
                shared.keys.begin(capacity: Int(clamping: entries) * 2)
                upkeep.lastKey = []
            }
            repeat {
                let digests = try database.rows.digests(after: upkeep.lastKey ?? [], atMost: Self.keysPerSlice)
                shared.keys.add(digests)
                guard let last = digests.last, digests.count == Self.keysPerSlice else {
                    shared.keys.end()
                    upkeep.lastKey = nil
                    return
                }
                upkeep.lastKey = last.bytes
            } while shared.time.monotonic() - start < Upkeep.budget
        }
    }
}
