// `/v1/console/links` makes a link for the owner of the machine, and `/v1/console/tokens` takes its code.
import LarderCore
import LarderEngine
import LarderServer
import LarderSettings

struct OwnerRoute: Sendable {
    let engine: Engine
    let links: OwnerLinks

    /// The link. Its record requires authority.
    func link(route: RouteName) throws(ClientFacingError) -> ServerResponse {
        let own = engine.snapshot.settings.listen.first {
            $0.provider == nil && !$0.isProxy && !$0.address.hasPrefix("unix:")
        }
        guard let own else {
            throw ClientFacingError(
                status: 409, code: "noListener",
                detail: "The console needs a listener on TCP, and \"listen\" names none.")
        }
        let code = links.make(at: engine.time.monotonic())
        // A listener at all addresses is reached by this machine's name for itself.
        let place = ["0.0.0.0", "[::]"].reduce(own.address) { $0.dropping(prefix: $1).map { "localhost\($0)" } ?? $0 }
        return .json(route: route) { $0.member("url", "http://\(place)/#owner=\(code)") }
    }

    /// The token for a code. Only a page of this daemon may ask: a browser sends Origin with every POST, and a foreign one
    /// is refused before routing.
    func token(_ request: ServerRequest, route: RouteName) throws(ClientFacingError) -> ServerResponse {
        try JSONBody.check(request)
        guard request.fields.contains(.origin) else {
            throw ClientFacingError(
                status: 403, code: "originNeeded",
                detail: "Only the console may post here: Origin must be this daemon's.",
                parameter: "Origin")
        }
        let code = (try? JSON.parse(request.body))?["code"]?.string ?? ""
        guard let token = links.token(for: code, at: engine.time.monotonic()) else {
            throw ClientFacingError(
                status: 403, code: "unknownLink",
                detail: "This link was used, or is older than two minutes. larder console makes another.")
        }
        return .json(route: route) { $0.member("token", token) }
    }
}

/// The body of a request that must be JSON.
enum JSONBody {
    /// A page of another site can send text/plain without a preflight, but not JSON.
    static func check(_ request: ServerRequest) throws(ClientFacingError) {
        let type = request.fields.first(.contentType)?.prefix { $0 != ";" } ?? ""
        guard ASCII.equalFolded(String(ASCII.trimmed(type)), "application/json") else {
            throw ClientFacingError(
                status: 415, code: "jsonNeeded", detail: "The body must be application/json.",
                parameter: "Content-Type")
        }
    }
}
