// Removing as the rooms above see it. A removal counts as soon as its tombstone is in memory. The caller
// waits a bounded time for the commit, then a bounded time for the journal.
import CSQLite
import LarderCore

extension SQLiteStore {
    public func remove(_ selector: PurgeSelector, soft: Bool, provider: String?) async -> RemovalOutcome {
        let shared = shared
        let ticket = RemovalTicket()
        if shared.isClosed.withLock({ $0 }) { return .refused(shared.overloaded("purging")) }
        // What is accepted becomes rows first, which are counted, and expired where they are not removed.
        await commit(selector)
        // From here on nothing is accepted.
        let tombstone = shared.removals.add(
            selector, isSoft: soft, provider: provider, at: shared.time.wall(), ticket)
        shared.drop(shared.overlay.named(by: selector), below: shared.orders.bound())
        // Never refused for want of room: what is invalid would go on being answered (RFC 9111 §4.4). Whoever asks
        // waits for the answer, so that no more of these wait than there are requests.
        guard shared.writes.insist(.removal(tombstone.number)) else {
            return .refused(shared.overloaded("purging"))
        }
        var steps = 0
        while true {
            switch await ticket.wait(shared.waits, tombstone.isExact ? .write : .removal) {
            case .done:
                shared.meters.removalsWritten.add()
                return .done(ticket.count)
            case .open where ticket.steps > steps:
                // A purge of many entries that gets on.
                steps = ticket.steps
            case .open, .failed:
                return await keep(tombstone, ticket)
            }
        }
    }

    /// The database does not take it now.
    private func keep(_ tombstone: Tombstone, _ ticket: RemovalTicket) async -> RemovalOutcome {
        let isKept = await shared.journal.keep(tombstone, shared.waits)
        if ticket.isDone {
            shared.meters.removalsWritten.add()
            return .done(ticket.count)
        }
        (isKept ? shared.meters.removalsJournaled : shared.meters.removalsInMemory).add()
        return .pending(ticket.count, isKept: isKept)
    }
}

extension StoreShared {
    /// What an earlier run of the daemon could not write. Before the database is opened.
    func recall(_ content: JournalFile.Content) {
        if content.isLost {
            guard setAside("removals were lost that it may still hold") else {
                // It stays under its name. The mark stays as well, until nothing of it is left.
                return removals.restore([
                    Tombstone(number: 0, selector: .all, isSoft: false, provider: nil, at: time.wall())
                ])
            }
            journal.clear(upTo: .max)
        } else if setAsideWithoutLog() {
            journal.clear(upTo: .max)
        } else if !content.tombstones.isEmpty {
            log.notice("store.removals.found", ["count": String(content.tombstones.count)])
            removals.restore(content.tombstones)
        }
    }

    /// Before each opening: the log may also go while the database waits to be opened.
    /// - Returns: whether it was set aside. Where the directory refuses that, it is not opened, and tried again with the next
    ///   opening, every 5 s: nothing has happened that would be worth a line each time.
    @discardableResult
    func setAsideWithoutLog() -> Bool {
        files.hasLostLog && setAside("its write-ahead log was removed, and with it what was committed last")
    }

    private func setAside(_ error: String) -> Bool {
        let path = files.setAside(at: time.wall())
        guard !files.isPresent else { return false }
        meters.setAside.add()
        log.warning("store.setAside", ["error": error, "path": path])
        return true
    }

    /// The threads beside the readers and the writer.
    func startHelpers(_ file: JournalFile) throws(StoreError) {
        let file = Handover(file)
        try NamedThread.start("store-j") { [self] in
            guard let file = file.take() else { return }
            var isTold = false
            let owner = RemovalJournal.Owner(
                pending: { [removals] in removals.pending },
                kept: { [self] number in
                    if let number {
                        removals.keep(number)
                    } else if !isTold {
                        isTold = true
                        log.error("store.removals.unkept", ["path": files.directory])
                    }
                },
                renewed: { [log, files] in log.warning("store.removals.renewed", ["path": files.directory]) })
            journal.run(file, owner)
        }
        try NamedThread.start("store-t") { [self] in
            waits.run {
                let text = "commits take longer than \(Units.format(duration: waits.span(.read)))"
                degrade(text) { waits.isStalled }
            }
        }
    }

    /// Says why the store does not do its work, once.
    /// - Parameter isSo: asked where the reason is changed: who has ended it removes the reason afterwards.
    func degrade(_ text: String, where isSo: () -> Bool = { true }) {
        let isNew = degraded.withLock { (present: inout String?) -> Bool in
            guard isSo() else { return false }
            defer { present = text }
            return present == nil
        }
        if isNew { log.warning("store.degraded", ["reason": text]) }
    }

    /// What is accepted and could not be committed before a removal is dropped, also by one that only expires: no answer may go
    /// on being fresh, and none that was there before it may come back.
    func drop(_ digests: [Digest], below bound: UInt64) {
        for digest in digests {
            orders.overtake(digest, below: bound)
            if keys.lacks(digest) { continue }
            let tombstone = removals.add(.digest(digest), isSoft: false, provider: nil, at: time.wall(), nil)
            removals.markDue(tombstone.number)
            journal.note(tombstone)
        }
    }

    /// The older entry of that key is answered no more, though the newer one is not known to be stored; nor is that of its
    /// companion.
    func supersede(_ order: WriteOrder) {
        if let companion = order.ofCompanion { supersedeAlone(companion) }
        supersedeAlone(order)
    }

    /// The same without its companion.
    /// - Parameter byWriter: it is the writer that says so. What it says while the store closes still gets into the journal.
    func supersedeAlone(_ order: WriteOrder, byWriter: Bool = false) {
        guard order.supersedes, !order.isRefused, byWriter || !isClosed.withLock({ $0 }) else { return }
        let digest = order.entry.key.digest
        // First what is on its way, then what is there: none of it slips through in between.
        let (number, isAnotherUnderWay) = orders.overtake(digest, by: order.place)
        // What was made from an older answer goes with it.
        for made in overlay.named(by: .digest(digest)) where made != digest { orders.overtake(made, below: number) }
        if keys.lacks(digest), !isAnotherUnderWay { return }
        let tombstone = removals.supersede(order.entry, by: number, at: time.wall())
        if !tombstone.isKept { journal.note(tombstone) }
        // It may be asleep, and has something to remove.
        writes.nudge()
    }

    /// For a write that its caller waits for only so long. Where it is late, the older entry must not be answered
    /// meanwhile.
    func writeReply(_ order: WriteOrder, _ continuation: CheckedContinuation<WriteOutcome, Never>) -> Reply<
        WriteOutcome
    > {
        Reply(
            continuation,
            late: { [self] in
                meters.lateWrites.add()
                supersede(order)
                return .pending
            })
    }

    /// A look-up that takes too long is a miss.
    func lateRead() -> Result<StoredResponse?, StoreError> {
        meters.lateReads.add()
        return .success(nil)
    }

    /// A stretch of a body that takes too long fails as a damaged one does.
    func lateStretch() -> Result<Bytes, BodyFailure> {
        meters.lateStretches.add()
        return .failure(BodyFailure("The disk of the stored body takes too long."))
    }

    func lateSearch() -> Result<FullTextAnswer, StoreError> {
        meters.lateSearches.add()
        return .failure(
            StoreError(
                code: SQLITE_BUSY, extendedCode: SQLITE_BUSY, doing: "searching", message: "the disk takes too long"))
    }

    func lateStatistics() -> StoreStatistics {
        var out = emptyStatistics()
        if out.degraded == nil {
            out.degraded = "reads take longer than \(Units.format(duration: waits.span(.read)))"
        }
        return out
    }
}
