// A 404 may come from whatever stands in front of an API: a proxy, a challenge page, a host that moved. It says that a thing
// does not exist only in the API's own form; in any other it is a broken answer, and what is stored stays. To a list that
// the API has, even the API's own 404 is a fault: a list may be empty, but it exists.
import LarderCore

enum Absence {
    /// The statuses that may say so.
    static let statuses: Set<Int> = [404, 410]

    /// - Parameter isOwn: whether the answer has the form in which this API says that there is nothing.
    static func judge(_ response: UpstreamResponse, of title: String, isOwn: Bool) -> Classification {
        isOwn ? .notFound : .broken("\(title) answered \(response.status), but not in its own form.")
    }

    /// A 404 to a list that exists.
    static func ofList(_ response: UpstreamResponse, of title: String) -> Classification {
        .broken("\(title) answered \(response.status) to a list that it has.")
    }
}

extension JSONValue {
    /// Whether an array has only such elements that could be no record: then it is another answer than the one expected.
    /// Without elements it is an empty list.
    func isForeignList(where isRecord: (JSONValue) -> Bool = { $0.kind == .object }) -> Bool {
        var isEmpty = true
        for element in elements {
            if isRecord(element) { return false }
            isEmpty = false
        }
        return !isEmpty
    }
}
