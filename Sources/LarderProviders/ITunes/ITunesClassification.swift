// What an answer of iTunes is. Its limit speaks as a 403 with an empty body, which must never be taken for "no
// results". It has no 404 of its own: what it does not know is an empty list.
import LarderCore
import LarderHTTP

extension ITunes {
    private static let statuses = StatusTable(
        "iTunes", [(403...403, .limited), (407...407, .refused), (451...451, .refused)])

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200 where endpoint == "other": .data
        case 200: Self.classify(response.body)
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "iTunes refused the question.")
        // 404 is reported now and then for questions that are answered a moment later.
        default: Self.statuses.classify(response)
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
        guard !results.isForeignList() else { return .broken("The answer's list has no results of iTunes.") }
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
