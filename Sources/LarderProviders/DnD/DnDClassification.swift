// Classifies the responses of the D&D API. Errors are plain text or JSON. A missing resource is "Not Found", as a text
// or as an error in JSON; a part of a missing record may be an empty 200. Internal errors of the API also have status
// 404, so a 404 for one of its lists is such an error.
import LarderCore
import LarderHTTP

extension DnD {
    private static let statuses = StatusTable("The D&D API")

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: Self.classify(response, endpoint)
        case 404 where endpoint == "list", 410 where endpoint == "list": Absence.ofList(response, of: "The D&D API")
        case 404 where Self.saysNotFound(response.body), 410 where Self.saysNotFound(response.body): .notFound
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "The D&D API refused the request.")
        default: Self.statuses.classify(response)
        }
    }

    private static func classify(_ response: UpstreamResponse, _ endpoint: String) -> Classification {
        let isEmpty = response.body.allSatisfy { $0 <= 0x20 }
        if endpoint == "other" {
            if isEmpty { return .notFound }
            // Pictures, and responses that no typed route reads.
            guard response.fields.first("Content-Type")?.lowercased().contains("json") == true else { return .data }
        }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return .broken(Impostor.describe(response.body, error))
        }
        if root["error"] != nil || root["message"] != nil, root["index"] == nil, root["results"] == nil {
            return .broken(errorMessage(response.body) ?? "The answer has status 200 and contains an error.")
        }
        switch endpoint {
        case "list":
            guard let list = root["results"], list.kind == .array, !list.isForeignList() else {
                return .broken("The answer has no list of results.")
            }
            var elements = list.elements
            return elements.next() == nil ? .empty : .data
        case "details":
            return root["index"]?.string?.isEmpty == false
                ? .data : .broken("The answer is not a record of the D&D API.")
        default:
            // A part of a record is a list, a list inside an object, or an object. A part of a missing record is an
            // empty object.
            guard root.kind == .object || root.kind == .array else { return .broken("The answer is not a record.") }
            return root.kind == .object && root.count == 0 ? .notFound : .data
        }
    }

    /// Whether an error says "Not Found", or "File Not Found" for a picture, as a text or in JSON. Internal errors of
    /// the API have status 404 as well.
    private static func saysNotFound(_ body: Bytes) -> Bool {
        guard body.count <= 4096 else { return false }
        let text = (try? JSON.parse(body)).map { ($0["error"] ?? $0["message"])?.string } ?? body.lossyText
        guard let words = TextCleaning.line(text)?.lowercased() else { return false }
        return words == "not found" || words == "file not found"
    }

    private static func errorMessage(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return (root["error"]?.string ?? root["message"]?.string).map(Impostor.shown)
    }
}

extension DnD {
    /// Slugs are in lower case. The API may or may not answer a slug in upper case, but it names the same record.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "details", let index = request.lastSegment else { return nil }
        return { record in record["index"]?.string.map { ASCII.equalFolded($0, index) } ?? false }
    }
}
