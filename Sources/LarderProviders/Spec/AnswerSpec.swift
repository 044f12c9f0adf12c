// Where the records of an answer lie, how they become results, and which of them Larder itself chooses.
import LarderCore
import LarderHTTP

/// The answer to one question.
struct AnswerSpec: Sendable {
    /// The member that holds everything else, if an answer without it is none.
    var envelope: JSONPath?
    /// What else each answer has, on which the sentence tells that it lacks it.
    var needs: (condition: JSONFilter, sentence: String)?
    /// The list of records; nil if the answer is one record.
    var list: JSONPath?
    /// Where the list lies in other answers.
    var otherLists: [JSONPath] = []
    /// Where the record lies in an element of the list, if it is not the whole element.
    var each: JSONPath?
    /// The one record, if it is not the whole answer.
    var record: JSONPath?
    /// What the records are, in the plural: "books".
    var noun: String
    /// The same in the singular, for an answer with one.
    var one = "record"
    /// What a client is told of an answer without the list or the record, and of one with a list of other things; nil for
    /// a sentence made from the noun.
    var misshapen: String?
    var foreign: String?
    /// What the elements of the list are. A plan may read a list of ids.
    var elements = JSONKind.object
    /// The number of all matches.
    var total: JSONPath?
    /// What the matches are, if the list holds everything.
    var counts: Counted?
    /// What names a single record, and what it must be: `{id}` is the parameter, in any letter case.
    var identity: (path: JSONPath, name: PathTemplate)?
    /// What a name of a record may be, and whether its letter case counts.
    var identityKinds: Set<JSONKind> = [.string]
    var isIdentityExact = false
    var result: ResultSpec
    /// The shapes of records, if they are of several kinds in one list.
    var shapes: [ShapeSpec] = []
    /// Other results, by the values of a parameter.
    var results: (parameter: String, byValue: [(value: String, result: ResultSpec)])?
    /// What Larder chooses by itself. Parameters that are sent choose only in an answer without them.
    var choices: [ChoiceSpec] = []
    /// Makes several records of one.
    var expansion: ExpansionFunction?
    /// The members with which paths begin; set by `bind`.
    var table: JSONMemberTable?

    enum Counted: Sendable {
        /// All records of the list, or those that Larder chooses.
        case records, matches
    }

    /// The kinds of results, each once.
    var kinds: [ResultKind] {
        if !shapes.isEmpty { return shapes.flatMap(\.about) }
        return (results?.byValue.map(\.result) ?? [result]).map(\.about)
    }

    /// The result of a question with these values.
    func result(_ values: [String: String]) -> ResultSpec {
        guard let results, let value = values[results.parameter] else { return result }
        return results.byValue.first { $0.value == value }?.result ?? result
    }

    func results(
        _ response: UpstreamResponse, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        try results(Self.read(response, of: asked.provider), response, to: asked, signer)
    }

    /// The results out of an answer that holds more; nil if a record does not say what Larder is to choose by.
    func results(
        outOf response: UpstreamResponse, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let root = try Self.read(response, of: asked.provider)
        let choices = choices.filter { asked.choosing.contains($0.parameter) }
        let records = records(in: root)?.elements
        guard records?.allSatisfy({ record in choices.allSatisfy { $0.isSaid(by: record) } }) == true else {
            return nil
        }
        return try results(root, response, to: asked, signer)
    }

    /// The results of a stretch of the list, out of an answer with another stretch; nil if that does not hold all of it.
    func results(
        _ wanted: ListStretch, of stored: ListStretch, in response: UpstreamResponse, to asked: AskedQuestion,
        _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let root = try Self.read(response, of: asked.provider)
        var asked = asked
        if let records = records(in: root) {
            guard let places = wanted.places(in: stored, records: records.count) else { return nil }
            asked.places = places
        }
        return try results(root, response, to: asked, signer)
    }

    /// The JSON of an answer.
    static func read(_ response: UpstreamResponse, of provider: String) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(response.body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(response.body, error))
        }
    }

    private func results(
        _ root: JSONValue, _ response: UpstreamResponse, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        let provider = asked.provider
        if asked.isEmpty?(root) == true {
            var none = ResultList(provider: provider, signer: nil)
            return none.answer(sort: .relevance, language: nil, total: list == nil ? nil : 0)
        }
        if let sentence = lacks(root) { throw NormaliseError(provider: provider, message: sentence) }
        let result = result(asked.values)
        let base = AnswerBase(url: response.url.isEmpty ? asked.baseURL : response.url, path: asked.path)
        var results = ResultList(provider: provider, signer: signer, capacity: response.body.count * 3)
        guard list != nil else {
            expand(try self.record(in: root, asked), response) { record, source in
                result.add(SpecRecord(record), of: provider, base, from: source, to: &results)
            }
            return results.answer(sort: .relevance, language: nil)
        }
        guard let records = records(in: root) else {
            throw NormaliseError(provider: provider, message: "The answer has no list of \(noun).")
        }
        let choices = choices.filter { asked.choosing.contains($0.parameter) }
        var members = table.map { JSONRecord($0) }
        var (matching, all) = (0, 0)
        for element in records.elements {
            all += 1
            guard let record = each.map({ $0.first(in: element) }) ?? element else {
                results.drop(.notAnObject)
                continue
            }
            if let places = asked.places, !places.contains(all - 1) { continue }
            guard results.count < ResultList.most else {
                results.leaveOut()
                continue
            }
            guard choices.allSatisfy({ $0.holds(for: record, asked.values[$0.parameter]) }) else {
                // Where all records are counted, one without an id is counted as dropped.
                let isDropped = counts == .records && result.id.text(of: record) == nil
                if isDropped { results.drop(result.idReason) } else { results.leaveOut() }
                continue
            }
            matching += 1
            if let chosen = asked.chosen, !chosen.contains(matching - 1) {
                results.leaveOut()
                continue
            }
            expand(record, response) { record, source in
                guard results.count < ResultList.most else { return results.leaveOut() }
                members?.load(record)
                add(SpecRecord(record, members), result, of: provider, base, from: source, to: &results)
            }
        }
        // How many of all matches Larder would choose is unknown.
        let total = choices.isEmpty ? total?.first(in: root)?.integer : nil
        return results.answer(
            sort: asked.sort, language: asked.language,
            total: total ?? counts.map { $0 == .records ? all : matching }, limit: asked.limit)
    }

    /// Calls `body` with each record that a record stands for, and the API's own.
    private func expand(_ record: JSONValue, _ response: UpstreamResponse, _ body: (JSONValue, JSONValue) -> Void) {
        guard let expansion else { return body(record, record) }
        expansion.body(record, response, body)
    }

    /// The list; nil if the answer has none.
    private func records(in root: JSONValue) -> JSONValue? {
        guard let list else { return nil }
        return ([list] + otherLists).lazy.compactMap { $0.first(in: root) }.first { $0.kind == .array }
    }

    /// What an answer lacks that each has, in a sentence.
    private func lacks(_ root: JSONValue) -> String? {
        if let envelope, envelope.first(in: root) == nil { return "The answer has no \(envelope.lastName)." }
        return needs.flatMap { $0.condition.holds(for: root) ? nil : $0.sentence }
    }

    /// - Parameter usual: the result of records that have no shapes.
    private func add(
        _ record: SpecRecord, _ usual: ResultSpec, of provider: String, _ base: AnswerBase?, from source: JSONValue,
        to results: inout ResultList
    ) {
        guard !shapes.isEmpty, record.value.kind == .object else {
            return usual.add(record, of: provider, base, from: source, to: &results)
        }
        guard let shape = shapes.first(where: { $0.condition.holds(for: record) }) else { return results.drop(.kind) }
        shape.result.add(record, as: shape.kind(of: record), of: provider, base, from: source, to: &results)
    }

    /// The one record of an answer without a list.
    private func record(in root: JSONValue, _ asked: AskedQuestion) throws(NormaliseError) -> JSONValue {
        if let identity, expansion == nil, self.identity(of: root) == nil {
            throw NormaliseError(
                provider: asked.provider, message: "The \(one) has no \(identity.path.lastName).")
        }
        guard let found = record.map({ $0.first(in: root) }) ?? root else {
            throw NormaliseError(provider: asked.provider, message: "The answer has no record.")
        }
        return found
    }

    /// Classifies an answer of status 200.
    func classify(_ root: JSONValue) -> Classification {
        if let sentence = lacks(root) { return .broken(sentence) }
        guard list != nil else {
            guard let identity else { return classifyRecord(root) }
            if self.identity(of: root) != nil { return .data }
            return .broken(misshapen ?? "The record has no \(identity.path.lastName).")
        }
        let missing = "The answer has no list of \(noun)."
        guard let records = records(in: root) else { return .broken(misshapen ?? missing) }
        if records.isForeignList(where: { $0.kind == elements }) { return .broken(foreign ?? missing) }
        return records.count == 0 ? .empty : .data
    }

    /// A record that does not name itself is believed if it has what a result needs.
    private func classifyRecord(_ root: JSONValue) -> Classification {
        guard let found = record.map({ $0.first(in: root) }) ?? root, found.kind == .object else {
            return .broken("The answer has no record.")
        }
        let rules = (results?.byValue.map(\.result) ?? [result]).map(\.id)
        return rules.contains { $0.text(of: found) != nil } ? .data : .broken("The record has no id.")
    }

    /// Whether a record is the one that a path's values name; nil if records do not name themselves.
    func check(_ values: [String: String]) -> (@Sendable (JSONValue) -> Bool)? {
        guard let identity, identity.name.names.allSatisfy({ values[$0] != nil }) else { return nil }
        let name = identity.name.plain(values)
        return { root in
            self.identity(of: root).map { isIdentityExact ? $0 == name : ASCII.equalFolded($0, name) } ?? false
        }
    }

    private func identity(of root: JSONValue) -> String? {
        guard let value = identity?.path.first(in: root), identityKinds.contains(value.kind),
            let text = value.string ?? value.numberText
        else {
            return nil
        }
        return text.isEmpty ? nil : text
    }
}

/// What an answer is read for.
struct AskedQuestion: Sendable {
    var provider: String
    /// The API's usual URL, and the path of the request.
    var baseURL: String
    var path: String
    /// The values of all parameters, by their names.
    var values: [String: String]
    /// The parameters by which Larder itself chooses.
    var choosing: [String] = []
    var sort = SortOrder.relevance
    var language: String?
    /// The most results, if the API has not heeded it.
    var limit: Int?
    /// The places of the records that are wanted; nil for all.
    var places: Range<Int>?
    /// The places that are wanted among the records that Larder chooses; nil for all.
    var chosen: Range<Int>?
    /// Whether a row of the provider says that the answer has no results; nil if no row does.
    var isEmpty: (@Sendable (JSONValue) -> Bool)?

    /// The value of a parameter that is a number; 0 if the question has none.
    func number(_ name: String) -> Int { values[name].flatMap { Int($0) } ?? 0 }
}

/// How Larder chooses among the records of an answer by the value of a parameter.
struct ChoiceSpec: Sendable {
    enum Rule: Sendable {
        /// A text of the record contains the value, in any letter case.
        case contains(FieldRule)
        /// A text of the record is one of the values.
        case among(FieldRule)
        /// With the value, records for which the condition holds are left out.
        case unless(String, JSONFilter)
        /// A function decides, by a part of the value that the API does not heed.
        case using(ChoiceFunction)
    }

    var parameter: String
    var rule: Rule

    fileprivate func holds(for record: JSONValue, _ value: String?) -> Bool {
        guard let value else { return true }
        switch rule {
        case .contains(let rule): return rule.texts(of: record).contains { $0.lowercased().contains(value) }
        case .among(let rule):
            let texts = rule.texts(of: record)
            return value.split(separator: ",").contains { texts.contains(String($0)) }
        case .unless(let word, let condition): return value != word || !condition.holds(for: record)
        case .using(let function): return function.holds(record, value)
        }
    }

    /// Whether the record says what it is chosen by.
    fileprivate func isSaid(by record: JSONValue) -> Bool {
        switch rule {
        case .contains(let rule), .among(let rule): !rule.texts(of: record).isEmpty
        case .unless, .using: true
        }
    }
}

/// A function that makes several records of one. It hands over each with the API's own record that it tells of, one at a
/// time: a record may be as large as the whole answer.
struct ExpansionFunction: Sendable {
    typealias Body = @Sendable (JSONValue, UpstreamResponse, _ add: (JSONValue, JSONValue) -> Void) -> Void

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}

/// A function by which Larder chooses records, because the API heeds only a part of a parameter's values.
struct ChoiceFunction: Sendable {
    let name: String
    /// The part of a value that is sent, and the part by which Larder chooses; nil for nothing.
    let split: @Sendable (String) -> (sent: String?, own: String?)
    let holds: @Sendable (JSONValue, String) -> Bool

    init(
        _ name: String, split: @escaping @Sendable (String) -> (sent: String?, own: String?),
        holds: @escaping @Sendable (JSONValue, String) -> Bool
    ) {
        (self.name, self.split, self.holds) = (name, split, holds)
    }
}

extension JSONPath {
    /// The last name of the path, for messages.
    fileprivate var lastName: String {
        for case .name(let name) in selectors.reversed() { return name }
        return "identity"
    }
}
