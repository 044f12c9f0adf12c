// Classifies the responses of iTunes. A rate limit is reported as a 403 with an empty body, which must never be read as
// "no results". iTunes has no 404 of its own: an unknown id gives an empty list.
import LarderCore
import LarderHTTP

extension ITunes {
    private static let statuses = StatusTable(
        "iTunes", [(403...403, .limited), (407...407, .refused), (451...451, .refused)])

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200 where endpoint == "other": .data
        case 200: Self.classify(response.body)
        case 400: .invalidRequest(Self.errorMessage(response.body) ?? "iTunes refused the request.")
        // iTunes sometimes reports 404 for requests that succeed a moment later.
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
        // A count that contradicts the list means that the response was cut or incomplete.
        return (root["resultCount"]?.integer ?? 0) == 0
            ? .empty : .broken("The answer has fewer results than it says.")
    }

    private static func errorMessage(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return root["errorMessage"]?.string.map(Impostor.shown)
    }
}

extension ITunes {
    /// A lookup by ids returns the records with these ids. With `entity` it also returns their children, which contain
    /// the parent's id. Some of several ids may be unknown, so one record that contains one of them is enough. The id
    /// is the record's own, its collection's or its artist's, in a member that depends on the kind. Records contain no
    /// UPC, no ISBN and not every AMG id.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "lookup", let query = try? QueryParameters(parsing: request.query ?? "") else { return nil }
        var ids: Set<Int> = []
        var bundles: [String] = []
        for item in query.items {
            let values = (item.value ?? "").split(separator: ",").map(String.init)
            switch item.name {
            case "id":
                let numbers = values.compactMap { Int($0) }
                // The API may accept a value that is not a number here, such as a number after a space.
                guard numbers.count == values.count else { return nil }
                ids.formUnion(numbers)
            case "bundleId": bundles += values
            // Records do not contain these keys, so there is nothing to compare.
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
