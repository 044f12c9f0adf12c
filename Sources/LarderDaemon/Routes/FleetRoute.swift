// `GET /v1/fleet`: the hosts that share the prefix, and the state of each.
import LarderCache
import LarderCore
import LarderEngine
import LarderServer
import LarderShared

struct FleetRoute: Sendable {
    let engine: Engine

    /// The hosts of the fleet. A host that works alone reports that it has no fleet.
    func fleet(route: RouteName) async -> ServerResponse {
        let tier = engine.cache.shared
        let members = await tier?.members()
        let generations = await tier?.generations(of: engine.snapshot.providers.all.map(\.name)) ?? []
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("shared", tier != nil)
            if let tier {
                writer.member("url", tier.settings.shown)
                writer.member("prefix", tier.settings.prefix)
                writer.member("reached", members != nil)
            }
            writer.name("hosts")
            writer.array { writer in
                for member in members ?? [] { Self.write(member, &writer) }
            }
            writer.name("generations")
            writer.object { writer in
                for (name, generation) in generations { writer.member(name, generation) }
            }
        }
        return .json(writer.bytes, route: route)
    }

    private static func write(_ member: SharedMember, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", member.id)
            writer.member("name", member.name)
            writer.member("self", member.isSelf)
            writer.member("version", member.version)
            writer.member(ifPresent: "startedAt", member.startedAt.isEmpty ? nil : member.startedAt)
            writer.member("silentSeconds", member.silence)
            writer.member("alive", member.isAlive)
            writer.member(ifPresent: "place", member.place?.text)
            writer.name("calls")
            writer.object { writer in
                for (provider, calls) in member.calls { writer.member(provider, calls) }
            }
        }
    }
}
