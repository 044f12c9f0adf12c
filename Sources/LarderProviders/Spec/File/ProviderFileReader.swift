// Reads a user's description of an API: the keys of `providers.NAME` that are no settings. It becomes the same value that a
// built-in provider is. Every mistake is told with its place.
import LarderCore

/// A description that was read, for `SpecProvider`.
public struct ProviderDescription: Sendable {
    let spec: ProviderSpec
    /// What was written. Descriptions with the same text are the same.
    private let digest: Digest
    /// What stands for the text in the mark of the settings.
    public var mark: String { digest.hex }
    /// The names of the parameters that its questions send.
    public var sentNames: Set<String> {
        Set(
            spec.questions.flatMap { question in
                question.asked.filter(\.sending.isSent).map { $0.sending.name ?? $0.name } + question.fixed.map(\.name)
            })
    }
    /// The facts, with defaults for settings that were not written.
    public let about: ProviderAbout
    /// The questions with their routes, for people.
    public var summary: String {
        spec.questions.map { "/v1/\(about.name)/\($0.route.text)" }.joined(separator: ", ")
    }

    private init(_ spec: ProviderSpec, _ digest: Digest) {
        var spec = spec
        // Stored results of another description are made again from the raw answers.
        spec.facts.normaliserVersion = 1 + Int(digest.bytes.prefix(3).reduce(0) { $0 << 8 | UInt32($1) })
        (self.spec, self.digest, about) = (spec, digest, spec.about)
    }

    /// The keys of a description. All other keys of a provider are settings.
    public static let keys = [
        "title", "offers", "terms", "attribution", "alsoNamed", "categories", "minimumTerm", "needsKey", "keyNote",
        "search", "questions", "results", "answers", "absence", "message", "feed",
    ]

    /// The first segments of Larder's own routes below `/v1/`. No description has such a name.
    public static let routeNames: Set = [
        "artwork", "cache", "entries", "events", "explain", "fleet", "history", "local", "providers", "requests",
        "search", "searches", "settings", "status", "uploads", "console",
    ]

    /// Whether a built-in provider or a route of Larder's own has this name.
    static func isTaken(_ name: String) -> Bool {
        routeNames.contains(name)
            || ProviderRegistry.builtIn.contains { provider in
                let about = provider.about
                return ([about.name, about.routePrefix] + about.shortNames).contains(name)
            }
    }

    /// Reads a description.
    /// - Parameters:
    ///   - name: the provider's name, which is also the segment of its routes.
    ///   - mark: the place of the name.
    /// - Throws: every mistake, at least one.
    public static func read(
        _ members: [YAMLMember], name: String, at mark: YAMLMark
    ) throws(SpecFindingsError) -> ProviderDescription {
        let findings = SpecFindings()
        let map = SpecMap(members, mark, at: "", names: keys, findings)
        let spec = ProviderFileReader(name: name, map: map).spec()
        guard findings.all.isEmpty, let spec else { throw SpecFindingsError(all: findings.all) }
        return ProviderDescription(spec, Digest(of: Bytes(text: members.map(text).joined())))
    }

    /// The content of a key, with every text quoted.
    private static func text(_ member: YAMLMember) -> String {
        "\(member.key.debugDescription):\(text(member.value))"
    }

    private static func text(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): text.debugDescription
        case .sequence(let items): "[\(items.map(text).joined(separator: ","))]"
        case .mapping(let members): "{\(members.map(text).joined(separator: ","))}"
        }
    }
}

extension ProviderDescription: Hashable {
    public static func == (left: ProviderDescription, right: ProviderDescription) -> Bool {
        left.digest == right.digest && left.about.name == right.about.name
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// The mistakes of a description.
public struct SpecFindingsError: Error, Sendable {
    public let all: [SpecFinding]
}

/// Reads the top of a description.
struct ProviderFileReader {
    let name: String
    let map: SpecMap

    /// Nil with a finding if there is nothing to ask.
    func spec() -> ProviderSpec? {
        if ProviderDescription.isTaken(name) {
            map.findings.add(map.mark, "", "\"\(name)\" is the name of a route or a source of Larder: choose another")
        }
        let questions = questions()
        if questions.isEmpty, !map.has("questions"), !map.has("feed") {
            map.findings.add(
                map.mark, "questions", "is needed: it lists what can be asked of the API; or feed, the path of a feed")
        }
        return ProviderSpec(
            facts: facts(), questions: questions, search: search(questions), isFormShared: false,
            classification: classification(questions))
    }

    private func questions() -> [QuestionSpec] {
        let results = results()
        let kinds = map.map("results", names: nil)?.entries.map(\.name) ?? []
        var questions: [QuestionSpec] = []
        if let path = map.text("feed") {
            if !path.hasPrefix("/") || path.contains("{") || path.contains("#") {
                map.fault("feed", "must be the path of the feed below baseURL, with its query if it has one: /news.rss")
            }
            let query = path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) } ?? ""
            let secret = (try? QueryParameters(parsing: query))?.items.first { RequestCredentials.isParameter($0.name) }
            if let secret {
                map.fault("feed", "has what looks like a secret: write it as key, with keyIn: query \(secret.name)")
            }
            questions.append(FeedSpec.items(path, of: map.text("title") ?? name))
        }
        for entry in map.map("questions", names: nil)?.entries ?? [] {
            guard let reader = QuestionFileReader(entry, results, named: kinds, map.findings) else { continue }
            guard let question = reader.question() else { continue }
            if questions.contains(where: { $0.name == question.name }) {
                map.findings.add(entry.node.mark, entry.path, "\"items\" is the question for the items of the feed")
            }
            if let other = questions.first(where: { $0.route.takesAll(of: question.route) }) {
                map.findings.add(
                    entry.node.mark, entry.path,
                    "its route \(question.route.text) is never reached: "
                        + "\(other.route.text) before it takes the same paths")
            }
            questions.append(question)
        }
        return questions
    }

    private func facts() -> ProviderAbout {
        let title = map.text("title") ?? name
        var facts = ProviderAbout(
            name: name, shortNames: map.texts("alsoNamed"), routePrefix: name, title: title, defaultBaseURL: "",
            endpoints: [], emptyTTL: .seconds(600), negativeTTL: .seconds(600), staleFor: .seconds(7 * 86_400),
            // A polite pace for a public API whose rules nobody has told. `rate` sets another.
            defaultRate: CallRate(calls: 60, per: .seconds(60)), categories: map.texts("categories"),
            sorts: SortOrder.allCases, needsKey: map.flag("needsKey") ?? false,
            offers: map.text("offers") ?? "\(title), as its file describes it",
            terms: map.text("terms", longest: 2000) ?? "The terms of the operator of \(title) apply.",
            attribution: map.text("attribution"), normaliserVersion: 1)
        facts.minimumTerm = map.number("minimumTerm", in: 1...20) ?? 1
        facts.keyNote = map.text("keyNote")
        for name in facts.shortNames where ProviderDescription.isTaken(name) || !SpecName.isName(name) {
            map.fault("alsoNamed", "\"\(name)\" is the name of a route or a source of Larder, or no name")
        }
        return facts
    }

    private func results() -> [String: ResultSpec] {
        var results: [String: ResultSpec] = [:]
        for entry in map.map("results", names: nil)?.entries ?? [] {
            results[entry.name] = ResultFileReader(entry, map.findings)?.result()
        }
        return results
    }

    /// The question of `/v1/search`: the one that is named, else the first that needs nothing but a term.
    private func search(_ questions: [QuestionSpec]) -> String? {
        let names = map.map("questions", names: nil)?.entries.map(\.name) ?? []
        guard map.has("search") else {
            return questions.first { !$0.terms.isEmpty && $0.neededBesideTerm.isEmpty }?.name
        }
        guard let named = map.word("search", among: names) else { return nil }
        if let question = questions.first(where: { $0.name == named }) {
            if question.terms.isEmpty { map.fault("search", "\"\(named)\" has no parameter with term: true") }
            for name in question.neededBesideTerm {
                map.fault("search", "\"\(named)\" needs \(name), which a search of several sources does not give")
            }
        }
        return named
    }

    private func classification(_ questions: [QuestionSpec]) -> ClassificationSpec {
        var rows: [ClassificationSpec.Row] = []
        for item in map.items("answers") {
            let names = ["status", "question", "when", "means", "wait"]
            guard let row = SpecMap(item.node, at: item.path, names: names, map.findings) else { continue }
            guard let means = row.needed("means").flatMap({ _ in row.word("means", among: Self.classes.map(\.0)) })
            else { continue }
            var made = ClassificationSpec.Row(
                statuses: row.statuses("status"), question: row.word("question", among: questions.map(\.name)),
                condition: row.condition("when"),
                means: Self.classes.first { $0.0 == means }?.1(map.text("title") ?? name) ?? .data)
            made.wait = row.jsonPath("wait")
            made.messages = [map.jsonPath("message")].compactMap { $0 }
            rows.append(made)
        }
        var made = ClassificationSpec(rows: rows, messages: [map.jsonPath("message")].compactMap { $0 })
        if let text = map.text("absence"), let first = text.first, !"@!($".contains(first) {
            // A sentence, which the API says as plain text or as its message.
            made.absenceWords = ([text.lowercased()], made.messages)
        } else {
            made.absence = map.condition("absence")
        }
        return made
    }

    /// The words for classes, each with the class of a provider with this title.
    private static let classes: [(String, @Sendable (String) -> Classification)] = [
        ("data", { _ in .data }), ("empty", { _ in .empty }), ("notFound", { _ in .notFound }),
        ("limited", { _ in .limited(until: nil) }),
        ("refused", { .refused("\($0) refused the request.") }),
        ("invalidRequest", { .invalidRequest("\($0) refused the request as invalid.") }),
        ("broken", { .broken("\($0) answered with an error.") }),
    ]
}

extension SpecMap {
    /// One status or a range of them; all if there is none.
    fileprivate func statuses(_ key: String) -> ClosedRange<Int> {
        guard let text = text(key) else { return 100...599 }
        if let status = Int(text), (100...599).contains(status) { return status...status }
        if let range = SpecRange.read(text), range.lowerBound >= 100, range.upperBound <= 599 { return range }
        fault(key, "must be a status such as 404, or two such as 500..599")
        return 100...599
    }
}
