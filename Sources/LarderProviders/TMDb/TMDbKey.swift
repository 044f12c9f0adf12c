// The two kinds of secret of TMDb. A read access token is a JWT (RFC 7519 §3: parts separated by dots) and is sent in a
// field. A version 3 key contains no dot, and the API accepts it only in the query.
import LarderCore

enum TMDbKey {
    static let place = KeyFunction("tmdb.key") { $0.utf8.contains(0x2E) ? .bearer : .query("api_key") }

    /// An application's read access token and a user's token (version 4) are both bearer tokens and JWTs. Their scope
    /// distinguishes them: the application's token can only read, a user's token can also write. A token without a
    /// scope is treated as a person's. The signature is not checked: a client that falsely claims to be an application
    /// gets only shared responses.
    static let readToken = TextFunction("tmdb.readToken") { token in
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSON.parse(payload), let scopes = claims["scopes"], scopes.kind == .array,
            scopes.elements.map(\.string) == ["api_read"]
        else { return nil }
        return token
    }
}
