// How the answer to a pass-through request is found and made. It is one of the variants that lie under a URL, and the
// request's fields select it (RFC 9111 §4.1).
import LarderCache
import LarderCore
import LarderHTTP

/// The variant of a URL that one request selects.
public struct PassSelection: Sendable {
    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot

    /// The answer to that request, by the settings of that snapshot.
    public init(engine: Engine, request: PassRequest, snapshot: Snapshot) {
        self.engine = engine
        self.request = request
        self.snapshot = snapshot
    }

    /// The entry with whose removal a fetch under way becomes one of before.
    var removable: Digest { request.target.digest }

    func find() async -> EntryCache.Found {
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        let found = await fetch.variants.find()
        guard request.rule.semantics == .rfc else { return found }
        guard let entry = found.entry else {
            if let other = await other(than: found) { return other }
            return await fetch.withParts(found)
        }
        engine.noteSearchVariance(entry, of: request, isRead: true)
        return found
    }

    /// The range that the request asks for, for a fetch that may store it.
    var part: PartPlan? { PassParts(engine: engine, request: request, snapshot: snapshot).asWritten }

    /// Requests of one key share a fetch: those for one URL, and where variants are known, those that the same fields
    /// select as far as can be told.
    func flightKey(_ found: EntryCache.Found) -> CacheKey {
        if let part = found.part {
            return PassParts(engine: engine, request: request, snapshot: snapshot).flightKey(part)
        }
        let names = found.index?.variants.first?.names ?? ["accept-encoding"]
        return request.variantKey(VariantIndex.selection(names: names, requestFields: request.forwarded))
    }

    /// Whether what was made for another request is an answer to this one: the fields that selected it are the same.
    /// - Parameter found: what the asker's own look-up found.
    func selects(_ made: Made, _ found: EntryCache.Found) -> Bool {
        guard let selection = made.selection else { return true }
        // A flight may be under way for a moment after its body has failed: that is nobody's answer who comes then.
        if made.tape?.tape.failure != nil { return false }
        if let parts = made.entry.large as? PartsBody {
            // A coded part cannot be undone for a client that does not take the coding.
            let isTaken = PassParts(engine: engine, request: request, snapshot: snapshot).isTaken(made.entry.fields)
            if parts.hasFailed || !isTaken { return false }
        }
        // What was asked for before a purge or an unsafe request is not given to who asks after it.
        guard engine.cache.isCurrent(selection.began) else { return false }
        // Nor an answer after a newer one, whether that is not there to be found, or was found and may not be used.
        if let place = selection.place {
            if place.isWithdrawn { return false }
            if let newer = found.entry, place.isOvertaken, newer.responseTime > made.entry.responseTime { return false }
        }
        return request.rule.semantics == .ttl || selection.vary.matches(selection.fields, request.forwarded)
    }

    /// Fetches, stores, and ends when the row is committed or refused.
    func make(_ order: EntryRecipe.Order, _ voice: FlightVoice) async -> FlightResult {
        // What another request selects has no part in the fetch.
        let looked = order.found?.chosenBy == nil ? order.found : nil
        return await PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: order.isRefresh)
            .work(looked, voice)
    }
}
