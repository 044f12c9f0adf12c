// An event feed as an HTTP response.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

extension EventFeed {
    /// The response that streams this feed. The response to HEAD has the same head and opens no stream.
    /// - Parameter greeting: text that only this reader gets, before all events.
    /// - Throws: 503 if no more streams may be open.
    func response(
        to request: ServerRequest, otherwise start: Start, greeting: Bytes = [], route: RouteName
    ) throws(ClientFacingError) -> ServerResponse {
        let lastID = request.fields.first(.lastEventID)
        var response = ServerResponse(status: 200, route: route)
        response.fields = ["Cache-Control": "no-store"]
        if isExhausted(after: lastID) {
            // 204 is the only response after which a browser does not reconnect (WHATWG HTML §9.2.3).
            response.status = 204
            return response
        }
        response.fields.set(.contentType, EventText.mediaType)
        // Proxies such as nginx buffer small writes unless told not to.
        response.fields.set(.xAccelBuffering, "no")
        let reader: any BodyReader =
            request.method == .head
            ? WholeBodyReader([]) : try self.reader(after: lastID, otherwise: start, greeting: greeting)
        response.body = .stream(reader, length: nil)
        return response
    }
}
