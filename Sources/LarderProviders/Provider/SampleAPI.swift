// What an API would have answered: samples in its shapes, written for this purpose, so that a demonstration and a test need
// neither key nor network. They lie in the provider's folder; the stand-in serves them and knows no provider.
import LarderCore

/// One API as its samples tell it. A provider has several where its API has several makes.
public protocol SampleAPI: Sendable {
    /// The first segment of its paths at the stand-in, and its name in an index of recordings.
    var name: String { get }

    /// Beginnings of paths that are this API's where no name stands before them. Of several APIs the longest beginning counts.
    var paths: [String] { get }

    /// The fields that a JSON answer of the live API carries.
    var fields: HeaderFields { get }

    /// What recordings of this API leave unsaid.
    var recording: RecordingRule { get }

    /// Questions for a demonstration, which the samples answer.
    var questions: [SampleQuestion] { get }

    /// The same for recordings.
    var recordedQuestions: [SampleQuestion] { get }

    /// The route that asks of Larder what was recorded; nil where it is reached raw only. What the routes do not have is
    /// left out.
    /// - Parameter key: of one body, in a file of many.
    func route(of recording: RecordedRequest, key: String?) -> String?

    /// The answer to a request, the API's name taken off its path.
    func answer(_ request: SampleRequest) -> SampleAnswer

    /// What the live API says where it knows nothing that fits.
    func nothing(at path: String) -> SampleAnswer

    /// What it says to who has no key; nil where the request has one, or needs none. Any key will do.
    func refusal(of request: SampleRequest) -> SampleAnswer?

    /// The fields that tell what is left after so many calls.
    func credits(after calls: Int) -> HeaderFields

    /// Whether a member of its answers with that text is the URL of a picture, or begins one.
    func isPicture(member: String, _ text: String) -> Bool

    /// The picture's answer, where it is not simply a picture.
    func picture(at path: String) -> SampleAnswer?
}

extension SampleAPI {
    public var paths: [String] { [] }
    public var recording: RecordingRule { RecordingRule() }
    public var questions: [SampleQuestion] { [] }
    public var recordedQuestions: [SampleQuestion] { [] }
    public func route(of recording: RecordedRequest, key: String?) -> String? { nil }
    public func nothing(at path: String) -> SampleAnswer { .text(404, "Not Found") }
    public func refusal(of request: SampleRequest) -> SampleAnswer? { nil }
    public func credits(after calls: Int) -> HeaderFields { [:] }
    public func isPicture(member: String, _ text: String) -> Bool { false }
    public func picture(at path: String) -> SampleAnswer? { nil }

    func json(status: Int = 200, _ members: (inout JSONWriter) -> Void) -> SampleAnswer {
        var writer = JSONWriter()
        writer.object(members)
        return SampleAnswer(status: status, fields: fields, body: writer.bytes)
    }
}

/// A question of a demonstration: as a person types it after `larder`, and as it is asked.
public struct SampleQuestion: Sendable, Hashable {
    public var words: String
    public var target: String

    public init(words: String, target: String) {
        self.words = words
        self.target = target
    }

    /// A search with `larder search`.
    /// - Parameters:
    ///   - options: as they are typed, each with one value.
    static func search(_ term: String, _ options: (name: String, value: String)...) -> SampleQuestion {
        SampleQuestion(
            words: "search \(term)" + options.map { " --\($0.name) \($0.value)" }.joined(),
            target: "/v1/search?q=\(PercentCoding.encode(term))" + options.map { "&\($0.name)=\($0.value)" }.joined())
    }

    /// A route with `larder get`.
    static func get(_ target: String) -> SampleQuestion {
        SampleQuestion(words: "get " + (target.contains("?") ? "'\(target)'" : target), target: target)
    }
}

/// A request to an API.
public struct SampleRequest: Sendable, Hashable {
    /// The percent-encoded path.
    public var path: String
    public var parameters: QueryParameters
    public var fields: HeaderFields
    /// Rises with each request, so that what is random upstream goes round here.
    public var turn: Int

    public init(path: String, parameters: QueryParameters, fields: HeaderFields = [:], turn: Int = 0) {
        self.path = path
        self.parameters = parameters
        self.fields = fields
        self.turn = turn
    }
}

/// An answer of an API.
public struct SampleAnswer: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields
    public var body: Bytes

    public init(status: Int = 200, fields: HeaderFields = [:], body: Bytes = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A plain text answer.
    public static func text(_ status: Int, _ text: String) -> SampleAnswer {
        SampleAnswer(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Bytes(text: text))
    }
}

/// What recordings of an API leave unsaid.
public struct RecordingRule: Sendable {
    /// Parameters whose value is the API's default: with it they choose nothing.
    public var defaults: [String: String] = [:]
    /// Other paths of a recorded one.
    public var aliases: [String: String] = [:]
    /// The member, from the root, that says whose a record is that has a file of its own.
    public var idMember: [String] = []
    /// Answers carry an entity tag of their bytes.
    public var hasTag = false
    /// A path that is asked for beside every question, to read its answer: that is never the recording.
    public var beside: String?
    /// Lists of ids, by the end of their path, come with the records they name, below that path.
    public var records: (list: String, path: String)?

    public init() {}
}

extension SampleAnswer {
    /// The weak tag of a body, as Express makes it.
    public static func tag(of body: Bytes) -> String {
        "W/\"\(String(body.count, radix: 16))-\(Digest(of: body).hex.prefix(27))\""
    }
}

enum SampleText {
    /// Whether a text holds every word of a question, in any order and case.
    static func matches(_ text: String, _ question: String) -> Bool {
        let text = text.lowercased()
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }
        return !words.isEmpty && words.allSatisfy { text.contains($0) }
    }
}

extension JSONWriter {
    /// A member that is null where it is absent.
    mutating func nullable(_ name: String, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }
}
