// Writes entries inside a transaction that may hold others.
import LarderCore

extension StoreWriter {
    /// Writes an entry, inside a transaction. One that was removed or overtaken on its way is left out.
    func write(_ order: WriteOrder) throws(StoreError) -> WriteOutcome {
        let digest = order.entry.key.digest
        let announced = database?.rows.announce(order.entry)
        if order.isRefused || written[digest].map({ $0 > order.number }) ?? false { return try leaveOut(order) }
        if let refusal = try refusal(of: order) { return refusal }
        guard let rows = database?.rows else { return .refused(.failed) }
        if announced?.isNewURL != true {
            let isFull = try rows.isFull(for: order.entry)
            if isFull { return .refused(.removed) }
        }
        try rows.write(order.entry, announced, now: shared.time.wall())
        // An older order of this key may follow in the same transaction and must be left out. `WriteOrders` learns of
        // this one only after the commit, because each order is tried alone if the transaction fails.
        written[digest] = order.number
        return .stored
    }

    /// Leaves an entry out, inside a transaction. Some requests may have got it all the same, and must not get an older
    /// response of the URL after it, unless a newer one has its key.
    func leaveOut(_ order: WriteOrder) throws(StoreError) -> WriteOutcome {
        guard let rows = database?.rows else { return .refused(.removed) }
        let entry = order.entry
        let hasNewer = try rows.hasNewer(than: entry)
        if entry.variant?.putsOthersInDoubt == true || !hasNewer {
            try rows.doubt(entry.urlDigest, before: entry.arrival)
            if entry.variant != nil { try rows.removePlain(of: entry.urlDigest, before: entry.arrival) }
        }
        return .refused(.removed)
    }
}
