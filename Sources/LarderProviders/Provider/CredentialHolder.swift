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
