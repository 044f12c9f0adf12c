// A raw request to a built-in provider as the cache sees it: canonical upstream request, the client's credentials taken
// out of it, and whether it may be shared at all.
import LarderCore
import LarderHTTP
import LarderProviders
import LarderServer

struct RawRequest: Sendable {
    var upstream: UpstreamRequest
    /// A hash of the client's own credentials, empty where the answer is shared by all.
    var identity: Bytes = []
    /// Neither joined nor stored.
    var isBypass: Bool
    /// A call could be made: the provider's own key or the client's is at hand, or none is needed.
    var hasCredentials: Bool
    private var secretFields: HeaderFields = [:]
    private var secretQuery = QueryParameters()
    private var usesOwnKey: Bool

    init(_ request: ServerRequest, provider: ConfiguredProvider, path: String) throws(ClientFacingError) {
        let isRead = request.method == .get || request.method == .head
        guard isRead else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "Raw routes of built-in providers are read only.",
                allowed: ["GET", "HEAD"], fields: ["Allow": "GET, HEAD"])
        }
        try UpstreamPath.check(path, isText: true)
        let hasIdentity = request.fields.contains("Authorization") || request.fields.contains("Cookie")
        isBypass = !request.body.isEmpty || hasIdentity
        usesOwnKey = provider.settings.key != nil
        hasCredentials = usesOwnKey || !provider.about.needsKey
        let about = provider.about
        // HEAD is answered from the entry of GET: one fetch serves both.
        upstream = provider.provider.canonical(UpstreamRequest(path: path, query: request.query))
        takeCredentials(request, provider.provider, about.credentialParameters, about.credentialFieldNames)
        if !secretFields.lines.isEmpty || !secretQuery.items.isEmpty { hasCredentials = true }
    }

    /// Client credentials are never forwarded where Larder has its own key; otherwise they are sent, and their hash is
    /// the identity of the answer (decision 8).
    private mutating func takeCredentials(
        _ request: ServerRequest, _ provider: any Provider, _ parameters: [String], _ names: [String]
    ) {
        guard !usesOwnKey else { return }
        var material = Bytes()
        for name in names + ["Authorization"] {
            guard let value = request.fields.first(name), secretFields.first(name) == nil else { continue }
            secretFields.add(name, value)
            material += Bytes(text: "\(name.lowercased()):\(value)\n")
        }
        if secretFields.lines.isEmpty, let query = request.query, let items = try? QueryParameters(parsing: query),
            let key = items.items.first(where: { item in
                parameters.contains { ASCII.equalFolded($0, item.name) }
            })?.value, let name = names.first,
            (try? Secrets.check(key, from: name)) == key
        {
            secretFields = provider.credentialFields(key: key)
            secretQuery = provider.credentialQuery(key: key)
            material += Bytes(text: "\(name.lowercased()):\(key)\n")
        }
        if !material.isEmpty { identity = Digest(of: material).bytes }
    }

    /// The order of the fetch.
    func order(_ provider: ConfiguredProvider, _ settings: Settings) -> FetchOrder {
        var order = provider.order(upstream, settings: settings)
        if !usesOwnKey {
            order.secretFields = secretFields
            order.secretQuery = secretQuery
        }
        return order
    }
}
