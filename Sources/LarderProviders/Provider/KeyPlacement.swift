// Where a request to an API carries its key. The key replaces what a client sends in the same place, so that clients need
// none and share the answers.
import LarderCore

/// The place of a key.
public enum KeyPlacement: Sendable, Hashable {
    /// `Authorization: Bearer KEY` (RFC 6750 §2.1).
    case bearer
    /// `Authorization: Basic …` (RFC 7617 §2); the key is `user:password`.
    case basic
    /// A field; the key may stand behind a scheme.
    case field(String, scheme: String?)
    /// A parameter of the URL.
    case query(String)
    /// `Authorization: Bearer TOKEN`. The key is `client_id:client_secret` and goes to the token server only
    /// (`TokenClient`).
    case oauth2(TokenServer)

    /// Reads "bearer", "basic", "header NAME", "header NAME SCHEME", "query NAME" or "oauth2 URL SCOPE…"; nil for
    /// anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: " ")
        let words = parts.map(String.init)
        switch (words.first?.lowercased(), words.count) {
        case ("bearer", 1): self = .bearer
        case ("basic", 1): self = .basic
        case ("header", 2...3) where words.dropFirst().allSatisfy({ $0.utf8.allSatisfy(ASCII.isToken) }):
            self = .field(words[1], scheme: words.count == 3 ? words[2] : nil)
        case ("query", 2) where words[1].utf8.allSatisfy(PercentCoding.isUnreserved): self = .query(words[1])
        case ("oauth2", 2...) where parts.dropFirst(2).allSatisfy(TokenServer.isScope):
            self = .oauth2(TokenServer(url: words[1], scopes: Array(words.dropFirst(2))))
        default: return nil
        }
    }

    /// The name of the field that carries the key.
    public var fieldName: String? {
        switch self {
        case .bearer, .basic, .oauth2: "Authorization"
        case .field(let name, _): name
        case .query: nil
        }
    }

    /// The name of the parameter that carries the key.
    public var parameterName: String? {
        if case .query(let name) = self { name } else { nil }
    }

    /// The token server whose tokens are sent in place of the key.
    public var tokenServer: TokenServer? {
        if case .oauth2(let server) = self { server } else { nil }
    }

    func fields(_ key: String) -> HeaderFields {
        guard tokenServer == nil, let name = fieldName else { return [:] }
        let value =
            switch self {
            case .bearer: "Bearer \(key)"
            case .basic: "Basic \(Base64.encode(key.utf8))"
            case .field(_, let scheme): scheme.map { "\($0) \(key)" } ?? key
            case .query, .oauth2: ""
            }
        return HeaderFields([HeaderField(name, value)])
    }

    func parameters(_ key: String) -> QueryParameters {
        guard case .query(let name) = self else { return QueryParameters() }
        return QueryParameters([QueryParameters.Item(name, key)])
    }
}

extension KeyPlacement: CustomStringConvertible {
    /// As the setting writes it.
    public var description: String {
        switch self {
        case .bearer: "bearer"
        case .basic: "basic"
        case .field(let name, let scheme): "header \(name)" + (scheme.map { " \($0)" } ?? "")
        case .query(let name): "query \(name)"
        case .oauth2(let server): (["oauth2", server.url] + server.scopes).joined(separator: " ")
        }
    }
}
