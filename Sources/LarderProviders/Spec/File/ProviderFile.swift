// Reads a user's description of an API: the keys of `providers.NAME` that are no settings. It becomes the same value that a
// built-in provider is. Every mistake is told with its place.
import LarderCore

/// A description that was read, for `SpecProvider`.
public struct ProviderDescription: Sendable {
    let spec: ProviderSpec
    /// What was written. Descriptions with the same text are the same.
    private let digest: Digest
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
        "search", "questions", "results", "answers", "absence", "message",
    ]

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
        let results = results()
        let kinds = map.map("results", names: nil)?.entries.map(\.name) ?? []
        var questions: [QuestionSpec] = []
        for entry in map.map("questions", names: nil)?.entries ?? [] {
            guard let reader = QuestionFileReader(entry, results, named: kinds, map.findings) else { continue }
            guard let question = reader.question() else { continue }
            if questions.contains(where: { $0.route.text == question.route.text }) {
                map.findings.add(entry.node.mark, entry.path, "another question has the route \(question.route.text)")
            }
            questions.append(question)
        }
        if !map.has("questions") {
            map.findings.add(map.mark, "questions", "is needed: it lists what can be asked of the API")
        }
        return ProviderSpec(
            facts: facts(), questions: questions, search: search(questions), classification: classification(questions))
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
        return facts
    }

    private func results() -> [String: ResultSpec] {
        var results: [String: ResultSpec] = [:]
        for entry in map.map("results", names: nil)?.entries ?? [] {
            results[entry.name] = ResultFileReader(entry, map.findings)?.result()
        }
        return results
    }

    /// The question of `/v1/search`: the one that is named, else the first with a term.
    private func search(_ questions: [QuestionSpec]) -> String? {
        let names = map.map("questions", names: nil)?.entries.map(\.name) ?? []
        let askable = questions.filter { !$0.terms.isEmpty }.map(\.name)
        guard map.has("search") else { return askable.first }
        guard let named = map.word("search", among: names) else { return nil }
        if let question = questions.first(where: { $0.name == named }), question.terms.isEmpty {
            map.fault("search", "\"\(named)\" has no parameter with term: true")
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
        return ClassificationSpec(rows: rows, absence: map.condition("absence"), message: map.jsonPath("message"))
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
