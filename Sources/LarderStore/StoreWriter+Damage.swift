// Removes rows that failed their checksum, and makes the sum of what files take anew if it may be wrong. Checksums are
// compared when something is read, so damage that nobody reads stays.
import LarderCore

extension StoreWriter {
    /// Removes the rows that failed their checksum. Logs that once a minute at most.
    func removeDamaged() {
        guard let database else { return }
        let present = shared.gate.present
        let rows = shared.damaged.take().filter { $0.key.generation == present }
        guard !rows.isEmpty else { return }
        attempt { () throws(StoreError) in
            try transact(database.connection) { () throws(StoreError) in
                let index = ResultIndex(database.rows)
                for (name, kind) in rows {
                    // Nil: the file of the body cannot be opened, which says nothing of the entry. The next check notes
                    // the entry again.
                    let isMended: Bool? = kind == .result ? try index.mend(name.id) : false
                    if isMended == false { try database.rows.remove(id: name.id, isDamaged: true) }
                }
            }
            // The trigger subtracted the row's size from the sum of the files. If the size was damaged, the sum is
            // wrong now.
            if rows.values.contains(.row) { (upkeep.doubtsFileBytes, upkeep.isRestating) = (true, false) }
            shared.meters.transactions.add()
            upkeep.wrote(at: shared.time.monotonic())
        }
        let now = shared.time.monotonic()
        guard upkeep.damageMutedUntil.map({ now >= $0 }) ?? true else { return }
        upkeep.damageMutedUntil = now + .seconds(60)
        let parts = Set(rows.values.map(\.rawValue)).sorted().joined(separator: ", ")
        shared.log.warning("store.row.damaged", ["entries": "\(rows.count)", "parts": parts])
    }

    // MARK: The sum of the files

    /// Checks the sum of what files take, at the opening. A sum that no earlier run can have left is damaged. It is
    /// made anew before anything is written: otherwise sound entries would be evicted for room.
    func lookAtFileBytes() {
        guard let rows = database?.rows else { return }
        let most = shared.settings.withLock { $0.maxSize }
        attempt { () throws(StoreError) in upkeep.doubtsFileBytes = try rows.isFileSumOdd(most: most) }
        let start = shared.time.monotonic()
        while upkeep.doubtsFileBytes, rest(at: start) == nil, !shared.ending.hasBegun { restateFileBytes() }
    }

    /// Makes the sum of what files take anew, within one time budget. It visits every row, in as many slices of idle
    /// time as that takes.
    func restateFileBytes() {
        guard let database else { return }
        let start = shared.time.monotonic()
        attempt { () throws(StoreError) in
            if !upkeep.isRestating { try database.rows.beginRestating() }
            upkeep.isRestating = true
            while try database.rows.restateSlice(rows: Upkeep.restatedInSlice) {
                if shared.time.monotonic() - start >= Upkeep.budget { return }
            }
            let wasWrong = try transact(database.connection) { () throws(StoreError) in
                try database.rows.endRestating()
            }
            (upkeep.doubtsFileBytes, upkeep.isRestating) = (false, false)
            if wasWrong { upkeep.wrote(at: shared.time.monotonic()) }
        }
    }
}
