// An application that gets tokens for itself, without a person (OAuth 2 client credentials, RFC 6749 §4.4): the token
// server, the request to it, and what it may answer.
import LarderCore

/// Where tokens come from.
public struct TokenServer: Sendable, Hashable {
    /// Absolute, http or https; it may have a query (RFC 6749 §3.2).
    public var url: String
    public var scopes: [String]

    public init(url: String, scopes: [String] = []) {
        self.url = url
        self.scopes = scopes
    }

    /// Whether a text is one scope (RFC 6749 §3.3).
    public static func isScope(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

/// A client of a token server. It cannot be printed by accident.
public struct TokenClient: Sendable, Hashable {
    public let server: TokenServer
    private let id: String
    private let secret: String

    /// - Parameter key: `client_id:client_secret`.
    public init?(_ server: TokenServer, key: String) {
        guard let colon = key.firstIndex(of: ":"), colon > key.startIndex else { return nil }
        self.server = server
        id = String(key[..<colon])
        secret = String(key[key.index(after: colon)...])
    }

    /// The fields of a request for a token. They are secret: id and secret are form-encoded before they become a login
    /// (RFC 6749 §2.3.1).
    public var fields: HeaderFields {
        [
            "Accept": "application/json", "Accept-Encoding": "gzip",
            "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic \(login)",
        ]
    }

    private var login: String {
        Base64.encode("\(PercentCoding.encode(id)):\(PercentCoding.encode(secret))".utf8)
    }

    /// The content of a request for a token (RFC 6749 §4.4.2).
    public var form: Bytes {
        var items: [QueryParameters.Item] = [.init("grant_type", "client_credentials")]
        if !server.scopes.isEmpty { items.append(.init("scope", server.scopes.joined(separator: " "))) }
        return Bytes(text: QueryParameters(items).encoded)
    }

    /// What no message may repeat.
    public var secrets: [String] { [secret, PercentCoding.encode(secret), login] }

    /// Whose tokens they are. It stays the same if only the secret changes.
    public var identity: String {
        Digest(of: Bytes(text: ([server.url, id] + server.scopes).joined(separator: "\n"))).hex
    }

    /// The tokens of an answer, as they are kept. A refresh token has no use here (RFC 6749 §4.4.3).
    public func tokens(_ granted: GrantedTokens, now: WallTime) -> AccountTokens {
        var tokens = AccountTokens(granted, now: now)
        (tokens.account, tokens.name, tokens.refresh) = (identity, nil, nil)
        return tokens
    }
}

extension TokenClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a client of \(server.url)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenAnswer {
    /// The accepted lifetimes of a token that no person granted. A new one costs nothing but a call.
    static let ownLifetimes = Duration.seconds(1)...Duration.seconds(30 * 86_400)

    /// Reads the answer to a request of a client for a token. Unlike the APIs with a sign-in, which Larder knows, an
    /// unknown server must say what its token is (RFC 6749 §5.1, RFC 6750 §2.1).
    public init(_ response: UpstreamResponse, to client: TokenClient) {
        guard (200..<300).contains(response.status) else {
            self = TokenAnswer(response, secrets: client.secrets)
            return
        }
        guard response.status == 200, let root = try? JSON.parse(response.body),
            let type = root["token_type"]?.string, ASCII.equalFolded(type, "bearer"),
            let granted = GrantedTokens(root, lifetimes: Self.ownLifetimes), Self.isBearer(granted.access)
        else {
            self = .failed(.broken, "The answer of the token endpoint has no bearer token.")
            return
        }
        self = .granted(granted)
    }

    /// Whether a token has the characters that `Authorization: Bearer` allows (`b64token`).
    private static func isBearer(_ token: String) -> Bool {
        let text = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return !text.isEmpty
            && text.allSatisfy {
                PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }
}
