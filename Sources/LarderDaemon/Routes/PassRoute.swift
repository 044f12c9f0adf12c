// `/raw/{provider}/…` and bound listeners, for providers of kind `passthrough`. Any method is accepted, with bodies of
// any size in both directions. GET, HEAD, QUERY and a POST that is declared read-only go through the cache. The
// response to any other POST may be stored for later GETs.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderServer
import LarderSettings
import LarderStore

struct PassRoute: Sendable {
    let engine: Engine
    let responder: Responder

    func pass(
        _ asked: RequestContext, _ way: WayOut
    ) async throws(ClientFacingError) -> ServerResponse {
        var context = asked
        let question = try await PassContent.take(&context, way, engine)
        let content = question.content
        let request = try PassRequest(context.request, way, content: content, isDeclared: question.isReadOnly)
        if context.request.method == .options, MaxForwards.left(context.request.fields) == 0 {
            return Self.options(context.route)
        }
        let hasBody = context.request.upload != nil || !context.request.body.isEmpty
        let isGet = context.request.method == .get || context.request.method == .head
        guard content != nil || isGet && !hasBody, !request.isOwnBusiness, request.override == nil else {
            // Unsafe requests are written through in any case (RFC 9111 §4). Nothing stored answers the others.
            if request.directives.onlyIfCached, request.effectiveMethod.isSafe || content != nil && request.isReadOnly {
                throw notCached(request, .onlyIfCached)
            }
            let isRead = (isGet || content != nil) && request.override == nil
            let reason: ForwardReason = isRead ? .bypass : .method
            // The body is the reason only if the method alone is not.
            let rule: CacheRule =
                question.rule
                ?? (request.override != nil
                    ? .methodOverride
                    : !isRead
                        ? .method
                        : hasBody && content == nil ? .requestBody : request.hasOwnField ? .ownField : .ownBusiness)
            return try await forward(context, request, reason, stored: nil, rule: rule)
        }
        let entry = entry(request, context)
        return try await concluded(request, context) { () throws(UpstreamFailure) in try await entry.run() }
    }

    /// Begins to answer a request on its loop. A GET needs no task, unless one of its steps must wait.
    /// - Parameter done: see `EntryRequest.begin`, also for what is returned.
    func begin(
        _ context: RequestContext, _ way: WayOut, on loop: EventLoop,
        _ done: @escaping @Sendable (LoopOutcome<ServerResponse, ClientFacingError>) -> Void
    ) -> (@Sendable () -> Void)? {
        guard context.request.method == .get, context.request.upload == nil, context.request.body.isEmpty,
            // What is refused here is refused again there.
            let request = try? PassRequest(context.request, way), !request.isOwnBusiness, request.override == nil
        else {
            done(.rest { () throws(ClientFacingError) in try await pass(context, way) })
            return nil
        }
        return entry(request, context).begin(on: loop) { outcome in
            switch outcome {
            case .value(.served(let served)): done(.value(respond(served, request, context)))
            case .value(let other):
                done(.rest { () throws(ClientFacingError) in try await concluded(request, context) { other } })
            case .rest(let rest):
                done(.rest { () throws(ClientFacingError) in try await concluded(request, context, rest) })
            }
        }
    }

    private func entry(_ request: PassRequest, _ context: RequestContext) -> EntryRequest {
        var entry = EntryRequest(
            engine: engine,
            recipe: EntryRecipe(
                PassSelection(engine: engine, request: request, snapshot: context.snapshot),
                provider: request.provider.name),
            terms: request.terms(patience: context.snapshot.settings.fetch.softDeadline))
        entry.interim = Self.interim(context, request)
        return entry
    }

    private func concluded(
        _ request: PassRequest, _ context: RequestContext,
        _ run: @Sendable () async throws(UpstreamFailure) -> EntryRequest.Conclusion
    ) async throws(ClientFacingError) -> ServerResponse {
        do {
            switch try await run() {
            case .served(let served): return respond(served, request, context)
            case .passOn(let reason, let stored, let rule):
                return try await forward(context, request, reason, stored: stored, rule: rule)
            case .notCached(let rule): throw notCached(request, rule)
            }
        } catch let failure as UpstreamFailure {
            if let response = failure.response { return mirrored(response, request, context) }
            throw refusal(failure, request)
        } catch let error as ClientFacingError {
            throw error
        } catch {
            throw ClientFacingError(
                status: 500, code: "internal",
                detail: "Larder failed to handle this request. This is a defect of Larder.")
        }
    }

    /// Returns the function that sends an interim response to the client, from whichever exchange it comes.
    private static func interim(_ context: RequestContext, _ request: PassRequest) -> InterimRelay.Listener? {
        guard let send = context.request.interim else { return nil }
        return { head in
            for told in request.way.interim([head]) { send(told) }
        }
    }

    // MARK: Answers

    /// - Parameters:
    ///   - isPassedOn: whether the upstream has evaluated the request's conditions and ranges.
    ///   - further: rules of further steps, for the explanation.
    private func respond(
        _ served: Served, _ request: PassRequest, _ context: RequestContext, isPassedOn: Bool = false,
        _ further: [CacheRule] = []
    ) -> ServerResponse {
        var answer = assemble(served, request, context)
        answer.isMirroredError = isPassedOn
        var response = responder.respond(answer, to: context)
        let isWhole = !isPassedOn && served.entry.status == 200 && response.status == 200
        let isRangeVoid = isWhole && context.request.hasFailedIfRange(served.entry.fields, now: engine.time.wall())
        explain(context, request, served, further + (isRangeVoid ? [.ifRange] : []))
        response.interim = request.way.interim(served.interim)
        return response
    }

    private func assemble(
        _ served: Served, _ request: PassRequest, _ context: RequestContext
    ) -> Answer {
        let isShared =
            !served.isOwn && served.outcome != .bypass && (served.provenance.isStored || !served.outcome.isFetched)
        var answer = Answer.of(
            served, request.way.fields(served.entry.fields, isShared: isShared, received: served.entry.responseTime),
            provider: request.provider.name)
        answer.reason = served.entry.reason
        answer.isOurs = false
        let how = served.provenance
        if how.forward != nil, how.outcome == .stale { answer.provenance.detail = how.rule?.rawValue }
        answer.variesByCoding = true
        if served.entry.status == 200, !request.isPersonal, let stamp = served.ready,
            request.varyIsPlain(served.entry)
        {
            var keeping = Answer.Keeping(
                digest: served.entry.key.digest, stamp: stamp, target: request.explained,
                rows: [request.primary.digest, served.entry.key.digest])
            if context.request.query == nil
                || !ClientCredentials.mayName(context.request.query, request.provider.about)
            {
                keeping.row = engine.cache.row(of: served)
            }
            answer.keeping = keeping
        }
        return answer
    }

    /// With `semantics: ttl`, passes on the upstream's error response that no stored response covers for.
    private func mirrored(
        _ response: UpstreamResponse, _ request: PassRequest, _ context: RequestContext
    ) -> ServerResponse {
        var answer = Answer(
            passedOn: response, request.way.fields(response.fields, isShared: true, received: response.responseTime),
            Provenance(outcome: .miss, forward: .uriMiss, forwardStatus: response.status),
            provider: request.provider.name)
        answer.reason = response.reason
        answer.isOurs = false
        return responder.respond(answer, to: context)
    }

    private func explain(
        _ context: RequestContext, _ request: PassRequest, _ served: Served, _ further: [CacheRule]
    ) {
        let entry = served.entry
        var part = ExplainedPart.Content(provider: request.provider.name)
        part.target = request.explained
        if served.outcome == .bypass, request.provider.settings.key != nil { part.sent = .configuredKey }
        part.digest = entry.key.digest
        part.tell(served.provenance)
        part.tell(entry)
        part.isOfParts = served.isOfParts && served.outcome != .miss && served.outcome != .joined
        part.isLeftStale = request.directives.onlyIfCached || request.directives.noStore
        part.further = further + Self.cookieRules(context, request) + served.furtherRules(request)
        responder.explanations.note(context.request.id, at: engine.time.wall(), ExplainedPart(part))
    }

    /// Notes if the client's cookies were not forwarded.
    private static func cookieRules(_ context: RequestContext, _ request: PassRequest) -> [CacheRule] {
        context.request.fields.contains(.cookie) && !request.forwarded.contains(.cookie) ? [.requestCookies] : []
    }

    // MARK: Alone

    /// Forwards the request unchanged, and streams its response back. It is neither joined nor stored.
    private func forward(
        _ context: RequestContext, _ request: PassRequest, _ reason: ForwardReason, stored: StoredResponse?,
        rule: CacheRule
    ) async throws(ClientFacingError) -> ServerResponse {
        var fields = request.forwarded
        for name in RequestFieldTable.conditions {
            for value in context.request.fields.all(name) where context.request.method != .head {
                fields.add(name, value)
            }
        }
        if context.request.method == .options, let hops = MaxForwards.left(context.request.fields), hops > 0 {
            fields.set(.maxForwards, String(min(hops - 1, UInt64(UInt32.max))))
        }
        var order = request.order(
            fields, method: context.request.method, settings: context.snapshot.settings, limit: .max)
        order.mayRetry = order.mayRetry && request.effectiveMethod.isSafe && context.request.upload == nil
        order.body = context.request.body.isEmpty ? nil : context.request.body
        order.interim = Self.interim(context, request)
        let forward = PassForward(
            request, engine: engine, snapshot: context.snapshot, reason, rule, stored: stored)
        switch await forward.run(order, fields, upload: context.request.upload) {
        case .passedOn(let stream, let changes): return passOn(stream, request, context, reason, rule, changes)
        case .adopted(let served, let changes): return respond(served, request, context, isPassedOn: true, changes)
        case .covered(let served): return respond(served, request, context)
        case .failed(let failure, let isRemoved):
            if isRemoved { noteRemoval(context, request, after: failure) }
            throw refusal(failure, request)
        }
    }

    /// Notes what was removed, because the refusal that follows does not say so.
    private func noteRemoval(_ context: RequestContext, _ request: PassRequest, after failure: UpstreamFailure) {
        var part = ExplainedPart(failure)
        part.provider = request.provider.name
        part.target = request.explained
        part.further = [.invalidated]
        responder.explanations.note(context.request.id, at: engine.time.wall(), part)
    }

    private func passOn(
        _ stream: UpstreamStream, _ request: PassRequest, _ context: RequestContext, _ reason: ForwardReason,
        _ rule: CacheRule, _ further: [CacheRule]
    ) -> ServerResponse {
        let head = stream.head
        var part = ExplainedPart(provider: request.provider.name)
        part.target = request.explained
        if request.provider.settings.key != nil { part.sent = .configuredKey }
        part.outcome = reason == .bypass || reason == .method ? .bypass : .miss
        part.forward = reason
        part.upstreamStatus = head.status
        part.rule = rule
        part.further = further + Self.cookieRules(context, request)
        part.isStored = false
        part.deprecation = Deprecation(head.fields, now: head.responseTime)
        responder.explanations.note(context.request.id, at: engine.time.wall(), part)
        let initialAge = Age.initial(
            fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
        var answer = Answer(
            status: head.status, reason: head.reason,
            fields: request.way.fields(
                PassFields.endToEnd(head), isShared: false, received: head.responseTime), body: .bytes([]),
            bornAt: head.responseTime + .milliseconds(-initialAge), freshUntil: head.responseTime,
            provenance: Provenance(
                outcome: reason == .bypass || reason == .method ? .bypass : .miss, forward: reason,
                forwardStatus: head.status), provider: request.provider.name)
        answer.isOurs = false
        answer.isMirroredError = true
        let isHead = context.request.method == .head
        if let whole = isHead ? nil : stream.body.whole {
            answer.body = .bytes(whole)
        } else {
            // For HEAD the length is that of the GET response.
            let length = isHead ? head.fields.first(.contentLength).flatMap { Int64($0) } : head.length
            answer.body = .tape(TapeBody(stream.body, length: length))
        }
        var response = responder.respond(answer, to: context)
        response.interim = request.way.interim(head.interim)
        return response
    }

    // MARK: Refusals

    private func refusal(_ failure: UpstreamFailure, _ request: PassRequest) -> ClientFacingError {
        engine.refusal(failure, of: request.provider.name)
    }

    private func notCached(_ request: PassRequest, _ rule: CacheRule) -> ClientFacingError {
        refusal(EntryRequest.notCached(by: request.provider.name), request)
    }

    /// The response to an OPTIONS request with no forwards left: this server is its final recipient (RFC 9110 §7.6.2).
    private static func options(_ route: RouteName) -> ServerResponse {
        ServerResponse(
            status: 204, fields: ["Allow": PassRequest.allowed], route: route)
    }
}
