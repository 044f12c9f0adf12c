// A route as one record: what it takes, what it answers, who may use it, and its handler. The router, the check of
// authority, `/openapi.json` and the reference follow from the records (`RouteTable`): nothing is stated twice.
import LarderCore
import LarderProviders
import LarderServer

/// One route.
struct Route: Sendable {
    /// Handles a request with the daemon's parts.
    typealias Handler = @Sendable (RouteParts, RouteCall) async throws(ClientFacingError) -> ServerResponse

    /// The methods; GET also answers HEAD. Empty if the route takes any method.
    var methods: [Method]
    /// The pattern in the router's notation: "/v1/searches/{id}".
    var pattern: String
    /// The name in counters, log and explanations. Several routes may share one.
    var name: String
    /// One line; a sentence if the route needs authority.
    var summary: String
    var parameters: [RouteParameter] = []
    var answers: [RouteAnswer] = [RouteAnswer(200, "The answer.")]
    /// Why a request may be refused although each of its parameters is allowed.
    var refusals: [QuestionRefusal] = []
    /// Whether the client's conditions and ranges apply (RFC 9110 §13, §14).
    var takesConditions = false
    /// The media types that the request body may have; empty if the route takes no body.
    var bodies: [String] = []
    /// Whether only clients that may change the daemon's state may use the route (`Authority`).
    var needsAuthority = false
    /// Whether the interface description and the reference list the route. Parts of pages and collective routes are
    /// omitted.
    var isDescribed = true
    /// Whether the request body is streamed to the handler.
    var takesStream = false
    /// Whether a browser may be led to the route from another site. Such a route shows something and changes nothing.
    var isLanding = false
    /// Whether the route only looks at this daemon, as pages and probes do. `/v1/requests` leaves its requests out.
    var isLooking = false
    /// Nil if the request is handled before the router, or by a route with a wider pattern.
    var handler: Handler?
}

extension Route {
    /// The pattern in OpenAPI's notation, in which a capture of the rest looks like any other.
    var path: String { pattern.replacing("...}", with: "}") }

    /// The summary, with a note if the route needs authority.
    var told: String { needsAuthority ? "\(summary.dropLast()); needs authority." : summary }

    /// Whether a successful response is an envelope of results.
    var hasResults: Bool { parameters.contains { $0.record.name == "fields" } }

    /// A name for programs, such as "getItunesSearch".
    var operationID: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }.drop { $0 == "v1" }
        return (methods.first ?? .get).name.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

/// A parameter of a route: its record, and where a request has it.
struct RouteParameter: Sendable {
    enum Place: String, Sendable {
        case path
        case query
        case header
    }

    var record: QuestionParameter
    var place: Place
    /// Whether many routes take the parameter. The reference then describes it at its top.
    var isCommon = false

    static func path(
        _ name: String, _ line: String, _ form: ParameterForm = .text(), example: String? = nil
    ) -> RouteParameter {
        RouteParameter(record: QuestionParameter(name, form, line, example: example).required, place: .path)
    }

    static func query(
        _ name: String, _ line: String, _ form: ParameterForm = .text(), example: String? = nil,
        default defaultText: String? = nil
    ) -> RouteParameter {
        query(QuestionParameter(name, form, line, example: example, default: defaultText))
    }

    static func query(_ record: QuestionParameter) -> RouteParameter { RouteParameter(record: record, place: .query) }
}

extension ParameterForm {
    /// A digest of 32 bytes in base64url. Only four bits of the last character count.
    static let digest = pattern("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$")
    /// The http or https URL of an API, or a path below /raw, or the beginning of one.
    static let url = text(longest: 8000)
}

extension RouteParameter {
    /// A digest that no entry has.
    static let exampleDigest = String(repeating: "A", count: 43)
}

/// One of the responses of a route.
struct RouteAnswer: Sendable {
    var status: Int
    /// A description in one line.
    var line: String
    /// The content of the body; nil if it is not described.
    var content: AnswerContent?

    init(_ status: Int, _ line: String, _ content: AnswerContent? = nil) {
        self.status = status
        self.line = line
        self.content = content
    }
}

/// Routes that belong together: one row of the reference's table.
struct RouteGroup: Sendable {
    /// The reference's description of the group.
    var line: String
    /// The common beginning of their paths, which the table writes once.
    var root = ""
    var routes: [Route]
}

/// A request whose route was found.
struct RouteCall: Sendable {
    let request: ServerRequest
    /// The route's name, under which the response is counted.
    let name: RouteName
    private let captures: [String: String]
    /// The capture of `{name...}`, still encoded.
    let rest: String

    init(_ request: ServerRequest, _ match: Router<Destination>.Match) {
        self.request = request
        name = match.name
        captures = match.captures
        rest = match.rest ?? ""
    }

    /// The decoded segment that the pattern names `name`; empty if there is none.
    func captured(_ name: String) -> String { captures[name] ?? "" }
}

/// What a route in the router leads to.
struct Destination: Sendable {
    let needsAuthority: Bool
    let handler: Route.Handler
}
