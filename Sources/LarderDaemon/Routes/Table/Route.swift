// A route as one record: what it takes, what it answers, who may use it and who carries it out. The router, the check of
// authority, `/openapi.json` and README's table follow from the records (`RouteTable`): nothing of a route is said twice.
import LarderCore
import LarderProviders
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
    /// Why a request whose parameters are all allowed may be refused.
    var refusals: [QuestionRefusal] = []
    /// Conditions and ranges of the client apply to it (RFC 9110 §13, §14).
    var takesConditions = false
    /// What its body may be, by media type; none where it takes no body.
    var bodies: [String] = []
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

    /// A name for programs: "getItunesSearch".
    var operationID: String {
        let words = path.split { !$0.isLetter && !$0.isNumber }.drop { $0 == "v1" }
        return (methods.first ?? .get).name.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
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
    /// What it may be where it is no word of `allowed`.
    var form = ParameterForm.text()
    /// A value that the stand-in's samples know.
    var example: String?
    /// What is meant where it is left out.
    var defaultText: String?
    /// Several values, separated by commas.
    var isList = false
    /// How many of them there may be, where that is not the usual number.
    var mostValues: Int?
    /// Other names of it.
    var aliases: [String] = []

    /// What one value of it may be.
    var valueForm: ParameterForm { allowed.isEmpty ? form : .choice(allowed) }

    static func path(
        _ name: String, _ line: String, _ form: ParameterForm = .text(), example: String? = nil
    ) -> RouteParameter {
        RouteParameter(name: name, place: .path, isRequired: true, line: line, form: form, example: example)
    }

    // More than six parameters: what is known of a parameter, most of which has defaults.
    static func query(
        _ name: String, _ line: String, allowed: [String] = [], _ form: ParameterForm = .text(),
        example: String? = nil, default defaultText: String? = nil, isList: Bool = false
    ) -> RouteParameter {
        RouteParameter(
            name: name, place: .query, allowed: allowed, line: line, form: form, example: example,
            defaultText: defaultText, isList: isList)
    }
}

extension ParameterForm {
    /// A span of time with its unit; these spellings are not all that are read.
    static let duration = pattern("^[1-9][0-9]{0,3}(ms|s|min|h|d)$")
    /// A digest of 32 bytes in base64url; of the last character four bits count.
    static let digest = pattern("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$")
    /// An http or https URL, or a path below /raw.
    static let url = pattern(
        "^(https?://[a-z0-9]([a-z0-9.-]{0,60}[a-z0-9])?|/raw/[a-z][a-z0-9-]{0,31})(/[!-\"$-~]{0,500})?$")
    /// The beginning of one.
    static let urlPrefix = pattern("^(https?://|/raw/)[a-z0-9][!-~]{0,500}$")
}

extension RouteParameter {
    /// A digest that nothing has.
    static let exampleDigest = String(repeating: "A", count: 43)

    /// A parameter of a provider's question.
    init(_ question: QuestionParameter, in place: Place) {
        self.init(
            name: question.name, place: place, isRequired: question.isRequired, line: question.line,
            form: question.form, example: question.example, defaultText: question.defaultText,
            isList: question.isList, mostValues: question.mostValues, aliases: question.aliases)
    }
}

/// One of the answers that a route gives.
struct RouteAnswer: Sendable {
    var status: Int
    /// One line.
    var line: String
    /// What its body is; nil where that is not told.
    var content: AnswerContent?

    init(_ status: Int, _ line: String, _ content: AnswerContent? = nil) {
        self.status = status
        self.line = line
        self.content = content
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
