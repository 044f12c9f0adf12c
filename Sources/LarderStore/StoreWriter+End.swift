// The end of the writer's thread: removals, uses, the last checkpoint, each while there is time (`StoreEnding`). What cannot
// be written is left: removals to the journal, which the next start reads first, the log to the next start, answers and uses to
// nobody.
import LarderCore

/// What the writer could not do before the end.
struct LeftUndone: Sendable, Equatable {
    /// Answers that were not stored. One that came in parts counts once, with the part that was refused.
    private(set) var writes = 0
    /// Uses that were not noted.
    var uses = 0
    /// Removals that the journal has.
    var removals = 0

    mutating func note(_ outcome: WriteOutcome) {
        guard case .refused(let reason) = outcome else { return }
        switch reason {
        case .closed, .busy, .failed, .diskFull: writes += 1
        // It would have been refused at any time.
        case .tooLarge, .noRoom, .overloaded, .removed: break
        }
    }
}

extension StoreWriter {
    /// The store closes, and there is no time left.
    var isOver: Bool { shared.ending.isOver(at: shared.time.monotonic()) }

    func end() {
        purges = []
        endRemovals()
        left.removals = shared.removals.count
        endUses()
        // The readers have ended too, or are about to: the last connection to close is this one.
        let areOut = shared.gate.shut(within: shared.ending.left(at: shared.time.monotonic())) { shared.letGo() }
        closeDatabase(writesBack: areOut && !isOver)
        if areOut { shared.files.closeDescriptors() }
        shared.readers.withLock { $0 = nil }
        // Where the directory is another's, the journal is gone with the database.
        if shared.files.isDirectoryInPlace { shared.journal.checkAtLast() }
        shared.journal.end()
        // What it was given last must be on the disk before anybody hears that the store is closed.
        let time = max(.milliseconds(500), shared.ending.left(at: shared.time.monotonic()))
        let isWritten = shared.journal.waitForEnd(within: time, by: shared.time)
        if !isWritten, left.removals > 0 {
            shared.log.error("store.removals.unkept", ["path": shared.files.directory])
        }
        tellWhatIsLeft()
        // A reader that the disk holds still has the database open, and the journal's thread its file: the directory is this
        // process's until it ends.
        if areOut, isWritten { shared.files.unlock() }
        shared.waits.end()
        closing?.resume()
    }

    func endUses() {
        let uses = shared.notes.withLock { $0.count }
        if isOver || !flushNotes() { left.uses = uses }
    }

    /// An answer, or a part of one, has met its end.
    func noteIfLeft(_ outcome: WriteOutcome) {
        if shared.ending.hasBegun { left.note(outcome) }
    }

    private func tellWhatIsLeft() {
        shared.meters.leftWrites.add(left.writes)
        shared.meters.leftUses.add(left.uses)
        shared.meters.leftRemovals.add(left.removals)
        // Lost uses cost an imperfect order, and nothing else.
        guard left.writes > 0 || left.removals > 0 else { return }
        shared.log.warning(
            "store.close.left",
            ["writes": String(left.writes), "uses": String(left.uses), "removals": String(left.removals)])
    }
}
