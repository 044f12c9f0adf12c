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

extension ITunes {
    /// A lookup by ids brings the records with these ids, and with `entity` their children, which name the parent's id. Of
    /// several ids some may be unknown, so one record that names one of them is enough. An id is the record's own or that of
    /// its collection or artist, under a name that depends on the kind. Records tell no UPC, no ISBN and not every id of AMG.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "lookup", let query = try? QueryParameters(parsing: request.query ?? "") else { return nil }
        var ids: Set<Int> = []
        var bundles: [String] = []
        for item in query.items {
            let values = (item.value ?? "").split(separator: ",").map(String.init)
            switch item.name {
            case "id":
                let numbers = values.compactMap { Int($0) }
                // The API may read what is no number here, such as a number with a blank before it.
                guard numbers.count == values.count else { return nil }
                ids.formUnion(numbers)
            case "bundleId": bundles += values
            // With a key that records do not tell, nothing can be compared.
            case "upc", "isbn", "amgArtistId", "amgAlbumId", "amgVideoId": return nil
            default: break
            }
        }
        guard !ids.isEmpty || !bundles.isEmpty else { return nil }
        return { [ids, bundles] root in
            root["results"]?.elements.contains { record in
                let bundle = record["bundleId"]?.string
                if let bundle, bundles.contains(where: { ASCII.equalFolded($0, bundle) }) { return true }
                return record.members.contains { $0.name.hasSuffix("Id") && $0.value.integer.map(ids.contains) == true }
            } ?? false
        }
    }
}
