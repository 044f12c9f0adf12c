// The stand-in's side of a sign-in (OAuth 2, in Imgur's form): an authorisation page that agrees at once, a token
// endpoint, and tokens that a test can invalidate. The token endpoint sends success without the API's envelope and
// errors in the envelope.
import LarderCore

/// The accounts of one stand-in.
public final class SignInStandIn: Sendable {
    /// Prefixes of all tokens and codes. Tests that look for leaks search for these.
    public static let accessMark = "stand-in-access-"
    public static let refreshMark = "stand-in-refresh-"
    public static let codeMark = "stand-in-code-"

    private struct State {
        var callback = "http://localhost:8787/v1/imgur/oauth/callback"
        var declines = false
        var expiresIn = 3600
        var clientSecret: String?
        var made = 0
        var access: Set<String> = []
        var refresh: Set<String> = []
        var codes: Set<String> = []
    }

    private let state = Lock(State())
    static let account = (id: 384_077, name: "pantry")

    // MARK: What a test sets

    /// The URL to which the authorisation page redirects.
    public var callback: String {
        get { state.withLock { $0.callback } }
        set { state.withLock { $0.callback = newValue } }
    }

    /// Whether the authorisation page refuses.
    public var declines: Bool {
        get { state.withLock { $0.declines } }
        set { state.withLock { $0.declines = newValue } }
    }

    /// The lifetime of new tokens in seconds, as the endpoint reports it.
    public var expiresIn: Int {
        get { state.withLock { $0.expiresIn } }
        set { state.withLock { $0.expiresIn = newValue } }
    }

    /// The only secret that the token endpoint accepts; nil accepts any.
    public var clientSecret: String? {
        get { state.withLock { $0.clientSecret } }
        set { state.withLock { $0.clientSecret = newValue } }
    }

    /// Invalidates all access tokens. They can be renewed.
    public func endAccess() { state.withLock { $0.access = [] } }

    /// Invalidates all access tokens and refresh tokens.
    public func endAll() {
        state.withLock { state in
            state.access = []
            state.refresh = []
        }
    }

    // MARK: Answers

    /// The answer to a request about an account; nil for all other requests.
    func answer(_ request: OriginRequest) -> OriginAnswer? {
        // Other APIs of the stand-in use bearer tokens of their own.
        guard request.path.hasPrefix("/imgur/") else { return nil }
        let path = request.path.dropFirst("/imgur".count)
        switch path {
        case "/oauth2/authorize": return authorize(request)
        case "/oauth2/token": return token(request)
        default: break
        }
        let isOwn = path.hasPrefix("/3/account/me/")
        // A bearer token that the stand-in did not issue belongs to someone else, and this method ignores it. The
        // account's own paths always need a valid token.
        guard let bearer = Self.bearer(request), isOwn || bearer.hasPrefix(Self.accessMark) else {
            return isOwn ? Self.failure(401, "Authentication required", request, String(path)) : nil
        }
        guard state.withLock({ $0.access.contains(bearer) }) else {
            return Self.failure(401, "The access token provided is invalid.", request, String(path))
        }
        if path.hasPrefix("/3/gallery/"), request.parameters["mature"] == "true" {
            return Self.list("What \(Self.account.name) may see")
        }
        return !isOwn ? nil : Self.own(path.dropFirst("/3/account/me/".count))
    }

    private func authorize(_ request: OriginRequest) -> OriginAnswer {
        let asked = request.parameters
        var query: [QueryParameters.Item] = []
        var fragment: [QueryParameters.Item] = []
        if declines {
            query.append(.init("error", "access_denied"))
        } else if asked["response_type"] == "code" {
            query.append(.init("code", make(Self.codeMark) { $0.codes.insert($1) }))
        } else {
            fragment = [
                .init("access_token", make(Self.accessMark) { $0.access.insert($1) }),
                .init("expires_in", String(expiresIn)), .init("token_type", "bearer"),
                .init("refresh_token", make(Self.refreshMark) { $0.refresh.insert($1) }),
                .init("account_username", Self.account.name), .init("account_id", String(Self.account.id)),
            ]
        }
        if let state = asked["state"] { query.insert(.init("state", state), at: 0) }
        var location = "\(callback)?\(QueryParameters(query).encoded)"
        if !fragment.isEmpty { location += "#\(QueryParameters(fragment).encoded)" }
        return OriginAnswer(status: 302, fields: ["Location": location])
    }

    private func token(_ request: OriginRequest) -> OriginAnswer {
        guard request.method == .post, let form = try? QueryParameters(parsing: request.body.lossyText) else {
            return Self.failure(400, "Invalid request", request, "/oauth2/token")
        }
        let secret = form["client_secret"] ?? ""
        guard form["client_id"]?.isEmpty == false, !secret.isEmpty, clientSecret.map({ $0 == secret }) ?? true else {
            return Self.failure(400, "The client credentials are invalid", request, "/oauth2/token")
        }
        switch form["grant_type"] {
        case "refresh_token":
            guard let refresh = form["refresh_token"], state.withLock({ $0.refresh.contains(refresh) }) else {
                return Self.failure(400, "Invalid refresh token", request, "/oauth2/token")
            }
            return granted(refresh)
        case "authorization_code":
            guard let code = form["code"], state.withLock({ $0.codes.remove(code) }) != nil else {
                return Self.failure(400, "Invalid authorization code", request, "/oauth2/token")
            }
            return granted(make(Self.refreshMark) { $0.refresh.insert($1) })
        default: return Self.failure(400, "Invalid grant_type", request, "/oauth2/token")
        }
    }

    private func granted(_ refresh: String) -> OriginAnswer {
        let access = make(Self.accessMark) { $0.access.insert($1) }
        let expiresIn = expiresIn
        return Self.json(200) { writer in
            writer.member("access_token", access)
            writer.member("expires_in", expiresIn)
            writer.member("token_type", "bearer")
            writer.name("scope")
            writer.null()
            writer.member("refresh_token", refresh)
            writer.member("account_id", Self.account.id)
            writer.member("account_username", Self.account.name)
        }
    }

    /// Answers `/3/account/me/images/{page}` with a title that no other list contains.
    private static func own(_ path: Substring) -> OriginAnswer {
        guard path == "images/count" else { return list("Jam of my own (\(path))") }
        return json(200) { writer in
            writer.member("data", 1)
            writer.member("success", true)
            writer.member("status", 200)
        }
    }

    /// A list of one picture of the account, with the delete hash by which its owner may delete it.
    private static func list(_ title: String) -> OriginAnswer {
        json(200) { writer in
            writer.name("data")
            writer.array { writer in
                writer.object { writer in
                    writer.member("id", "ownJam1")
                    writer.member("title", title)
                    writer.member("datetime", 1_700_000_000)
                    writer.member("type", "image/jpeg")
                    writer.member("is_album", false)
                    writer.member("deletehash", "stand-in-delete-1")
                    writer.member("link", "https://i.imgur.com/ownJam1.jpg")
                }
            }
            writer.member("success", true)
            writer.member("status", 200)
        }
    }

    private static func failure(
        _ status: Int, _ message: String, _ request: OriginRequest, _ path: String
    ) -> OriginAnswer {
        json(status) { writer in
            writer.name("data")
            writer.object { writer in
                writer.member("error", message)
                writer.member("request", path)
                writer.member("method", request.method.name)
            }
            writer.member("success", false)
            writer.member("status", status)
        }
    }

    private static func json(_ status: Int, _ members: (inout JSONWriter) -> Void) -> OriginAnswer {
        var writer = JSONWriter()
        writer.object(members)
        return OriginAnswer(status: status, fields: ["Content-Type": "application/json"], body: writer.bytes)
    }

    private static func bearer(_ request: OriginRequest) -> String? {
        guard let field = request.fields.first(.authorization), field.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(field.dropFirst(7))
    }

    /// Makes a unique token and stores it with `keep`.
    private func make(_ mark: String, _ keep: (inout State, String) -> Void) -> String {
        state.withLock { state in
            state.made += 1
            let token = mark + Hex.encode(Digest(of: Bytes(text: "\(mark)\(state.made)")).bytes.prefix(12))
            keep(&state, token)
            return token
        }
    }
}
