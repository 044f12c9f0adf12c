// Notes for the explanation of an answer that came through the cache.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP

extension Served {
    /// The notes for the explanation of this answer.
    func explained(_ key: [KeyParameter]) -> ExplainedPart {
        var part = ExplainedPart.Content(provider: entry.provider)
        part.named = key
        part.digest = entry.key.digest
        part.tell(provenance)
        part.tell(entry)
        // The status of other entries is Larder's own, not the upstream's.
        if entry.layer != .raw { part.upstreamStatus = nil }
        return ExplainedPart(part)
    }
}

extension ExplainedPart.Content {
    /// Notes how the answer came about.
    mutating func tell(_ provenance: Provenance) {
        outcome = provenance.outcome
        forward = provenance.forward
        upstreamStatus = provenance.forwardStatus
        rule = provenance.rule
        storing = provenance.storing
        shared = provenance.shared
        if outcome.isFetched || outcome == .bypass { isStored = provenance.isStored }
        isBeingStored = provenance.isBeingStored
        asked = provenance.asked
        note(provenance.failure)
    }

    /// Notes the entry that answered.
    mutating func tell(_ entry: StoredResponse) {
        receivedAt = entry.responseTime
        initialAge = entry.initialAge
        freshUntil = entry.freshUntil
        staleUntil = entry.staleUntil
        deprecation = Deprecation(entry.fields, now: entry.responseTime)
    }
}

extension ExplainedPart {
    /// The rules by which the response differs from the stored or fetched one, derived from its status.
    func form(status: Int) -> [CacheRule] {
        guard self.outcome != .bypass, self.outcome != .none, self.upstreamStatus != status else { return [] }
        return switch status {
        case 206, 416: [.range]
        case 304: [.conditional]
        default: []
        }
    }
}
