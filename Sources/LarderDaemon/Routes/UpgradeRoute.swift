// A request to a provider of the user's own that would change the protocol of its connection, such as to WebSocket. It is
// neither joined nor stored, and counts as one call. The server asks the API over the connection that is made here.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer
import LarderSettings

struct UpgradeRoute: Sendable {
    let engine: Engine
    let tunnels: TunnelConnector
    let secrets: SecretRegistry

    func pass(
        _ context: RequestContext, _ way: WayOut, _ upgrade: ProtocolUpgrade
    ) async throws(ClientFacingError) -> ServerResponse {
        let provider = way.provider
        let settings = context.snapshot.settings
        let request = try PassRequest(context.request, way, isUpgrade: true)
        guard !request.directives.onlyIfCached else {
            throw engine.refusal(EntryRequest.notCached(by: provider.name), of: provider.name)
        }
        guard engine.counters.cell(ServerCounters.tunnels).current < settings.proxy.maxTunnels else {
            throw .tooManyTunnels
        }
        let asked = request.order(
            request.forwarded, method: context.request.method, settings: settings, limit: 0)
        guard let url = HTTPURL(asked.url), let target = ProxyTarget(url) else {
            throw ClientFacingError(status: 400, code: "badTarget", detail: "The URL of this request has no host.")
        }
        let authorities = provider.settings.ca ?? settings.fetch.caFile
        let (connection, order, heard): (TunnelConnector.Connection, FetchOrder, @Sendable (UpstreamResponse?) -> Void)
        do {
            (connection, order, heard) = try await engine.upstream.connecting(request.call(asked)) {
                [tunnels, compute = engine.compute] order async throws(FetchError) in
                try await tunnels.connect(
                    to: target, addresses: order.addresses, authorities: authorities, in: compute)
            }
        } catch {
            throw engine.refusal(error, of: provider.name)
        }
        var fields = order.fields
        fields.add(order.secretFields)
        // The policy on origins has accepted the page as one of the provider's mount. The API knows that by its own name.
        if fields.contains(.origin), !way.isProxied { fields.set(.origin, target.origin) }
        if !fields.contains(.userAgent) { fields.set(.userAgent, settings.fetch.userAgent) }
        let secret = order.secretQuery.items.isEmpty ? "" : order.secretQuery.encoded
        let mark = secret.isEmpty ? "" : url.target.contains("?") ? "&" : "?"
        let head = upgrade.head(context.request.method, url.target + mark + secret, host: url.authority, fields)
        let redactor = secrets.redactor(for: order)
        var response = ServerResponse(status: 101, provider: provider.name, route: context.route)
        let time = engine.time
        response.upgrade = UpgradeOffer(
            upgrade, head, to: target, over: connection.socket, tls: connection.tls,
            answered: { status, fields in
                heard(status.map { UpstreamResponse(status: $0, fields: redactor.redacted(fields), at: time.wall()) })
            },
            fields: { way.fields(redactor.redacted($0), isShared: false, received: time.wall()) })
        return response
    }
}

extension UpstreamResponse {
    fileprivate init(status: Int, fields: HeaderFields, at time: WallTime) {
        self.init(status: status, fields: fields, body: [], requestTime: time, responseTime: time, url: "")
    }
}
