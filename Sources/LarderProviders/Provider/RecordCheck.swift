// A request may name one record by its id. An API, or a cache in front of it, may answer with another record under status
// 200. Stored under the request's key, that record would be shown as the one asked for until it expires. So it is `broken`.
import LarderCore

extension Provider {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? { nil }

    /// What an answer is to one request: as `classify(_:endpoint:)`, and data only with the record that the request names.
    public func classify(
        _ response: UpstreamResponse, endpoint: String, of request: UpstreamRequest
    ) -> Classification {
        let found = classify(response, endpoint: endpoint)
        // Of other methods the answer need not be the record that the path names.
        guard found == .data, request.method == .get, let isAsked = recordCheck(for: request, endpoint: endpoint),
            let root = try? JSON.parse(response.body)
        else { return found }
        return isAsked(root) ? .data : .broken("\(about.title) answered with another record than the one asked for.")
    }
}

extension UpstreamRequest {
    /// The last segment of the path, decoded; nil where there is none, or none that can be decoded.
    var lastSegment: String? {
        path.split(separator: "/").last.flatMap { try? PercentCoding.decode($0.utf8, plusIsSpace: false) }
    }
}

extension DnD {
    /// Slugs are in lower case. A request in capitals may be answered or not; it names the same record.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "details", let index = request.lastSegment else { return nil }
        return { record in record["index"]?.string.map { ASCII.equalFolded($0, index) } ?? false }
    }
}

extension TMDb {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "details", let id = request.lastSegment.flatMap({ Int($0) }) else { return nil }
        return { $0["id"]?.integer == id }
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

extension Imgur {
    /// Ids tell capitals from small letters.
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "image" || endpoint == "album", let id = request.lastSegment else { return nil }
        return { $0["data"]?["id"]?.string == id }
    }
}

extension Jokes {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "joke", let id = request.lastSegment else { return nil }
        return { root in
            JokesResults.records(root)?.contains { record in
                record["id"]?.string == id || record["id"]?.integer.map { $0 == Int(id) } ?? false
            } ?? false
        }
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
