// A raw request as the cache sees it: canonical upstream request, the client's credentials taken out of it, and whether
// it may be shared at all.
import LarderCore
import LarderHTTP
import LarderProviders
import LarderServer

struct RawRequest: Sendable {
    var upstream: UpstreamRequest
    /// The content coding asked of a pass-through upstream, part of its key; nil where Larder asks for one always.
    var coding: String?
    /// A hash of the client's own credentials, empty where the answer is shared by all.
    var identity: Bytes = []
    /// Neither joined nor stored.
    var isBypass: Bool
    /// A call could be made: the provider's own key or the client's is at hand, or none is needed.
    var hasCredentials: Bool
    private var secretFields: HeaderFields = [:]
    private var usesOwnKey: Bool

    init(_ request: ServerRequest, provider: ConfiguredProvider, path: String) throws(ClientFacingError) {
        let isRead = request.method == .get || request.method == .head
        guard isRead || provider.isPassthrough else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "Raw routes of built-in providers are read only.",
                allowed: ["GET", "HEAD"], fields: ["Allow": "GET, HEAD"])
        }
        // Its answer would show a page what the client's other fields are (RFC 9110 §9.3.8).
        guard request.method != .trace else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "TRACE is not passed on.",
                fields: ["Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
        }
        try Self.checkPath(path)
        let hasIdentity = request.fields.contains("Authorization") || request.fields.contains("Cookie")
        isBypass = !isRead || !request.body.isEmpty || hasIdentity
        usesOwnKey = provider.settings.key != nil
        hasCredentials = usesOwnKey || !provider.provider.about.needsKey
        let about = provider.provider.about
        // HEAD is answered from the entry of GET: one fetch serves both.
        let method = request.method == .head ? .get : request.method
        var plain = UpstreamRequest(method: method, path: path, query: request.query)
        if provider.isPassthrough {
            plain.fields = Self.forwarded(request.fields, isBypass: isBypass, semantics: provider.settings.semantics)
            plain.body = request.body.isEmpty ? nil : request.body
            coding = ContentCoding.accepts(request.fields.combined("Accept-Encoding"), "gzip") ? "gzip" : "identity"
            upstream = plain
            return
        }
        upstream = provider.provider.canonical(plain)
        takeCredentials(request, about.credentialParameters, about.credentialFieldNames)
        if !secretFields.lines.isEmpty { hasCredentials = true }
    }

    /// Client credentials are never forwarded where Larder has its own key; otherwise they are sent, and their hash is
    /// the identity of the answer (decision 8).
    private mutating func takeCredentials(_ request: ServerRequest, _ parameters: [String], _ names: [String]) {
        guard !usesOwnKey else { return }
        var material = Bytes()
        for name in names + ["Authorization"] {
            guard let value = request.fields.first(name), secretFields.first(name) == nil else { continue }
            secretFields.add(name, value)
            material += Bytes(text: "\(name.lowercased()):\(value)\n")
        }
        if secretFields.lines.isEmpty, let query = request.query, let items = try? QueryParameters(parsing: query),
            let key = items.items.first(where: { parameters.contains($0.name) })?.value, let name = names.first
        {
            secretFields.add(name, key)
            material += Bytes(text: "\(name.lowercased()):\(key)\n")
        }
        if !material.isEmpty { identity = Digest(of: material).bytes }
    }

    /// The order of the fetch.
    func order(_ provider: ConfiguredProvider, _ settings: Settings) -> FetchOrder {
        var order = provider.order(upstream, settings: settings)
        if provider.isPassthrough {
            order.fields = upstream.fields
            if let coding { order.fields.set("Accept-Encoding", coding) }
            // A redirect is an answer like any other; only the client knows whether it wants to follow.
            order.maxRedirects = 0
        }
        if !usesOwnKey { order.secretFields = secretFields }
        return order
    }

    /// What a pass-through upstream gets of the client's fields: with `rfc`, all that concern the two of them, since
    /// `Vary` then tells what they changed; with our own rules a fixed few, since nothing would.
    private static func forwarded(
        _ fields: HeaderFields, isBypass: Bool, semantics: ProviderSemantics
    ) -> HeaderFields {
        var forwarded = HopByHop.endToEnd(fields)
        var removed = ["Host", "Content-Length", "Expect", "Accept-Encoding", "X-Larder-Session", "Prefer"]
        if !isBypass {
            // A client's own condition or range becomes a whole fetch that may be stored; it is applied to the answer.
            removed += [
                "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
                "Cache-Control", "Pragma",
            ]
        }
        for name in removed { forwarded.remove(name) }
        if semantics == .ttl, !isBypass {
            forwarded.lines.removeAll { !ASCII.equalFolded($0.name, "Accept") }
            forwarded.set("Accept", "*/*")
        }
        return forwarded
    }

    /// Dot segments would climb out of the provider's base path once the URL is normalised (RFC 3986 §5.2.4).
    static func checkPath(_ path: String) throws(ClientFacingError) {
        // "OPTIONS *" is about the server itself (RFC 9112 §3.2.4); behind the base URL the star would be part of its
        // name.
        guard path.hasPrefix("/") else { throw .invalid("path", "A path begins with a slash.") }
        for segment in path.split(separator: "/") {
            guard let plain = try? PercentCoding.decode(segment.utf8, plusIsSpace: false) else {
                throw .invalid("path", "The path is not percent-encoded UTF-8.")
            }
            if plain == "." || plain == ".." || plain.contains("/") && plain.split(separator: "/").contains("..") {
                throw .invalid("path", "The path may not climb: it has a \"\(plain)\" segment.")
            }
        }
    }
}
