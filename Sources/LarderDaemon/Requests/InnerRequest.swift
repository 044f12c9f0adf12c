// A GET that the daemon sends to one of its own routes on behalf of a request: a page of the console, or a tool of an
// MCP client. It has the authority of that request, so it shows nobody more than the route does.
import LarderCore
import LarderServer

enum InnerRequest {
    /// - Parameters:
    ///   - target: path and query, percent-encoded.
    ///   - fields: fields besides those that say who asks.
    static func ask(
        _ target: String, _ parts: RouteParts, _ call: RouteCall, fields: HeaderFields = [:]
    ) async throws(ClientFacingError) -> ServerResponse {
        let request = request(target, call, fields)
        let match = try parts.routes.table.router.match(.get, path: request.path)
        guard !match.value.needsAuthority else {
            throw ClientFacingError(status: 403, code: "needsAuthority", detail: "This needs the admin token.")
        }
        return try await match.value.handler(parts, RouteCall(request, match))
    }

    /// The request of `ask`. The outer request's conditions, preferences and codings do not apply to the route.
    static func request(_ target: String, _ call: RouteCall, _ fields: HeaderFields) -> ServerRequest {
        let pieces = target.split(separator: "?", maxSplits: 1)
        var request = call.request
        request.method = .get
        request.target = Bytes(text: target)
        request.path = String(pieces[0])
        request.query = pieces.count > 1 ? String(pieces[1]) : nil
        request.body = []
        request.fields = fields
        for name in ["Host", "Origin", "Authorization"] {
            if let value = call.request.fields.first(name) { request.fields.set(name, value) }
        }
        return request
    }
}

extension ResponseBody {
    /// The bytes of the body, and whether these are all.
    /// - Parameter limit: a body in memory is returned whole, of a stream about so many bytes are read.
    func collected(atMost limit: Int) async throws(BodyFailure) -> (bytes: Bytes, isWhole: Bool) {
        switch self {
        case .empty: return ([], true)
        case .bytes(let whole): return (whole, true)
        case .slices(let pieces):
            var bytes = Bytes()
            for piece in pieces where bytes.count <= limit { bytes += piece }
            return (bytes, bytes.count == count)
        case .stream(let reader, _):
            var bytes = Bytes()
            while bytes.count <= limit {
                guard let piece = try await reader.next() else { return (bytes, true) }
                bytes += piece
            }
            reader.abandon()
            return (bytes, false)
        }
    }
}
