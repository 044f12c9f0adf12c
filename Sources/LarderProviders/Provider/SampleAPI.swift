// Sample responses in the shapes of an API, written for this purpose, so that demonstrations and tests need neither a
// key nor a network. The samples of an API are in its provider's folder. The stand-in server serves them.
import LarderCore

/// One API, as its samples represent it. A provider has several if its API has several dialects.
public protocol SampleAPI: Sendable {
    /// The first segment of this API's paths at the stand-in, and its name in an index of recordings.
    var name: String { get }

    /// Path prefixes that select this API if the path does not begin with an API's name. The longest match decides.
    var paths: [String] { get }

    /// The fields that a JSON response of the live API carries.
    var fields: HeaderFields { get }

    /// Facts about this API that its recordings do not contain.
    var recording: RecordingRule { get }

    /// Questions for a demonstration. The samples answer them.
    var questions: [SampleQuestion] { get }

    /// Questions for a demonstration that uses recordings.
    var recordedQuestions: [SampleQuestion] { get }

    /// The Larder route that asks for a recorded response; nil if no typed route can ask for it. Parameters that the
    /// route does not have are left out.
    /// - Parameter key: the key of one body, if the file holds many.
    func route(of recording: RecordedRequest, key: String?) -> String?

    /// The response to a request. The API's name is already removed from the path.
    func answer(_ request: SampleRequest) -> SampleAnswer

    /// The live API's response when nothing matches.
    func nothing(at path: String) -> SampleAnswer

    /// The live API's response to a request without a key; nil if the request has one or needs none. Any key will do.
    func refusal(of request: SampleRequest) -> SampleAnswer?

    /// The fields that report the remaining calls after `calls` calls.
    func credits(after calls: Int) -> HeaderFields

    /// Whether a member of a response holds the URL of a picture, or the beginning of one.
    func isPicture(member: String, _ text: String) -> Bool

    /// The response to a request for a picture; nil if the stand-in's default picture is right.
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

/// A question of a demonstration: the words typed after `larder`, and the request target.
public struct SampleQuestion: Sendable, Hashable {
    public var words: String
    public var target: String

    public init(words: String, target: String) {
        self.words = words
        self.target = target
    }

    /// A question asked with `larder search`.
    /// - Parameter options: the options as they are typed, each with one value.
    static func search(_ term: String, _ options: (name: String, value: String)...) -> SampleQuestion {
        SampleQuestion(
            words: "search \(term)" + options.map { " --\($0.name) \($0.value)" }.joined(),
            target: "/v1/search?q=\(PercentCoding.encode(term))" + options.map { "&\($0.name)=\($0.value)" }.joined())
    }

    /// A question asked with `larder get`.
    static func get(_ target: String) -> SampleQuestion {
        SampleQuestion(words: "get " + (target.contains("?") ? "'\(target)'" : target), target: target)
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
}

/// Facts about an API that its recordings do not contain.
public struct RecordingRule: Sendable {
    /// The API's default values of parameters. A parameter with its default value does not distinguish recordings.
    public var defaults: [String: String] = [:]
    /// Other paths that mean a recorded path.
    public var aliases: [String: String] = [:]
    /// The path of members, from the root, to the id of a record that has a file of its own.
    public var idMember: [String] = []
    /// Whether responses carry an entity tag made of their bytes.
    public var hasTag = false
    /// A path that is requested along with every question because its response is needed to read the others. It never
    /// selects the recording itself.
    public var beside: String?
    /// Lists of ids that are recorded together with their records: the end of a list's path, and the path below which
    /// its records are.
    public var records: (list: String, path: String)?

    public init() {}
}

extension SampleAnswer {
    /// The weak entity tag of a body, in the form that Express uses.
    public static func tag(of body: Bytes) -> String {
        "W/\"\(String(body.count, radix: 16))-\(Digest(of: body).hex.prefix(27))\""
    }
}

enum SampleText {
    /// Whether a text contains every word of a question, in any order and letter case.
    static func matches(_ text: String, _ question: String) -> Bool {
        let text = text.lowercased()
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }
        return !words.isEmpty && words.allSatisfy { text.contains($0) }
    }
}

extension JSONWriter {
    /// Writes a member, or null if the value is nil.
    mutating func nullable(_ name: String, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }
}
