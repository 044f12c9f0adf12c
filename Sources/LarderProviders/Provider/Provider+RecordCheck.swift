// A request may name one record by its id. An API, or a cache in front of it, may answer with another record under
// status 200. If Larder stored that record under the request's key, clients would get the wrong record until it
// expires. So it is `broken`.
import LarderCore

extension Provider {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? { nil }

    /// Classifies a response to one request: like `classify(_:endpoint:)`, but data only with the record that the
    /// request names.
    public func classify(
        _ response: UpstreamResponse, endpoint: String, of request: UpstreamRequest
    ) -> Classification {
        let response = response.unpadded(of: request)
        let found = classify(response, endpoint: endpoint)
        // For other methods, the response need not be the record that the path names.
        guard found == .data, request.method == .get || request.isReadOnly,
            let isAsked = recordCheck(for: request, endpoint: endpoint),
            let root = try? JSON.parse(response.body)
        else { return found }
        return isAsked(root) ? .data : .broken("\(about.title) answered with a record that was not requested.")
    }
}

extension UpstreamRequest {
    /// The last segment of the path, decoded; nil if there is none or it cannot be decoded.
    var lastSegment: String? {
        self.path.split(separator: "/").last.flatMap { try? PercentCoding.decode($0.utf8, plusIsSpace: false) }
    }
}
