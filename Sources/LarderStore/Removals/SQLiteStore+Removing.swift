// Removals for the rooms above. A removal counts as soon as its tombstone is in memory. The caller waits a bounded time
// for the commit, then a bounded time for the mark.
import CSQLite
import LarderCore

extension SQLiteStore {
    /// Removes the selected entries and everything made from them; with `soft`, makes them expire instead. The removal
    /// takes effect at once, whatever the disk does.
    /// - Parameter provider: the provider of a single key, if it is known.
    public func remove(_ selector: PurgeSelector, soft: Bool, provider: String?) async -> RemovalOutcome {
        let shared = shared
        let ticket = RemovalTicket()
        if shared.isClosed.withLock({ $0 }) { return .refused(shared.overloaded("purging")) }
        let (tombstone, isQueued) = await begin(selector, isSoft: soft, provider: provider, ticket)
        guard isQueued else {
            // The store closes. What the writer does not commit any more, the next start must know of.
            shared.flusher.note(tombstone.number)
            return .refused(shared.overloaded("purging"))
        }
        var steps = 0
        while true {
            switch await ticket.wait(shared.waits, tombstone.isExact ? .write : .removal) {
            case .done:
                shared.meters.removalsWritten.add()
                return .done(ticket.count)
            case .open where ticket.steps > steps:
                // A purge of many entries that makes progress.
                steps = ticket.steps
            case .open, .failed:
                return await keep(tombstone, ticket)
            }
        }
    }

    /// Makes every entry of a provider that is stored now unverified: none is used without a validation, not even as
    /// stale. This counts at once. The writer carries it out in slices, and the caller does not wait for that.
    /// - Returns: whether it survives a restart.
    public func distrust(provider: String) async -> Bool {
        let shared = shared
        let selector = PurgeSelector.provider(provider)
        if shared.isClosed.withLock({ $0 }) { return false }
        let (tombstone, isQueued) = await begin(
            selector, isSoft: true, provider: provider, since: StoredResponse.unverified)
        guard isQueued else { return false }
        return await shared.flusher.hold(tombstone.number, shared.waits)
    }

    /// Makes the tombstone of a removal, and asks the writer to carry it out.
    /// - Parameter time: since when expired entries are stale; nil for now.
    /// - Returns: the tombstone, and whether the writer was asked. If not, the store closes.
    private func begin(
        _ selector: PurgeSelector, isSoft: Bool, provider: String?, since time: WallTime? = nil,
        _ ticket: RemovalTicket? = nil
    ) async -> (Tombstone, isQueued: Bool) {
        // Accepted entries become rows first. Rows are counted, and can be expired if they are not to be removed.
        await commit(selector)
        // From here on nothing is accepted.
        let at = time ?? shared.time.wall()
        let tombstone = shared.removals.change {
            $0.add(selector, isSoft: isSoft, provider: provider, at: at, ticket)
        }
        shared.drop(shared.overlay.named(by: selector), below: shared.orders.bound())
        // Never refused for lack of room: invalid entries would go on being served (RFC 9111 §4.4). Each caller waits
        // for its result, so no more of these jobs wait than there are requests.
        return (tombstone, shared.writes.insist(.removal(tombstone.number)))
    }

    /// Keeps a removal that the database does not take now.
    private func keep(_ tombstone: Tombstone, _ ticket: RemovalTicket) async -> RemovalOutcome {
        let isKept = await shared.flusher.hold(tombstone.number, shared.waits)
        if ticket.isDone {
            shared.meters.removalsWritten.add()
            return .done(ticket.count)
        }
        (isKept ? shared.meters.removalsMarked : shared.meters.removalsInMemory).add()
        return .pending(ticket.count, isKept: isKept)
    }
}

extension StoreShared {
    /// Sets the database aside, and tells why. Every connection must be closed.
    /// - Returns: false if the directory refuses that.
    @discardableResult
    func setAside(_ error: String) -> Bool {
        let now = time.wall()
        let path = files.setAside(at: now)
        guard !files.isPresent else { return false }
        // The mark is written over next. On the disk that must not come first.
        DatabaseFiles.sync(files.directory)
        meters.setAside.add()
        lastSetAside.withLock { $0 = "\(now.rfc3339): \(error)" }
        log.warning("store.setAside", ["error": error, "path": path])
        return true
    }

    /// Starts the threads beside the readers and the writer.
    func startHelpers() throws(StoreError) {
        try NamedThread.start("store-m") { [self] in
            var isTold = false
            flusher.run(files, faults) {
                if !isTold { log.error("store.removals.unkept", ["path": files.directory]) }
                isTold = true
                // The directory may be another one.
                askForLook()
            }
        }
        try NamedThread.start("store-t") { [self] in
            waits.run {
                let text = "commits take longer than \(Units.format(duration: waits.span(.read)))"
                degrade(text) { waits.isStalled }
            }
        }
    }

    /// Sets the reason why the store does not do its work, and logs it unless the store was degraded already.
    /// - Parameter isSo: evaluated where the reason is set. Code that ends the condition removes the reason afterwards.
    func degrade(_ text: String, where isSo: () -> Bool = { true }) {
        let isNew = degraded.withLock { (present: inout String?) -> Bool in
            guard isSo() else { return false }
            defer { present = text }
            return present == nil
        }
        if isNew { log.warning("store.degraded", ["reason": text]) }
    }

    /// Drops accepted entries that could not be committed before a removal, even if that removal only expires: no such
    /// entry may stay fresh, and no older entry may come back.
    func drop(_ digests: [Digest], below bound: UInt64) {
        for digest in digests { orders.overtake(digest, below: bound) }
        drop(digests.filter { !keys.lacks($0) }, of: nil)
    }

    /// Removes stored entries. Nobody waits for that.
    func drop(_ digests: [Digest], of provider: String?) {
        let now = time.wall()
        for digest in digests {
            let tombstone = removals.change { removals in
                let made = removals.add(.digest(digest), isSoft: false, provider: provider, at: now)
                removals.markDue(made.number)
                return made
            }
            noteIfLate(tombstone.number) { $0.isOpen(tombstone) }
        }
    }

    /// Has the mark say that a removal is pending if it is not committed in time. Most are, within milliseconds.
    func noteIfLate(_ number: UInt64, while isOpen: @escaping @Sendable (Removals) -> Bool) {
        let isLeft = { @Sendable [removals] in removals.snapshot().map(isOpen) ?? false }
        waits.add(Late(isLeft, then: { [flusher] in flusher.note(number) }), .read)
    }

    /// Hides the older entry of this key, or everything older of its URL, though the newer answer is not known to be
    /// stored.
    /// - Parameters:
    ///   - byWriter: whether the writer calls, whose commit has failed. Its calls still count while the store closes.
    ///   - isLate: whether the commit of the newer answer is late already.
    func supersede(_ order: WriteOrder, byWriter: Bool = false, isLate: Bool = false) {
        guard order.supersedes != .nothing, !order.isRefused, byWriter || !isClosed.withLock({ $0 }) else { return }
        let digest = order.superseded
        let number = order.place?.number ?? orders.bound()
        // First the answers on their way, then what is stored, so that none slips through in between: the writer notes
        // a key before it asks whether its answer was overtaken. Answers made from an older answer go with it.
        for older in Set([order.entry.key.digest, digest] + overlay.named(by: .digest(digest))) {
            orders.overtake(older, below: number)
        }
        if keys.lacks(digest) { return }
        let (provider, now) = (order.entry.provider, time.wall())
        let tombstone = removals.change { $0.supersede(digest, of: provider, by: number, at: now) }
        if byWriter || isLate {
            flusher.note(tombstone.number)
        } else {
            noteIfLate(tombstone.number) { $0.isOpen(tombstone) }
        }
        // The writer may be asleep, and has something to remove.
        writes.nudge()
    }

    /// The reply to a write that takes too long. The older entry must not be served meanwhile.
    func lateWrite(_ order: WriteOrder) -> WriteOutcome {
        meters.lateWrites.add()
        supersede(order)
        return .pending
    }

    /// The reply to a look-up that takes too long: a miss.
    func lateRead() -> Result<StoredLook, StoreError> {
        meters.lateReads.add()
        var look = StoredLook()
        look.isLate = true
        return .success(look)
    }

    /// The reply to a read of a stretch that takes too long: it fails like a damaged body.
    func lateStretch() -> Result<Bytes, BodyFailure> {
        meters.lateStretches.add()
        return .failure(BodyFailure("The disk of the stored body takes too long."))
    }

    func lateSearch() -> Result<FullTextAnswer, StoreError> {
        meters.lateSearches.add()
        return .failure(StoreError(SQLITE_BUSY, "searching", "the disk takes too long"))
    }

    func lateStatistics() -> StoreStatistics {
        var out = emptyStatistics()
        if out.degraded == nil {
            out.degraded = "reads take longer than \(Units.format(duration: waits.span(.read)))"
        }
        return out
    }
}
