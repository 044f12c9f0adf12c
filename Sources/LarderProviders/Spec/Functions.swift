// Swift functions that stand where data would need a program. Each has a name, so that the value of a provider shows it.
import LarderCore

/// The calls of a question that one call cannot answer, from what it asks, its own call, and how its answer is read.
struct PlanFunction: Sendable {
    let name: String
    let body: @Sendable (AskedQuestion, PlannedCall, AnswerSpec) -> any CallPlan

    init(_ name: String, _ body: @escaping @Sendable (AskedQuestion, PlannedCall, AnswerSpec) -> any CallPlan) {
        (self.name, self.body) = (name, body)
    }
}

/// Classifies failures that have too many shapes for rows, given the JSON or what the answer is instead; nil for an answer
/// that is no failure. The question is nil for other requests.
struct FailureFunction: Sendable {
    typealias Body =
        @Sendable (
            _ response: UpstreamResponse, _ question: QuestionSpec?, _ root: JSONValue?, _ form: String?
        ) -> Classification?

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}

/// The place of a key, where that depends on the form of the key.
struct KeyFunction: Sendable {
    let name: String
    let body: @Sendable (String) -> KeyPlacement

    init(_ name: String, _ body: @escaping @Sendable (String) -> KeyPlacement) { (self.name, self.body) = (name, body) }
}

/// The picture of a record.
struct PictureFunction: Sendable {
    let name: String
    let body: @Sendable (JSONValue) -> ResultItem.Artwork?

    init(_ name: String, _ body: @escaping @Sendable (JSONValue) -> ResultItem.Artwork?) {
        (self.name, self.body) = (name, body)
    }
}

/// What is written behind a member of a record: its name and its JSON.
struct CompanionFunction: Sendable {
    typealias Body = @Sendable (_ member: JSONValue.Member, _ list: String) -> (name: String, json: Bytes)?

    let name: String
    let body: Body

    init(_ name: String, _ body: @escaping Body) { (self.name, self.body) = (name, body) }
}
