// What an answer of Hacker News is. Firebase says `null` under 200 for what does not exist or is withheld; Algolia says
// with an empty page and a message that a page lies beyond the hits that can be reached.
import LarderCore
import LarderHTTP

extension HackerNews {
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return Self.classify(status: response.status, response, Impostor.describe(response.body, error))
        }
        let message = root["error"]?.string ?? root["message"]?.string
        guard response.status == 200 else {
            let shown = message.map(Impostor.shown) ?? "Hacker News answered \(response.status)."
            // Firebase refuses a path and not the caller: the rest of it works.
            if message != nil, [401, 403].contains(response.status) { return .invalidRequest(shown) }
            return Self.classify(status: response.status, response, shown)
        }
        switch endpoint {
        case "search", "recent":
            guard let hits = root["hits"], hits.kind == .array else {
                return .broken("The answer has no list of hits.")
            }
            if let message { return .invalidRequest(Impostor.shown(message)) }
            return hits.count == 0 ? .empty : .data
        case "item", "user":
            if root.isNull { return .notFound }
            return root.kind == .object && root["id"] != nil ? .data : .broken("The answer is no record.")
        case "other": return .data
        default:
            guard root.kind == .array else { return .broken("The answer is no list of ids.") }
            return root.count == 0 ? .empty : .data
        }
    }

    private static func classify(
        status: Int, _ response: UpstreamResponse, _ message: String
    ) -> Classification {
        switch status {
        case 404, 410: .notFound
        case 401, 403: .refused(message)
        case 429: .limited(until: RetryAfter.instant(response))
        case 400..<500: .invalidRequest(message)
        default: .broken(message)
        }
    }
}
