// Which answers are data. The rows of a provider come first; what they leave open is judged as APIs usually mean it.
import LarderCore
import LarderHTTP

/// How a provider's answers are classified.
struct ClassificationSpec: Sendable {
    /// A row that decides before the usual rules.
    struct Row: Sendable {
        var statuses = 200...200
        /// The question, or "other"; nil for all.
        var question: String?
        /// A condition on the answer; nil for all.
        var condition: JSONFilter?
        /// Nil for what the status means, with the message.
        var means: Classification?
        /// Where the API's own message stands. It replaces that of `means`.
        var messages: [JSONPath] = []
        /// Where a limit says how many seconds to wait.
        var wait: JSONPath?
    }

    /// How the API's own codes of errors are judged, whatever the status is.
    struct Codes: Sendable {
        /// What an error is.
        var condition: JSONFilter
        var code: JSONPath
        var message: JSONPath
        /// The first row that holds the code, and applies to the question ("other" is one), decides.
        var rows: [(means: Classification, question: String?, codes: Set<Int>)]
    }

    /// How answers are judged that belong to no question.
    enum Others: Sendable {
        /// All are data.
        case data
        /// All JSON is data.
        case json
        /// JSON is an object or a list. An empty body or object is an absence. Other media types are data.
        case records
    }

    var codes: Codes?
    /// Decides before everything else, where failures have too many shapes for rows.
    var failures: FailureFunction?
    var rows: [Row] = []
    /// What statuses mean to this API, if not what they usually mean.
    var statuses: [(statuses: ClosedRange<Int>, means: StatusTable.Class)] = []
    /// The form in which the API says that something does not exist.
    var absence: JSONFilter?
    /// The same in a sentence, in any letter case, as plain text or at one of the paths.
    var absenceWords: (sentences: Set<String>, paths: [JSONPath])?
    /// Whether a 404 for a list, which exists, is told as that of something else if it has not the form of an absence.
    var isAbsenceStrict = false
    /// Whether an error that is no JSON is told what it is.
    var describesErrors = false
    /// Where the API's own message of an error stands.
    var messages: [JSONPath] = []
    /// Whether it is told only to explain why a request is invalid.
    var explainsOnlyInvalid = false
    var others = Others.data

    var canSayEmpty: Bool { rows.contains { if case .empty = $0.means { true } else { false } } }

    /// Whether a row says that an answer of status 200 has no results. Such an answer may lack what others have.
    func saysEmpty(_ root: JSONValue, question: String) -> Bool {
        let row = rows.first { $0.applies(to: 200, question, root) }
        if case .empty = row?.means { return true }
        return false
    }

    func classify(
        _ response: UpstreamResponse, _ question: QuestionSpec?, title: String
    ) -> Classification {
        let isGood = response.status == 200
        if isGood, question == nil, let found = classifyOther(response) { return found }
        let statuses = StatusTable(title, statuses)
        var root: JSONValue?
        do {
            let value = try AnswerSpec.root(of: response.body, isFeed: question?.answer.isFeed == true)
            if let failure = failures?.body(response, question, value, nil) { return failure }
            root = value
        } catch {
            let form = error.message
            if let failure = failures?.body(response, question, nil, form) { return failure }
            if isGood { return .broken(form) }
            if describesErrors { return statuses.classify(response, form) }
        }
        if let codes, let root, codes.condition.holds(for: root) {
            return codes.classify(root, response, question, statuses)
        }
        let row = rows.first { $0.applies(to: response.status, question?.name ?? "other", root) }
        if let row, let means = row.means { return row.classify(as: means, root, response) }
        if row == nil, isGood, let root {
            // An API may say with 200 that a record does not exist.
            if let question, !question.answer.isList, absence?.holds(for: root) == true { return .notFound }
            if question?.isGraphQL == true, let found = Self.graphQLError(root) { return found }
            return question?.answer.classify(root) ?? classifyOther(root)
        }
        if Absence.statuses.contains(response.status) {
            let isOwn = saysAbsence(response.body, root)
            let isList = question?.answer.isList == true
            // A list of something that a value of the path names is absent with it.
            if isList, isOwn, question?.hasFreePath == true { return .notFound }
            if isList, isOwn || !isAbsenceStrict { return Absence.ofList(response, of: title) }
            if isOwn { return .notFound }
        }
        let text = root.flatMap { root in
            row.map { $0.messages.text(in: root) ?? "" } ?? messages.text(in: root)
        }
        let found = statuses.classify(response, text.map(Impostor.shown))
        if case .invalidRequest = found { return found }
        return explainsOnlyInvalid ? statuses.classify(response) : found
    }

    /// What the errors of a GraphQL answer mean; nil if it has none (GraphQL, October 2021, §7.1). Without data, the request
    /// was refused; with data, some of it is missing.
    private static func graphQLError(_ root: JSONValue) -> Classification? {
        guard let errors = root["errors"], errors.kind != .null, errors.kind != .array || errors.count > 0 else {
            return nil
        }
        let first = errors.elements.first { _ in true }
        let message = Impostor.shown(first?["message"]?.string ?? "The answer has errors.")
        let hasData = root["data"].map { $0.kind != .null } ?? false
        return hasData ? .broken(message) : .invalidRequest(message)
    }

    /// An answer that belongs to no question, unless it is JSON that is to be read.
    private func classifyOther(_ response: UpstreamResponse) -> Classification? {
        if others != .records { return others == .json ? nil : .data }
        if response.body.allSatisfy({ $0 <= 0x20 }) { return .notFound }
        return response.fields.first(.contentType)?.lowercased().contains("json") == true ? nil : .data
    }

    private func classifyOther(_ root: JSONValue) -> Classification {
        if others == .json { return .data }
        guard root.kind == .object || root.kind == .array else { return .broken("The answer is not a record.") }
        return root.kind == .object && root.count == 0 ? .notFound : .data
    }

    private func saysAbsence(_ body: Bytes, _ root: JSONValue?) -> Bool {
        if let root, absence?.holds(for: root) == true { return true }
        guard let absenceWords, body.count <= 4096 else { return false }
        let text = root.map { absenceWords.paths.text(in: $0) }
        return TextCleaning.line(text ?? body.lossyText).map { absenceWords.sentences.contains($0.lowercased()) }
            ?? false
    }
}

extension ClassificationSpec.Codes {
    fileprivate func classify(
        _ root: JSONValue, _ response: UpstreamResponse, _ question: QuestionSpec?, _ statuses: StatusTable
    ) -> Classification {
        let code = self.code.first(in: root)?.integer
        let text = message.first(in: root)?.string.map(Impostor.shown)
        let row = rows.first { row in
            code.map(row.codes.contains) == true && (row.question == nil || row.question == question?.name ?? "other")
        }
        // An unknown code with a message has the form in which the API says that something does not exist.
        let isAbsence = code != nil && text != nil && Absence.statuses.contains(response.status)
        guard let means = row?.means ?? (isAbsence ? .notFound : nil) else {
            return statuses.classify(response, text)
        }
        let shown = text ?? "\(statuses.title) answered \(response.status)."
        return switch means {
        case .limited: .limited(until: RetryAfter.instant(response))
        case .refused: .refused(shown)
        case .invalidRequest: .invalidRequest(shown)
        case .broken: .broken(shown)
        // What no value of the path names exists.
        case .notFound where question?.hasFreePath == false: Absence.ofList(response, of: statuses.title)
        default: means
        }
    }
}

extension ClassificationSpec.Row {
    fileprivate func applies(to status: Int, _ asked: String, _ root: JSONValue?) -> Bool {
        statuses.contains(status) && (question == nil || question == asked)
            && (condition == nil || root.map { condition?.holds(for: $0) == true } == true)
    }

    fileprivate func classify(
        as means: Classification, _ root: JSONValue?, _ response: UpstreamResponse
    ) -> Classification {
        if case .limited = means { return .limited(until: until(root, response)) }
        guard let text = root.flatMap({ messages.text(in: $0) }).map(Impostor.shown) else { return means }
        return switch means {
        case .broken: .broken(text)
        case .refused: .refused(text)
        case .invalidRequest: .invalidRequest(text)
        default: means
        }
    }

    /// What the fields say precedes what the record says. A wait of more than a day is not believed.
    private func until(_ root: JSONValue?, _ response: UpstreamResponse) -> WallTime? {
        if let instant = RetryAfter.instant(response) { return instant }
        guard let seconds = root.flatMap({ wait?.first(in: $0)?.integer }), (0...86_400).contains(seconds) else {
            return nil
        }
        return response.responseTime + .seconds(seconds)
    }
}

extension [JSONPath] {
    /// The text at the first of the paths that has one.
    fileprivate func text(in root: JSONValue) -> String? { lazy.compactMap { $0.first(in: root)?.string }.first }
}
