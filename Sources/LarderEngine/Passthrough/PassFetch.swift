// The work of a pass-through flight: one request to the upstream, conditional if a stored response can be validated.
// All waiting requests get the head of the response. Its body goes to them and into the store while it arrives. The
// flight ends when the row is committed or refused, so a later request finds the row or joins the flight.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders
import LarderSettings
import LarderStore

/// The work of a pass-through flight.
public struct PassFetch: Sendable {
    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot
    /// Whether this is a refresh. No client waits for it, so the client's own directives do not count.
    let isRefresh: Bool
    /// The right to publish to the shared tier. Nil if there is no tier, or if the response may not be for all clients.
    var sharing: SharedFetch?

    var variants: VariantStore { VariantStore(engine: engine, request: request) }
    var rule: FreshnessRule { request.rule }
    var settings: Settings { snapshot.settings }

    /// - Parameter looked: what the caller's look-up found. It is used if nothing was written since.
    func work(_ looked: EntryCache.Found?, _ voice: FlightVoice) async -> FlightResult {
        // A purge or an unsafe request from here on makes the response outdated, and it is not kept.
        let began = engine.cache.begin(request)
        var found: EntryCache.Found
        if let looked, engine.cache.isCurrent(looked.ready) { found = looked } else { found = await find() }
        if let entry = found.entry, request.isPersonal, !request.judge.isForAll(entry) {
            (found.entry, found.hidden) = (nil, entry)
        }
        // A response that is fetched for one request alone is not combined with parts that others may get.
        if request.isPersonal || request.directives.noStore && !isRefresh { found.part = nil }
        // If a stored response is validated, or no client waits, the client's own conditions are not sent.
        if found.entry != nil || isRefresh { found.part = found.part?.unconditional }
        if let entry = found.entry, !found.isInDoubt, answersNow(entry) {
            // Another flight ended between the caller's look-up and the start of this flight.
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
        // With `ttl` semantics validators do not count: the whole response is requested.
        var conditions: HeaderFields = [:]
        var offered: [StoredResponse] = []
        if rule.semantics == .rfc, request.mayBeConditional {
            if let entry = found.entry {
                conditions = Validation.conditionalFields(for: [entry])
            } else {
                offered = await offeredVariants(found)
                conditions = VariantOffer.conditions(for: offered)
            }
        }
        if let part = found.part { conditions.add(part.fields) }
        switch await send(conditions, found) {
        case .failure(let failure): return .failed(failure)
        case .success((let stream, let classification)):
            guard stream.head.status == 304 else { return await opened(stream, classification, found, began, voice) }
            stream.cancel()
            if let told = judged(stream.head, found) { return .answered(told) }
            guard !conditions.isEmpty else { return .failed(unasked304) }
            return await notModified(stream.head, offered, found, began, voice)
        }
    }

    /// Takes a response that is no 304.
    func opened(
        _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult {
        if stream.head.status == 206, !request.wantsRange, ContentRange.isInvalid(stream.head.fields) {
            stream.cancel()
            return .failed(unaskedPart)
        }
        return await receive(stream, classification, found, began, voice)
    }

    func answersNow(_ entry: StoredResponse) -> Bool {
        let directives = isRefresh ? ClientDirectives.none : request.directives
        return request.judge.decide(entry, directives, now: engine.time.wall()).decision.isFresh
    }

    /// - Parameter found: what is stored, and what of it to ask for.
    func send(
        _ conditions: HeaderFields, _ found: EntryCache.Found
    ) async -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        let fields = fields(conditions)
        return await engine.upstream.open(
            call(fields, found), upload: nil, stall: request.provider.settings.idleTimeout
        ).map { answer in
            var (stream, classification) = answer
            stream.head = stream.head.namingSelectors(among: fields)
            return (stream, classification)
        }
    }

    /// The fields that go upstream.
    func fields(_ conditions: HeaderFields) -> HeaderFields {
        var fields = request.forwarded
        if isRefresh {
            fields.remove(.cacheControl)
            fields.remove(.pragma)
        }
        fields.add(conditions)
        return fields
    }

    /// The call to the upstream, for the flight in `FlightWait.current`.
    func call(_ fields: HeaderFields, _ found: EntryCache.Found) -> UpstreamCall {
        var order = request.order(fields, method: request.fetchMethod, settings: settings, limit: .max)
        order.body = request.content?.body
        let classify = request.classify
        order.isPacedByClient = { head in
            // The store sets the pace of a body that it keeps. An event stream has no end, so its client sets the pace.
            let classification = classify(head.response)
            return head.isEventStream
                || !verdict(head, classification, found.older).isStored
                    && !isStoredInPart(head, classification, found)
        }
        if let relay = FlightWait.current?.interim { order.interim = { relay.tell($0) } }
        return request.call(order)
    }

    var unasked304: UpstreamFailure { broken("The upstream answered 304 to a request without a condition.") }

    /// A client that asked for a range reads from `Content-Range` what it got. One that did not ask may not look.
    private var unaskedPart: UpstreamFailure {
        broken("The upstream answered 206 to a request without a range, with an invalid Content-Range.")
    }

    private func broken(_ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: request.provider.name, failure: .broken, detail: detail,
            fetch: FetchError(stage: .malformed, origin: "", message: ""))
    }

    // MARK: A whole answer

    func receive(
        _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult {
        if let taken = await takePart(stream, classification, found, began, voice) { return taken }
        return await receive(
            begin(stream, classification, found, began), stream, classification, found, began, voice)
    }

    /// A whole response whose head has come.
    struct Whole {
        var made: Made
        let verdict: PassVerdict
        let place: AnswerPlace
    }

    /// Judges the head of a whole response and gives the response its place.
    func begin(
        _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found, _ began: RemovalStamp
    ) -> Whole {
        let head = stream.head
        let verdict = verdict(head, classification, found.older)
        let mayBeKept = verdict.isStored || verdict.rule == .errorOverAnswer || verdict.rule == .objectTooLarge
        sharing?.headCame(head, isStored: verdict.isStored)
        let own = PassFields.endToEnd(head)
        let isAnswer = rule.semantics == .rfc || classification.isAnswer
        var made = Made(
            entry: entry(head, own, verdict), origin: .upstream(status: head.status, isAnswer: isAnswer))
        made.storing = rule(of: verdict, head, found)
        made.own = Made.Own(fields: own, interim: head.interim)
        made.isJudged = isJudged(found)
        made.mayBeShared = verdict.rule != .objectTooLarge && (mayBeKept || rule.semantics == .ttl)
        let place = place(of: made.entry, head.length)
        made.entry.arrival = place.number
        made.selection = Made.Selection(
            vary: Vary(head.fields), fields: request.forwarded, began: began, place: place)
        // Older parts of the same representation that are still arriving stay valid.
        if verdict.rule == .objectTooLarge { place.spareSame() }
        return Whole(made: made, verdict: verdict, place: place)
    }

    /// Stores a whole response, or passes it on.
    /// - Parameter isSettled: whether its body was waited for, and `takeAtOnce` did not take it.
    // More than six parameters: the answer, its stream, and what every fetch has.
    func receive(
        _ whole: Whole, _ stream: UpstreamStream, _ classification: Classification, _ found: EntryCache.Found,
        _ began: RemovalStamp, _ voice: FlightVoice, isSettled: Bool = false
    ) async -> FlightResult {
        let (head, verdict, place) = (stream.head, whole.verdict, whole.place)
        let body = TapeBody(stream.body, length: head.length)
        var made = whole.made
        made.tape = body
        if verdict.rule == .objectTooLarge, await hasParts(of: head) {
            // The stored parts stay. They replaced older responses when they arrived.
            hideOthersUnderWay(than: made.entry, began, place)
        } else {
            let isAnswer = rule.semantics == .rfc || classification.isAnswer
            if !verdict.isStored, isAnswer { await displace(made.entry, verdict.rule, found, began, place) }
            // A newer response that is too large to be stored hides older ones.
            if verdict.rule == .objectTooLarge { await hideOlder(than: made.entry, found, began, place) }
        }
        if !isSettled { await engine.settle(stream.body, head.length) }
        if let content = stream.body.whole {
            if !isSettled, let result = takeAtOnce(whole, content, head, classification, found, began) { return result }
            made.tape = nil
            made.entry.body = content
            if verdict.isStored, let fault = fault(head, content) {
                made.storing = fault
                made.mayBeShared = fault == .graphQLErrors
                await notKept(made.entry, fault, found, began, place)
            } else if verdict.isStored, Int64(content.count) <= settings.cache.maxObject {
                made.written = await keep(made.entry, found, began, place)
            } else if verdict.isStored {
                await hideOlder(than: made.entry, found, began, place)
            }
            return .answered(made)
        }
        if let failure = stream.body.failure { return .failed(request.cutOff(failure)) }
        guard verdict.isStored else { return .answered(made) }
        stream.body.holdEnd()
        engine.releaseInTime(stream.body, patience: settings.cache.patience)
        made.isBeingStored = true
        await voice.announce(made)
        return await archive(made, stream, body, found, began, place)
    }

    /// Takes a response whose whole content is there, if nothing has to be waited for: a failure, or a response that is
    /// stored where nothing was. Nil for all others.
    func takeAtOnce(
        _ whole: Whole, _ content: Bytes, _ head: UpstreamHead, _ classification: Classification,
        _ found: EntryCache.Found, _ began: RemovalStamp
    ) -> FlightResult? {
        if rule.semantics == .ttl, let failure = failure(classification, head, content) { return .failed(failure) }
        guard whole.verdict.isStored, Int64(content.count) <= settings.cache.maxObject,
            mayKeepAtOnce(whole.made.entry, found), fault(head, content) == nil
        else { return nil }
        var made = whole.made
        made.entry.body = content
        guard let written = keepAtOnce(made.entry, found, began, whole.place) else { return nil }
        made.written = written
        return .answered(made)
    }

    /// Gives a response its place among the responses of its URL. Called when its head has arrived.
    /// - Parameter length: the length of the whole representation, if it is known.
    func place(of entry: StoredResponse, _ length: Int64?) -> AnswerPlace {
        engine.cache.answers.enter(
            request.primary.digest, AnswerOrder.Selection(vary: Vary(entry.fields), fields: request.forwarded),
            key: entry.key,
            AnswerOrder.Representation(fields: entry.fields, length: length, receivedAt: entry.responseTime))
    }

    /// With `ttl` semantics, a response that is not classified as an answer is a failure. A failure is remembered for a
    /// moment, and a stale response stands in for it.
    private func failure(
        _ classification: Classification, _ head: UpstreamHead, _ body: Bytes
    ) -> UpstreamFailure? {
        let response = UpstreamResponse(
            status: head.status, reason: head.reason, fields: PassFields.endToEnd(head), body: body,
            requestTime: head.requestTime, responseTime: head.responseTime)
        return UpstreamFailure(classification, response: response, provider: request.provider.name)
    }

    /// - Parameter own: the fields of the whole head, as the requesting client gets them.
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
        variants.place(&entry)
        // An unsafe request to the URL also removes the responses to requests with content and to other callers (RFC 9111
        // §4.4).
        if request.primary != request.target { entry.parents.append(request.target.digest) }
        entry.parents += request.groups(entry)
        return entry
    }

    /// The field names in the stored response's own `Vary`.
    func names(_ entry: StoredResponse) -> [String] {
        guard case .names(let names) = Vary(entry.fields) else { return [] }
        return names
    }
}
