// What an answer of NewsAPI is: the code in the body counts, whatever the status says. A 404 without a code is none of its own.
import LarderCore
import LarderHTTP

extension NewsAPI {
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        if endpoint == "other", response.status == 200 { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return Self.classify(status: response.status, response, Impostor.describe(response.body, error))
        }
        if root["status"]?.string == "error" || root["code"]?.string != nil {
            let isOwn = root["status"]?.string == "error" && root["code"]?.string != nil
            let found = Self.classify(code: root["code"]?.string ?? "", root["message"]?.string, response, isOwn: isOwn)
            // Every endpoint is a list.
            return found == .notFound && endpoint != "other" ? Absence.ofList(response, of: "NewsAPI") : found
        }
        guard response.status == 200 else {
            return Self.classify(status: response.status, response, "NewsAPI answered \(response.status).")
        }
        guard root["status"]?.string == "ok", let list = root[endpoint == "sources" ? "sources" : "articles"],
            list.kind == .array
        else { return .broken("The answer has not the shape of NewsAPI's.") }
        guard !list.isForeignList() else { return .broken("The answer's list has no records of NewsAPI.") }
        var elements = list.elements
        return elements.next() == nil ? .empty : .data
    }

    /// The codes of newsapi.org/docs/errors. `maximumResultsReached` refuses one page, not the key: it must not put
    /// the whole provider to rest.
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
        case _ where Absence.statuses.contains(response.status):
            return Absence.judge(response, of: "NewsAPI", isOwn: isOwn)
        default: return classify(status: response.status, response, shown)
        }
    }

    private static func classify(
        status: Int, _ response: UpstreamResponse, _ message: String
    ) -> Classification {
        switch status {
        case 401, 403: .refused(message)
        case 429: .limited(until: RetryAfter.instant(response))
        case 404, 410: Absence.judge(response, of: "NewsAPI", isOwn: false)
        case 400, 405..<428: .invalidRequest(message)
        default: .broken(message)
        }
    }
}
