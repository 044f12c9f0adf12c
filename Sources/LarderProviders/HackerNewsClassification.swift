// What an answer of Hacker News is. Firebase says `null` under 200 for what does not exist or is withheld, and never 404.
// Algolia says with an empty page and a message that a page lies beyond the hits that can be reached; of its items and users,
// which no route of ours asks for, it says 404 with a message.
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
            if Absence.statuses.contains(response.status) {
                return Absence.judge(response, of: "Hacker News", isOwn: endpoint == "other" && message != nil)
            }
            return Self.classify(status: response.status, response, shown)
        }
        switch endpoint {
        case "search", "recent":
            guard let hits = root["hits"], hits.kind == .array else {
                return .broken("The answer has no list of hits.")
            }
            if let message { return .invalidRequest(Impostor.shown(message)) }
            guard !hits.isForeignList() else { return .broken("The answer's list has no hits.") }
            return hits.count == 0 ? .empty : .data
        case "item", "user":
            if root.isNull { return .notFound }
            let isRecord = endpoint == "item" ? root["id"]?.integer != nil : root["id"]?.string != nil
            return isRecord ? .data : .broken("The answer is no record of Hacker News.")
        case "other": return .data
        default:
            guard root.kind == .array, !root.isForeignList(where: { $0.integer != nil }) else {
                return .broken("The answer is no list of ids.")
            }
            return root.count == 0 ? .empty : .data
        }
    }

    private static func classify(
        status: Int, _ response: UpstreamResponse, _ message: String
    ) -> Classification {
        switch status {
        case 404, 410: Absence.judge(response, of: "Hacker News", isOwn: false)
        case 401, 403: .refused(message)
        case 429: .limited(until: RetryAfter.instant(response))
        case 400..<500: .invalidRequest(message)
        default: .broken(message)
        }
    }
}
