// A provider for an API that does not exist, as shown in Docs/writing-a-provider.md. It is outside the room of the
// providers, so it uses only public declarations. Built-in providers can use more helpers of that room.
//
// The API has two routes: GET /trees?name=TEXT answers {"trees": [{"id", "name", "note", "picture"}, …]}, and GET
// /rows/NUMBER answers {"names": ["…", …]}.
import LarderCore
import LarderProviders

/// A provider for the trees of an invented orchard.
public struct ExampleProvider: Provider {
    public init() {}

    public let about = ProviderAbout(
        name: "orchard", routePrefix: "orchard", title: "Orchard", defaultBaseURL: "https://api.orchard.example",
        endpoints: [
            EndpointAbout("trees", ttl: .seconds(3600), summary: "/trees: trees by name"),
            EndpointAbout("rows", ttl: .seconds(86_400), summary: "/rows/{number}: the names of one row"),
        ],
        emptyTTL: .seconds(300), negativeTTL: .seconds(60), staleFor: .seconds(86_400),
        defaultRate: CallRate(calls: 30, per: .seconds(60)), imageHosts: ["pictures.orchard.example"],
        categories: ["trees"], credentialParameters: ["key"], credentialFieldNames: ["X-Orchard-Key"],
        terms: "Free for everybody, thirty calls a minute.")

    // example: question
    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        if path.count == 2, path[0] == "rows", let number = Int(path[1]), number > 0, query.items.isEmpty {
            return row(number)
        }
        guard path == ["trees"] else {
            throw ClientFacingError(
                status: 404, code: "noSuchRoute", detail: "Orchard has no such route.", provider: "orchard")
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
            upstream: Self.trees(name), query: writer.bytes, normalise: Self.normalise)
    }

    private static func trees(_ name: String) -> UpstreamRequest {
        UpstreamRequest(path: "/trees", query: QueryParameters([.init("name", name)]).encoded)
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
        request.path == "/trees" ? "trees" : request.path.hasPrefix("/rows/") ? "rows" : "other"
    }

    public func credentialFields(key: String) -> HeaderFields { ["X-Orchard-Key": key] }
    // example: end

    // example: classify
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: break
        case 404 where (try? JSON.parse(response.body))?["error"] != nil: return .notFound
        case 429: return .limited(until: nil)
        case 401, 403: return .refused("Orchard answered \(response.status).")
        case 400..<500 where response.status != 404: return .invalidRequest("Orchard answered \(response.status).")
        default: return .broken("Orchard answered \(response.status).")
        }
        if endpoint == "other" { return .data }
        let name = endpoint == "rows" ? "names" : "trees"
        guard let root = try? JSON.parse(response.body), let list = root[name], list.kind == .array else {
            return .broken("The answer has no list of \(name).")
        }
        return list.count == 0 ? .empty : .data
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

    // example: plan
    /// The trees of one row: first the names in it, then the trees of each name.
    struct Row: CallPlan {
        let request: UpstreamRequest
        private var stepsDone = 0

        init(_ number: Int) {
            request = UpstreamRequest(path: "/rows/\(number)")
        }

        mutating func next(
            _ brought: [CallOutcome], _ signer: ArtworkSigner
        ) throws(NormaliseError) -> PlanStep {
            defer { stepsDone += 1 }
            switch stepsDone {
            case 0: return .fetch([PlannedCall("rows", request, role: .subject)])
            case 1:
                guard let body = brought.first?.response?.body, let names = (try? JSON.parse(body))?["names"] else {
                    throw NormaliseError(provider: "orchard", message: "The row has no names.")
                }
                return .fetch(
                    names.elements.compactMap(\.string).map { PlannedCall("trees", trees($0), role: .part) })
            default:
                // A name of which nothing came leaves its place empty; the daemon says that it is missing.
                var whole = NormalisedAnswer(results: Bytes(text: "[]"), count: 0)
                for response in brought.compactMap(\.response) {
                    let trees = try normalise(response, signer)
                    let joined =
                        whole.count == 0 ? trees.results : whole.results.dropLast() + [0x2C] + trees.results.dropFirst()
                    if trees.count > 0 { whole.results = joined }
                    whole.count += trees.count
                    whole.dropped += trees.dropped
                }
                return .done(whole)
            }
        }
    }

    /// `/v1/orchard/rows/3`.
    func row(_ number: Int) -> Endpoint {
        var writer = JSONWriter()
        writer.object { $0.member("row", number) }
        let row = Row(number)
        return Endpoint(
            provider: about.name, name: "rows", parameters: [KeyParameter("row", String(number))],
            subject: row.request, query: writer.bytes, plan: row)
    }
    // example: end
}
