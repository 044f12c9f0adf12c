// A provider as data: everything that Larder knows of an API stands in one value. `SpecProvider` is the interpreter.
import LarderCore

/// One API.
struct ProviderSpec: Sendable {
    /// The facts. `endpoints` and `kinds` follow from the questions.
    var facts: ProviderAbout
    var questions: [QuestionSpec]
    /// The question of `/v1/search`, by its name; nil if there is none.
    var search: String?
    /// What other searches ask; the first row that applies decides.
    var searches: [SearchRow] = []
    /// The category of a search that names none.
    var usualCategory: String?
    /// The kinds of results by the categories of a search, if a category chooses some of those of one answer.
    var categoryKinds: [String: [String]] = [:]
    /// Those of a search without a category, if they are not all that its answers may have.
    var usualKinds: [String]?
    /// The API's name in sentences, if it is shorter than the title.
    var shortTitle: String?
    /// What a search with another category is told; nil for a sentence made from the title.
    var unknownCategory: String?
    /// The language of all lists, by which names are sorted, if no parameter says it.
    var language: String?
    /// The dialect of the API, if it has several. It is a part of each question's identity.
    var dialect: String?
    /// The same API in its other dialects. The facts are those of the usual one.
    var otherDialects: [ProviderSpec] = []
    /// Whether all paths have the canonical form of all questions. If not, each question's path has its own form.
    var isFormShared = true
    /// A parameter that a raw request gets if it lacks it, because the answer depends on it.
    var usual: UsualParameter?
    /// The paths that an API takes in several spellings.
    var paths: PathFunction?
    var classification = ClassificationSpec()
    /// Where the key is sent; nil if the API takes none.
    var keyIn: KeyPlacement?
    /// The same if it depends on the key.
    var keyPlace: KeyFunction?
    /// How applications write their keys in `Authorization`; nil if that field holds a person's token.
    var applications: (scheme: String, allowsBare: Bool)?
    /// Yields a token in that field if it is an application's; nil if each is.
    var applicationToken: TextFunction?
    /// The remaining calls that fields tell, if not in the usual way.
    var credits: CreditsFunction?
    var uploads: (any UploadFormat)?

    var about: ProviderAbout {
        var about = facts
        about.hasSearch = search != nil
        let lengths = questions.flatMap(\.terms).compactMap(\.sending.termLength?.lowerBound)
        about.minimumTerm = max(about.minimumTerm, lengths.min() ?? 1)
        if let dialect { about.dialects = [dialect] + otherDialects.compactMap(\.dialect) }
        about.endpoints = questions.filter(\.isShown).map { $0.about(minimumTerm: about.minimumTerm) }
        about.kinds = questions.flatMap(\.answer.kinds).reduce(into: []) { kinds, kind in
            guard let place = kinds.firstIndex(where: { $0.name == kind.name }) else { return kinds.append(kind) }
            kinds[place].add(kind)
        }
        return about
    }

    /// The canonical form of requests, from the records of these questions' parameters.
    func form(_ questions: [QuestionSpec]) -> CanonicalQuery {
        var form = CanonicalQuery(dropped: Set(facts.credentialParameters))
        for question in questions {
            form.defaults.merge(question.assumed) { $1 }
            // A flag that Larder always sends is one to raw requests too.
            for (name, value) in question.fixed where value == "true" { form.lowerCase.insert(name) }
            for parameter in question.asked where parameter.sending.isSent { parameter.add(to: &form) }
        }
        return form
    }
}

extension QuestionParameter {
    fileprivate func add(to form: inout CanonicalQuery) {
        let name = sending.name ?? name
        if case .text = self.form, !isList { form.collapsed.insert(name) }
        if sending.isUpperCase { form.upperCase.insert(name) }
        if sending.isLowerCase { form.lowerCase.insert(name) }
        if let value = sending.apiDefault { form.defaults[name] = value }
        guard case .flag = self.form else { return }
        let words = sending.words.values
        if words.allSatisfy({ $0 == $0.lowercased() }) {
            form.lowerCase.insert(name)
        } else if words.allSatisfy({ $0 == $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }) {
            form.capitalised.insert(name)
        }
    }
}

/// A parameter of all requests below a path. Requests below another path within it are not respelt at all.
struct UsualParameter: Sendable {
    var name: String
    var value: String
    var below: String
    var exceptBelow: String

    fileprivate func add(to query: String?, of path: String) -> String? {
        guard path.hasPrefix(below), let parsed = try? QueryParameters(parsing: query ?? "") else { return query }
        if parsed.items.contains(where: { $0.name == name }) { return query }
        return QueryParameters(parsed.items + [QueryParameters.Item(name, value)]).encoded
    }
}

/// A function that reads paths in any of an API's spellings: the one canonical path and the question's name; nil for what
/// is not known.
struct PathFunction: Sendable {
    typealias Body = @Sendable (String) -> (canonical: String?, question: String?)

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}

/// A function that reads the remaining calls out of the fields of an answer that arrived at an instant.
struct CreditsFunction: Sendable {
    typealias Body = @Sendable (HeaderFields, WallTime) -> Credits?

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}

extension ResultKind {
    /// Adds what results of this kind have in another answer.
    fileprivate mutating func add(_ other: ResultKind) {
        isOpen = isOpen || other.isOpen
        attributes += other.attributes.filter { !attributes.contains($0) }
    }
}

/// The provider that a value describes.
public struct SpecProvider: Provider {
    let spec: ProviderSpec
    public let about: ProviderAbout
    private let keyIn: KeyPlacement?
    /// The canonical forms by the names of the questions, and that of other paths.
    private let forms: [String: CanonicalQuery]
    private let otherForm: CanonicalQuery

    /// An API that a user describes.
    /// - Parameters:
    ///   - baseURL: absolute, http or https.
    ///   - keyIn: where the configured key is sent.
    public init(_ description: ProviderDescription, baseURL: String, keyIn: KeyPlacement) {
        var spec = description.spec
        spec.facts.defaultBaseURL = baseURL
        spec.facts.credentialParameters = [keyIn.parameterName].compactMap { $0 }
        spec.facts.credentialFieldNames = [keyIn.fieldName].compactMap { $0 }
        self.init(spec, keyIn: keyIn)
    }

    /// - Parameter about: nil for the facts that the value says.
    init(_ spec: ProviderSpec, keyIn: KeyPlacement? = nil, about: ProviderAbout? = nil) {
        var spec = spec
        for place in spec.questions.indices { spec.questions[place].answer.bind() }
        self.spec = spec
        self.keyIn = keyIn ?? spec.keyIn
        self.about = about ?? spec.about
        let shared = spec.form(spec.isFormShared ? spec.questions : [])
        otherForm = shared
        forms = Dictionary(
            spec.questions.map { ($0.name, spec.isFormShared ? shared : spec.form([$0])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The API's name at the beginning of a sentence.
    var title: String { spec.shortTitle ?? about.title }

    func form(of question: QuestionSpec?) -> CanonicalQuery { question.flatMap { forms[$0.name] } ?? otherForm }

    public func samples() -> [SampleAPI] { ([spec] + spec.otherDialects).compactMap { SampleAPI($0) } }

    /// The dialect of the API that is spoken, if it has several.
    public var dialect: String? { spec.dialect }

    public func speaking(_ dialect: String) -> any Provider {
        spec.otherDialects.first { $0.dialect == dialect }.map { SpecProvider($0, about: about) } ?? self
    }

    public func constancy(of request: UpstreamRequest) -> Constancy {
        question(of: request)?.constancy(of: request) ?? .constant
    }

    public var uploads: (any UploadFormat)? { spec.uploads }

    public func credits(in fields: HeaderFields, now: WallTime) -> Credits? {
        guard let credits = spec.credits else { return Credits(rateLimit: fields, now: now) }
        return credits.body(fields, now)
    }

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        do throws(ClientFacingError) {
            for question in spec.questions {
                if let endpoint = try question.endpoint(path, query, of: self) { return endpoint }
            }
        } catch {
            var error = error
            if error.status == 404 { error.provider = about.name }
            throw error
        }
        throw ProviderError.noRoute(path, provider: about)
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        let category = request.category ?? spec.usualCategory
        let row = spec.searches.first {
            ($0.category == nil || $0.category == category) && ($0.sort == nil || $0.sort == request.sort)
        }
        let name = row?.question ?? spec.search
        guard let question = spec.questions.first(where: { $0.name == name }) else {
            let routes = about.endpoints.map { "/v1/\(about.routePrefix)/\($0.route)" }
            throw .invalid("source", "\(about.title) has no question with a search term.", allowed: routes)
        }
        return try question.endpoint(request, row, of: self)
    }

    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest {
        if let usual = spec.usual, request.path.hasPrefix(usual.exceptBelow) { return request }
        var request = request
        if let path = spec.paths?.body(request.path).canonical { request.path = path }
        let query = spec.usual.map { $0.add(to: request.query, of: request.path) } ?? request.query
        request.query = form(of: spec.questions.first { $0.isOfForm(request.path) }).canonical(query)
        for name in about.credentialFieldNames { request.fields.remove(name) }
        return request
    }

    public func endpointName(for request: UpstreamRequest) -> String {
        spec.paths?.body(request.path).question ?? question(of: request)?.name ?? "other"
    }

    private func question(of request: UpstreamRequest) -> QuestionSpec? {
        spec.questions.first { $0.values(in: request.path) != nil }
    }

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        let question = spec.questions.first { $0.name == endpoint }
        return spec.classification.classify(response, question, title: title)
    }

    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        // Several questions may have the same path.
        let asked = spec.questions.first { $0.name == endpoint && $0.values(in: request.path) != nil }
        guard let question = asked ?? question(of: request), let values = question.values(in: request) else {
            return nil
        }
        return question.check.map { $0.body(request) } ?? question.answer.check(values)
    }

    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? {
        guard let settles = spec.questions.first(where: { $0.name == endpoint })?.settles else { return nil }
        return { settles.lifetime(of: $0) }
    }

    public func credentialFields(key: String) -> HeaderFields { place(of: key)?.fields(key) ?? [:] }

    public func credentialQuery(key: String) -> QueryParameters { place(of: key)?.parameters(key) ?? QueryParameters() }

    private func place(of key: String) -> KeyPlacement? { spec.keyPlace?.body(key) ?? keyIn }

    public func holder(ofAuthorization value: String) -> CredentialHolder {
        guard let (scheme, allowsBare) = spec.applications else { return .person }
        let holder = CredentialHolder.of(value, scheme: scheme, allowsBare: allowsBare)
        guard let own = spec.applicationToken, case .application(let token) = holder else { return holder }
        return own.body(token).first.map { .application(key: $0) } ?? .person
    }

    /// A category that chooses the kind of results has that kind. A provider of one category has only its kinds.
    public func kinds(of category: String?) -> [String]? {
        let category = category ?? spec.usualCategory
        if category == nil || category.map(about.categories.contains) == true,
            let row = spec.searches.first(where: { $0.category == nil || $0.category == category }),
            let answer = spec.questions.first(where: { $0.name == row.question ?? spec.search })?.answer,
            answer.results.map({ row.values[$0.parameter] != nil }) == true
        {
            return [answer.result(row.values).kind]
        }
        if let category, let kinds = spec.categoryKinds[category] { return kinds }
        guard let category else {
            if let kinds = spec.usualKinds { return kinds }
            let kinds = spec.questions.first { $0.name == spec.search }?.answer.kinds.map(\.name) ?? []
            return kinds.count < about.kinds.count ? kinds : []
        }
        return about.categories == [category] ? about.kinds.map(\.name) : nil
    }
}
