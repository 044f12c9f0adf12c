// The JSON documents that tell of the daemon itself. They are true at one moment, so no cache stores them.
import LarderCore
import LarderServer

extension ServerResponse {
    /// A JSON document that is not to be stored.
    static func json(
        _ bytes: Bytes, status: Int = 200, provider: String? = nil, route: RouteName = .unnamed
    ) -> ServerResponse {
        ServerResponse(
            status: status, fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(bytes), provider: provider, route: route)
    }

    /// The same for one object.
    static func json(route: RouteName = .unnamed, _ members: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter()
        writer.object(members)
        return json(writer.bytes, route: route)
    }
}
