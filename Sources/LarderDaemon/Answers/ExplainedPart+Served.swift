// Notes for the explanation of an answer that came through the cache.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP

extension Served {
    /// The notes for the explanation of this answer.
    func explained(_ key: [KeyParameter]) -> ExplainedPart {
        var part = ExplainedPart(provider: entry.provider)
        part.key = key
        part.digest = entry.key.digest
        part.tell(provenance)
        part.tell(entry)
        // The status of other entries is Larder's own, not the upstream's.
        if entry.layer != .raw { part.upstreamStatus = nil }
        return part
    }
}

extension ExplainedPart {
    /// Notes how the answer came about.
    mutating func tell(_ provenance: Provenance) {
        self.outcome = provenance.outcome
        self.forward = provenance.forward
        self.upstreamStatus = provenance.forwardStatus
        self.rule = provenance.rule
        self.storing = provenance.storing
        self.shared = provenance.shared
        if self.outcome.isFetched || self.outcome == .bypass { self.isStored = provenance.isStored }
        self.isBeingStored = provenance.isBeingStored
        self.asked = provenance.asked
        note(provenance.failure)
    }

    /// The rules by which the response differs from the stored or fetched one, derived from its status.
    func form(status: Int) -> [CacheRule] {
        guard self.outcome != .bypass, self.outcome != .none, self.upstreamStatus != status else { return [] }
        return switch status {
        case 206, 416: [.range]
        case 304: [.conditional]
        default: []
        }
    }

    /// Notes the entry that answered.
    mutating func tell(_ entry: StoredResponse) {
        self.receivedAt = entry.responseTime
        self.initialAge = entry.initialAge
        self.freshUntil = entry.freshUntil
        self.staleUntil = entry.staleUntil
        self.deprecation = Deprecation(entry.fields, now: entry.responseTime)
    }
}
