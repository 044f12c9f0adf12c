// Who holds a client's credentials. An application's key is equivalent to the key configured here: the response is the
// same and may be shared. A person's token makes the response that person's own.
//
// Only the provider can tell them apart: Imgur uses `Client-ID` for applications and `Bearer` for people, NewsAPI has
// only applications, and both kinds of TMDb tokens are `Bearer`.
import LarderCore

/// The holder of the credentials in an `Authorization` field.
public enum CredentialHolder: Sendable, Hashable {
    /// An application with this key, in the form that the configuration uses.
    case application(key: String)
    /// A person, or credentials that the provider does not recognise.
    case person

    /// Reads `Authorization` for an API whose applications use one scheme (RFC 9110 §11.4).
    /// - Parameters:
    ///   - scheme: in any letter case.
    ///   - allowsBare: whether the API also accepts the key without a scheme.
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
    /// Whether a canonical request is about one person or is a step of a sign-in, judged by its path and parameters.
    public func isPersonal(_ request: UpstreamRequest) -> Bool {
        guard !personalPaths.isEmpty || !personalParameters.isEmpty else { return false }
        if personalPath(of: request.path) != nil { return true }
        guard let query = request.query else { return false }
        return query.split(separator: "&").contains { piece in
            let name = piece.prefix { $0 != "=" }
            // A name that cannot be decoded cannot be a parameter of the API either.
            guard let name = try? PercentCoding.decode(name.utf8, plusIsSpace: true) else { return false }
            return personalParameters.contains { ASCII.equalFolded($0, name) }
        }
    }
}
