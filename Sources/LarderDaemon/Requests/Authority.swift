// Who may change Larder's state. On the Unix socket: root, the daemon's own user and the users that the configuration
// names. Over TCP: clients with the admin token.
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
        guard let token = settings.admin.token else {
            throw ClientFacingError(
                status: 403, code: "authorityNeeded",
                detail: "\(what) need the Unix socket or a token, and no admin.token is configured.")
        }
        let given = request.fields.first(.authorization) ?? ""
        guard given.lowercased().hasPrefix("bearer "),
            LarderCore.Secrets.equal(Bytes(text: token), Bytes(text: String(ASCII.trimmed(given.dropFirst(7)))))
        else {
            throw ClientFacingError(
                status: 401, code: "authorityNeeded", detail: "\(what) over TCP need the admin token.",
                fields: ["WWW-Authenticate": "Bearer realm=\"larder\""])
        }
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

    /// Returns the request without the `Authorization` fields that hold the admin token. The token is for this daemon:
    /// it is never sent upstream, and it does not make a request personal. It is recognised after any scheme and
    /// without one, because some APIs take a key without a scheme.
    /// - Returns: nil if the request has no such field, as is nearly always so.
    static func withoutToken(_ request: ServerRequest, _ settings: Settings) -> ServerRequest? {
        guard let token = settings.admin.token, request.fields.contains(.authorization) else { return nil }
        let wanted = Bytes(text: token)
        var request = request
        request.fields.removeAll { line in
            guard line.isNamed(.authorization) else { return false }
            let value = ASCII.trimmed(line.value[...])
            let given = value.drop { $0 != " " && $0 != "\t" }
            return [value, ASCII.trimmed(given)].contains {
                LarderCore.Secrets.equal(wanted, Bytes(text: String($0)))
            }
        }
        return request
    }
}
