// What the engine is told of a request: its own values, made of the server's.
import LarderCore
import LarderEngine
import LarderServer

extension AskingClient {
    init(_ request: ServerRequest) {
        self.init(peer: request.peer, fields: request.fields, id: request.id)
    }
}

extension WayOut {
    /// - Parameters:
    ///   - name: the provider's, or a short form of it, as the request has it.
    ///   - path: below the mount, without single dots.
    convenience init(_ request: ServerRequest, provider: ConfiguredProvider, name: String, path: String) {
        self.init(
            mount: request.listenerProvider == nil ? "/raw/" + name : "", provider: provider, path: path,
            query: request.query, clientPath: request.path)
    }
}

extension PassRequest {
    convenience init(
        _ request: ServerRequest, _ way: WayOut, content: QueryContent? = nil, isDeclared: Bool = false
    ) throws(ClientFacingError) {
        try self.init(
            ClientRequest(
                method: request.method, query: request.query, fields: request.fields,
                isVersion10: request.isVersion10, content: content, isDeclared: isDeclared), way)
    }
}

extension SessionCoordinator {
    /// Answers a request of a session, or says 409 as soon as a newer one takes its place. One of no session is
    /// answered as if this were not here.
    ///
    /// - Parameter work: makes the answer. It runs with `SessionScope.current` set, and is cancelled when it is superseded.
    func serve(
        _ request: ServerRequest, debounce standard: Duration,
        _ work: @escaping @Sendable () async throws(ClientFacingError) -> ServerResponse
    ) async throws(ClientFacingError) -> ServerResponse {
        guard let wish = try Self.wish(request.fields, from: request.peer, listener: request.listener) else {
            return try await work()
        }
        return try await serve(wish, asking: request.target, debounce: standard, work)
    }
}

extension LiveSearch.Conclusion {
    /// - Parameter answer: an envelope, which is always made in memory.
    init(_ answer: Answer, count: Int) {
        guard let body = answer.body.whole else { preconditionFailure("an envelope is made in memory") }
        self.init(
            body: body, count: count, outcome: answer.provenance.outcome, bornAt: answer.bornAt,
            freshUntil: answer.freshUntil)
    }
}
