// What an answer of the joke APIs is. api.chucknorris.io says it by status; icndb says "success" or the name of a Java
// exception under status 200.
import LarderCore
import LarderHTTP

extension Jokes {
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: break
        case 404, 410: return .notFound
        case 429: return .limited(until: RetryAfter.instant(response))
        case 503 where RetryAfter.instant(response) != nil: return .limited(until: RetryAfter.instant(response))
        case 401, 403: return .refused("The joke service answered \(response.status).")
        case 400..<500:
            return .invalidRequest(Self.message(response.body) ?? "The joke service answered \(response.status).")
        default: return .broken("The joke service answered \(response.status).")
        }
        if endpoint == "other" { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return .broken(Impostor.describe(response.body, error))
        }
        if dialect == .icndb, let type = root["type"]?.string, type != "success" {
            // "NoSuchQuoteException", "NoSuchCategoryException".
            return type.hasPrefix("NoSuch")
                ? .notFound : .broken(Impostor.shown(root["value"]?.string ?? type))
        }
        if endpoint == "categories" {
            guard let names = JokesResults.names(root) else { return .broken("The answer has no list of categories.") }
            return names.count == 0 ? .empty : .data
        }
        guard let records = JokesResults.records(root) else { return .broken("The answer has no joke.") }
        if records.isEmpty { return .empty }
        if endpoint != "search", !records.contains(where: { JokesResults.Joke($0) != nil }) {
            return .broken("The answer has no joke.")
        }
        return .data
    }

    /// `{timestamp, status, error, message, path}` or `{…, violations: {"search.query": text}}`.
    private static func message(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return (root["message"]?.string ?? root["error"]?.string).map(Impostor.shown)
    }
}
