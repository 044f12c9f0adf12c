// `/v1/events`: events of providers, as server-sent events. Each stream begins with a snapshot, so a client that
// connects or reconnects needs no history.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer

struct EventsRoute: Sendable {
    let engine: Engine
    let providerEvents: EventFeed
    let returns: ReturnWatch

    func events(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        var request = request
        // Events before the snapshot are contained in it. Sent after it, they would be out of date.
        request.fields.remove(.lastEventID)
        // The subscription comes first. Events that happen during the snapshot follow it, and may repeat it.
        let response = try providerEvents.response(to: request, otherwise: .next, route: route)
        if case .stream(let reader as EventReader, _) = response.body {
            returns.begin()
            reader.greet(EventText.event("snapshot", data: await snapshot()))
        }
        return response
    }

    private func snapshot() async -> Bytes {
        let now = engine.time.moment()
        var sights: [(String, LaneSight)] = []
        for provider in engine.snapshot.providers.all where provider.isConfigured {
            if let sight = engine.upstream.sight(provider.name) { sights.append((provider.name, sight)) }
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("at", now.wall.rfc3339)
            writer.name("providers")
            writer.array { writer in
                for (name, sight) in sights {
                    writer.object { writer in
                        writer.member("provider", name)
                        if let isReachable = sight.isReachable { writer.member("reachable", isReachable) }
                        // A suspension that is over refuses no call: the next call probes the provider.
                        writer.member("suspended", sight.suspension != nil && !sight.isProbing)
                        if sight.isProbing { writer.member("probing", true) }
                        let until = sight.isProbing ? nil : sight.suspension.map { now.boundedWall(at: $0.until) }
                        writer.member(ifPresent: "until", until?.rfc3339)
                        writer.member(ifPresent: "class", sight.suspension?.failure.rawValue)
                        writer.name("budgets")
                        writer.array { writer in
                            for kind in sight.kinds {
                                guard let budget = sight.budgets[kind] else { continue }
                                writer.object { LaneNews.append(kind, budget, to: &$0) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}

extension LaneNews {
    /// The event's name.
    var name: String {
        switch event {
        case .reachable, .unreachable: "reachability"
        case .suspended, .resumed: "suspension"
        case .budget: "budget"
        }
    }

    /// The event as a JSON object.
    var json: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("provider", provider)
            writer.member("at", at.wall.rfc3339)
            switch event {
            case .reachable: writer.member("reachable", true)
            case .unreachable(let failure):
                writer.member("reachable", false)
                writer.member("class", failure.rawValue)
            case .suspended(let suspension):
                writer.member("suspended", true)
                writer.member("until", at.boundedWall(at: suspension.until).rfc3339)
                writer.member("class", suspension.failure.rawValue)
            case .resumed: writer.member("suspended", false)
            case .budget(let kind, let level, let budget):
                writer.member("level", level.rawValue)
                Self.append(kind, budget, to: &writer)
            }
        }
        return writer.bytes
    }

    static func append(_ kind: BudgetKind, _ budget: BudgetSight, to writer: inout JSONWriter) {
        writer.member("limit", kind.word)
        if let limit = budget.limit { writer.member("calls", limit) }
        if let remaining = budget.remaining { writer.member("remaining", remaining) }
    }
}
