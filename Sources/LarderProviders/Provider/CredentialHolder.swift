// Whose a client's credentials are. An application's key stands for the key that is configured here: the answer is the
// same for both and may be shared. A person's token makes the answer that person's own.
//
// Which is which only the provider knows: Imgur says `Client-ID` for the one and `Bearer` for the other, NewsAPI knows
// applications only, and both tokens of TMDb are `Bearer`.
import LarderCore

/// Who speaks by a field `Authorization`.
public enum CredentialHolder: Sendable, Hashable {
    /// An application, by this key: as it would stand in the configuration.
    case application(key: String)
    /// A person, or nobody that the provider knows of.
    case person

    /// Reads `Authorization` of an API whose applications use one scheme (RFC 9110 §11.4).
    /// - Parameters:
    ///   - scheme: in any letter case.
    ///   - allowsBare: the API also takes the key without a scheme.
    static func of(_ authorization: String, scheme: String, allowsBare: Bool = false) -> CredentialHolder {
        let value = authorization.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? authorization : ""
        let words = value.split(separator: " ")
        switch words.count {
        case 1 where allowsBare: return .application(key: String(words[0]))
        case 2 where ASCII.equalFolded(String(words[0]), scheme): return .application(key: String(words[1]))
        default: return .person
        }
    }
}

extension Provider {
    public func holder(ofAuthorization value: String) -> CredentialHolder { .person }
}

extension ProviderAbout {
    /// Whether a canonical request is about one person, or is a step of a sign-in, by what its path and parameters say.
    public func isPersonal(_ request: UpstreamRequest) -> Bool {
        guard !personalPaths.isEmpty || !personalParameters.isEmpty else { return false }
        if personalPath(of: request.path) != nil { return true }
        guard let query = request.query else { return false }
        return query.split(separator: "&").contains { piece in
            let name = piece.prefix { $0 != "=" }
            // What cannot be decoded names nothing that the API knows either.
            guard let name = try? PercentCoding.decode(name.utf8, plusIsSpace: true) else { return false }
            return personalParameters.contains { ASCII.equalFolded($0, name) }
        }
    }
}

extension NewsAPI {
    /// NewsAPI has no accounts: "Authorization" holds the application's key, with or without "Bearer"
    /// (newsapi.org/docs/authentication).
    public func holder(ofAuthorization value: String) -> CredentialHolder {
        .of(value, scheme: "Bearer", allowsBare: true)
    }
}

extension Imgur {
    /// "Client-ID" is an application, "Bearer" an account (apidocs.imgur.com).
    public func holder(ofAuthorization value: String) -> CredentialHolder { .of(value, scheme: "Client-ID") }
}

extension TMDb {
    /// An application's read access token and the token of a user (version 4) are both bearer tokens and both JWTs. What
    /// they may do tells them apart: the application's may read, and a user's may write too. A token that does not say so
    /// is taken for a person's. Its signature is not checked: whoever claims to be an application gets what is everybody's.
    public func holder(ofAuthorization value: String) -> CredentialHolder {
        let holder = CredentialHolder.of(value, scheme: "Bearer")
        guard case .application(let token) = holder, Self.isReadToken(token) else { return .person }
        return holder
    }

    static func isReadToken(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSON.parse(payload), let scopes = claims["scopes"], scopes.kind == .array
        else { return false }
        return scopes.elements.map(\.string) == ["api_read"]
    }
}
