// The request fields that are part of a pass-through key, besides those that an answer's own `Vary` names: the client's
// credentials, what the setting keyFields names, and the fields that select although no `Vary` says so. With `rfc`
// semantics these are `RequestFieldTable.selecting`. A request with such a field and one without it get no answer of
// each other. With `ttl` semantics, where nothing heeds `Vary`, they are the client's preferences.
import LarderCache
import LarderCore
import LarderSettings

/// What these fields of one request contribute to its key.
struct KeyFields: Sendable {
    /// A digest of the client's credentials. Empty if it sent none. An answer that depends on it is for this caller.
    var identity: Bytes = []
    /// A digest of the other fields. Nil if the request has none of them.
    var parameter: String?
    /// The names of all these fields in the request, for explanations.
    var names: [String] = []

    /// Whether these fields contribute nothing, so that the key is that of the target.
    var isEmpty: Bool { identity.isEmpty && parameter == nil }

    /// - Parameters:
    ///   - fields: the fields that go upstream.
    ///   - provider: the provider that is asked. To pass its settings instead would copy them.
    init(_ fields: HeaderFields, _ provider: ConfiguredProvider) {
        if provider.settings.keyCredentials {
            // RFC 9111 §3.5 decides about these two.
            var other = fields
            other.remove(PassRequest.personal)
            identity = RequestCredentials(fields: other).identity
            if !identity.isEmpty { names = other.map(\.name).filter(RequestCredentials.isField) }
        }
        let possible = provider.settings.semantics == .ttl ? Self.preferences : RequestFieldTable.selecting
        guard fields.contains(anyOf: possible) || provider.settings.keyFields.contains(where: fields.contains) else {
            return
        }
        let selecting = possible.names
        let chosen =
            provider.settings.keyFields
            + selecting.filter { name in !provider.settings.keyFields.contains { ASCII.equalFolded($0, name) } }
        // No preference is the same as accepting anything (RFC 9110 §12.5.1).
        let given = chosen.filter { name in
            fields.contains(name) && !provider.settings.requestFields.contains(name)
                && !(ASCII.equalFolded(name, "Accept") && fields.combined(name) == "*/*")
        }
        guard !given.isEmpty else { return }
        parameter = Base64URL.encode(VariantIndex.selection(names: given, requestFields: fields).bytes)
        names += given
    }

    /// Whether a request field goes upstream with a read under `ttl` semantics. Any other could change the answer and
    /// would not be part of the key.
    static func goUpstream(_ name: String, _ settings: ProviderSettings) -> Bool {
        always.contains(name) || RequestCredentials.isField(name)
            || settings.keyFields.contains { ASCII.equalFolded($0, name) }
    }

    private static let preferences: FieldNameSet = ["Accept", "Accept-Language"]
    private static let always: FieldNameSet = [
        "Authorization", "Cookie", "Accept-Encoding", "Accept", "Accept-Language",
    ]
}

extension PassRequest {
    /// A key of this request's URL. Its fields, its content and the client's credentials are part of it.
    func key(variant: String? = nil, content: QueryContent? = nil) -> CacheKey {
        provider.rawKey(
            UpstreamRequest(method: content == nil ? .get : method, path: path, query: query), variant: variant,
            content: content?.identity, fields: keyFields.parameter, identity: keyFields.identity)
    }

    /// Whether the request's target and coding alone are its key, for this request and for every other of its provider
    /// that has no credentials.
    var isKeyedPlainly: Bool {
        keyFields.isEmpty && rule.semantics == .rfc
            && provider.settings.keyFields.isEmpty
    }
}
