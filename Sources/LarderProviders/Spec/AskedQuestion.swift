// What an answer is read for, and what it is if it cannot be read.
import LarderCore

/// What an answer is in place of JSON.
struct UnreadableAnswer: Error, Sendable {
    var message: String
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
