// Writes entries inside a transaction that may hold others: an entry alone, or with its companion. Lack of room or disk
// refuses both. A removal or a newer answer leaves out only the entry of its own key: a list of variants is still
// written, since it also describes other variants.
import LarderCore

extension StoreWriter {
    /// Writes an entry and its companion, inside a transaction.
    /// - Returns: `removed` if the entry is left out. Its companion is written nevertheless, unless it is left out
    ///   itself.
    func write(_ order: WriteOrder) throws(StoreError) -> WriteOutcome {
        let isLeftOut = isLeftOut(order)
        if isLeftOut { return try writeWithoutEntry(order) }
        if let refusal = try refusal(of: order) { return refusal }
        guard var rows = database?.rows else { return .refused(.failed) }
        defer { database?.rows = rows }
        try write(order, &rows)
        try writeCompanion(of: order, &rows)
        return .stored
    }

    /// Writes the companion of an entry that is left out, making room for it alone. Inside a transaction.
    private func writeWithoutEntry(_ order: WriteOrder) throws(StoreError) -> WriteOutcome {
        guard let companion = order.ofCompanion, !isLeftOut(companion) else { return .refused(.removed) }
        let outcome = try write(companion)
        return outcome == .stored ? .refused(.removed) : outcome
    }

    /// Writes the companion without checking for room. Inside a transaction.
    /// - Returns: whether the companion was written.
    @discardableResult
    func writeCompanion(of order: WriteOrder, _ rows: inout EntryRows) throws(StoreError) -> Bool {
        guard let companion = order.ofCompanion, !isLeftOut(companion) else { return false }
        try write(companion, &rows)
        return true
    }

    private func write(_ order: WriteOrder, _ rows: inout EntryRows) throws(StoreError) {
        try rows.write(order.entry, now: shared.time.wall())
        // An older order of this key may follow in the same transaction and must be left out. `WriteOrders` learns of
        // this one only after the commit, because each order is tried alone if the transaction fails.
        written[order.entry.key.digest] = order.number
    }

    private func isLeftOut(_ order: WriteOrder) -> Bool {
        order.isRefused || written[order.entry.key.digest].map { $0 > order.number } ?? false
    }
}
