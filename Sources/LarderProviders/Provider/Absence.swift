// A 404 may come from anything in front of an API: a proxy, a challenge page, a host that moved. It means that a
// resource does not exist only if the response has the API's own form. Any other 404 is broken, and the stored entry
// stays. A 404 for a list is always a fault, even in the API's own form: a list may be empty, but it exists.
import LarderCore

enum Absence {
    /// The statuses that may report an absence.
    static let statuses: Set<Int> = [404, 410]

    /// - Parameter isOwn: whether the response has the form in which this API reports that nothing exists.
    static func judge(_ response: UpstreamResponse, of title: String, isOwn: Bool) -> Classification {
        isOwn ? .notFound : .broken("\(title) answered \(response.status), but not in the form of this API.")
    }

    /// Classifies a 404 for a list, which always exists.
    static func ofList(_ response: UpstreamResponse, of title: String) -> Classification {
        .broken("\(title) answered \(response.status) for a list that exists.")
    }
}

extension JSONValue {
    /// Whether an array has elements and none of them can be a record. Such a response is not the expected one. An
    /// array without elements is an empty list, not a foreign one.
    func isForeignList(where isRecord: (JSONValue) -> Bool = { $0.kind == .object }) -> Bool {
        var isEmpty = true
        for element in elements {
            if isRecord(element) { return false }
            isEmpty = false
        }
        return !isEmpty
    }
}
