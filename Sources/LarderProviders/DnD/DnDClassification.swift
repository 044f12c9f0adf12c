// What an answer of the D&D API is. Errors are plain text or JSON at will. A missing thing is "Not Found", as a text or as an
// error in JSON; a part of something missing may come as an empty 200. Errors within the API come with 404 as well, so a 404
// to one of its lists is such an error.
import LarderCore
import LarderHTTP

extension DnD {
    private static let statuses = StatusTable("The D&D API")

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: Self.classify(response, endpoint)
        case 404 where endpoint == "list", 410 where endpoint == "list": Absence.ofList(response, of: "The D&D API")
        case 404 where Self.saysNotFound(response.body), 410 where Self.saysNotFound(response.body): .notFound
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "The D&D API refused the question.")
        default: Self.statuses.classify(response)
        }
    }

    private static func classify(_ response: UpstreamResponse, _ endpoint: String) -> Classification {
        let isEmpty = response.body.allSatisfy { $0 <= 0x20 }
        if endpoint == "other" {
            if isEmpty { return .notFound }
            // Pictures, and what no route of ours reads.
            guard response.fields.first("Content-Type")?.lowercased().contains("json") == true else { return .data }
        }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return .broken(Impostor.describe(response.body, error))
        }
        if root["error"] != nil || root["message"] != nil, root["index"] == nil, root["results"] == nil {
            return .broken(errorMessage(response.body) ?? "The answer is an error under status 200.")
        }
        switch endpoint {
        case "list":
            guard let list = root["results"], list.kind == .array, !list.isForeignList() else {
                return .broken("The answer has no list of results.")
            }
            var elements = list.elements
            return elements.next() == nil ? .empty : .data
        case "details":
            return root["index"]?.string?.isEmpty == false ? .data : .broken("The answer is no record of the D&D API.")
        default:
            // Parts of a record are lists with or without a frame, or objects; of what is missing, an empty object.
            guard root.kind == .object || root.kind == .array else { return .broken("The answer is no record.") }
            return root.kind == .object && root.count == 0 ? .notFound : .data
        }
    }

    /// "Not Found", and "File Not Found" for a picture, as a text or in JSON. Other errors come with 404 as well, when
    /// something within the API fails.
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
    /// Slugs are in lower case. A request in capitals may be answered or not; it names the same record.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "details", let index = request.lastSegment else { return nil }
        return { record in record["index"]?.string.map { ASCII.equalFolded($0, index) } ?? false }
    }
}
