// A route as one record: what it takes, what it answers, who may use it and who carries it out. The router, the check of
// authority, `/openapi.json` and README's table follow from the records (`RouteTable`): nothing of a route is said twice.
import LarderCore
import LarderServer

/// One route.
struct Route: Sendable {
    /// Carries a request out with the daemon's parts.
    typealias Handler = @Sendable (RouteParts, RouteCall) async throws(ClientFacingError) -> ServerResponse

    /// GET answers HEAD too. None where any method is taken.
    var methods: [Method]
    /// As the router reads it: "/v1/searches/{id}".
    var pattern: String
    /// What counters, log and explanations call it. Several routes may share one.
    var name: String
    /// One line; of those that need authority a sentence.
    var summary: String
    var parameters: [RouteParameter] = []
    var answers: [RouteAnswer] = [RouteAnswer(200, "The answer.")]
    /// Only those that may change the daemon's state may use it (`Authority`).
    var needsAuthority = false
    /// Programs and README are told of it; the others are parts of pages, and ways that stand for several routes.
    var isDescribed = true
    /// Its body is handed on as it comes.
    var takesStream = false
    /// A browser may be led to it from another site: it shows something and changes nothing.
    var isLanding = false
    /// It only looks at this daemon, as pages and probes do: it is left out where requests are told of.
    var isLooking = false
    /// Nil where the request is carried out before the router is asked, or by a route with a wider pattern.
    var handler: Handler?
}

extension Route {
    /// The pattern as OpenAPI writes it, where a capture of the rest looks like any other.
    var path: String { pattern.replacing("...}", with: "}") }

    /// The summary, with who may use it.
    var told: String { needsAuthority ? "\(summary.dropLast()); needs authority." : summary }

    /// A success is an envelope of results.
    var hasResults: Bool { parameters.contains { $0.name == "fields" } }
}

/// What a route is told beside its method.
struct RouteParameter: Sendable {
    enum Place: String, Sendable {
        case path
        case query
        case header
    }

    var name: String
    var place: Place
    var isRequired = false
    /// What it may be; none where it is any text.
    var allowed: [String] = []
    /// One line.
    var line: String
    /// Many routes take it: README tells of it beside its table.
    var isCommon = false

    static func path(_ name: String, _ line: String) -> RouteParameter {
        RouteParameter(name: name, place: .path, isRequired: true, line: line)
    }

    static func query(_ name: String, _ line: String, allowed: [String] = []) -> RouteParameter {
        RouteParameter(name: name, place: .query, allowed: allowed, line: line)
    }
}

/// One of the answers that a route gives.
struct RouteAnswer: Sendable {
    var status: Int
    /// One line.
    var line: String

    init(_ status: Int, _ line: String) {
        self.status = status
        self.line = line
    }
}

/// Routes that a reader looks for at one place: one row of README's table.
struct RouteGroup: Sendable {
    /// What README says of them.
    var line: String
    /// The beginning of their paths that README writes once.
    var root = ""
    var routes: [Route]
}

/// A request whose route was found.
struct RouteCall: Sendable {
    let request: ServerRequest
    /// What its answer is counted under.
    let name: RouteName
    private let captures: [String: String]
    /// What `{name...}` captured, still encoded.
    let rest: String

    init(_ request: ServerRequest, _ match: Router<Destination>.Match) {
        self.request = request
        name = match.name
        captures = match.captures
        rest = match.rest ?? ""
    }

    /// The decoded segment of that name in the pattern.
    func captured(_ name: String) -> String { captures[name] ?? "" }
}

/// What a route leads to.
struct Destination: Sendable {
    let needsAuthority: Bool
    let handler: Route.Handler
}
