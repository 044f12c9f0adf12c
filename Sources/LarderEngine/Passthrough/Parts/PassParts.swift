// The stored parts of a URL (RFC 9111 §3.3, §3.4). Each part is a row of its own. A list of parts names them and holds
// the head of the whole representation. Lists of parts have keys of their own, and a request selects one of them as it
// selects a whole response. So parts are written, counted, evicted and removed like any other entry. A list may name a
// part whose row is gone; those bytes then count as missing.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings
import LarderStore

/// The parts that one request selects.
struct PassParts: Sendable {
    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot
    /// The same request with the keys under which lists of parts are stored.
    let listed: PassRequest

    init(engine: Engine, request: PassRequest, snapshot: Snapshot) {
        (self.engine, self.request, self.snapshot) = (engine, request, snapshot)
        listed = PassRequest(parts: request)
    }

    /// Finds and writes the lists of parts, one for each variant.
    var lists: VariantStore { VariantStore(engine: engine, request: listed) }

    /// Completes a look-up that found no whole response: with one that stored parts make up, or with what to ask for.
    func complete(_ found: EntryCache.Found) async -> EntryCache.Found {
        var found = found
        let ready = engine.cache.readyStamp(request, listed.primary.digest)
        let look = await lists.find()
        // If the whole response changed since it was looked up, the older stamp shows that.
        if engine.cache.isCurrent(found.ready) { found.ready = ready }
        var stored = look.entry.flatMap { StoredParts($0) }
        var decision = decide(stored)
        // Bytes of a part that is gone count as missing. All parts of the ranges are looked up before a head goes out.
        while case .covered(let ranges) = decision, let known = stored, let lost = await lost(known, ranges) {
            stored?.content.remove(start: lost)
            decision = decide(stored)
        }
        var plan: PartPlan?
        switch decision {
        case .covered:
            guard let stored else { return found }
            found.entry = entry(of: stored)
            found.isInDoubt = look.isInDoubt
            // Memory and the ready rows hold whole responses only.
            found.isForAll = false
            // If the response must be validated first, another representation may arrive in parts too. Larder then sets
            // the conditions, not the client.
            plan = request.wantsRange ? PartPlan(asWritten: request.fields, isJudged: false) : nil
        case .ask(let stretches):
            if let stored, let first = stretches.first { plan = PartPlan(first, of: stored, for: request.fields) }
        case .askAsWritten: plan = asWritten
        case .whole, .forward: break
        }
        // Most requests are for a whole response and have nothing stored.
        if decision != .whole || stored != nil { found.parts = PartsLook(decision, plan, stored) }
        return found
    }

    /// The range as the client wrote it, for a fetch that may store it.
    var asWritten: PartPlan? { request.wantsRange ? PartPlan(asWritten: request.fields, isJudged: true) : nil }

    private func decide(_ stored: StoredParts?) -> PartDecision {
        PartRequest.decide(
            method: request.method, requestFields: request.fields, content: stored?.content,
            fields: stored?.row.fields ?? [:], largest: snapshot.settings.cache.maxObject, now: engine.time.wall())
    }

    /// The response that stored parts, and perhaps an arriving one, make up. Its body is read from where they are.
    func entry(of stored: StoredParts, _ live: PartsBody.Live? = nil) -> StoredResponse {
        var entry = stored.row
        entry.body = []
        entry.large = PartsBody(self, stored, live)
        return entry
    }

    /// The beginning of a part that overlaps the ranges and cannot be read. Nil if all of them can be read.
    private func lost(_ stored: StoredParts, _ ranges: [Range<Int64>]) async -> Int64? {
        for range in ranges {
            for part in stored.content.parts where part.range.overlaps(range) {
                let place = max(part.range.lowerBound, range.lowerBound)
                // At the beginning of each range, the stored bytes are checked too.
                let isFirst = place == range.lowerBound
                if await body(of: part, in: stored, from: isFirst ? place : nil) == nil { return part.start }
            }
        }
        return nil
    }

    /// The key of a part's row.
    func key(_ start: Int64, of content: PartialContent, listed list: CacheKey) -> CacheKey {
        var identity = list.bytes
        HeaderField.append("\(content.length) \(content.mark)", to: &identity)
        return request.partKey("\(Base64URL.encode(Digest(of: identity).bytes)) \(start)")
    }

    /// The body of a stored part. Nil if the part is gone, or if the row with its key holds something else.
    /// - Parameter place: where reading begins. If nil, the stored bytes are not checked.
    func body(of part: PartialContent.Part, in stored: StoredParts, from place: Int64?) async -> BodySource? {
        let key = key(part.start, of: stored.content, listed: stored.row.key)
        guard let entry = await engine.cache.open(key), entry.endpoint == StoredParts.partName,
            entry.bodyLength >= part.range.upperBound - part.start
        else { return nil }
        if let large = entry.large, let place {
            guard await large.canBegin(at: place - part.start) else { return nil }
        }
        engine.cache.used(key.digest)
        return entry.source
    }

    // MARK: Fetching missing bytes

    /// The key of the flight for a plan. Requests join the flight if they have the same values of the stored response's
    /// selecting fields. If nothing is stored, they join if they accept the same codings.
    func flightKey(_ plan: PartPlan) -> Digest {
        var names = ["accept-encoding"]
        if let stored = plan.stored, case .names(let told) = Vary(stored.row.fields) { names = told }
        let selection = VariantIndex.selection(names: names, requestFields: request.forwarded)
        return request.partKey("fetch \(Base64URL.encode(selection.bytes)) \(plan.identity)").digest
    }

    /// Fetches missing bytes of a body that is already being sent.
    /// - Throws: `BodyFailure` if the bytes do not arrive, or belong to another representation by now.
    func bring(
        _ stretch: Range<Int64>, of stored: StoredParts
    ) async throws(BodyFailure) -> (any BodyReader, end: Int64) {
        // A response for one client alone, or a part without a strong validator, is not combined with stored parts.
        guard stored.content.validator != nil, !request.isPersonal, !request.directives.noStore,
            !request.directives.onlyIfCached
        else {
            throw BodyFailure("A stored part of the body is gone, and cannot be fetched for this request.")
        }
        let plan = PartPlan(stretch, of: stored, for: request.fields)
        var found = EntryCache.Found(
            ready: engine.cache.readyStamp(request), began: engine.cache.begin(request))
        found.part = plan
        let fetch = PassFetch(engine: engine, request: request, snapshot: snapshot, isRefresh: false)
        let key = flightKey(plan)
        let work: FlightCoordinator.Work = { [found] voice in await fetch.work(found, voice) }
        var obtained = await engine.flights.obtain(
            key, of: request.target.digest, groupsOf: request.provider.name, patience: nil, work: work)
        if !isForThis(obtained, found) {
            obtained = await engine.flights.obtainAlone(key, patience: nil, work: work)
        }
        switch obtained {
        case .result(.failed(let failure), _): throw BodyFailure(failure.detail)
        case .result(.answered(let made), _):
            guard let piece = Self.piece(stretch, of: made, stored.content) else {
                throw BodyFailure("The representation has changed, so the missing part does not fit the stored parts.")
            }
            return piece
        case .alone, .late, .left: throw BodyFailure("The missing part of the body could not be fetched.")
        }
    }

    /// Whether the result of another request's fetch answers this request too.
    private func isForThis(_ obtained: Obtained, _ found: EntryCache.Found) -> Bool {
        switch obtained {
        case .result(.answered(let made), joined: true):
            made.mayBeShared
                && PassSelection(engine: engine, request: request, snapshot: snapshot).selects(made, found)
        case .alone: false
        case .result, .late, .left: true
        }
    }

    /// A stretch of a fetched response: of a part, or of the whole if the upstream sent all of the same representation.
    private static func piece(
        _ stretch: Range<Int64>, of made: Made, _ content: PartialContent
    ) -> (any BodyReader, end: Int64)? {
        if let body = made.entry.large as? PartsBody {
            let isSame = body.stored.content.isSame(as: content.validator, length: content.length)
            return isSame ? body.liveReader(stretch) : nil
        }
        let whole = made.tape.map { .tape($0) } ?? made.entry.source
        guard made.entry.status == 200,
            content.isSame(
                as: StrongValidator(made.entry.fields, now: made.entry.responseTime),
                // If a body of unknown length has another length, reading it ends too early or is cut off.
                length: whole.length ?? content.length)
        else { return nil }
        let reader: (any BodyReader)? =
            switch whole {
            case .bytes(let bytes): RangeBodyReader(WholeBodyReader(bytes), range: stretch)
            case .large(let large): large.reader(stretch)
            case .tape(let tape): tape.reader().map { RangeBodyReader($0, range: stretch) }
            case .plain: nil
            }
        return reader.map { ($0, stretch.upperBound) }
    }
}
