// One request on its way to its answer, with what is settled when the way begins: the settings that it keeps to its end, and the
// route that it is counted under.
import LarderEngine
import LarderServer

struct RequestContext: Sendable {
    /// As upstreams and the cache may know it; a route may take out what is for the daemon alone.
    var request: ServerRequest
    let snapshot: Snapshot
    /// The route's name in counters, log and explanations.
    let route: RouteName
}
