// What an answer of the D&D API is. Errors are plain text or JSON at will, and a missing thing may come as an empty
// 200.
import LarderCore
import LarderHTTP

extension DnD {
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: Self.classify(response, endpoint)
        case 404, 410: .notFound
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "The D&D API refused the question.")
        case 429: .limited(until: RetryAfter.instant(response))
        case 401, 403: .refused("The D&D API answered \(response.status).")
        case 402..<500: .invalidRequest("The D&D API answered \(response.status).")
        default: .broken("The D&D API answered \(response.status).")
        }
    }

    private static func classify(_ response: UpstreamResponse, _ endpoint: String) -> Classification {
        if response.body.allSatisfy({ $0 <= 0x20 }) { return .notFound }
        if endpoint == "other" { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return .broken(Impostor.describe(response.body, error))
        }
        if root.kind == .object, root.count == 0 { return .notFound }
        if let list = root["results"] {
            guard list.kind == .array else { return .broken("The answer has no list of results.") }
            var elements = list.elements
            return elements.next() == nil ? .empty : .data
        }
        if root["error"] != nil || root["message"] != nil, root["index"] == nil {
            return .broken(errorMessage(response.body) ?? "The answer is an error under status 200.")
        }
        // Some sub-resources are bare lists or objects: they are data, though no route of ours reads them.
        return endpoint == "list" ? .broken("The answer has no list of results.") : .data
    }

    private static func errorMessage(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return (root["error"]?.string ?? root["message"]?.string).map(Impostor.shown)
    }
}
