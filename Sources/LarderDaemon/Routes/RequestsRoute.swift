// `/v1/requests`: the requests answered recently. `/v1/requests/events`: requests as they happen. Viewers without
// authority see less (`RequestViewer`).
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer

struct RequestsRoute: Sendable {
    let engine: Engine
    let watch: RequestWatch
    let secrets: SecretRegistry
    let streams: EventStreams
    let places: RequestStreamPlaces
    /// The loop whose timers drive the streams.
    let home: EventLoop

    static let filterParameters: [RouteParameter] = [
        .query("provider", "Only requests that this provider took part in.", example: "itunes"),
        .query("outcome", "Only requests with this outcome.", .choice(CacheOutcome.allCases.map(\.rawValue))),
        .query(
            "status", "Only requests answered with this status, or with one of this class.",
            .pattern("^[1-5][0-9][0-9]$|^[1-5][xX][xX]$"), example: "4xx"),
        .query("client", "Only requests of this client: an address, or \"user 1000\".", example: "127.0.0.1"),
        .query("path", "Only requests whose shown target contains this text.", example: "/v1/search"),
        .query("slow", "Only requests that took at least this long.", .duration, example: "100ms"),
    ]
    static let listParameters =
        filterParameters + [
            .query(
                "limit", "The most requests to return.", .number(1...RequestWatch.capacity), example: "5",
                default: String(usualLimit))
        ]
    static let eventParameters =
        filterParameters + [
            .query(
                "last", "How many earlier requests to send first.", .number(0...RequestWatch.capacity), example: "20",
                default: "0")
        ]

    private static let usualLimit = 100

    /// The recent requests, newest first.
    func list(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let values = try request.values(Self.listParameters)
        let filter = try RequestFilter(values)
        let limit = values.number("limit") ?? Self.usualLimit
        let viewer = try viewer(request)
        let seen = await watch.latest()
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.member("capacity", RequestWatch.capacity)
            writer.member("redacted", viewer.isRedacted)
            writer.name("requests")
            RequestsText.append(seen.requests.reversed(), filter, viewer, limit: limit, to: &writer)
        }
        return .json(writer.bytes, route: route)
    }

    /// The requests as server-sent events.
    func events(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let values = try request.values(Self.eventParameters)
        let filter = try RequestFilter(values)
        let last = values.number("last") ?? 0
        var request = request
        // A client asks for what it missed between two connections with `last`.
        request.fields.remove(.lastEventID)
        let viewer = try viewer(request)
        var isOwner = false
        if case .unix = request.peer { isOwner = !viewer.isRedacted }
        let stream = RequestStream(
            watch: watch, filter: filter, viewer: viewer,
            feed: EventFeed("request", streams: streams, keeping: 2), place: try places.take(isOwner: isOwner))
        // The reader is attached before the first event, and the limit of streams is checked before the rings are read.
        let response = try stream.feed.response(to: request, otherwise: .next, route: route)
        guard request.method != .head else { return response }
        await stream.begin(last: last)
        stream.goOn(on: home)
        return response
    }

    private func viewer(_ request: ServerRequest) throws(ClientFacingError) -> RequestViewer {
        let hasAuthority = try Authority.isGiven(request, engine.snapshot.settings)
        return RequestViewer(isRedacted: !hasAuthority, secrets: secrets.redactor)
    }
}

enum RequestsText {
    /// Writes an array of the requests that the filter accepts, in the order given.
    static func append(
        _ requests: some Sequence<SeenRequest>, _ filter: RequestFilter, _ viewer: RequestViewer, limit: Int,
        to writer: inout JSONWriter
    ) {
        writer.array { writer in
            var left = limit
            for request in requests {
                guard left > 0 else { return }
                let target = viewer.target(request)
                guard filter.takes(request, target: target) else { continue }
                request.write(to: &writer, for: viewer, target: target)
                left -= 1
            }
        }
    }
}
