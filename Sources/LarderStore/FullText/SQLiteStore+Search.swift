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
            await handover { continuation in
                let reply = Reply<Void>(continuation, late: {})
                if shared.writes.offer(.index(reply), weight: 256) { return shared.waits.add(reply, .removal) }
                reply.resume(returning: ())
            }
        }
        let answer: Result<FullTextAnswer, StoreError> = await handover { continuation in
            let reply = Reply(continuation, late: { shared.lateSearch() })
            guard shared.searches.join(SearchJob(question: question, reply: reply)) else {
                shared.meters.searchesRefused.add()
                return _ = reply.resume(returning: .failure(shared.overloaded("searching")))
            }
            guard !shared.reads.insist(.search, weight: 1) else { return shared.waits.add(reply, .search) }
            for job in shared.searches.dismiss() {
                job.reply.resume(returning: .failure(shared.overloaded("searching")))
            }
        }
        return try answer.get()
    }
}

extension StoreError {
    /// Whether a search was ended because it took too long.
    public var isInterruption: Bool { code == SQLITE_INTERRUPT }
}
