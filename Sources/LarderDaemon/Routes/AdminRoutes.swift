// Changes of Larder's own state: purge, suspend and resume. Their records require authority: a trusted user on the Unix
// socket, or the token.
import LarderCache
import LarderCore
import LarderEngine
import LarderIO
import LarderProviders
import LarderServer
import LarderShared

struct AdminRoutes: Sendable {
    let engine: Engine

    /// The parameters that select what to purge.
    static let purgeParameters: [RouteParameter] = [
        .query("all", "Everything.", .flag),
        .query("provider", "Entries of this provider (its name in the configuration).", example: "itunes"),
        .query("term", "Entries for requests with this search term.", example: "jack johnson"),
        .query(
            "url", "Entries for this URL, the API's own or one below /raw.", .url,
            example: "/raw/itunes/search?term=jack+johnson"),
        .query("key", "The entry with this digest, in base64url.", .digest, example: RouteParameter.exampleDigest),
        .query(
            "prefix", "Entries whose URL begins with this, the API's own or one below /raw.", .url,
            example: "/raw/itunes/"),
        .query("kind", "Entries of this kind.", .choice(CacheKey.Layer.allCases.map(\.word)), example: "results"),
        .query("olderThan", "Entries that were received longer ago than this.", .duration, example: "7d"),
        .query(
            "layer", "Only what memory holds ready. The store keeps its entries. Not with other parameters.",
            .choice(["memory"])),
        .query("soft", "Expire the entries instead of removing them.", .flag),
    ]

    /// `DELETE /v1/cache` with exactly one of `all=1`, `provider=`, `term=` (with or without `provider=`), `url=` or
    /// `key=`, or with any of `provider=`, `prefix=`, `kind=` and `olderThan=` together, which must all match, or with
    /// `layer=memory` alone. `soft=1` expires entries instead of removing them, so they still cover for an outage. A URL
    /// is an API's own or one below `/raw`. It selects its own entry and entries of other queries that answer it. A
    /// repeated purge removes nothing more (RFC 9110 §9.2.2).
    func purge(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        // A purge must do exactly what was asked, or nothing.
        let query = try request.values(Self.purgeParameters)
        if query["layer"] != nil { return try await emptyMemory(request, route: route) }
        let isSoft = query.flag("soft") ?? false
        var orders = try orders(query)
        // Must run before `endOtherQueries`, which makes entries no longer answer other queries.
        await addEquivalents(&orders)
        engine.endOtherQueries(of: nil)
        let purged = await engine.cache.purge(orders.selectors, soft: isSoft)
        if let error = purged.failure {
            // Part of the purge may have been done.
            engine.log.error("purge failed", ["error": "\(error)"])
            throw ClientFacingError(
                status: 503, code: "storeUnavailable",
                detail: "The store could not be changed. The purge stopped.",
                retryable: true)
        }
        let count = purged.count
        let isKept = purged.survivesRestart
        let fleet = await engine.cache.confirmed(purged.fleet)
        engine.log.notice("purged", ["entries": String(count), "soft": String(isSoft)])
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("purged", count)
            writer.member("soft", isSoft)
            if purged.isPending {
                // The purge is already in effect: none of these entries is used any more.
                writer.member("pending", true)
                writer.member("survivesRestart", isKept)
                writer.member(
                    "reason",
                    "The purge cannot be written to the disk now. Its entries are not used any more. Larder tries "
                        + "again until it is written."
                        + (isKept ? "" : " A restart before that would undo it."))
            } else if count == 0 {
                writer.member("reason", orders.reason)
            }
            if let fleet {
                writer.member("told", fleet.isTold)
                if let hosts = fleet.unconfirmed { writer.member("unconfirmed", strings: hosts) }
            }
        }
        return .json(writer.bytes, route: route)
    }

    /// `layer=memory`: empties the memory tier. What the database keeps ready fills it again.
    private func emptyMemory(
        _ request: ServerRequest, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        guard try request.parameters().items.count == 1 else {
            throw .conflicting("layer", "\"layer\" cannot be combined with other parameters.")
        }
        // There may be a hundred thousand responses, so this is done away from the loop.
        let count = await engine.compute.run { [memory = engine.cache.memory] in memory.empty() }
        engine.log.notice("memory emptied", ["responses": String(count)])
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("purged", count)
            writer.member("layer", "memory")
            writer.member("reason", count == 0 ? "Memory held nothing." : "The store keeps its entries.")
        }
        return .json(writer.bytes, route: route)
    }

    /// `POST /v1/providers/{name}/resume`: ends a suspension and forgets remembered failures.
    func resume(name: String, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        guard let provider = snapshot.providers.named(name), await engine.upstream.resume(provider.name) else {
            throw .unknownProvider(name, among: snapshot.providers.all.map(\.name), parameter: "name")
        }
        engine.flights.forgetFailures()
        engine.log.notice("resumed by hand", ["provider": provider.name])
        var writer = JSONWriter()
        writer.object { $0.member("resumed", provider.name) }
        return .json(writer.bytes, route: route)
    }

    /// How long a provider is suspended by hand, if the request does not tell.
    private static let suspension = Duration.seconds(600)

    /// The parameters of a suspension. A day is the longest.
    static let suspensionParameters: [RouteParameter] = [
        .path("name", "The provider's name in the configuration.", example: "itunes"),
        .query(
            QuestionParameter(
                "for",
                .pattern(
                    (["[1-9][0-9]{0,3}s", "[1-9]h", "1[0-9]h", "2[0-4]h", "1d"]
                        + ["[1-9][0-9]{0,2}", "1[0-3][0-9][0-9]", "14[0-3][0-9]", "1440"].flatMap {
                            ["\($0)m", "\($0)min"]
                        }).map { "^\($0)$" }.joined(separator: "|")),
                "The length of the suspension, at most 24h.", example: "1h", default: "10min"
            ).saying("\"for\" must be a duration of up to 24h, such as 10min, not \"{value}\".")),
    ]

    /// `POST /v1/providers/{name}/suspend?for=10m`: no call is made to the provider during that time.
    func suspend(
        _ request: ServerRequest, name: String, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let values = try request.values(Self.suspensionParameters)
        let length = try values.duration("for")
        let providers = engine.snapshot.providers
        guard let provider = providers.named(name),
            let until = await engine.upstream.suspend(provider.name, for: length ?? Self.suspension)
        else { throw .unknownProvider(name, among: providers.all.map(\.name), parameter: "name") }
        engine.log.notice("suspended by hand", ["provider": provider.name, "until": until.rfc3339])
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("suspended", provider.name)
            writer.member("until", until.rfc3339)
        }
        return .json(writer.bytes, route: route)
    }

    /// What to purge, and why nothing might be found.
    private struct Orders {
        /// All selectors are carried out, whatever the earlier ones found.
        var selectors: [PurgeSelector]
        var reason: String
        /// The places that a URL leads to.
        var places: [PurgeURL.Place] = []
    }

    /// Adds entries of other queries that answer the same URL (No-Vary-Search). They go with its own entry.
    private func addEquivalents(_ orders: inout Orders) async {
        let providers = engine.snapshot.providers
        for place in orders.places {
            guard let provider = providers.named(place.provider) else { continue }
            let keys = await engine.equivalents(of: place.request, at: provider)
            orders.selectors += keys.map { .digest($0.digest) }
        }
    }

    private func orders(_ query: ParameterValues) throws(ClientFacingError) -> Orders {
        let provider = try query["provider"].map { (name) throws(ClientFacingError) -> String in
            let providers = engine.snapshot.providers
            guard let known = providers.named(name) else {
                let all = providers.all.map(\.name)
                throw .invalid("provider", UnknownProvider.sentence("provider", name, among: all), allowed: all)
            }
            return known.name
        }
        var found: [Orders] = []
        if query.flag("all") == true { found.append(Orders(selectors: [.all], reason: "Nothing is stored.")) }
        if let term = query["term"] {
            let of = provider.map { " of \($0)" } ?? ""
            found.append(
                Orders(
                    selectors: [.term(term, provider: provider)], reason: "No stored request\(of) holds \"\(term)\"."
                ))
        }
        if let url = query["url"] {
            // With a term, a URL is one selector too many, whatever it is.
            let isAlone = query["term"] == nil
            found.append(
                isAlone ? try Self.orders(url: url, provider, engine.snapshot) : Orders(selectors: [], reason: ""))
        }
        let condition = try EntryCondition(query, provider: provider, engine)
        if condition.isAsked {
            found.append(
                Orders(
                    selectors: condition.all.map(PurgeSelector.matching),
                    reason: "No stored entry is of that \(condition.words)."))
        } else if let provider, query["term"] == nil, query["url"] == nil {
            found.append(Orders(selectors: [.provider(provider)], reason: "Nothing of \(provider) is stored."))
        }
        if let key = query["key"] {
            guard let bytes = Base64URL.decode(key), let digest = Digest(bytes: bytes) else {
                throw .invalid("key", "\"key\" is the base64url form of a key's digest.")
            }
            found.append(Orders(selectors: [.digest(digest)], reason: "No entry has that digest."))
        }
        guard let orders = found.first, found.count == 1 else {
            throw ClientFacingError(
                status: 400, code: "missingParameter",
                detail:
                    "Give exactly one of these. Only provider, prefix, kind and olderThan can be combined.",
                allowed: [
                    "all=1", "provider=", "term=", "url=", "key=", "prefix=", "kind=", "olderThan=", "layer=memory",
                ])
        }
        return orders
    }

    private static func orders(
        url: String, _ provider: String?, _ snapshot: Snapshot
    ) throws(ClientFacingError) -> Orders {
        let read = try PurgeURL(url, providers: snapshot.providers, settings: snapshot.settings)
        var places = read.places
        if let provider { places.removeAll { $0.provider != provider } }
        let names = places.map(\.provider).joined(separator: ", ")
        // The key finds the canonical entry whatever the spelling. The label finds variants, and answers to clients
        // with keys of their own. A URL without a place may have a base URL from before the settings changed.
        let labelled = places.isEmpty ? [url] : places.map(\.url)
        return Orders(
            selectors: places.map { .digest($0.key.digest) } + labelled.map { .url($0, provider: provider) },
            reason: places.isEmpty ? noPlace(read, snapshot) : "Nothing is stored of \(names) for that URL.",
            places: places)
    }

    private static func noPlace(_ url: PurgeURL, _ snapshot: Snapshot) -> String {
        guard let name = url.unknown else {
            return "This URL is not below the base URL of any provider, and nothing is stored for it."
        }
        let sentence = UnknownProvider.sentence("provider", name, among: snapshot.providers.all.map(\.name))
        return sentence + " No stored request holds that URL."
    }
}
