// Changes of Larder's own state: purge and resume. They need authority: a trusted user on the Unix socket, or the token.
import LarderCache
import LarderCore
import LarderProviders
import LarderServer
import LarderStore

struct AdminRoutes: Sendable {
    let context: DaemonContext

    /// `DELETE /v1/cache` with exactly one of `all=1`, `provider=`, `term=` (with or without `provider=`), `url=`,
    /// `key=`; `soft=1` expires instead of removing, so that the entries still cover for an outage.
    func purge(_ request: ServerRequest, route: String) async throws(ClientFacingError) -> ServerResponse {
        try Authority.check(request, context.snapshot.settings)
        let query = try request.parameters()
        // A purge must do what was said or nothing.
        try query.check(only: ["all", "provider", "term", "url", "key", "soft"])
        let isSoft = try Self.flag(query, "soft")
        let selector = try selector(query)
        let count: Int
        // Before it begins, for what is under way; and again after it, for what was read meanwhile.
        context.tier.remove(nil)
        do {
            count = try await context.store.purge(selector, soft: isSoft)
        } catch {
            // Some of it may be purged all the same.
            context.tier.remove(nil)
            context.log.error("purge failed", ["error": "\(error)"])
            throw ClientFacingError(
                status: 503, code: "storeUnavailable",
                detail: "The store could not be changed; nothing more was purged.",
                retryable: true)
        }
        // Merged answers name several parents, so memory forgets all: it fills again from the store at once.
        context.tier.remove(nil)
        context.log.notice("purged", ["entries": String(count), "soft": String(isSoft)])
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("purged", count)
            writer.member("soft", isSoft)
        }
        return Self.json(writer.bytes, route: route)
    }

    /// `POST /v1/providers/{name}/resume`: ends a suspension and forgets remembered failures.
    func resume(_ request: ServerRequest, name: String, route: String) async throws(ClientFacingError) -> ServerResponse
    {
        let snapshot = context.snapshot
        try Authority.check(request, snapshot.settings)
        guard let provider = snapshot.providers.named(name), await context.upstream.resume(provider.name) else {
            throw ClientFacingError(
                status: 404, code: "unknownProvider", detail: "There is no provider \"\(name)\".",
                parameter: "name", allowed: snapshot.providers.all.map(\.name))
        }
        await context.flights.forgetFailures()
        context.log.notice("resumed by hand", ["provider": provider.name])
        var writer = JSONWriter()
        writer.object { $0.member("resumed", provider.name) }
        return Self.json(writer.bytes, route: route)
    }

    private func selector(_ query: QueryParameters) throws(ClientFacingError) -> PurgeSelector {
        let provider = try query["provider"].map { (name) throws(ClientFacingError) -> String in
            let providers = context.snapshot.providers
            guard let known = providers.named(name) else {
                throw .invalid("provider", "There is no provider \"\(name)\".", allowed: providers.all.map(\.name))
            }
            return known.name
        }
        var selectors: [PurgeSelector] = []
        if try Self.flag(query, "all") { selectors.append(.all) }
        for name in ["term", "url"] {
            guard let term = query[name] else { continue }
            guard !term.isEmpty else { throw .invalid(name, "An empty \(name) would purge everything: say all=1.") }
            selectors.append(.term(term, provider: provider))
        }
        if let provider, query["term"] == nil, query["url"] == nil { selectors.append(.provider(provider)) }
        if let key = query["key"] {
            guard let bytes = Base64URL.decode(key), let digest = Digest(bytes: bytes) else {
                throw .invalid("key", "\"key\" is the base64url form of a key's digest.")
            }
            selectors.append(.digest(digest))
        }
        guard let selector = selectors.first, selectors.count == 1 else {
            throw ClientFacingError(
                status: 400, code: "missingParameter", detail: "Say what to purge, by exactly one of these.",
                allowed: ["all=1", "provider=", "term=", "url=", "key="])
        }
        return selector
    }

    private static func flag(_ query: QueryParameters, _ name: String) throws(ClientFacingError) -> Bool {
        switch query[name] {
        case nil, "0", "false": false
        case "", "1", "true": true
        default: throw .invalid(name, "\"\(name)\" is 1 or 0.", allowed: ["1", "0"])
        }
    }

    private static func json(_ bytes: Bytes, route: String) -> ServerResponse {
        var response = ServerResponse(status: 200)
        response.fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        response.body = .bytes(bytes)
        response.route = route
        return response
    }
}
