// Full-text search for the rooms above.
import CSQLite
import LarderCore

extension SQLiteStore {
    /// Searches the texts of stored results that may still be used, the best match first. Of a result that is in
    /// several answers, the newest matching answer counts.
    ///
    /// Entries stored before the call are found: they are indexed first if that has not been done.
    /// - Throws: `StoreError` with SQLITE_INTERRUPT if the search took too long, with SQLITE_BUSY if too many wait or
    ///   the disk stands still, and with SQLITE_CANTOPEN if there is no database at the moment.
    public func search(_ question: FullTextQuestion) async throws(StoreError) -> FullTextAnswer {
        let shared = shared
        if shared.lacksIndex.withLock({ $0 }) || !shared.overlay.isEmpty {
            await shared.waits.ask(.removal, late: {}, refused: {}) { shared.offer(.index($0)) }
        }
        let answer: Result<FullTextAnswer, StoreError> = await shared.waits.ask(
            .search, late: { shared.lateSearch() }, refused: { .failure(shared.overloaded("searching")) }
        ) { reply in
            if shared.searches.join(SearchJob(question: question, reply: reply)) { return shared.callForSearch() }
            shared.meters.searchesRefused.add()
            return false
        }
        return try answer.get()
    }
}

extension StoreShared {
    /// Asks a reader to serve the line of searches. Returns false after the end of the readers; then all searches fail.
    func callForSearch() -> Bool {
        if reads.insist(.search, weight: 1) { return true }
        for job in searches.dismiss() { job.reply.resume(returning: .failure(overloaded("searching"))) }
        return false
    }
}

extension StoreError {
    /// Whether a search was ended because it took too long.
    public var isInterruption: Bool { code == SQLITE_INTERRUPT }
}
