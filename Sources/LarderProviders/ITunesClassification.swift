// What an answer of iTunes is. Its limit speaks as a 403 with an empty body, which must never be taken for "no
// results".
import LarderCore
import LarderHTTP

extension ITunes {
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200 where endpoint == "other": .data
        case 200: Self.classify(response.body)
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "iTunes refused the question.")
        case 403, 429: .limited(until: RetryAfter.instant(response))
        case 404 where endpoint == "other": .notFound
        // Reported now and then for questions that are answered a moment later.
        case 404: .broken("iTunes answered 404 to a search.")
        case 401, 407, 451: .refused("iTunes answered \(response.status).")
        case 402..<500: .invalidRequest("iTunes answered \(response.status).")
        default: .broken("iTunes answered \(response.status).")
        }
    }

    private static func classify(_ body: Bytes) -> Classification {
        let root: JSONValue
        do {
            root = try JSON.parse(body)
        } catch {
            return .broken(Impostor.describe(body, error))
        }
        if let message = root["errorMessage"]?.string { return .invalidRequest(Impostor.shown(message)) }
        guard let results = root["results"], results.kind == .array else {
            return .broken("The answer has no list of results.")
        }
        var elements = results.elements
        if elements.next() != nil { return .data }
        // A count that contradicts the list is a cut or half-made answer.
        return (root["resultCount"]?.integer ?? 0) == 0
            ? .empty : .broken("The answer counts results it does not have.")
    }

    private static func errorMessage(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return root["errorMessage"]?.string.map(Impostor.shown)
    }
}
