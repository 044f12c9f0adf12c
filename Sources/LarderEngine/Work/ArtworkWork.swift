// Fetches images. An image is stored only if its own bytes show that it is a complete image. A missing image is
// remembered for a short time.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// Fetches images.
public struct ArtworkWork: Sendable {
    let engine: Engine

    /// Creates the work of an engine.
    public init(engine: Engine) {
        self.engine = engine
    }

    /// Returns the recipe of an image.
    /// - Parameters:
    ///   - permission: the URL and addresses that the image may be fetched from.
    ///   - directives: the client's demands. An answer that the client forbids to store is not stored.
    public func recipe(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives
    ) -> EntryRecipe {
        EntryRecipe(engine.cache, key, provider: provider.name) { _ in
            await self.fetch(key, provider, permission, rule, settings, directives)
        }
    }

    private func fetch(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives
    ) async -> FlightResult {
        let began = engine.cache.begin(key)
        if let entry = await engine.cache.fresh(key, directives, rule) {
            return .answered(Made(found: entry))
        }
        let question = SharedQuestion(
            key: key, provider: provider, directives: directives, rule: rule, began: began,
            isStored: !directives.noStore)
        return await engine.shared(question) {
            await call(key, provider, permission, rule, settings, directives, began)
        }
    }

    // More than six parameters: those of a recipe, and when it began.
    private func call(
        _ key: CacheKey, _ provider: ConfiguredProvider, _ permission: ImageHosts.Permission, _ rule: FreshnessRule,
        _ settings: Settings, _ directives: ClientDirectives, _ began: RemovalStamp
    ) async -> FlightResult {
        let hosts = provider.imageHosts
        let order = FetchOrder(
            url: permission.url, fields: ["Accept": "image/*"], addresses: permission.addresses,
            maxBody: Int(clamping: settings.artwork.maxSize), deadline: settings.fetch.deadline, maxRedirects: 3,
            permits: { hosts.permitsRedirect(to: $0) })
        let about = provider.about
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: false,
            classify: { response in
                // A placeholder for a removed picture counts as an absence.
                let isRemoved = [permission.url, response.url].contains { about.isRemovedPicture($0) }
                return isRemoved ? .notFound : Self.classify(response)
            })
        switch await engine.upstream.perform(call) {
        case .failure(let failure): return .failed(failure)
        case .success((let response, let classification)):
            let request = UpstreamRequest(path: permission.url)
            // The digest covers megabytes, so it is computed away from the loop.
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

    /// Classifies by the image's own bytes, whatever its type says. An HTML page or a truncated image is never an
    /// answer.
    private static func classify(_ response: UpstreamResponse) -> Classification {
        switch response.status {
        case 200:
            guard !response.fields.contains("Content-Encoding"), let image = MediaType.sniffImage(response.body) else {
                return .broken("The answer is not an image.")
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
