// Who may change Larder's state. On the Unix socket: root, the daemon's own user and the users that the configuration
// names. Over TCP: clients with the admin token, or with that of a console which the owner has opened (`OwnerLinks`).
import Glibc
import LarderCore
import LarderIO
import LarderServer
import LarderSettings

enum Authority {
    /// - Parameter what: the plural noun that begins the error's sentence, such as "Changes".
    /// - Throws: 401 or 403 with a detail that says what is needed.
    static func check(
        _ request: ServerRequest, _ settings: Settings, what: String = "Changes"
    ) throws(ClientFacingError) {
        // A page of an origin in `browserOrigins` may only read, even with the token.
        if let origin = request.fields.first(.origin), settings.browserOrigins.contains(origin) {
            throw .crossSite
        }
        if case .unix(let uid, _) = request.peer, uid == 0 || uid == geteuid() || settings.admin.users.contains(uid) {
            return
        }
        let given = request.fields.first(.authorization) ?? ""
        let shown = given.lowercased().hasPrefix("bearer ") ? String(ASCII.trimmed(given.dropFirst(7))) : nil
        if let shown, tokens(settings).contains(where: { isEqual($0, shown) }) { return }
        guard shown != nil || settings.admin.token != nil else {
            throw ClientFacingError(
                status: 403, code: "authorityNeeded",
                detail: "\(what) need the Unix socket or a token, and no admin.token is configured.")
        }
        throw ClientFacingError(
            status: 401, code: "authorityNeeded",
            detail: shown == nil
                ? "\(what) over TCP need the admin token."
                : "This token is wrong: it is not admin.token, nor that of a console opened since the daemon's start.",
            fields: ["WWW-Authenticate": "Bearer realm=\"larder\""])
    }

    /// The tokens that give authority.
    private static func tokens(_ settings: Settings) -> [String] {
        [settings.admin.token, OwnerLinks.token].compactMap { $0 }
    }

    private static func isEqual(_ token: String, _ given: String) -> Bool {
        LarderCore.Secrets.equal(Bytes(text: token), Bytes(text: given))
    }

    /// Whether the request may see what belongs to others. Without a token a client sees less; a wrong one throws.
    static func isGiven(_ request: ServerRequest, _ settings: Settings) throws(ClientFacingError) -> Bool {
        do {
            try check(request, settings, what: "Whole terms")
            return true
        } catch {
            if error.status == 401, request.fields.contains(.authorization) { throw error }
            return false
        }
    }

    /// Returns the request without the `Authorization` fields that hold such a token. The token is for this daemon:
    /// it is never sent upstream, and it does not make a request personal. It is recognised after any scheme and
    /// without one, because some APIs take a key without a scheme.
    /// - Returns: nil if the request has no such field, as is nearly always so.
    static func withoutToken(_ request: ServerRequest, _ settings: Settings) -> ServerRequest? {
        guard request.fields.contains(.authorization) else { return nil }
        let tokens = tokens(settings)
        var request = request
        request.fields.removeAll { line in
            guard line.isNamed(.authorization) else { return false }
            let value = ASCII.trimmed(line.value[...])
            let given = value.drop { $0 != " " && $0 != "\t" }
            return [value, ASCII.trimmed(given)].contains { shown in
                tokens.contains { isEqual($0, String(shown)) }
            }
        }
        return request
    }
}
