// A provider for an API that does not exist, as Docs/writing-a-provider.md shows it. It stands outside the room of the
// providers, so it uses only what is public; a built-in one finds more tools there.
//
// The API has one route, GET /trees?name=TEXT, and answers {"trees": [{"id", "name", "note", "picture"}, …]}.
import LarderCore
import LarderProviders

/// The trees of an invented orchard.
public struct ExampleProvider: Provider {
    public init() {}

    public let about = ProviderAbout(
        name: "orchard", routePrefix: "orchard", title: "Orchard", defaultBaseURL: "https://api.orchard.example",
        endpoints: [EndpointAbout("trees", ttl: .seconds(3600), summary: "/trees: trees by name")],
        emptyTTL: .seconds(300), negativeTTL: .seconds(60), staleFor: .seconds(86_400),
        defaultRate: CallRate(calls: 30, per: .seconds(60)), imageHosts: ["pictures.orchard.example"],
        categories: ["trees"], credentialParameters: ["key"], credentialFieldNames: ["X-Orchard-Key"],
        terms: "Free for everybody, thirty calls a minute.")

    // example: question
    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        guard path == ["trees"] else {
            throw ClientFacingError(
                status: 404, code: "noRoute", detail: "Orchard has no such route.", provider: "orchard")
        }
        var name: String?
        for item in query.items {
            guard item.name == "name" else { throw .unknown(item.name, allowed: ["name"]) }
            guard name == nil else { throw .invalid("name", "\"name\" is given twice.") }
            name = item.value ?? ""
        }
        guard let name = Self.folded(name ?? "") else { throw .missing("name", "Which trees? name=…") }
        return question(name)
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        guard let name = Self.folded(request.term) else { throw .missing("q", "A search needs a term.") }
        return question(name)
    }

    private func question(_ name: String) -> Endpoint {
        var writer = JSONWriter()
        writer.object { $0.member("name", name) }
        return Endpoint(
            provider: about.name, name: "trees", parameters: [KeyParameter("name", name)],
            upstream: canonical(UpstreamRequest(path: "/trees", query: QueryParameters([.init("name", name)]).encoded)),
            query: writer.bytes, normalise: Self.normalise)
    }

    /// What does not matter to this API is gone: case and white space.
    private static func folded(_ text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ").lowercased()
    }
    // example: end

    // example: canonical
    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        var request = request
        // A query that cannot be decoded is its own question.
        guard request.path == "/trees", let text = request.query, let query = try? QueryParameters(parsing: text) else {
            return request
        }
        let kept = query.items.filter { !about.credentialParameters.contains($0.name) }
            .map { QueryParameters.Item($0.name, $0.name == "name" ? $0.value.flatMap(Self.folded) : $0.value) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        request.query = kept.isEmpty ? nil : QueryParameters(kept).encoded
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        request.path == "/trees" ? "trees" : "other"
    }

    public func credentialFields(key: String) -> HeaderFields { ["X-Orchard-Key": key] }
    // example: end

    // example: classify
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: break
        case 404: return .notFound
        case 429: return .limited(until: nil)
        case 401, 403: return .refused("Orchard answered \(response.status).")
        case 400..<500: return .invalidRequest("Orchard answered \(response.status).")
        default: return .broken("Orchard answered \(response.status).")
        }
        if endpoint == "other" { return .data }
        guard let root = try? JSON.parse(response.body), let trees = root["trees"], trees.kind == .array else {
            return .broken("The answer has no list of trees.")
        }
        return trees.count == 0 ? .empty : .data
    }
    // example: end

    // example: normalise
    private static func normalise(
        _ response: UpstreamResponse, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        guard let root = try? JSON.parse(response.body), let trees = root["trees"], trees.kind == .array else {
            throw NormaliseError(provider: "orchard", message: "The answer has no list of trees.")
        }
        var count = 0
        var dropped: [String: Int] = [:]
        var writer = JSONWriter()
        writer.array { writer in
            for tree in trees.elements {
                // Without an id nothing could refer to it, without a title nobody could choose it.
                guard let id = tree["id"]?.integer, let title = tree["name"]?.string, !title.isEmpty else {
                    dropped["id or name", default: 0] += 1
                    continue
                }
                count += 1
                writer.object { writer in
                    writer.member("id", "orchard:tree:\(id)")
                    writer.member("provider", "orchard")
                    writer.member("kind", "tree")
                    writer.member("title", title)
                    writer.member(ifPresent: "summary", tree["note"]?.string)
                    guard let picture = tree["picture"]?.string, picture.hasPrefix("https://") else { return }
                    writer.name("artwork")
                    writer.object { writer in
                        let path = signer.path(provider: "orchard", url: picture)
                        writer.member("small", path)
                        writer.member("large", path)
                        writer.member("original", picture)
                    }
                }
            }
        }
        return NormalisedAnswer(
            results: writer.bytes, count: count, dropped: dropped.values.reduce(0, +), droppedReasons: dropped)
    }
    // example: end
}
