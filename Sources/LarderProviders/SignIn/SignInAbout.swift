// How an API lets its users in (OAuth 2, RFC 6749), as facts: where it sends them, where tokens come from, and which
// requests are about the account. A provider that has these facts has a sign-in; nothing else has to be written for it.
import LarderCore

/// The sign-in of one API.
public struct SignInAbout: Sendable, Hashable {
    /// What the authorisation page brings back (RFC 6749 §3.1.1).
    public enum ResponseType: String, Sendable, Hashable, CaseIterable {
        /// The tokens themselves, in the fragment, which only a page's script sees.
        case token
        /// A code in the query, for which the daemon gets the tokens.
        case code
    }

    /// Whether a request speaks for an account.
    public enum AccountUse: Sendable, Hashable {
        /// It has one answer for everybody and is asked with the application's own key.
        case none
        /// Its answer depends on the account, where one is signed in.
        case preferred
        /// It has no answer without an account.
        case required
    }

    /// Paths on the API's host, beside the prefix of its other paths.
    public var authorizePath: String
    public var tokenPath: String
    /// The usual one first.
    public var responseTypes: [ResponseType]
    /// Paths of what belongs to the account, with everything below them.
    public var ownPaths: [String]
    /// Parameters with which the answer to any request depends on the account.
    public var accountParameters: [QueryParameters.Item]
    /// What the API calls the client identifier of an application (RFC 6749 §2.2), and a sentence for who would sign in.
    public var clientIDTitle = "client id"
    public var note: String?

    public init(
        authorizePath: String, tokenPath: String, responseTypes: [ResponseType], ownPaths: [String],
        accountParameters: [QueryParameters.Item] = []
    ) {
        self.authorizePath = authorizePath
        self.tokenPath = tokenPath
        self.responseTypes = responseTypes
        self.ownPaths = ownPaths
        self.accountParameters = accountParameters
    }

    /// Whether a canonical request speaks for the account. Only these do: every other answer stays everybody's, and the
    /// API learns of them no more than that some user of the application asked.
    public func use(of request: UpstreamRequest) -> AccountUse {
        if ownPaths.contains(where: { request.path == $0 || request.path.hasPrefix($0 + "/") }) { return .required }
        guard !accountParameters.isEmpty, let text = request.query, let query = try? QueryParameters(parsing: text)
        else { return .none }
        return query.items.contains { accountParameters.contains($0) } ? .preferred : .none
    }

    /// The page a person is sent to (RFC 6749 §4.1.1, §4.2.1).
    public func authorizeURL(root: String, clientID: String, type: ResponseType, state: String) -> String {
        let query = QueryParameters([
            .init("client_id", clientID), .init("response_type", type.rawValue), .init("state", state),
        ])
        return "\(root)\(authorizePath)?\(query.encoded)"
    }

    /// The body of a request for tokens (RFC 6749 §4.1.3, §6; the client's secret in the body, §2.3.1). It is a secret.
    public static func tokenForm(_ grant: TokenGrant, clientID: String, clientSecret: String) -> Bytes {
        var items: [QueryParameters.Item] = [.init("client_id", clientID), .init("client_secret", clientSecret)]
        switch grant {
        case .refresh(let token):
            items += [.init("grant_type", "refresh_token"), .init("refresh_token", token)]
        case .code(let code): items += [.init("grant_type", "authorization_code"), .init("code", code)]
        }
        return Bytes(text: QueryParameters(items).encoded)
    }
}

/// What tokens are asked for with.
public enum TokenGrant: Sendable, Hashable {
    case refresh(String)
    case code(String)

    var secret: String {
        switch self {
        case .refresh(let text), .code(let text): text
        }
    }
}

extension ProviderAbout {
    /// The root of an API's host for paths beside its prefix: a configured base URL may end in that or not.
    public func signInRoot(base: String) -> String {
        var base = base[...]
        while base.hasSuffix("/") { base.removeLast() }
        if !pathPrefix.isEmpty, base.hasSuffix(pathPrefix) { base.removeLast(pathPrefix.count) }
        return String(base)
    }
}
