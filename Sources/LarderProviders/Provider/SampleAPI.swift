// An API of invented answers, so that demonstrations and tests need neither a key nor a network. The stand-in server
// serves it. Its samples are in the provider's folder: `Samples/NAME.json` says which records answer a question and
// what stands around them (Docs/writing-a-provider.md). Parameters and pages are those of the question's records.
import LarderCore

public struct SampleAPI: Sendable {
    /// The first segment of this API's paths at the stand-in, and its name in an index of recordings.
    public let name: String
    /// The fields that a JSON response of the live API carries.
    public let fields: HeaderFields
    /// Questions for a demonstration. The samples answer them.
    public let questions: [SampleQuestion]
    /// Questions for a demonstration that uses recordings.
    public let recordedQuestions: [SampleQuestion]
    /// Whether responses carry an entity tag made of their bytes.
    public let hasTag: Bool
    let spec: ProviderSpec
    let index: JSONValue
    /// All files of the folder by their names, the index too.
    let files: [String: JSONValue]
    /// The members that hold the URL of a picture, and a text that is in each such URL.
    private let pictures: [String: String]

    /// - Returns: nil if the API has no samples.
    init?(_ spec: ProviderSpec) {
        let name = spec.dialect ?? spec.facts.name
        let paths = EmbeddedFile.paths
        guard let path = paths.first(where: { $0.hasSuffix("/Samples/\(name).json") }) else { return nil }
        let folder = path.dropLast("\(name).json".count)
        files = paths.filter { $0.hasPrefix(folder) }.reduce(into: [:]) { files, path in
            files[String(path.dropFirst(folder.count).dropLast(".json".count))] = try? JSON.parse(
                Bytes(EmbeddedFile.bytes(path)))
        }
        guard let index = files[name] else { return nil }
        (self.name, self.spec, self.index) = (name, spec, index)
        fields = index["fields"]?.fields ?? [:]
        questions = index.list("questions").compactMap(\.string).map(SampleQuestion.init(target:))
        recordedQuestions = index.list("recordedQuestions").compactMap(\.string).map(SampleQuestion.init(target:))
        hasTag = index["hasTag"]?.bool == true
        pictures = Dictionary(index["pictures"]?.texts ?? []) { $1 }
    }

    /// Whether a path without the API's name is one of its questions', or that of an entry with a path of its own.
    public func owns(_ path: String) -> Bool {
        question(at: path) != nil
            || index.list("answers").contains { entry in
                entry["path"]?.string.flatMap { PathTemplate($0).values(in: path) } != nil
            }
    }

    /// The question with a path, however it is spelt.
    func question(at path: String) -> QuestionSpec? {
        if let name = spec.paths?.body(path).question { return spec.questions.first { $0.name == name } }
        return spec.questions.first { $0.values(in: path) != nil }
    }

    /// The response to a request. The API's name is already removed from the path.
    public func answer(_ request: SampleRequest) -> SampleAnswer { answer(request, from: files) }

    /// The response to a request if the API had no records: an empty list, or `absent`. The conditions of the entries
    /// are tested first, so a request that the API refuses gets that answer here too.
    public func nothing(_ request: SampleRequest) -> SampleAnswer { answer(request, from: [:]) }

    private func answer(_ request: SampleRequest, from files: [String: JSONValue]) -> SampleAnswer {
        let question = question(at: request.path)
        let path = spec.paths?.body(request.path).canonical ?? request.path
        for entry in index.list("answers") {
            let values =
                if let template = entry["path"]?.string {
                    PathTemplate(template).values(in: path)
                } else if let question, entry.list("question").contains(where: { $0.string == question.name }) {
                    question.values(in: path) ?? question.path.values(in: path) ?? [:]
                } else {
                    [String: String]?.none
                }
            guard let values else { continue }
            let asked = AskedSample(entry, question, values, request)
            guard asked.holds(entry) else { continue }
            guard let body = asked.body(from: files, index: name) else { break }
            return answer(entry["status"]?.integer ?? 200, body)
        }
        return failure("absent", of: request) ?? .text(404, "Not Found")
    }

    /// The live API's response to a request without a key; nil if the request has one or needs none. Any key will do in
    /// the place that the API has for it.
    public func refusal(of request: SampleRequest) -> SampleAnswer? {
        let isGiven = keys(of: request).contains { key, place in
            !key.isEmpty && (spec.keyPlace.map { $0.body(key) == place } ?? true)
        }
        return isGiven ? nil : failure("refusal", of: request)
    }

    /// The keys in a request, each with its place. In `Authorization` one stands behind the scheme of applications, or
    /// behind that of the tokens of people (RFC 6750 §2.1).
    private func keys(of request: SampleRequest) -> [(key: String, place: KeyPlacement)] {
        let bearer = (scheme: "Bearer", allowsBare: false)
        let inQuery = spec.facts.credentialParameters.compactMap { name in
            request.parameters[name].map { (key: $0, place: KeyPlacement.query(name)) }
        }
        let inFields = spec.facts.credentialFieldNames.flatMap { name -> [(key: String, place: KeyPlacement)] in
            guard let value = request.fields.first(name) else { return [] }
            guard name == "Authorization" else { return [(value, .field(name, scheme: nil))] }
            return [spec.applications ?? bearer, bearer].compactMap { scheme, allowsBare in
                guard case .application(let key) = CredentialHolder.of(value, scheme: scheme, allowsBare: allowsBare)
                else { return nil }
                return (key, .bearer)
            }
        }
        return inQuery + inFields
    }

    private func failure(_ member: String, of request: SampleRequest) -> SampleAnswer? {
        index[member].map { failure in
            answer(
                failure["status"]?.integer ?? 200,
                SampleBody(parts: [:], texts: ["path": request.path]).bytes(failure["body"]))
        }
    }

    private func answer(_ status: Int, _ body: Bytes) -> SampleAnswer {
        var answer = SampleAnswer(status: status, fields: fields, body: body)
        if hasTag, status == 200 { answer.fields.add(.etag, SampleAnswer.tag(of: body)) }
        return answer
    }

    /// The fields that report the remaining calls after `calls` calls.
    public func credits(after calls: Int) -> HeaderFields {
        var fields = HeaderFields()
        for member in index["credits"]?.members.map({ $0 }) ?? [] {
            fields.add(member.name, member.value.string ?? String(max(0, (member.value.integer ?? 0) - calls)))
        }
        return fields
    }

    /// Whether a member of a response holds the URL of a picture, or the beginning of one.
    public func isPicture(member: String, _ text: String) -> Bool { pictures[member].map(text.contains) ?? false }

    /// The response to a request for a picture; nil if the stand-in's default picture is right.
    public func picture(at path: String) -> SampleAnswer? {
        index["redirects"]?.texts.first { path.hasPrefix($0.0) }.map {
            SampleAnswer(status: 302, fields: ["Location": $0.1])
        }
    }
}

/// A question of a demonstration: the words typed after `larder`, and the request target.
public struct SampleQuestion: Sendable, Hashable {
    public var words: String
    public var target: String

    public init(words: String, target: String) {
        self.words = words
        self.target = target
    }

    /// The question of a target: a search, or any other.
    init(target: String) {
        let parts = target.split(separator: "?", maxSplits: 1)
        let items = parts.count > 1 ? (try? QueryParameters(parsing: parts[1]))?.items ?? [] : []
        let options = items.map { $0.name == "q" ? " \($0.value ?? "")" : " --\($0.name) \($0.value ?? "")" }
        let other = "get " + (items.isEmpty ? target : "'\(target)'")
        self.init(words: parts[0] == "/v1/search" ? "search" + options.joined() : other, target: target)
    }
}

/// A request to a sample API.
public struct SampleRequest: Sendable, Hashable {
    /// The percent-encoded path.
    public var path: String
    public var parameters: QueryParameters
    public var fields: HeaderFields
    /// A counter that rises with each request. Samples rotate by it when the live API answers at random.
    public var turn: Int

    public init(path: String, parameters: QueryParameters, fields: HeaderFields = [:], turn: Int = 0) {
        self.path = path
        self.parameters = parameters
        self.fields = fields
        self.turn = turn
    }
}

/// A response of a sample API.
public struct SampleAnswer: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields
    public var body: Bytes

    public init(status: Int = 200, fields: HeaderFields = [:], body: Bytes = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A plain text response.
    public static func text(_ status: Int, _ text: String) -> SampleAnswer {
        SampleAnswer(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Bytes(text: text))
    }

    /// The weak entity tag of a body, in the form that Express uses.
    public static func tag(of body: Bytes) -> String {
        "W/\"\(String(body.count, radix: 16))-\(Digest(of: body).hex.prefix(27))\""
    }
}
