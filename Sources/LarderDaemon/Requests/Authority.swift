// Who may change Larder's state: on the Unix socket root, the daemon's own user and those the
// configuration names; on TCP whoever has the token.
import Glibc
import LarderCore
import LarderIO
import LarderServer
import LarderSettings

enum Authority {
    /// - Parameter what: what asks for authority, as a plural: the beginning of the error's sentence.
    /// - Throws: 401 or 403 saying what is needed.
    static func check(
        _ request: ServerRequest, _ settings: Settings, what: String = "Changes"
    ) throws(ClientFacingError) {
        // A page of an origin that may read may do no more than that, whatever it knows.
        if let origin = request.fields.first("Origin"), settings.browserOrigins.contains(origin) {
            throw .crossSite
        }
        if case .unix(let uid, _) = request.peer, uid == 0 || uid == geteuid() || settings.admin.users.contains(uid) {
            return
        }
        guard let token = settings.admin.token else {
            throw ClientFacingError(
                status: 403, code: "authorityNeeded",
                detail: "\(what) need the Unix socket, or a token, and no admin.token is configured.")
        }
        let given = request.fields.first("Authorization") ?? ""
        guard given.lowercased().hasPrefix("bearer "),
            LarderCore.Secrets.equal(Bytes(text: token), Bytes(text: String(ASCII.trimmed(given.dropFirst(7)))))
        else {
            throw ClientFacingError(
                status: 401, code: "authorityNeeded", detail: "\(what) over TCP need the admin token.",
                fields: ["WWW-Authenticate": "Bearer realm=\"larder\""])
        }
    }

    /// Whether the request may see what belongs to others. Who gives no token sees less; who gives a wrong one is told so.
    static func isGiven(_ request: ServerRequest, _ settings: Settings) throws(ClientFacingError) -> Bool {
        do {
            try check(request, settings, what: "Whole terms")
            return true
        } catch {
            if error.status == 401, request.fields.contains("Authorization") { throw error }
            return false
        }
    }

    /// The request without fields `Authorization` that hold the admin token. They speak to this daemon: no upstream is
    /// told the token, and it makes no request personal. It is looked for behind any scheme and without one, since some
    /// APIs take a key without a scheme.
    /// - Returns: nil where the request has no such field, as nearly every one.
    static func withoutToken(_ request: ServerRequest, _ settings: Settings) -> ServerRequest? {
        guard let token = settings.admin.token, request.fields.contains("Authorization") else { return nil }
        let wanted = Bytes(text: token)
        var request = request
        request.fields.lines.removeAll { line in
            guard ASCII.equalFolded(line.name, "Authorization") else { return false }
            let value = ASCII.trimmed(line.value[...])
            let given = value.drop { $0 != " " && $0 != "\t" }
            return [value, ASCII.trimmed(given)].contains {
                LarderCore.Secrets.equal(wanted, Bytes(text: String($0)))
            }
        }
        return request
    }
}
