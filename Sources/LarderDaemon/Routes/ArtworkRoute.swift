// `/v1/artwork/{handle}`: an image that some result named. Only what is a whole image, by its own bytes, is ever stored;
// an image that is not there is remembered as such for a short time.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings
import LarderStore

struct ArtworkRoute: Sendable {
    let engine: Engine
    let responder: Responder

    func image(_ request: ServerRequest, handle: String, route: String) async throws(ClientFacingError)
        -> ServerResponse
    {
        guard let (name, url) = engine.signer.open(handle) else {
            throw ClientFacingError(
                status: 404, code: "unknownHandle", detail: "This is no artwork handle of this daemon.",
                parameter: "handle")
        }
        let snapshot = engine.snapshot
        guard let provider = snapshot.providers.named(name), let permission = provider.imageHosts.permits(url) else {
            throw ClientFacingError(
                status: 403, code: "forbiddenHost", detail: "Images of \(name) may not come from that host.",
                provider: name, failure: .refused, retryable: false)
        }
        let settings = snapshot.settings
        let rule = FreshnessRule(
            semantics: .ttl, ttl: settings.artworkTTL, staleWindow: settings.artworkTTL,
            emptyTTL: settings.artworkMissingTTL,
            negativeTTL: settings.artworkMissingTTL, jitterPercent: settings.staleJitter,
            retention: provider.about.retention)
        let key = CacheKey(
            layer: .artwork, provider: name, endpoint: "image", parameters: [KeyParameter("url", permission.url)])
        let directives = ClientDirectives(fields: request.fields)
        let served: Served
        do {
            served = try await EntryRequest(
                engine: engine,
                recipe: EntryRecipe(engine.cache, key, provider: name) { _ in
                    await self.fetch(key, provider, permission, rule, settings, directives)
                },
                terms: RequestTerms(
                    directives: directives,
                    judge: .configured(rule, staleWhileRefresh: provider.settings.staleWhileRefresh),
                    patience: settings.fetchSoftDeadline)
            ).served()
        } catch {
            engine.countFailure(name)
            var failure = error
            if failure.provider.isEmpty { failure.provider = name }
            throw failure.clientFacing(now: engine.time.wall())
        }
        return try answer(served, provider, request, route)
    }

    private func answer(
        _ served: Served, _ provider: ConfiguredProvider, _ request: ServerRequest, _ route: String
    ) throws(ClientFacingError) -> ServerResponse {
        let entry = served.entry
        let now = engine.time.wall()
        guard !entry.isNegative else {
            engine.count(served.outcome, of: provider.name)
            throw ClientFacingError(
                status: 404, code: "noData", detail: "There is no image at the address that the result named.",
                provider: provider.name, failure: .notFound, retryable: false,
                fields: [
                    "Cache-Status": CacheStatus.render(
                        outcome: served.outcome, ttl: (entry.freshUntil - now).wholeSeconds, fwdStatus: nil,
                        stored: nil, collapsed: served.outcome == .joined, fwdReason: served.provenance.forward)
                ])
        }
        var fields = entry.fields
        // The handle names one URL for ever; what an image server changes under a URL is seen after our own lifetime.
        let lifetime = max(0, (entry.freshUntil - entry.responseTime).milliseconds / 1000)
        fields.set("Cache-Control", "private, max-age=\(lifetime), immutable")
        fields.set("X-Content-Type-Options", "nosniff")
        fields.set("Content-Security-Policy", "default-src 'none'; sandbox")
        var answer = Answer.of(served, fields, provider: provider.name, route: route)
        answer.digest = entry.key.digest
        answer.ready = served.ready
        answer.row = engine.cache.row(of: served)
        return responder.respond(answer, to: request)
    }

    private func fetch(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives
    ) async -> FlightResult {
        let began = engine.cache.begin(key)
        if let entry = await engine.cache.fresh(key, directives, rule) {
            return .answered(Made(found: entry))
        }
        let hosts = provider.imageHosts
        let order = FetchOrder(
            url: permission.url, fields: ["Accept": "image/*"], addresses: permission.addresses,
            maxBody: Int(clamping: settings.artworkMaxSize), deadline: settings.fetchDeadline, maxRedirects: 3,
            permits: { hosts.permitsRedirect(to: $0) })
        let about = provider.about
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: false,
            classify: { response in
                // What stands in the place of a picture that is gone is no picture.
                let isRemoved = [permission.url, response.url].contains { about.isRemovedPicture($0) }
                return isRemoved ? .notFound : Self.classify(response)
            })
        switch await engine.upstream.perform(call) {
        case .failure(let failure): return .failed(failure)
        case .success((let response, let classification)):
            let request = UpstreamRequest(path: permission.url)
            // A digest over megabytes, and this runs on the loop of all fetches.
            let fields = await engine.compute.run { Self.fields(response) }
            let decision = StorePolicy.decide(
                request: request, requestFields: [:], response: response, classification: classification, rule: rule,
                key: key)
            var entry = StoredResponse(
                key: key, layer: .artwork, provider: provider.name, endpoint: "image",
                isNegative: classification == .notFound, fields: fields,
                body: classification == .notFound ? [] : response.body, requestTime: response.requestTime,
                responseTime: response.responseTime, freshUntil: response.responseTime,
                staleUntil: response.responseTime, label: "GET \(permission.url)")
            guard case .store(let lifetimes) = decision, !directives.noStore else {
                return .answered(Made(entry: entry, hold: response.hold))
            }
            entry.freshUntil = lifetimes.freshUntil
            entry.staleUntil = lifetimes.staleUntil
            entry.isNegative = lifetimes.isNegative
            let written = await engine.cache.write(entry, since: began)
            return .answered(Made(entry: entry, written: written, hold: response.hold))
        }
    }

    /// What the image's own bytes say, whatever its type claims: an HTML page or a cut-off image is never an answer.
    private static func classify(_ response: UpstreamResponse) -> Classification {
        switch response.status {
        case 200:
            guard !response.fields.contains("Content-Encoding"), let image = MediaType.sniffImage(response.body) else {
                return .broken("What came is no image.")
            }
            return image.isComplete ? .data : .broken("The image is cut off.")
        case 403, 404, 410: return .notFound
        case 429: return .limited(until: nil)
        default: return .broken("The image server answered \(response.status).")
        }
    }

    private static func fields(_ response: UpstreamResponse) -> HeaderFields {
        guard let image = MediaType.sniffImage(response.body) else { return [:] }
        let tag = Base64URL.encode(Digest(of: response.body).bytes.prefix(12))
        var fields: HeaderFields = ["Content-Type": image.type, "ETag": "\"\(tag)\""]
        if let modified = response.fields.first("Last-Modified"),
            let time = HTTPDate.parse(modified, now: response.responseTime), time <= response.responseTime
        {
            fields.add("Last-Modified", HTTPDate.format(time))
        }
        return fields
    }
}
