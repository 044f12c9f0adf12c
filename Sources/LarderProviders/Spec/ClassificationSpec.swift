// Which answers are data. The rows of a provider come first; what they leave open is judged as APIs usually mean it.
import LarderCore
import LarderHTTP

/// How a provider's answers are classified.
struct ClassificationSpec: Sendable {
    /// A row that decides before the usual rules.
    struct Row: Sendable {
        var statuses: ClosedRange<Int>
        /// The question, or "other"; nil for all.
        var question: String?
        /// A condition on the answer; nil for all.
        var condition: JSONFilter?
        var means: Classification
        /// Where the API's own message stands. It replaces that of `means`.
        var messages: [JSONPath] = []
        /// Where a limit says how many seconds to wait.
        var wait: JSONPath?
    }

    /// How answers are judged that belong to no question.
    enum Others: Sendable {
        /// All are data.
        case data
        /// JSON is an object or a list. An empty body or object is an absence. Other media types are data.
        case records
    }

    var rows: [Row] = []
    /// The form in which the API says that something does not exist.
    var absence: JSONFilter?
    /// The same in a sentence, in any letter case, as plain text or at one of the paths.
    var absenceWords: (sentences: Set<String>, paths: [JSONPath])?
    /// The API's own message of an error.
    var message: JSONPath?
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
        let statuses = StatusTable(title)
        var root: JSONValue?
        do {
            root = try JSON.parse(response.body)
        } catch  where isGood {
            return .broken(Impostor.describe(response.body, error))
        } catch {}
        if let row = rows.first(where: { $0.applies(to: response.status, question?.name ?? "other", root) }) {
            return row.classify(root, response)
        }
        if isGood, let root { return question?.answer.classify(root) ?? classifyOther(root) }
        if Absence.statuses.contains(response.status) {
            if question?.answer.list != nil { return Absence.ofList(response, of: title) }
            if saysAbsence(response.body, root) { return .notFound }
        }
        let text = root.flatMap { message?.first(in: $0)?.string }
        return statuses.classify(response, text.map(Impostor.shown))
    }

    /// An answer that belongs to no question, unless it is JSON that is to be read.
    private func classifyOther(_ response: UpstreamResponse) -> Classification? {
        guard others == .records else { return .data }
        if response.body.allSatisfy({ $0 <= 0x20 }) { return .notFound }
        return response.fields.first("Content-Type")?.lowercased().contains("json") == true ? nil : .data
    }

    private func classifyOther(_ root: JSONValue) -> Classification {
        guard root.kind == .object || root.kind == .array else { return .broken("The answer is not a record.") }
        return root.kind == .object && root.count == 0 ? .notFound : .data
    }

    private func saysAbsence(_ body: Bytes, _ root: JSONValue?) -> Bool {
        if let root, absence?.holds(for: root) == true { return true }
        guard let absenceWords, body.count <= 4096 else { return false }
        let text = root.map { root in absenceWords.paths.lazy.compactMap { $0.first(in: root)?.string }.first }
        return TextCleaning.line(text ?? body.lossyText).map { absenceWords.sentences.contains($0.lowercased()) }
            ?? false
    }
}

extension ClassificationSpec.Row {
    fileprivate func applies(to status: Int, _ asked: String, _ root: JSONValue?) -> Bool {
        statuses.contains(status) && (question == nil || question == asked)
            && (condition == nil || root.map { condition?.holds(for: $0) == true } == true)
    }

    fileprivate func classify(_ root: JSONValue?, _ response: UpstreamResponse) -> Classification {
        if case .limited = means { return .limited(until: until(root, response)) }
        let text = root.flatMap { root in messages.lazy.compactMap { $0.first(in: root)?.string }.first }
        guard let text = text.map(Impostor.shown) else { return means }
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
