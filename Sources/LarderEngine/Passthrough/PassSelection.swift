// How the response to a pass-through request is found and made. The response is one of the variants of a URL, and the
// request's fields select it (RFC 9111 §4.1).
import LarderCache
import LarderCore
import LarderHTTP

/// The variant of a URL that one request selects.
public struct PassSelection: Sendable {
    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot

    /// Selects for a request, with the settings of a snapshot.
    public init(engine: Engine, request: PassRequest, snapshot: Snapshot) {
        self.engine = engine
        self.request = request
        self.snapshot = snapshot
    }

    /// The fetch of the response for a client.
    var fetch: PassFetch { PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false) }

    /// The digest whose removal makes a fetch in progress outdated.
    var removable: Digest { request.target.digest }

    /// The result of `find` if nothing at all is stored of the URL, as for most requests that go upstream. It does not wait.
    /// Nil if only `find` can tell.
    var absent: EntryCache.Found? {
        guard request.method == .get, !request.wantsRange else { return nil }
        let cache = engine.cache
        let ready = cache.readyStamp(request)
        var found = EntryCache.Found(ready: ready, began: cache.begin(request))
        guard cache.lacks(request.primary.digest) else { return nil }
        guard request.rule.semantics == .rfc else { return found }
        if mayHaveOtherQueries, !engine.searchVariances.equivalents(of: request).isEmpty { return nil }
        guard request.mayHaveParts else { return found }
        let list = request.primary.digestOfParts
        let both = cache.readyStamp(request, list)
        guard cache.lacks(list) else { return nil }
        if cache.isCurrent(ready) { found.ready = both }
        return found
    }

    func find() async -> EntryCache.Found {
        let fetch = fetch
        let found = await fetch.variants.find()
        guard request.rule.semantics == .rfc else { return found }
        guard let entry = found.entry else {
            if let other = await other(than: found) { return other }
            return await fetch.withParts(found)
        }
        engine.noteSearchVariance(entry, of: request, isRead: true)
        return found
    }

    /// The range that the request asks for, for a fetch that may store the response.
    var part: PartPlan? { fetch.parts.asWritten }

    /// The key of the flight that fetches the response. Requests with the same key share one flight: requests for the
    /// same URL, and if variants are known, those with the same selecting fields as far as that can be told.
    func flightKey(_ found: EntryCache.Found) -> Digest {
        if let part = found.part { return fetch.parts.flightKey(part) }
        guard let names = found.index?.variants.first?.names else { return request.codedDigest }
        return request.variantKey(VariantIndex.selection(names: names, requestFields: request.forwarded)).digest
    }

    /// Whether a response that was made for another request answers this one too: the selecting fields are the same.
    /// - Parameter found: the result of this request's own look-up.
    func selects(_ made: Made, _ found: EntryCache.Found) -> Bool {
        guard let selection = made.selection else { return true }
        // A flight may remain for a moment after its body has failed. A request that comes then must not get that body.
        if made.tape?.tape.failure != nil { return false }
        if let parts = made.entry.large as? PartsBody, parts.hasFailed { return false }
        // A response that was requested before a purge or an unsafe request must not go to a later request.
        guard engine.cache.isCurrent(selection.began) else { return false }
        // Nor must it follow a newer response, whether that one cannot be found, or was found and must not be used.
        if let place = selection.place {
            if place.isWithdrawn { return false }
            if let newer = found.entry, place.isOvertaken, newer.arrival > made.entry.arrival { return false }
        }
        // With `ttl` semantics, "*" selects nothing.
        if request.rule.semantics == .ttl, selection.vary == .any { return true }
        return selection.vary.matches(selection.fields, request.forwarded)
    }

    /// What fetches and stores the response without a task: a GET of a URL of which nothing is stored.
    func exchange(_ found: EntryCache.Found) -> PassExchange? {
        guard request.method == .get, request.content == nil, !request.wantsRange, found.hasNothing, found.part == nil,
            found.chosenBy == nil
        else { return nil }
        return PassExchange(fetch, found)
    }

    /// Fetches and stores the response. Ends when the row is committed or refused.
    func make(_ order: EntryRecipe.Order, _ voice: FlightVoice) async -> FlightResult {
        // An entry that another request selects has no part in the fetch.
        let looked = order.found?.chosenBy == nil ? order.found : nil
        return await PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: order.isRefresh)
            .work(looked, voice)
    }
}
