// Classifies the responses of Open Library. A missing record is {"error": "notfound", "key": "/works/…"}; other errors
// are classified by their status. A book that was merged into another one is a record that redirects to it, and is
// classified as not found.
import LarderCore
import LarderHTTP

extension OpenLibrary {
    private static let statuses = StatusTable("Open Library")

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        if response.status == 200, endpoint == "other" { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            let why = Impostor.describe(response.body, error)
            return response.status == 200 ? .broken(why) : Self.statuses.classify(response)
        }
        guard response.status == 200 else { return Self.failure(response, root, endpoint) }
        if endpoint == "search" {
            guard let books = root["docs"], books.kind == .array, !books.isForeignList() else {
                return .broken("The answer has no list of books.")
            }
            return books.count == 0 ? .empty : .data
        }
        let type = root["type"]?["key"]?.string
        if type == "/type/redirect" || type == "/type/delete" { return .notFound }
        return root["key"]?.string != nil ? .data : .broken("The record has no key.")
    }

    private static func failure(_ response: UpstreamResponse, _ root: JSONValue, _ endpoint: String) -> Classification {
        let message = root["error"]?.string
        if Absence.statuses.contains(response.status), message == "notfound" {
            return endpoint == "search" ? Absence.ofList(response, of: "Open Library") : .notFound
        }
        return statuses.classify(response, message.map(Impostor.shown))
    }

    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "work", let file = request.lastSegment, file.hasSuffix(".json") else { return nil }
        let key = "/works/" + file.dropLast(5)
        return { $0["key"]?.string.map { ASCII.equalFolded($0, key) } ?? false }
    }
}
