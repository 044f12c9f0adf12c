// What is told afterwards of an answer out of the cache.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP

extension Served {
    /// What is to be told of it afterwards.
    func explained(_ key: [KeyParameter]) -> ExplainedPart {
        var part = ExplainedPart(provider: entry.provider)
        part.key = key
        part.digest = entry.key.digest
        part.tell(provenance)
        part.tell(entry)
        // Of other entries the status is our own.
        if entry.layer != .raw { part.upstreamStatus = nil }
        return part
    }
}

extension ExplainedPart {
    /// How the answer came to be.
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

    /// How the answer to the client differs from the one that was stored or fetched, as its status says.
    func form(status: Int) -> [CacheRule] {
        guard outcome != .bypass, outcome != .none, upstreamStatus != status else { return [] }
        return switch status {
        case 206, 416: [.range]
        case 304: [.conditional]
        default: []
        }
    }

    /// Of the entry that answered.
    mutating func tell(_ entry: StoredResponse) {
        receivedAt = entry.responseTime
        initialAge = entry.initialAge
        freshUntil = entry.freshUntil
        staleUntil = entry.staleUntil
        deprecation = Deprecation(entry.fields, now: entry.responseTime)
    }
}
