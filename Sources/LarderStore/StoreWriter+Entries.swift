// Entries in a transaction that may hold others: one alone, or one with its companion. Room and the disk refuse both or
// neither. What is removed or overtaken is so by its own key, and leaves the other one: a list of variants still says what it
// has to say of the others.
import LarderCore

extension StoreWriter {
    /// Inside a transaction.
    /// - Returns: `removed` where the entry is left out; its companion is written all the same, unless it is left out itself.
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

    /// The companion of an entry that is left out, for which room is made alone. Inside a transaction.
    private func writeWithoutEntry(_ order: WriteOrder) throws(StoreError) -> WriteOutcome {
        guard let companion = order.ofCompanion, !isLeftOut(companion) else { return .refused(.removed) }
        let outcome = try write(companion)
        return outcome == .stored ? .refused(.removed) : outcome
    }

    /// The same without a look at the room. Inside a transaction.
    /// - Returns: whether it was written.
    @discardableResult
    func writeCompanion(of order: WriteOrder, _ rows: inout EntryRows) throws(StoreError) -> Bool {
        guard let companion = order.ofCompanion, !isLeftOut(companion) else { return false }
        try write(companion, &rows)
        return true
    }

    private func write(_ order: WriteOrder, _ rows: inout EntryRows) throws(StoreError) {
        try rows.write(order.entry, now: shared.time.wall())
        // One that began before it may come behind it in the same transaction. Others hear of it after the commit: where
        // that fails, each is tried alone.
        written[order.entry.key.digest] = order.number
    }

    private func isLeftOut(_ order: WriteOrder) -> Bool {
        order.isRefused || written[order.entry.key.digest].map { $0 > order.number } ?? false
    }
}
