// Bodies that are written and read piece by piece, and heads that change while their body stays.
import LarderCore

extension SQLiteStore {
    /// Bodies up to this size are given whole by `open`.
    static let openSize = 256 << 10
    /// Bodies that may be under way at once; each may have 1 MiB waiting for its commit.
    static let bodyWriterLimit = 256

    /// Has no more files of bodies open than so many: those that are read, written, or kept open. One more that is read is
    /// opened for each stretch of it, and one more that is written is refused.
    public func permitOpenBodies(_ most: Int) {
        shared.openBodies.withLock { $0 = most }
        shared.bodies.withLock { $0 }?.table.permit(most)
    }

    public func open(_ key: CacheKey) async throws(StoreError) -> StoredResponse? {
        try await look(key, opens: true)
    }

    public func begin(expecting length: Int64?) async -> Result<any BodyWriter, WriteRefusal> {
        let shared = shared
        if let length, length > shared.settings.withLock({ $0.maxObject }) { return refuse(.tooLarge) }
        let isCrowded = shared.bodyWriters.withLock { count -> Bool in
            guard count < Self.bodyWriterLimit else { return true }
            count += 1
            return false
        }
        if isCrowded { return refuse(.overloaded) }
        let answer: Result<BodyFile, WriteRefusal> = await handover { continuation in
            let reply = Reply(continuation, late: { .failure(.overloaded) })
            let job = WriteJob.begin(length, reply)
            if shared.writes.offer(job, weight: job.weight) { return shared.waits.add(reply, .part) }
            reply.resume(returning: .failure(shared.refusalOfQueue))
        }
        switch answer {
        case .success(let file): return .success(StoredBodyWriter(file))
        case .failure(let reason):
            shared.bodyWriters.withLock { $0 -= 1 }
            return refuse(reason)
        }
    }

    private func refuse(_ reason: WriteRefusal) -> Result<any BodyWriter, WriteRefusal> {
        shared.meters.count(.refused(reason))
        return .failure(reason)
    }

    public func rewriteHead(
        _ entry: StoredResponse, ifReceivedAt responseTime: WallTime, when isWanted: (@Sendable () -> Bool)?
    ) async -> Bool {
        let shared = shared
        var entry = entry
        entry.body = []
        entry.large = nil
        return await handover { [entry] continuation in
            let reply = Reply(continuation, late: { false })
            let job = WriteJob.rewrite(
                HeadOrder(entry: entry, receivedAt: responseTime, isWanted: isWanted), reply)
            if shared.writes.offer(job, weight: job.weight) { return shared.waits.add(reply, .write) }
            reply.resume(returning: false)
        }
    }
}
