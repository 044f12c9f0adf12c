// Classifies the responses of Hacker News. Firebase answers `null` under 200 for an item that does not exist or is
// withheld, and never 404. Algolia answers with an empty page and a message if a page lies beyond the reachable hits.
// For its items and users, which no typed route uses, Algolia answers 404 with a message.
import LarderCore
import LarderHTTP

extension HackerNews {
    private static let statuses = StatusTable("Hacker News")
    /// Firebase refuses a path, not the client: other paths still work.
    private static let statusesWithMessage = StatusTable(
        "Hacker News", [(401...401, .invalidRequest), (403...403, .invalidRequest)])

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return Self.unreadable(response, Impostor.describe(response.body, error))
        }
        let message = root["error"]?.string ?? root["message"]?.string
        guard response.status == 200 else {
            let isOwnAbsence = endpoint == "other" && message != nil && Absence.statuses.contains(response.status)
            if isOwnAbsence { return .notFound }
            let statuses = message == nil ? Self.statuses : Self.statusesWithMessage
            return statuses.classify(response, message.map(Impostor.shown))
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
            return isRecord ? .data : .broken("The answer is not a record of Hacker News.")
        case "other": return .data
        default:
            guard root.kind == .array, !root.isForeignList(where: { $0.integer != nil }) else {
                return .broken("The answer is not a list of ids.")
            }
            return root.count == 0 ? .empty : .data
        }
    }

    /// Classifies a response that is not JSON. It may also have status 200.
    private static func unreadable(_ response: UpstreamResponse, _ why: String) -> Classification {
        response.status == 200 ? .broken(why) : statuses.classify(response, why)
    }
}

extension HackerNews {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "item" || endpoint == "user", let file = request.lastSegment, file.hasSuffix(".json") else {
            return nil
        }
        let name = String(file.dropLast(5))
        guard endpoint == "item" else { return { $0["id"]?.string == name } }
        guard let id = Int(name) else { return nil }
        return { $0["id"]?.integer == id }
    }
}

extension HackerNews {
    /// Comments and votes on a post close after two weeks. Older posts change only if a moderator edits a text.
    private static let closesAfter: Int64 = 14 * 86_400
    private static let closedLifetime = Duration.seconds(86_400)

    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? {
        guard endpoint == "item" else { return nil }
        return { response in
            // The value comes from upstream. A time outside the calendar is ignored, so no arithmetic uses it.
            guard let time = HackerNewsResults.value(response)?["time"]?.integer,
                (0..<253_402_300_800).contains(time)
            else { return nil }
            return response.responseTime.seconds - Int64(time) > Self.closesAfter ? Self.closedLifetime : nil
        }
    }
}
