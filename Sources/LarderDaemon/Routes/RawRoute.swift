// `/raw/{provider}/…` and listeners bound to a provider's root: the API's own bytes, status and fields through the same
// cache. The raw entry is the one that the typed routes use.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

struct RawRoute: Sendable {
    let engine: Engine
    let responder: Responder

    /// - Parameter path: what follows the provider's root, percent-encoded as it came, beginning with "/".
    func pass(
        _ client: ServerRequest, provider name: String, path: String, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        if let tokenless = Authority.withoutToken(client, snapshot.settings) {
            let context = RequestContext(request: tokenless, snapshot: snapshot, route: route)
            return try await pass(context, of: client, provider: name, path: path)
        }
        let context = RequestContext(request: client, snapshot: snapshot, route: route)
        return try await pass(context, of: client, provider: name, path: path)
    }

    /// - Parameters:
    ///   - given: its request is without the admin token.
    ///   - client: as it came: what it may do is judged by that.
    private func pass(
        _ given: RequestContext, of client: ServerRequest, provider name: String, path: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = given.snapshot
        guard let provider = snapshot.providers.named(name) else {
            throw .unknownProvider(name, among: snapshot.providers.all.map(\.name))
        }
        guard provider.settings.enabled else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
        let way = WayOut(client, provider: provider, name: name, path: UpstreamPath.withoutSingleDots(path))
        if provider.isPassthrough {
            // Without the key that its owner wanted to be sent, it would be another request.
            guard provider.isConfigured else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
            let passing = PassRoute(engine: engine, responder: responder)
            return try await passing.pass(given, way)
        }
        var context = given
        var raw = try RawRequest(context.request, provider: provider, path: way.path)
        guard !provider.about.needsKey || raw.hasCredentials else {
            throw provider.notConfigured.clientFacing(now: engine.time.wall())
        }
        // What belongs to an account is not for everybody on this machine: it names the secrets by which pictures are
        // deleted, for one.
        let claim = provider.claim(for: raw.upstream)
        if claim != nil { try Authority.check(client, snapshot.settings, what: "Answers for an account") }
        // The key, and a form that repeats the query, have been heard: memory takes the answer as that to any other request.
        context.request.fields = raw.fields
        if raw.bypass != .requestBody { context.request.body = [] }
        let constancy = raw.identity.isEmpty ? provider.provider.constancy(of: raw.upstream) : .constant
        if case .fleeting = constancy, raw.bypass == nil { raw.bypass = .fleeting }
        if raw.bypass != nil { return try await bypass(raw, way, context) }
        let endpoint = provider.provider.endpointName(for: raw.upstream)
        let directives = ClientDirectives(fields: context.request.fields)
        let key = provider.rawKey(raw.upstream, identity: raw.identity)
        let question = RawQuestion(
            provider: provider, endpoint: endpoint, request: raw.upstream, key: key,
            order: raw.order(provider, snapshot.settings), clientFields: raw.fields,
            directives: directives, isStored: !directives.noStore,
            hasClientCredentials: raw.sendsClientCredentials)
        do {
            if case .pooled(let terms) = constancy {
                let served = try await engine.drawnRaw(
                    PoolQuestion(
                        provider: provider, endpoint: endpoint, terms: terms, directives: directives,
                        settings: snapshot.settings))
                return await answer(served, way, raw, context)
            }
            let served = try await EntryRequest(
                engine: engine, recipe: engine.rawRecipe(question),
                terms: RequestTerms(
                    directives: directives, judge: provider.judge(for: endpoint),
                    patience: snapshot.settings.fetch.softDeadline)
            ).served()
            return await answer(served, way, raw, context)
        } catch {
            return try await mirrored(error, way, raw, .uriMiss, context)
        }
    }

    /// Neither joined nor stored: the client's own business with the API, within its budget.
    private func bypass(
        _ raw: RawRequest, _ way: WayOut, _ context: RequestContext
    ) async throws(ClientFacingError) -> ServerResponse {
        let provider = way.provider
        var order = raw.order(provider, context.snapshot.settings)
        order.mayRetry = false
        let endpoint = provider.provider.endpointName(for: raw.upstream)
        let limit = order.maxBody
        let upstream = raw.upstream
        let isHead = upstream.method == .head
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, claim: provider.claim(for: raw.upstream),
            hasClientCredentials: raw.sendsClientCredentials,
            classify: { [bodies = engine.bodies] response in
                // For built-in providers Larder asks for gzip whoever the client is. A part of a coded body (206)
                // cannot be read, and is the client's own business.
                // The answer to a HEAD has no form by which an API could say that there is no such thing.
                if isHead, response.status == 404 || response.status == 410 { return .notFound }
                return provider.provider.classify(
                    response.decoded(limit: limit, in: bodies) ?? response, endpoint: endpoint, of: upstream)
            })
        switch await engine.upstream.perform(call) {
        case .failure(let failure): return try await mirrored(failure, way, raw, .bypass, context)
        case .success((let response, _)):
            note(context, explained(raw, provider, forward: .bypass, status: response.status))
            let answer = Answer(
                passedOn: response, way.fields(response.fields, isShared: false, received: response.responseTime),
                Provenance(
                    outcome: .bypass, forward: raw.upstream.method.isSafe ? .bypass : .method,
                    forwardStatus: response.status),
                provider: provider.name)
            return responder.respond(await responder.accepted(answer, by: context.request), to: context)
        }
    }

    private func answer(
        _ served: Served, _ way: WayOut, _ raw: RawRequest, _ context: RequestContext
    ) async -> ServerResponse {
        let provider = way.provider
        let entry = served.entry
        note(context, served.explained(raw.keyParts))
        let isShared = served.provenance.isStored || served.outcome != .miss
        var answer = Answer.of(
            served, way.fields(entry.fields, isShared: isShared, received: entry.responseTime),
            provider: provider.name)
        // `Cache-Status` tells a stored answer as a hit, also where the provider was asked in vain.
        if !served.outcome.isFetched, served.outcome != .joined { answer.provenance.forward = nil }
        answer.isOurs = false
        if served.isDrawn { answer.fields.set("Cache-Control", "no-store") }
        // Only what the store keeps may be ready in memory, else nothing would ever purge it; and only what is anybody's,
        // since memory knows a request by its target alone and not by the key the client sent.
        if provider.claim(for: raw.upstream) != nil {
            answer.fields.set("Cache-Control", "private, no-store")
        } else if entry.status == 200, raw.identity.isEmpty, let stamp = served.ready {
            var keeping = Answer.Keeping(digest: entry.key.digest, stamp: stamp)
            if !ClientCredentials.mayName(context.request.query, provider.about) {
                keeping.row = engine.cache.row(of: served)
            }
            answer.keeping = keeping
        }
        answer.variesByCoding = entry.fields.contains("Content-Encoding")
        return responder.respond(await responder.accepted(answer, by: context.request), to: context)
    }

    /// What is told of a request that its provider was asked for, and whose answer is not kept.
    private func explained(
        _ raw: RawRequest, _ provider: ConfiguredProvider, forward: ForwardReason, status: Int?
    ) -> ExplainedPart {
        var part = ExplainedPart(provider: provider.name)
        part.key = raw.keyParts
        part.outcome = forward == .bypass ? .bypass : .miss
        part.forward = forward
        part.upstreamStatus = status
        part.rule = forward == .bypass ? raw.bypass : nil
        part.isStored = false
        part.sent =
            provider.claim(for: raw.upstream) != nil
            ? .account : provider.settings.key != nil ? .configuredKey : .asItCame
        return part
    }

    private func note(_ context: RequestContext, _ part: ExplainedPart) {
        responder.explanations.note(context.request.id, at: engine.time.wall(), part)
    }

    /// A failure in raw mode is the upstream's own answer, where it gave one.
    private func mirrored(
        _ failure: UpstreamFailure, _ way: WayOut, _ raw: RawRequest, _ forward: ForwardReason,
        _ context: RequestContext
    ) async throws(ClientFacingError) -> ServerResponse {
        let provider = way.provider
        var part = explained(raw, provider, forward: forward, status: failure.response?.status)
        part.note(failure)
        guard let response = failure.response else {
            // Nothing was answered: that the request would have been passed on is told by its rule.
            part.outcome = .none
            part.forward = nil
            note(context, part)
            throw engine.refusal(failure, of: provider.name)
        }
        note(context, part)
        let answer = Answer(
            passedOn: response,
            way.fields(response.fields, isShared: forward != .bypass, received: response.responseTime),
            Provenance(
                outcome: forward == .bypass ? .bypass : .miss, forward: forward, forwardStatus: response.status),
            provider: provider.name)
        return responder.respond(await responder.accepted(answer, by: context.request), to: context)
    }
}
