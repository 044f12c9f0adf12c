// The work of a pass-through flight: one request to the upstream, conditional where a stored answer can be validated.
// Everyone who waits is told its head. Its body goes to them and into the store while it arrives. The flight ends when
// the row is committed or refused, so a later request finds the row or joins the flight.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// The work of a pass-through flight.
public struct PassFetch: Sendable {
    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot
    /// Nobody waits: the client's own wishes have no part in it.
    let isRefresh: Bool
    /// The part of the tier that hosts share, where there is one and the answer may be for all.
    var sharing: PassSharing?

    /// A body that is whole within this time goes out with its length, and its row is committed before its head leaves.
    private static let settling = Duration.milliseconds(10)
    /// Larger ones are not waited for.
    private static let settledSize: Int64 = 256 * 1024
    /// Nothing for so long in the middle of a body, and it is given up.
    public static let stall = Duration.seconds(30)

    var variants: VariantStore { VariantStore(engine: engine, request: request) }
    var rule: FreshnessRule { request.rule }
    var settings: Settings { snapshot.settings }

    /// - Parameter looked: what the asker found: while nothing was written since, nothing else is there to be found.
    func work(_ looked: EntryCache.Found?, _ voice: FlightVoice) async -> FlightResult {
        // A purge or an unsafe request from here on makes what is under way an answer of before: it is not kept.
        let began = engine.cache.begin(request.target)
        var found: EntryCache.Found
        if let looked, engine.cache.isCurrent(looked.ready) { found = looked } else { found = await find() }
        if let entry = found.entry, request.isPersonal, !request.judge.isForAll(entry) {
            (found.entry, found.hidden) = (nil, entry)
        }
        // What is fetched for one request alone is not put together with what others may have.
        if request.isPersonal || request.directives.noStore && !isRefresh { found.part = nil }
        // Where a stored answer is asked about, or nobody waits, the client's conditions have no part in it.
        if found.entry != nil || isRefresh { found.part = found.part?.unconditional }
        if let entry = found.entry, !found.isInDoubt, answersNow(entry) {
            // Another flight ended between this asker's look and its lead.
            var made = Made(found: entry, ready: found.isForAll ? found.ready : nil)
            made.selection = selection(of: entry, began, nil)
            return .answered(made)
        }
        guard let tier = sharedTier else { return await fetch(found, began, voice) }
        if found.part?.stored == nil { return await shared(tier, found, began, voice) }
        // Hosts share whole answers only.
        let result = await fetch(found, began, voice)
        await displaceShared(inPlaceOf: result)
        return result
    }

    /// Asks the upstream.
    func fetch(_ found: EntryCache.Found, _ began: RemovalStamp, _ voice: FlightVoice) async -> FlightResult {
        // With our own rules the answer's validators have no say: it is asked for anew.
        var conditions: HeaderFields = [:]
        if rule.semantics == .rfc, request.mayBeConditional, let entry = found.entry {
            conditions = Validation.conditionalFields(for: [entry])
        }
        if let part = found.part { conditions.lines += part.fields.lines }
        switch await send(conditions, found) {
        case .failure(let failure): return .failed(failure)
        case .success((let stream, let classification)):
            guard stream.head.status == 304 else {
                return await receive(stream, classification, found, began, voice)
            }
            stream.cancel()
            if let told = judged(stream.head, found) { return .answered(told) }
            guard let entry = found.entry, !conditions.lines.isEmpty else { return .failed(unasked304) }
            if !Validation.freshenedIndexes(by: stream.head, among: [entry]).isEmpty {
                return .answered(await freshen(entry, by: stream.head, found, began))
            }
            // It confirms another version than the one stored (RFC 9111 §4.3.4): asked again without a condition. What is
            // stored still covers for an error, and is hidden where the newer answer lies elsewhere.
            var unasked = found
            // A flight for a range asks for that again; one for the whole is joined by others, who want all of it.
            let isForRange = PartRequest.isFar(request.fields) && !isRefresh
            unasked.part = isForRange ? found.part?.unconditional : nil
            switch await send(unasked.part?.fields ?? [:], unasked) {
            case .failure(let failure): return .failed(failure)
            case .success((let whole, let classification)):
                guard whole.head.status != 304 else {
                    whole.cancel()
                    return .failed(unasked304)
                }
                return await receive(whole, classification, unasked, began, voice)
            }
        }
    }

    func answersNow(_ entry: StoredResponse) -> Bool {
        let directives = isRefresh ? ClientDirectives.none : request.directives
        return switch request.judge.decide(entry, directives, now: engine.time.wall()).decision {
        case .fresh, .negative: true
        case .stale, .unusable: false
        }
    }

    /// - Parameter found: what is stored, and what of it is asked for.
    func send(
        _ conditions: HeaderFields, _ found: EntryCache.Found
    ) async -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        var fields = request.forwarded
        if isRefresh {
            fields.remove("Cache-Control")
            fields.remove("Pragma")
        }
        fields.lines += conditions.lines
        var order = request.order(fields, method: request.fetchMethod, settings: settings, limit: .max)
        order.body = request.content?.body
        let classify = request.call(order).classify
        order.isPacedByClient = { head in
            // The store sets the pace of what it keeps. Events have no end, kept or not.
            let classification = classify(head.response)
            return head.isEventStream
                || !verdict(head, classification, found.older).isStored
                    && !isStoredInPart(head, classification, found)
        }
        if let relay = InterimRelay.current { order.interim = { relay.tell($0) } }
        return await engine.upstream.open(request.call(order), upload: nil, stall: Self.stall)
    }

    // MARK: 304

    /// The stored answer is still right: its head is brought up to date, and that of every variant that the 304 speaks
    /// for (RFC 9111 §4.3.4).
    private func freshen(
        _ entry: StoredResponse, by head: UpstreamHead, _ found: EntryCache.Found, _ began: RemovalStamp
    ) async -> Made {
        let news = Validation.freshening(entry, by: head, rule: rule, targets: request.targets)
        let isOfParts = entry.large is PartsBody
        let lists = isOfParts ? parts.lists : variants
        var made = Made(entry: news.entry, origin: .upstream(status: 304, isAnswer: true))
        made.storing = .validated
        made.own = own(news.entry, confirmedBy: head)
        // What it is told is for nobody else, who may wait for it where the fetch is a refresh.
        if request.tellsItsClientAlone(news.entry) {
            made.mayBeShared = false
            return made
        }
        // What is stored is the most recent answer, whatever is still coming of older ones.
        let place = place(of: news.entry, news.entry.bodyLength)
        made.selection = selection(of: news.entry, began, place)
        if isOfParts, case .store = news.verdict.decision {
            place.spareSame()
        }
        await hideOlder(than: news.entry, confirmed: entry.key, found, began, place)
        var others: [StoredResponse] = []
        if let index = found.index { others = await variants.all(index).filter { $0.key != entry.key } }
        if case .store = news.verdict.decision, names(news.entry) == names(entry),
            request.groups(news.entry) == request.groups(entry)
        {
            if await parts.freshen(entry, to: made.entry, by: head, since: began) { made.written = .stored }
            if made.written.isStored,
                found.isInDoubt || !isOfParts && variants.isBehindOthers(made.entry, names(entry), found.index)
            {
                await lists.note(made.entry, names: names(made.entry), place)
            } else {
                await lists.prolong(made.entry)
            }
        } else {
            // It may not be kept, or is now selected by other fields than those it lies under. Nobody finds it from now on.
            await displaceShared()
            if engine.cache.isCurrent(began) { _ = place.overtake(.answered) }
            if !place.isOvertaken, engine.cache.isCurrent(began) {
                await engine.cache.displace(entry.key.digest, of: entry.provider)
            }
            made.mayBeShared = false
        }
        for index in Validation.freshenedIndexes(by: head, among: [entry] + others) where index > 0 {
            let other = others[index - 1]
            let fresh = Validation.freshened(other, by: head, rule: rule, targets: request.targets)
            if names(fresh) == names(other), request.groups(fresh) == request.groups(other) {
                await engine.cache.freshen(other, to: fresh, since: began)
            } else if !place.isOvertaken, engine.cache.isCurrent(began) {
                await engine.cache.displace(other.key.digest, of: other.provider)
            }
        }
        if made.written.isStored, found.isForAll, engine.cache.isCurrent(began) {
            made.written.ready = engine.cache.readyStamp([request.primary.digest, entry.key.digest])
            // Hidden before the stamp was taken.
            if place.isOvertaken { made.written.ready = nil }
        }
        return made
    }

    var unasked304: UpstreamFailure {
        UpstreamFailure(
            provider: request.provider.name, failure: .broken,
            detail: "The upstream answered 304 to a request that set no condition.",
            fetch: FetchError(stage: .malformed, origin: "", message: ""))
    }

    // MARK: A whole answer

    func receive(
        _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult {
        if let taken = await takePart(stream, classification, found, began, voice) { return taken }
        let head = stream.head
        let verdict = verdict(head, classification, found.older)
        let mayBeKept = verdict.isStored || verdict.rule == .errorOverAnswer || verdict.rule == .objectTooLarge
        sharing?.headCame(head, isStored: verdict.isStored)
        let body = TapeBody(stream.body, length: head.length)
        let own = PassFields.endToEnd(head)
        let isAnswer = rule.semantics == .rfc || classification.isAnswer
        var made = Made(
            entry: entry(head, own, verdict), origin: .upstream(status: head.status, isAnswer: isAnswer))
        made.tape = body
        made.storing = rule(of: verdict, head, found)
        made.own = Made.Own(fields: own, interim: head.interim)
        made.isJudged = isJudged(found)
        made.mayBeShared = verdict.rule != .objectTooLarge && (mayBeKept || rule.semantics == .ttl)
        let place = place(of: made.entry, head.length)
        made.selection = Made.Selection(
            vary: Vary(head.fields), fields: request.forwarded, began: began, place: place)
        // Parts of the same representation that are coming are as right.
        if verdict.rule == .objectTooLarge { place.spareSame() }
        if verdict.rule == .objectTooLarge, await hasParts(of: head) {
            // Stored ones stay, and took the place of what was older when they came.
            hideOthersUnderWay(than: made.entry, began, place)
        } else {
            if !verdict.isStored, isAnswer { await displace(made.entry, verdict.rule, found, began, place) }
            // What is newer and too large to be kept leaves nothing older to be answered in its place.
            if verdict.rule == .objectTooLarge {
                var newer = made.entry
                newer.key = variants.place(names(newer)).key
                await hideOlder(than: newer, found, began, place)
            }
        }
        await settle(stream.body, head.length)
        if let whole = stream.body.whole {
            if rule.semantics == .ttl, let failure = failure(classification, head, whole) { return .failed(failure) }
            made.tape = nil
            made.entry.body = whole
            if verdict.isStored, let fault = fault(head, whole) {
                made.storing = fault
                made.mayBeShared = fault == .graphQLErrors
                await notKept(made.entry, fault, found, began, place)
            } else if verdict.isStored, Int64(whole.count) <= settings.cache.maxObject {
                made.written = await keep(made.entry, found, began, place)
            } else if verdict.isStored {
                await hideOlder(than: made.entry, found, began, place)
            }
            return .answered(made)
        }
        if let failure = stream.body.failure { return .failed(request.cutOff(failure)) }
        guard verdict.isStored else { return .answered(made) }
        stream.body.holdEnd()
        releaseInTime(stream.body)
        await voice.announce(made)
        return await archive(made, stream, body, found, began, place)
    }

    /// The answer takes its place among those of its URL when its head has come.
    /// - Parameter length: that of the whole representation, where it is known.
    func place(of entry: StoredResponse, _ length: Int64?) -> AnswerPlace {
        engine.cache.answers.enter(
            request.primary.digest, AnswerOrder.Selection(vary: Vary(entry.fields), fields: request.forwarded),
            key: entry.key,
            AnswerOrder.Representation(fields: entry.fields, length: length, receivedAt: entry.responseTime))
    }

    /// Whether an answer of that head is stored, and by which rule.
    func verdict(
        _ head: UpstreamHead, _ classification: Classification, _ old: StoredResponse?
    ) -> PassVerdict {
        let verdict = storing(head, classification)
        guard verdict.isStored else { return verdict }
        // An error never takes the place of what may still cover for it.
        if head.status >= 500, let old, old.status < 500 { return .refuse(.errorOverAnswer) }
        if let length = head.length, length > settings.cache.maxObject { return .refuse(.objectTooLarge) }
        return verdict
    }

    /// Waits a moment for a body that is small and on its way, so that its answer can say whether it was stored.
    func settle(_ tape: BodyTape, _ length: Int64?) async {
        if tape.hasEnded || (length ?? 0) > Self.settledSize { return }
        // A flight is on its leader's loop, or on the home loop.
        let loop = EventLoop.current ?? engine.flights.home
        let settled = Promise<Void>()
        let alarm = loop.schedule(at: loop.monotonic + Self.settling) { settled.fulfil() }
        tape.watch(for: Self.settledSize) {
            loop.post {
                loop.cancel(alarm)
                settled.fulfil()
            }
        }
        await settled.wait()
    }

    /// With our own rules, what is no answer is a failure: remembered for a moment, and covered by what is stale.
    private func failure(
        _ classification: Classification, _ head: UpstreamHead, _ body: Bytes
    ) -> UpstreamFailure? {
        let response = UpstreamResponse(
            status: head.status, reason: head.reason, fields: PassFields.endToEnd(head), body: body,
            requestTime: head.requestTime, responseTime: head.responseTime)
        return UpstreamFailure(classification, response: response, provider: request.provider.name)
    }

    func storing(_ head: UpstreamHead, _ classification: Classification) -> PassVerdict {
        if !isRefresh, request.directives.noStore { return .refuse(.requestNoStore) }
        switch rule.semantics {
        case .rfc:
            let verdict = RFCStorage.decide(
                method: .get, requestFields: request.forwarded, head: head, rule: rule, targets: request.targets)
            if case .store(let lifetimes) = verdict.decision {
                return .store(lifetimes, verdict.rule, fields: verdict.fields)
            }
            return .refuse(verdict.rule)
        case .ttl:
            let response = UpstreamResponse(
                status: head.status, fields: head.fields, requestTime: head.requestTime,
                responseTime: head.responseTime)
            let decision = StorePolicy.decide(
                request: UpstreamRequest(path: request.path, query: request.query), requestFields: request.fields,
                response: response, classification: classification, rule: rule, key: request.primary)
            if case .store(let lifetimes) = decision {
                let fields = RFCStorage.storedFields(of: head, targets: request.targets)
                return .store(lifetimes, .configuredTTL, fields: fields)
            }
            return .refuse(.configuredTTL)
        }
    }

    /// - Parameter own: the whole head's fields, as who asked gets them.
    func entry(_ head: UpstreamHead, _ own: HeaderFields, _ verdict: PassVerdict) -> StoredResponse {
        var entry = StoredResponse(
            key: request.primary, layer: .raw, provider: request.provider.name,
            endpoint: request.endpoint,
            status: head.status, reason: head.reason, fields: own,
            requestTime: head.requestTime, responseTime: head.responseTime, freshUntil: head.responseTime,
            staleUntil: head.responseTime, label: request.label)
        guard case .store(let lifetimes, _, let fields) = verdict else {
            entry.initialAge = Age.initial(
                fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
            return entry
        }
        entry.fields = fields
        Via.append(to: &entry.fields, version: head.isVersion10 ? "1.0" : "1.1")
        entry.initialAge = lifetimes.initialAge
        entry.freshUntil = lifetimes.freshUntil
        entry.staleUntil = lifetimes.staleUntil
        entry.isNegative = lifetimes.isNegative
        (entry.key, entry.parents) = variants.place(names(entry))
        // An unsafe request to the URL removes the answers to its queries too (RFC 9111 §4.4).
        if request.content != nil { entry.parents.append(request.target.digest) }
        entry.parents += request.groups(entry)
        return entry
    }

    /// What the stored answer's own `Vary` names.
    func names(_ entry: StoredResponse) -> [String] {
        guard case .names(let names) = Vary(entry.fields) else { return [] }
        return names
    }
}
