// `/raw/{provider}/…` and listeners at a provider's root: the API's own bytes, status and fields, through the same
// cache. The typed routes use the same raw entry.
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
    let tunnels: TunnelConnector
    let secrets: SecretRegistry

    /// - Parameter path: the path below the provider's root, percent-encoded as received, beginning with "/".
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

    /// Begins to answer a GET on its loop: see `PassRoute.begin`.
    func begin(
        _ client: ServerRequest, provider name: String, path: String, route: RouteName, on loop: EventLoop,
        _ done: @escaping @Sendable (LoopOutcome<ServerResponse, ClientFacingError>) -> Void
    ) -> (@Sendable () -> Void)? {
        let snapshot = engine.snapshot
        guard let provider = Self.provider(named: name, for: client, snapshot), provider.settings.enabled,
            provider.isPassthrough, provider.isConfigured,
            // The admin token may have to be taken out.
            !client.fields.contains(.authorization),
            Self.upgrade(client, provider) == nil
        else {
            done(
                .rest { () throws(ClientFacingError) in
                    try await pass(client, provider: name, path: path, route: route)
                })
            return nil
        }
        let way = WayOut(
            client, provider: provider, name: name, path: UpstreamPath.withoutSingleDots(path), snapshot.settings)
        return PassRoute(engine: engine, responder: responder).begin(
            RequestContext(request: client, snapshot: snapshot, route: route), way, on: loop, done)
    }

    private static func upgrade(_ client: ServerRequest, _ provider: ConfiguredProvider) -> ProtocolUpgrade? {
        ProtocolUpgrade(client.fields, isVersion10: client.isVersion10, others: provider.settings.upgrades)
    }

    /// The providers of the proxy's hosts are reached through the proxy only: its rules come first.
    private static func provider(
        named name: String, for client: ServerRequest, _ snapshot: Snapshot
    ) -> ConfiguredProvider? {
        guard !name.hasPrefix(ProxySettings.prefix) || client.proxied != nil else { return nil }
        return snapshot.providers.named(name)
    }

    /// - Parameters:
    ///   - given: the context whose request lacks the admin token.
    ///   - client: the request as received. It decides what the client may do.
    private func pass(
        _ given: RequestContext, of client: ServerRequest, provider name: String, path: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = given.snapshot
        guard let provider = Self.provider(named: name, for: client, snapshot) else {
            throw .unknownProvider(name, among: snapshot.providers.all.map(\.name))
        }
        guard provider.settings.enabled else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
        let way = WayOut(
            client, provider: provider, name: name, path: UpstreamPath.withoutSingleDots(path), snapshot.settings)
        if provider.isPassthrough {
            // Without its configured key the request would be a different one.
            guard provider.isConfigured else { throw provider.notConfigured.clientFacing(now: engine.time.wall()) }
            return try await passOn(given, of: client, way)
        }
        var context = given
        var raw = try RawRequest(context.request, provider: provider, path: way.path)
        guard !provider.about.needsKey || raw.hasCredentials else {
            throw provider.notConfigured.clientFacing(now: engine.time.wall())
        }
        // An account's data is not for everybody on this machine. For example, it contains the secrets by which images
        // are deleted.
        let claim = provider.claim(for: raw.upstream)
        if claim != nil { try Authority.check(client, snapshot.settings, what: "Answers for an account") }
        // The key, and a form that repeats the query, have been read. Without them, memory can hold the answer.
        context.request.fields = raw.fields
        if raw.bypass != .requestBody { context.request.body = [] }
        let constancy = raw.identity.isEmpty ? provider.provider.constancy(of: raw.upstream) : .constant
        if case .fleeting = constancy, raw.bypass == nil { raw.bypass = .fleeting }
        let directives = ClientDirectives(fields: context.request.fields)
        let question = raw.question(provider, directives, snapshot.settings)
        let sent: Result<UpstreamResponse, UpstreamFailure>
        do throws(UpstreamFailure) {
            guard raw.bypass != nil else {
                let pool: PoolTerms? = if case .pooled(let terms) = constancy { terms } else { nil }
                return await answer(try await engine.obtain(question, from: pool), way, raw, context)
            }
            sent = .success(try await engine.send(question))
        } catch {
            sent = .failure(error)
        }
        return try await mirrored(sent, way, raw, context)
    }

    private func passOn(
        _ context: RequestContext, of client: ServerRequest, _ way: WayOut
    ) async throws(ClientFacingError) -> ServerResponse {
        guard let upgrade = Self.upgrade(client, way.provider) else {
            return try await PassRoute(engine: engine, responder: responder).pass(context, way)
        }
        return try await UpgradeRoute(engine: engine, tunnels: tunnels, secrets: secrets).pass(context, way, upgrade)
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
        // `Cache-Status` reports a stored response as a hit, even if the provider was asked in vain.
        if !served.outcome.isFetched, served.outcome != .joined { answer.provenance.forward = nil }
        answer.isOurs = false
        if served.isDrawn { answer.fields.set(.cacheControl, "no-store") }
        // Only a stored answer may be ready in memory, or no purge would remove it. It must also be the same for all
        // clients, because memory identifies a request by its target only and not by the client's key.
        if provider.claim(for: raw.upstream) != nil {
            answer.fields.set(.cacheControl, "private, no-store")
        } else if entry.status == 200, raw.identity.isEmpty, let stamp = served.ready {
            var keeping = Answer.Keeping(digest: entry.key.digest, stamp: stamp)
            if !ClientCredentials.mayName(context.request.query, provider.about) {
                keeping.row = engine.cache.row(of: served)
            }
            answer.keeping = keeping
        }
        answer.variesByCoding = entry.fields.contains(.contentEncoding)
        return responder.respond(await responder.accepted(answer, by: context.request), to: context)
    }

    private func note(_ context: RequestContext, _ part: ExplainedPart) {
        responder.explanations.note(context.request.id, at: engine.time.wall(), part)
    }

    /// Answers with what the provider sent for this request and what is not stored. In raw mode a failure is the
    /// upstream's own response, if there is one.
    private func mirrored(
        _ outcome: Result<UpstreamResponse, UpstreamFailure>, _ way: WayOut, _ raw: RawRequest,
        _ context: RequestContext
    ) async throws(ClientFacingError) -> ServerResponse {
        let provider = way.provider
        let isBypass = raw.bypass != nil
        var part = ExplainedPart(provider: provider.name)
        part.key = raw.keyParts
        part.rule = raw.bypass
        part.isStored = false
        part.sent =
            provider.claim(for: raw.upstream) != nil
            ? .account : provider.settings.key != nil ? .configuredKey : .asItCame
        let response: UpstreamResponse
        switch outcome {
        case .success(let received): response = received
        case .failure(let failure):
            part.whole.note(failure)
            guard let received = failure.response else {
                // The part's rule says that the request would have been passed on.
                part.outcome = .none
                note(context, part)
                throw engine.refusal(failure, of: provider.name)
            }
            response = received
        }
        let provenance = Provenance(
            outcome: isBypass ? .bypass : .miss, forward: isBypass ? .bypass : .uriMiss, forwardStatus: response.status)
        part.outcome = provenance.outcome
        part.forward = provenance.forward
        part.upstreamStatus = response.status
        note(context, part)
        let answer = Answer(
            passedOn: response,
            way.fields(response.fields, isShared: !isBypass, received: response.responseTime), provenance,
            provider: provider.name)
        return responder.respond(await responder.accepted(answer, by: context.request), to: context)
    }
}
