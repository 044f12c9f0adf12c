// One question to an API as data: its route, its parameters, the request that it makes and where the answer's records lie.
// From one record of a parameter follow reading, checking, the key, what is sent, and every document.
import LarderCore

/// A question.
struct QuestionSpec: Sendable {
    /// The name that lifetimes and labels use.
    var name: String
    /// The route below the provider's prefix: "works/{id}".
    var route: PathTemplate
    /// The route as documents show it, if one of its words can be others.
    var shownRoute: PathTemplate?
    /// Whether documents show the question. A variant of another one has that one's name.
    var isShown = true
    /// The forms of values in the route. With a value of another form it is another route.
    var routeForms: [String: TextPattern] = [:]
    /// The path of the request: "/works/{id}.json".
    var path: PathTemplate
    /// Further paths of the API with the same answers.
    var otherPaths: [PathTemplate] = []
    /// The forms of placeholders in them that are no parameters.
    var pathForms: [String: TextPattern] = [:]
    /// All parameters, those in the route too, in the order of the question's identity.
    var parameters: [QuestionParameter]
    /// The names of the parameters in the order of the question's identity, if that is another one.
    var keyOrder: [String] = []
    /// What the API gets by POST; nil if it is asked by GET.
    var body: BodyTemplate?
    /// Whether that is a GraphQL request. The API then tells its errors in the answer, whatever the status is.
    var isGraphQL = false
    /// Parameters that each request has.
    var fixed: [(name: String, value: String)] = []
    /// What the API takes for parameters that no question has.
    var assumed: [String: String] = [:]
    /// Beginning of the sentence when what the question needs is not given: "A search for books".
    var subject = ""
    /// Whether Larder gives no more results than `limit` though the API gives more.
    var cutsAtLimit = false
    /// What the parameters must be to each other.
    var rules: [QuestionRule] = []
    /// Refusals that do not follow from the parameters.
    var refusals: [QuestionRefusal] = []
    /// How the API divides the list, if a stored answer of another length may hold the results.
    var paging: PagingSpec?
    /// How random answers are kept, if the answer is one.
    var pool: PoolSpec?
    /// What calls the question takes, if one is not enough.
    var plan: PlanFunction?
    /// The question whose answer holds the record of this one.
    var within: String?
    /// The orders into which Larder brings the results. The API itself gives the others.
    var ownSorts = SortOrder.allCases
    /// The values of a parameter with which this is another question, and the names of those.
    var becomes: (parameter: String, questions: [String: String])?
    var ttl: Duration
    /// Which answers live longer, because they no longer change.
    var settles: SettledSpec?
    var summary: String
    var answer: AnswerSpec
    /// Whether an answer holds what the request names, if its path does not say it.
    var check: CheckFunction?

    /// The names of the parameters in the route.
    var captured: [String] { route.names }
    private var captures: [QuestionParameter] { parameters.filter { captured.contains($0.name) } }
    var asked: [QuestionParameter] {
        let captured = captured
        return parameters.filter { !captured.contains($0.name) && !$0.sending.isFixed }
    }
    /// Whether a value in the path can be other than one of some words.
    var hasFreePath: Bool {
        let inPath = path.names
        return parameters.contains { parameter in
            if case .choice = parameter.form { return false }
            return inPath.contains(parameter.name)
        }
    }

    /// What the question needs and a search of several sources may not give.
    var neededBesideTerm: [String] {
        let needed = parameters.filter { captured.contains($0.name) || $0.isRequired && $0.defaultText == nil }
        return needed.map(\.name).filter { $0 != terms.first?.name }
    }
    var terms: [QuestionParameter] { parameters.filter(\.sending.isTerm) }

    /// The values in the path of a request; nil if the path is another question's.
    func values(in path: String) -> [String: String]? {
        // APIs heed no slash at the end.
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        return ([self.path] + otherPaths).lazy.compactMap { $0.values(in: path) }.first { values in
            values.allSatisfy { pathForms[$0.key]?.matches($0.value) ?? true }
                && parameters.allSatisfy { parameter in
                    (values[parameter.name].map(parameter.isPossible) ?? true)
                        && parameter.sending.wordsBy?.holds(parameter.name, values) ?? true
                }
        }
    }

    /// The same with the values in the query.
    func values(in request: UpstreamRequest) -> [String: String]? {
        guard var values = values(in: request.path) else { return nil }
        if let body { values.merge(body.values(in: request.body)) { $1 } }
        guard let query = request.query.flatMap({ try? QueryParameters(parsing: $0) }) else { return values }
        for parameter in parameters where values[parameter.name] == nil && parameter.sending.isSent {
            values[parameter.name] = query[parameter.sending.name ?? parameter.name]
        }
        return values
    }

    /// Whether the canonical form of this question is that of the path. A path with other values has a form of its own.
    func isOfForm(_ path: String) -> Bool {
        self.path.values(in: path) != nil
            || otherPaths.contains { $0.names.isEmpty && $0.values(in: path) != nil }
    }

    /// The records of the interface description.
    func about(minimumTerm: Int) -> EndpointAbout {
        var refusals: [QuestionRefusal] = []
        if needsOneOfSeveral { refusals.append(.missingParameter) }
        if mayConflict { refusals.append(.conflict) }
        if !terms.isEmpty, minimumTerm > 1 || terms.contains(where: { $0.sending.longestEncoded != nil }) {
            refusals.append(.termLength)
        }
        refusals += self.refusals
        let route = shownRoute ?? route
        return EndpointAbout(
            name, route: route.text, captures: captures.filter { route.names.contains($0.name) }, parameters: asked,
            refusals: refusals, ttl: ttl,
            summary: summary)
    }

    private var needsOneOfSeveral: Bool {
        rules.contains(where: \.isOneOf) || terms.count > 1
    }

    /// Whether values can be refused that are each allowed.
    private var mayConflict: Bool {
        rules.contains { !$0.isOneOf }
            || asked.contains { !$0.aliases.isEmpty || $0.sending.wordsBy != nil || $0.sending.onlyBy != nil }
    }
}

/// What the parameters of one question must be to each other. Each says the sentence of its refusal.
enum QuestionRule: Sendable {
    /// One of these at least. The refusal names `blamed`.
    case oneOf([String], blamed: String, sentence: String)
    /// One of these at most. In the sentence, `{first}` and `{second}` are the names that were given.
    case onlyOne([String], sentence: String)
    /// The parameter, and none of the others. In the sentence, `{first}` is the first of those that were given.
    case without(String, others: [String], sentence: String)
    /// The parameter only with these values of another one.
    case onlyWith(String, other: String, values: [String], sentence: String)
    /// A stretch of the list, by these parameters, that begins below this number. The refusal names the last of them.
    case within(Int, of: [String], sentence: String)
}

/// Answers that say of when their record is, and live longer if that is long ago.
struct SettledSpec: Sendable {
    /// Seconds since 1970.
    var time: JSONPath
    var after: Duration
    var ttl: Duration

    /// The lifetime of an answer; nil for the usual one. A time outside the calendar is ignored.
    func lifetime(of response: UpstreamResponse) -> Duration? {
        guard let time = (try? JSON.parse(response.body)).flatMap({ time.first(in: $0)?.integer }),
            (0..<253_402_300_800).contains(time)
        else { return nil }
        return response.responseTime > WallTime(seconds: Int64(time)) + after ? ttl : nil
    }
}

/// How an API divides a list.
struct PagingSpec: Sendable {
    /// The parameters with the most results and with their beginning.
    var count = "limit"
    var start: String
    /// Whether the beginning is a page, from 1, and not the number of results before it.
    var isPage: Bool
    /// The most results of one answer.
    var longest: Int

    /// By `limit` and `page`.
    static func pages(longest: Int) -> PagingSpec { PagingSpec(start: "page", isPage: true, longest: longest) }

    /// The part of the list that a question asks for.
    func stretch(_ values: [String: String]) -> ListStretch? {
        guard let count = values[count].flatMap({ Int($0) }) else { return nil }
        let start = values[start].flatMap { Int($0) } ?? (isPage ? 1 : 0)
        return ListStretch(start: isPage ? (start - 1) * count : start, count: count)
    }

    /// The same where a value may stand for its default.
    func stretch(_ values: [String: String], of parameters: [QuestionParameter]) -> ListStretch? {
        let usual = parameters.compactMap { parameter in parameter.defaultText.map { (parameter.name, $0) } }
        return stretch(values.merging(usual) { given, _ in given })
    }

    /// The other parts that may hold it, each with the values that ask for it.
    func wider(than wanted: ListStretch) -> [(stretch: ListStretch, values: [String: String])] {
        let others = isPage ? wanted.widerPages(longest: longest) : wanted.widerAnywhere(longest: longest)
        return others.map { other in
            let start = isPage ? other.start / other.count + 1 : other.start
            return (other, [self.count: String(other.count), self.start: String(start)])
        }
    }
}

/// How a search of several sources becomes a question.
struct SearchRow: Sendable {
    /// The category and the order to which the row applies; nil for any.
    var category: String?
    var sort: SortOrder?
    /// The question, if it is not the usual one, and the parameter that takes the term.
    var question: String?
    var term: String?
    /// Values of the question's parameters. They precede what the search says.
    var values: [String: String] = [:]
}
