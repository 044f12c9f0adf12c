// A raw request to a built-in provider as the cache sees it: the canonical upstream request, the client's credentials
// taken out of it, and whether the answer may be shared.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings

struct RawRequest: Sendable {
    var upstream: UpstreamRequest
    /// A hash of the client's own credentials; empty if all clients share the answer.
    var identity: Bytes = []
    /// Why the request is neither joined nor stored; nil if it may be.
    var bypass: CacheRule?
    /// Whether a call is possible: the provider or the client has a key, or none is needed.
    var hasCredentials: Bool
    /// The client's fields as the storing rules see them, without an application key. The key does not decide who may
    /// have the answer: it is replaced, or part of the cache key.
    let fields: HeaderFields
    private var secretFields: HeaderFields = [:]
    private var secretQuery = QueryParameters()
    private var usesOwnKey: Bool
    /// Whether the target names a person's session. Then query values and the person's id in the path are never shown.
    private let namesPerson: Bool
    private let redactedPath: String

    init(_ request: ServerRequest, provider: ConfiguredProvider, path: String) throws(ClientFacingError) {
        let isRead = request.method == .get || request.method == .head
        guard isRead else {
            throw ClientFacingError(
                status: 405, code: "methodNotAllowed", detail: "Raw routes of built-in providers are read-only.",
                allowed: ["GET", "HEAD"], fields: ["Allow": "GET, HEAD"])
        }
        // A stream cannot be cached or joined, and JSON in its place ends an `EventSource` for good without a reason.
        guard !EventText.isOnlyAccepted(by: request.fields) else {
            throw ClientFacingError(
                status: 406, code: "notAcceptable",
                detail: "\(provider.about.title) is answered here as JSON, not as an event stream. To follow a stream, "
                    + "add a provider of kind passthrough with the base URL \(provider.settings.baseURL).",
                provider: provider.name)
        }
        try UpstreamPath.check(path, isText: true)
        let about = provider.about
        // HEAD is answered from GET's entry, so one fetch serves both.
        let upstream = provider.provider.canonical(UpstreamRequest(path: path, query: request.query))
        self.upstream = upstream
        usesOwnKey = provider.settings.key != nil
        namesPerson = about.isPersonal(upstream)
        redactedPath = about.personalPath(of: upstream.path) ?? upstream.path
        let credentials = ClientCredentials(request, provider.provider, about, ownKey: provider.settings.key)
        // The configured key is sent instead of a token. The answer to a known question that is about no person is then
        // the same for every client.
        let isReplaced =
            usesOwnKey && credentials.isBearer && !namesPerson
            && provider.provider.endpointName(for: upstream) != Passthrough.other
        let isPersonal = credentials.isPersonal && !isReplaced
        var fields = request.fields
        if !isPersonal { fields.remove(.authorization) }
        // No built-in API is sent cookies, so they do not affect who may have the answer.
        fields.remove(.cookie)
        self.fields = fields
        hasCredentials =
            usesOwnKey || !about.needsKey || credentials.key != nil || !credentials.fields.isEmpty
        if isPersonal {
            bypass = .personalToken
        } else if namesPerson {
            bypass = .personalTarget
        } else if !request.body.isEmpty, !Self.repeatsQuery(request) {
            bypass = .requestBody
        }
        guard !usesOwnKey else { return }
        if credentials.isPersonal {
            try ConnectionAuthentication.check(credentials.fields)
            secretFields = credentials.fields
        } else if let key = credentials.key {
            secretFields = provider.provider.credentialFields(key: key)
            secretQuery = provider.provider.credentialQuery(key: key)
            identity = credentials.identity
        }
    }

    /// Whether the body is a form that repeats the query, as some clients send it. Such a body is not forwarded and
    /// says nothing that the target does not (RFC 9110 §9.3.1).
    private static func repeatsQuery(_ request: ServerRequest) -> Bool {
        guard let query = request.query, let text = request.body.strictText,
            let form = try? QueryParameters(parsing: text), let own = try? QueryParameters(parsing: query)
        else { return false }
        let type = request.fields.first(.contentType)?.prefix { $0 != ";" } ?? ""
        return ASCII.equalFolded(String(ASCII.trimmed(type)), "application/x-www-form-urlencoded") && form == own
    }

    /// A digest of the client's own credentials that are sent upstream; empty if none are.
    private var caller: Bytes {
        guard !secretFields.isEmpty || !secretQuery.items.isEmpty else { return [] }
        let lines = secretFields.map { "\($0.name):\($0.value)" } + [secretQuery.encoded]
        return Digest(of: Bytes(text: lines.joined(separator: "\n"))).bytes
    }

    /// The question for the engine.
    func question(_ provider: ConfiguredProvider, _ directives: ClientDirectives, _ settings: Settings) -> RawQuestion {
        var question = RawQuestion(
            provider, upstream, endpoint: provider.provider.endpointName(for: upstream), identity: identity, directives,
            settings)
        question.clientFields = fields
        question.caller = caller
        if !usesOwnKey {
            question.order.secretFields = secretFields
            question.order.secretQuery = secretQuery
        }
        return question
    }

    /// What identifies the entry, for explanations.
    var keyParts: [KeyParameter] {
        guard namesPerson else { return [KeyParameter("path", upstream.path), KeyParameter("query", upstream.query)] }
        return PassTarget(base: "", path: redactedPath, query: upstream.query, coding: nil).keyParts.filter {
            $0.name == "path" || $0.name == "query"
        }
    }
}
