// Where the records of an answer lie, how they become results, and which of them Larder itself chooses.
import LarderCore
import LarderHTTP

/// The answer to one question.
struct AnswerSpec: Sendable {
    /// A condition that each answer fulfils, and the sentence about one that does not.
    var needs: (condition: JSONFilter, sentence: String)?
    /// The list of records; nil if the answer is one record.
    var list: JSONPath?
    /// Further places of the list; the first that is one counts.
    var otherLists: [JSONPath] = []
    /// Places of a record with an id that stands there instead of the list.
    var singles: [JSONPath] = []
    /// Whether the answer is about one record, wherever it lies.
    var isOfOne = false
    /// Where the record lies in an element of the list, if it is not the whole element.
    var each: JSONPath?
    /// The one record, if it is not the whole answer.
    var record: JSONPath?
    /// What the records are, in the plural: "books".
    var noun: String
    /// What is told of an answer's one record that gives no result; nil if it is only counted as dropped.
    var incomplete: String?
    /// What the elements of the list are. A plan may read a list of ids.
    var elements = JSONKind.object
    /// The number of all matches.
    var total: JSONPath?
    /// What the matches are, if the list holds everything.
    var counts: Counted?
    /// What names a single record, and what it must be: `{id}` is the parameter.
    var identity: (path: JSONPath, name: PathTemplate)?
    var nameForm = NameForm.text
    var result: ResultSpec
    /// The shapes of records, if they are of several kinds in one list.
    var shapes: [ShapeSpec] = []
    /// Other results, by the values of a parameter.
    var results: (parameter: String, byValue: [(value: String, result: ResultSpec)])?
    /// What Larder chooses by itself. Parameters that are sent choose only in an answer without them.
    var choices: [ChoiceSpec] = []
    /// Whether the answer is a feed. Paths are then those of a JSON Feed.
    var isFeed = false
    /// Makes several records of one.
    var expansion: ExpansionFunction?
    /// The members with which paths begin; set by `bind`.
    var table: JSONMemberTable?

    /// What names a record: a text in any letter case or in exactly this one, a text or a number, exactly that, or only a
    /// whole number.
    enum NameForm: Sendable { case text, caseSensitive, textOrNumber, exact, number }

    enum Counted: Sendable {
        /// All records of the list, or those that Larder chooses.
        case records, matches
    }

    /// The kinds of results, each once.
    var kinds: [ResultKind] {
        if !shapes.isEmpty { return shapes.flatMap(\.about) }
        return (results?.byValue.map(\.result) ?? [result]).map(\.about)
    }

    /// Whether the answer is a list, which exists even if it is empty.
    var isList: Bool { list != nil && !isOfOne }

    /// The same with a change of each result.
    func with(_ change: (inout ResultSpec) -> Void) -> AnswerSpec {
        var copy = self
        change(&copy.result)
        copy.results = results.map { one in (one.parameter, one.byValue.map { ($0.value, $0.result.with(change)) }) }
        copy.shapes = shapes.map { ShapeSpec($0.condition, $0.result.with(change), kinds: $0.kinds) }
        return copy
    }

    /// The result of a question with these values.
    func result(_ values: [String: String]) -> ResultSpec { ownResult(values) ?? result }

    /// The result that these values choose, if they choose one.
    func ownResult(_ values: [String: String]) -> ResultSpec? {
        guard let results, let value = values[results.parameter] else { return nil }
        return results.byValue.first { $0.value == value }?.result
    }

    private var lacksRecord: String { "The answer has no record of \(noun)." }

    private var lacksList: String { isOfOne ? lacksRecord : "The answer has no list of \(noun)." }

    /// The list of an answer.
    func records(in root: JSONValue) -> JSONValue? {
        if let found = list?.first(in: root), found.kind == .array { return found }
        return otherLists.lazy.compactMap { $0.first(in: root) }.first { $0.kind == .array }
    }

    /// The record that stands instead of the list.
    func single(in root: JSONValue) -> JSONValue? {
        singles.lazy.compactMap { $0.first(in: root) }.first { $0.kind == .object && result.id.text(of: $0) != nil }
    }

    /// The records of an answer with a list, or with one record instead.
    func allRecords(in root: JSONValue) -> [JSONValue]? {
        records(in: root).map { Array($0.elements) } ?? single(in: root).map { [$0] }
    }

    /// Whether a record has what a result needs.
    func isWhole(_ record: JSONValue) -> Bool {
        record.kind == (result.isOfTexts ? .string : .object) && result.id.text(of: record) != nil
            && result.title.text(of: record) != nil
    }

    func results(
        _ response: UpstreamResponse, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        try results(read(response, asked), response, to: asked, signer)
    }

    /// The results out of an answer that holds more; nil if a record does not say what Larder is to choose by.
    func results(
        outOf response: UpstreamResponse, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let root = try read(response, asked)
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
        let root = try read(response, asked)
        var asked = asked
        if let records = records(in: root) {
            guard let places = wanted.places(in: stored, records: records.count) else { return nil }
            asked.places = places
        }
        return try results(root, response, to: asked, signer)
    }

    /// The one record that the values name, out of an answer that holds all; nil if it is not in it.
    func result(
        outOf response: UpstreamResponse, of whole: AnswerSpec, to asked: AskedQuestion, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let root = try read(response, asked)
        guard let name = identity?.name.plain(asked.values),
            let place = whole.records(in: root)?.elements.enumerated().first(where: { isNamed($0.element, name) })?
                .offset
        else { return nil }
        var asked = asked
        asked.places = place..<place + 1
        let found = try results(root, response, to: asked, signer)
        return found.count == 1 ? found : nil
    }

    private func read(_ response: UpstreamResponse, _ asked: AskedQuestion) throws(NormaliseError) -> JSONValue {
        try Self.read(response, of: asked.provider, isFeed: isFeed)
    }

    /// The JSON of an answer.
    static func read(
        _ response: UpstreamResponse, of provider: String, isFeed: Bool = false
    ) throws(NormaliseError) -> JSONValue {
        do {
            return try Self.root(of: response.body, isFeed: isFeed)
        } catch {
            throw NormaliseError(provider: provider, message: error.message)
        }
    }

    /// The answer as JSON.
    /// - Throws: what the answer is instead.
    static func root(of body: Bytes, isFeed: Bool) throws(UnreadableAnswer) -> JSONValue {
        var text = body
        if isFeed {
            do {
                text = try FeedDocument.json(body)
            } catch {
                throw UnreadableAnswer(
                    message: "The answer is no feed that can be read: \(Impostor.shown(error.message))")
            }
        }
        do {
            return try JSON.parse(text)
        } catch {
            throw UnreadableAnswer(message: Impostor.describe(text, error))
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
        let own = ownResult(asked.values)
        let result = own ?? result
        let base = AnswerBase(url: response.url.isEmpty ? asked.baseURL : response.url, path: asked.path)
        var results = ResultList(provider: provider, signer: signer, capacity: response.body.count * 3)
        guard list != nil else {
            expand(try self.record(in: root, asked), response) { record, source in
                result.add(SpecRecord(record), of: provider, base, from: source, to: &results)
            }
            if let incomplete, results.count == 0 { throw NormaliseError(provider: provider, message: incomplete) }
            return results.answer(sort: .relevance, language: nil)
        }
        let choices = choices.filter { asked.choosing.contains($0.parameter) }
        var reader = RecordReader(
            answer: self, asked: asked, result: result, shapes: own == nil ? shapes : [], base: base,
            choices: choices, results: results)
        if let records = records(in: root) {
            for element in records.elements { reader.take(element, in: response) }
        } else if let record = single(in: root) {
            reader.take(record, in: response)
        } else {
            throw NormaliseError(provider: provider, message: lacksList)
        }
        let counted = counts.map { $0 == .records ? reader.all : reader.matching }
        let told = choices.contains(where: \.hidesTotal) ? nil : total?.first(in: root)?.integer
        // Without a number from the API, nobody could tell that a list was cut.
        let cut = reader.all > ResultList.most ? reader.all : nil
        return reader.results.answer(
            sort: asked.sort, language: asked.language, total: told.flatMap { $0 < 0 ? nil : $0 } ?? counted ?? cut,
            limit: asked.limit)
    }

    /// Calls `body` with each record that a record stands for, and the API's own.
    func expand(_ record: JSONValue, _ response: UpstreamResponse, _ body: (JSONValue, JSONValue) -> Void) {
        guard let expansion else { return body(record, record) }
        expansion.body(record, response, body)
    }

    /// What an answer lacks that each has, in a sentence.
    private func lacks(_ root: JSONValue) -> String? {
        needs.flatMap { $0.condition.holds(for: root) ? nil : $0.sentence }
    }

    /// The one record of an answer without a list.
    private func record(in root: JSONValue, _ asked: AskedQuestion) throws(NormaliseError) -> JSONValue {
        if let identity, expansion == nil, self.identity(of: root) == nil {
            throw NormaliseError(
                provider: asked.provider, message: incomplete ?? "The record has no \(identity.path.lastName).")
        }
        guard let found = record.map({ $0.first(in: root) }) ?? root else {
            throw NormaliseError(provider: asked.provider, message: lacksRecord)
        }
        return found
    }

    /// Classifies an answer of status 200.
    func classify(_ root: JSONValue) -> Classification {
        if let sentence = lacks(root) { return .broken(sentence) }
        guard list != nil else {
            guard let identity else { return classifyRecord(root) }
            if self.identity(of: root) != nil { return .data }
            return .broken(root.kind == .object ? "The record has no \(identity.path.lastName)." : lacksRecord)
        }
        guard let records = records(in: root) else {
            return single(in: root).map(isWhole) == true ? .data : .broken(lacksList)
        }
        let isForeign = records.isForeignList { result.isOfTexts ? $0.string != nil : $0.kind == elements }
        if isForeign { return .broken("The answer's list has no \(noun).") }
        if isOfOne, records.count > 0, !records.elements.contains(where: isWhole) { return .broken(lacksList) }
        return records.count == 0 ? .empty : .data
    }

    /// A record that does not name itself is believed if it has what a result needs.
    private func classifyRecord(_ root: JSONValue) -> Classification {
        guard let found = record.map({ $0.first(in: root) }) ?? root, found.kind == .object else {
            return .broken(lacksRecord)
        }
        let rules = (results?.byValue.map(\.result) ?? [result]).map(\.id)
        return rules.contains { $0.text(of: found) != nil } ? .data : .broken("The record has no id.")
    }

    /// Whether a record is the one that a path's values name; nil if records do not name themselves.
    func check(_ values: [String: String]) -> (@Sendable (JSONValue) -> Bool)? {
        guard let identity, identity.name.names.allSatisfy({ values[$0] != nil }) else { return nil }
        let name = identity.name.plain(values)
        return { root in
            guard self.list != nil else { return self.isNamed(root, name) }
            return self.allRecords(in: root)?.contains { self.isNamed($0, name) } ?? false
        }
    }

    func isNamed(_ record: JSONValue, _ name: String) -> Bool {
        guard let found = identity(of: record) else { return false }
        if let number = identity?.path.first(in: record)?.integer { return number == Int(name) }
        switch nameForm {
        case .text, .textOrNumber, .number: return ASCII.equalFolded(found, name)
        case .caseSensitive, .exact: return found == name
        }
    }

    private func identity(of root: JSONValue) -> String? {
        guard let value = identity?.path.first(in: root) else { return nil }
        let text =
            switch nameForm {
            case .text, .caseSensitive: value.string
            case .textOrNumber, .exact: value.string ?? value.numberText
            case .number: value.integer.map(String.init)
            }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension JSONPath {
    /// The last name of the path, for messages.
    fileprivate var lastName: String {
        for case .name(let name) in selectors.reversed() { return name }
        return "identity"
    }
}
