// What an answer of NewsAPI is: the code in the body counts, whatever the status says.
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
            return Self.classify(code: root["code"]?.string ?? "", root["message"]?.string, response)
        }
        guard response.status == 200 else {
            return Self.classify(status: response.status, response, "NewsAPI answered \(response.status).")
        }
        guard root["status"]?.string == "ok", let list = root[endpoint == "sources" ? "sources" : "articles"],
            list.kind == .array
        else { return .broken("The answer has not the shape of NewsAPI's.") }
        var elements = list.elements
        return elements.next() == nil ? .empty : .data
    }

    /// The codes of newsapi.org/docs/errors. `maximumResultsReached` refuses one page, not the key: it must not put
    /// the whole provider to rest.
    private static func classify(code: String, _ message: String?, _ response: UpstreamResponse) -> Classification {
        let shown = Impostor.shown(message ?? code)
        switch code {
        case "rateLimited", "apiKeyExhausted": return .limited(until: RetryAfter.instant(response))
        case "apiKeyMissing", "apiKeyInvalid", "apiKeyDisabled", "corsNotAllowed", "userAgentMissing":
            return .refused(shown)
        case "parametersMissing", "parameterInvalid", "parametersIncompatible", "sourcesTooMany", "sourceDoesNotExist",
            "maximumResultsReached":
            return .invalidRequest(shown)
        case "unexpectedError": return .broken(shown)
        default: return classify(status: response.status, response, shown)
        }
    }

    private static func classify(
        status: Int, _ response: UpstreamResponse, _ message: String
    ) -> Classification {
        switch status {
        case 401, 403: .refused(message)
        case 429: .limited(until: RetryAfter.instant(response))
        case 404: .notFound
        case 400, 405..<428: .invalidRequest(message)
        default: .broken(message)
        }
    }
}
