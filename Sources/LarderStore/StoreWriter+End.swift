// The end of the writer's thread: removals, uses, the last checkpoint, each while there is time (`StoreEnding`).
// If removals cannot be written, the mark says so, and the next start sets the database aside. The log is left to the
// next start. Unwritten answers and uses are lost.
import LarderCore

/// Counts what the writer could not do before the end.
struct LeftUndone: Sendable, Equatable {
    /// Answers that were not stored. An answer in parts counts once, with the part that was refused.
    private(set) var writes = 0
    /// Uses that were not written.
    var uses = 0
    /// Removals that were not committed.
    var removals = 0

    mutating func note(_ outcome: WriteOutcome) {
        guard case .refused(let reason) = outcome else { return }
        switch reason {
        case .closed, .busy, .failed, .diskFull: writes += 1
        // These refusals have nothing to do with the end.
        case .tooLarge, .noRoom, .overloaded, .removed: break
        }
    }
}

extension StoreWriter {
    /// Whether the store closes and no time is left.
    var isOver: Bool { shared.ending.isOver(at: shared.time.monotonic()) }

    func end() {
        purges = []
        endRemovals()
        left.removals = shared.removals.count
        endUses()
        // The readers have ended or are about to end. This connection closes last.
        let areOut = readersAreOut()
        closeDatabase(writesBack: areOut && !isOver)
        if areOut { shared.files.closeDescriptors() }
        shared.readers.withLock { $0 = nil }
        // A mark that is missing at the next start costs the database.
        if shared.files.isDirectoryInPlace { shared.files.mark.check() }
        shared.flusher.end()
        // The mark must be on the disk before anybody is told that the store is closed.
        let time = max(.milliseconds(500), shared.ending.left(at: shared.time.monotonic()))
        let isWritten = shared.flusher.waitForEnd(within: time, by: shared.time)
        if !isWritten, left.removals > 0 {
            shared.log.error("store.removals.unkept", ["path": shared.files.directory])
        }
        tellWhatIsLeft()
        // A reader held by the disk still has the database open, and the flusher its file. Then the directory
        // stays locked until this process ends.
        if areOut, isWritten { shared.files.unlock() }
        shared.waits.end()
        closing?.resume()
    }

    /// Waits until no reader has the database open. Returns false if the disk takes longer than there is time.
    private func readersAreOut() -> Bool {
        let now = shared.time.monotonic()
        let end = now + shared.ending.left(at: now)
        while true {
            // A clock that a test sets wakes nobody, so the time is looked at again soon.
            let left = max(.zero, end - shared.time.monotonic())
            let rest = min(left, .milliseconds(250))
            if shared.gate.shut(within: rest, nudge: { shared.letGo() }) { return true }
            if rest == left { return false }
        }
    }

    func endUses() {
        let uses = shared.notes.withLock { $0.count }
        if isOver || !flushNotes() { left.uses = uses }
    }

    /// Counts a refused answer, or a refused part of one, once closing has begun.
    func noteIfLeft(_ outcome: WriteOutcome) {
        if shared.ending.hasBegun { left.note(outcome) }
    }

    private func tellWhatIsLeft() {
        shared.meters.leftWrites.add(left.writes)
        shared.meters.leftUses.add(left.uses)
        shared.meters.leftRemovals.add(left.removals)
        // Lost uses only make the order of eviction imperfect.
        guard left.writes > 0 || left.removals > 0 else { return }
        shared.log.warning(
            "store.close.left",
            ["writes": String(left.writes), "uses": String(left.uses), "removals": String(left.removals)])
    }
}
