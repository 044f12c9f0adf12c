// The samples of an API whose provider is data. Each question has a file with a whole answer of the API, or with one for
// each value of its path. The question's own records say which records a term selects and where a page of them begins, so
// an API's samples need no code.
import LarderCore

struct SpecSamples: SampleAPI {
    let name: String
    let paths: [String]
    let fields: HeaderFields
    let questions: [SampleQuestion]
    /// The questions to the API.
    private let asked: [QuestionSpec]
    /// The answer for what does not exist.
    private let absent: SampleAnswer
    /// The answers by the names of the questions.
    private let files: [String: JSONValue]

    /// - Parameters:
    ///   - folder: the provider's folder, which has `Samples/QUESTION.json` for each question.
    ///   - paths: the beginnings of paths that select this API.
    ///   - absent: the API's answer with 404, a JSON text.
    init(
        _ name: String, folder: String, paths: [String], asked: [QuestionSpec], questions: [SampleQuestion],
        absent: String
    ) {
        (self.name, self.paths, self.asked, self.questions) = (name, paths, asked, questions)
        fields = ["Content-Type": "application/json", "Access-Control-Allow-Origin": "*"]
        self.absent = SampleAnswer(status: 404, fields: fields, body: Bytes(text: absent))
        files = Dictionary(
            asked.compactMap { question in SampleFile("\(folder)/\(question.name)").root.map { (question.name, $0) } }
        ) { first, _ in first }
    }

    func nothing(at path: String) -> SampleAnswer { absent }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        for question in asked {
            guard let values = question.values(in: request.path), let file = files[question.name] else { continue }
            let root = values.isEmpty ? file : values.values.lazy.compactMap { file[$0] }.first
            guard let root else { return absent }
            guard let list = question.answer.list, let records = list.first(in: root) else { return sample(root) }
            let found = records.elements.filter { isWanted($0, question, request) }
            var writer = JSONWriter()
            writer.sample(root, list.names) { part in
                part.samples(page(of: found, question, request))
            }
            return SampleAnswer(fields: fields, body: writer.bytes)
        }
        return absent
    }

    /// Whether a record has the words of each term that is asked for.
    private func isWanted(_ record: JSONValue, _ question: QuestionSpec, _ request: SampleRequest) -> Bool {
        let terms = question.terms.compactMap { request.parameters[$0.sending.name ?? $0.name] }
        return terms.isEmpty || terms.allSatisfy { SampleText.matches(record.texts.joined(separator: " "), $0) }
    }

    private func page(of found: [JSONValue], _ question: QuestionSpec, _ request: SampleRequest) -> ArraySlice<
        JSONValue
    > {
        func number(_ name: String) -> Int? {
            let parameter = question.parameters.first { $0.name == name && $0.sending.isSent }
            return parameter.flatMap { request.parameters[$0.sending.name ?? $0.name].flatMap { Int($0) } }
        }
        guard let count = number("limit") else { return found[...] }
        let start = number("page").map { ($0 - 1) * count } ?? number("offset") ?? 0
        return found.dropFirst(max(0, start)).prefix(max(0, count))
    }
}

extension JSONPath {
    /// The names on the way, as far as it has only names.
    fileprivate var names: [String] {
        selectors.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }
}

extension JSONValue {
    /// All texts in it.
    fileprivate var texts: [String] {
        switch kind {
        case .string: [string ?? ""]
        case .object: members.flatMap(\.value.texts)
        case .array: elements.flatMap(\.texts)
        case .null, .bool, .number: []
        }
    }
}

extension JSONWriter {
    /// Writes a value, in which something else stands at the end of a way of members.
    fileprivate mutating func sample(
        _ value: JSONValue, _ way: [String], replaced replacement: (inout JSONWriter) -> Void
    ) {
        guard let next = way.first else { return replacement(&self) }
        object { writer in
            for member in value.members {
                writer.name(member.name)
                if member.isNamed(next) {
                    writer.sample(member.value, Array(way.dropFirst()), replaced: replacement)
                } else {
                    writer.sample(member.value)
                }
            }
        }
    }
}
