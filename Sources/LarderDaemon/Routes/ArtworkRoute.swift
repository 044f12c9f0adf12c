// `/v1/artwork/{handle}`: an image that a result named.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings

struct ArtworkRoute: Sendable {
    let engine: Engine
    let responder: Responder

    func image(_ request: ServerRequest, handle: String, route: RouteName) async throws(ClientFacingError)
        -> ServerResponse
    {
        guard let (name, url) = engine.signer.open(handle) else {
            throw ClientFacingError(
                status: 404, code: "unknownHandle", detail: "This is not an artwork handle of this daemon.",
                parameter: "handle")
        }
        let snapshot = engine.snapshot
        guard let provider = snapshot.providers.named(name), let permission = provider.imageHosts.permits(url) else {
            throw ClientFacingError(
                status: 403, code: "forbiddenHost",
                detail: "Images of \(name) must not come from that host: see providers.\(name).imageHosts.",
                provider: name, failure: .refused, retryable: false)
        }
        let settings = snapshot.settings
        let rule = FreshnessRule(
            semantics: .ttl, ttl: settings.artwork.ttl, staleWindow: settings.artwork.ttl,
            emptyTTL: settings.artwork.missingTTL,
            negativeTTL: settings.artwork.missingTTL, jitterPercent: settings.cache.jitter,
            retention: provider.about.retention)
        let key = CacheKey(
            layer: .artwork, provider: name, endpoint: "image", parameters: [KeyParameter("url", permission.url)])
        let directives = ClientDirectives(fields: request.fields)
        let served: Served
        do {
            served = try await EntryRequest(
                engine: engine,
                recipe: engine.artworkRecipe(key, provider, permission, rule, settings, directives),
                terms: RequestTerms(
                    directives: directives,
                    judge: .configured(rule, staleWhileRefresh: provider.settings.staleWhileRefresh),
                    patience: settings.fetch.softDeadline)
            ).served()
        } catch {
            engine.countFailure(name)
            throw error.clientFacing(now: engine.time.wall())
        }
        return try answer(served, provider, RequestContext(request: request, snapshot: snapshot, route: route))
    }

    private func answer(
        _ served: Served, _ provider: ConfiguredProvider, _ context: RequestContext
    ) throws(ClientFacingError) -> ServerResponse {
        let entry = served.entry
        let now = engine.time.wall()
        guard !entry.isNegative else {
            engine.count(served.outcome, of: provider.name)
            throw ClientFacingError(
                status: 404, code: "noData", detail: "There is no image at the address in the result.",
                provider: provider.name, failure: .notFound, retryable: false,
                fields: [
                    "Cache-Status": CacheStatus.render(
                        outcome: served.outcome, ttl: (entry.freshUntil - now).wholeSeconds, fwdStatus: nil,
                        stored: nil, collapsed: served.outcome == .joined, fwdReason: served.provenance.forward)
                ])
        }
        var fields = entry.fields
        // A handle always names the same URL. A change of the image at that URL is noticed after Larder's own lifetime.
        let lifetime = max(0, (entry.freshUntil - entry.responseTime).milliseconds / 1000)
        fields.set(.cacheControl, "private, max-age=\(lifetime), immutable")
        fields.set(.xContentTypeOptions, "nosniff")
        fields.set(.contentSecurityPolicy, "default-src 'none'; sandbox")
        var answer = Answer.of(served, fields, provider: provider.name)
        answer.keeping = served.ready.map { stamp in
            Answer.Keeping(digest: entry.key.digest, stamp: stamp, row: engine.cache.row(of: served))
        }
        return responder.respond(answer, to: context)
    }
}
