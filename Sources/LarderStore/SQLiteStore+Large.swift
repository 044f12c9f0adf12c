// Bodies that are written and read piece by piece, and heads that change while their body stays.
import LarderCore

extension SQLiteStore {
    /// `open` returns bodies up to this size, in bytes, whole.
    static let openSize = 256 << 10
    /// How many bodies may be written at once. Each may have 1 MiB waiting for its commit.
    static let bodyWriterLimit = 256

    /// Limits the number of open body files: those being read, being written, or kept open. Beyond the limit a body to
    /// read is opened for each stretch of it, and a body to write is refused.
    public func permitOpenBodies(_ most: Int) {
        shared.openBodies.withLock { $0 = most }
        shared.bodies.withLock { $0 }?.table.permit(most)
    }

    /// Returns the entry like `read`, but leaves a body above a few hundred kilobytes in the store, where `large` reads
    /// it. Its pieces stay readable as long as the value lives, even if the entry is replaced, purged or evicted
    /// meanwhile.
    public func open(_ key: CacheKey) async throws(StoreError) -> StoredResponse? {
        try await look(key, opens: true).entry
    }

    /// Begins a body whose length may be unknown. Refused if the body could not be stored at all.
    public func begin(expecting length: Int64?) async -> Result<any BodyWriter, WriteRefusal> {
        let shared = shared
        if let length, length > shared.settings.withLock({ $0.maxObject }) { return refuse(.tooLarge) }
        let isCrowded = shared.bodyWriters.withLock { count -> Bool in
            guard count < Self.bodyWriterLimit else { return true }
            count += 1
            return false
        }
        if isCrowded { return refuse(.overloaded) }
        let answer: Result<BodyFile, WriteRefusal> = await shared.waits.ask(
            .part, late: { .failure(.overloaded) }, refused: { .failure(shared.refusalOfQueue) }
        ) { shared.offer(.begin(length, $0)) }
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

    /// Replaces head, times and label of the entry with that key and keeps its body (RFC 9111 §4.3.4). Does nothing if
    /// the entry is gone or is no longer `old`: the one with this arrival, received at this time.
    /// - Parameter isWanted: asked inside the transaction. If it returns false, nothing happens.
    /// - Returns: whether the head was replaced.
    public func rewriteHead(
        _ entry: StoredResponse, inPlaceOf old: StoredResponse, when isWanted: (@Sendable () -> Bool)? = nil
    ) async -> Bool {
        var entry = entry
        entry.body = []
        entry.large = nil
        let order = HeadOrder(
            entry: entry, receivedAt: old.responseTime, arrival: old.arrival, isWanted: isWanted)
        return await shared.waits.ask(.write, late: { false }, refused: { false }) {
            shared.offer(.rewrite(order, $0))
        }
    }
}
