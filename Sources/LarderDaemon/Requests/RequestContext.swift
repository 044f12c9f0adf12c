// One request with what is fixed when its processing begins: the settings that apply until its end, and the route that
// it is counted under.
import LarderEngine
import LarderServer

struct RequestContext: Sendable {
    /// The request as upstreams and the cache may see it. A route may remove fields that are meant for the daemon only.
    var request: ServerRequest
    let snapshot: Snapshot
    /// The route's name in counters, log and explanations.
    let route: RouteName
}
