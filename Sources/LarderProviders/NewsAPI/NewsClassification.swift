// Classifies the responses of NewsAPI by the code in the body, whatever the status is. A 404 without a code is not from
// NewsAPI.
import LarderCore
import LarderHTTP

extension NewsAPI {
    private static let statuses = StatusTable(
        "NewsAPI", [(402...402, .broken), (428...428, .broken), (430...499, .broken)])

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        if endpoint == "other", response.status == 200 { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            let why = Impostor.describe(response.body, error)
            return response.status == 200 ? .broken(why) : Self.statuses.classify(response, why)
        }
        if root["status"]?.string == "error" || root["code"]?.string != nil {
            let isOwn = root["status"]?.string == "error" && root["code"]?.string != nil
            let found = Self.classify(code: root["code"]?.string ?? "", root["message"]?.string, response, isOwn: isOwn)
            // Every endpoint is a list, which exists.
            return found == .notFound && endpoint != "other" ? Absence.ofList(response, of: "NewsAPI") : found
        }
        guard response.status == 200 else {
            return Self.statuses.classify(response)
        }
        guard root["status"]?.string == "ok", let list = root[endpoint == "sources" ? "sources" : "articles"],
            list.kind == .array
        else { return .broken("The answer does not have the form of NewsAPI's answers.") }
        guard !list.isForeignList() else { return .broken("The answer's list has no records of NewsAPI.") }
        var elements = list.elements
        return elements.next() == nil ? .empty : .data
    }

    /// Classifies by the codes of newsapi.org/docs/errors. `maximumResultsReached` refuses one page, not the key, so it
    /// must not suspend the whole provider.
    private static func classify(
        code: String, _ message: String?, _ response: UpstreamResponse, isOwn: Bool
    ) -> Classification {
        let shown = Impostor.shown(message ?? code)
        switch code {
        case "rateLimited", "apiKeyExhausted": return .limited(until: RetryAfter.instant(response))
        case "apiKeyMissing", "apiKeyInvalid", "apiKeyDisabled", "corsNotAllowed", "userAgentMissing":
            return .refused(shown)
        case "parametersMissing", "parameterInvalid", "parametersIncompatible", "sourcesTooMany", "sourceDoesNotExist",
            "maximumResultsReached":
            return .invalidRequest(shown)
        case "unexpectedError": return .broken(shown)
        case _ where isOwn && Absence.statuses.contains(response.status): return .notFound
        default: return statuses.classify(response, shown)
        }
    }
}
