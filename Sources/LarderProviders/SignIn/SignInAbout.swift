// Facts about how users of an API sign in (OAuth 2, RFC 6749): the authorisation page, the token endpoint, and the
// requests that concern the account. A provider with these facts has a sign-in without further code.
import LarderCore

/// The sign-in of one API.
public struct SignInAbout: Sendable, Hashable {
    /// What the authorisation page returns (RFC 6749 §3.1.1).
    public enum ResponseType: String, Sendable, Hashable, CaseIterable {
        /// The tokens themselves, in the fragment, which only a script of the page can read.
        case token
        /// A code in the query, which the daemon exchanges for tokens.
        case code
    }

    /// Whether a request is made on behalf of an account.
    public enum AccountUse: Sendable, Hashable {
        /// The request has the same response for every user and is sent with the application's own key.
        case none
        /// The response depends on the account, if one is signed in.
        case preferred
        /// The request needs an account.
        case required
    }

    /// Paths on the API's host. They do not begin with the prefix of its other paths.
    public var authorizePath: String
    public var tokenPath: String
    /// The supported response types, the usual one first.
    public var responseTypes: [ResponseType]
    /// Paths of the account's own resources. Everything below them is included.
    public var ownPaths: [String]
    /// Parameters that make the response to any request depend on the account.
    public var accountParameters: [QueryParameters.Item]
    /// The API's word for an application's client identifier (RFC 6749 §2.2), and a note for users who sign in.
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

    /// Whether a canonical request is made on behalf of the account. All other responses can be shared, and the API
    /// learns from those requests only that some user of the application made them.
    public func use(of request: UpstreamRequest) -> AccountUse {
        if ownPaths.contains(where: { request.path == $0 || request.path.hasPrefix($0 + "/") }) { return .required }
        guard !accountParameters.isEmpty, let text = request.query, let query = try? QueryParameters(parsing: text)
        else { return .none }
        return query.items.contains { accountParameters.contains($0) } ? .preferred : .none
    }

    /// The URL of the page to which a person is sent (RFC 6749 §4.1.1, §4.2.1).
    public func authorizeURL(root: String, clientID: String, type: ResponseType, state: String) -> String {
        let query = QueryParameters([
            .init("client_id", clientID), .init("response_type", type.rawValue), .init("state", state),
        ])
        return "\(root)\(authorizePath)?\(query.encoded)"
    }

    /// The body of a request for tokens (RFC 6749 §4.1.3, §6), including the client's secret (§2.3.1). The body is
    /// secret.
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

/// The grant that is exchanged for tokens.
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
    /// The root of the API's host, for paths without the prefix. A configured base URL may or may not end in the
    /// prefix.
    public func signInRoot(base: String) -> String {
        var base = base[...]
        while base.hasSuffix("/") { base.removeLast() }
        if !pathPrefix.isEmpty, base.hasSuffix(pathPrefix) { base.removeLast(pathPrefix.count) }
        return String(base)
    }
}
