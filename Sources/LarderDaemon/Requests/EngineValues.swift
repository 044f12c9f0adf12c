// Converts the server's values into the engine's.
import LarderCore
import LarderEngine
import LarderServer
import LarderSettings

extension AskingClient {
    /// - Parameter request: the request as received.
    convenience init(_ request: ServerRequest, tools: [ToolSetting] = []) {
        self.init(
            peer: request.peer, fields: request.fields, id: request.id, halfClose: request.halfClose, tools: tools)
    }

    /// Returns the request without the fields that are for Larder alone: whose call it is and how urgent. One call may
    /// answer many clients, so these fields neither go upstream nor choose an answer.
    /// - Returns: nil if the request has none, as is nearly always so.
    static func removed(from request: ServerRequest, _ tools: [ToolSetting]) -> ServerRequest? {
        let hasToken =
            !tools.isEmpty
            && request.fields.all(.authorization).contains { ToolSetting.isToken(in: $0, of: tools) }
        guard hasToken || request.fields.contains(.priority) || request.fields.contains(.xLarderTool) else {
            return nil
        }
        var request = request
        request.fields.remove(.priority)
        request.fields.remove(toolField)
        if hasToken {
            request.fields.removeAll {
                $0.isNamed(.authorization) && ToolSetting.isToken(in: $0.value, of: tools)
            }
        }
        return request
    }
}

extension WayOut {
    /// - Parameters:
    ///   - name: the provider's name or short name, as the request has it.
    ///   - path: the path below the mount, without single-dot segments.
    ///   - settings: evaluated only for the few responses that lead elsewhere.
    convenience init(
        _ request: ServerRequest, provider: ConfiguredProvider, name: String, path: String,
        _ settings: @autoclosure @escaping @Sendable () -> Settings
    ) {
        let mount = request.listenerProvider == nil ? "/raw/" + name : ""
        let host = request.fields.first(.host)
        self.init(
            mount: mount, provider: provider, path: path, query: request.query, clientPath: request.path,
            isProxied: request.proxied != nil,
            isElsewhereHere: { OwnAddresses(host: host, mount: mount, settings()).isElsewhereHere($0) })
    }
}

extension PassRequest {
    convenience init(
        _ request: ServerRequest, _ way: WayOut, content: QueryContent? = nil, isDeclared: Bool = false,
        isUpgrade: Bool = false
    ) throws(ClientFacingError) {
        try self.init(
            ClientRequest(
                method: request.method, query: request.query, fields: request.fields,
                isVersion10: request.isVersion10, content: content, isDeclared: isDeclared,
                isUpgrade: isUpgrade), way)
    }
}

extension SessionCoordinator {
    /// Answers a request of a session, or throws 409 as soon as a newer request supersedes it. A request without a
    /// session is answered directly.
    ///
    /// - Parameter work: makes the response. It runs with `SessionScope.current` set, and is cancelled when superseded.
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
    /// - Parameter answer: an envelope, which is always in memory.
    init(_ answer: Answer, count: Int) {
        guard let body = answer.body.whole else { preconditionFailure("an envelope is made in memory") }
        self.init(
            body: body, count: count, outcome: answer.provenance.outcome, bornAt: answer.bornAt,
            freshUntil: answer.freshUntil)
    }
}
