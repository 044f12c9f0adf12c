// Classifies the responses of TMDb. Errors have a code next to the status (developer.themoviedb.org/docs/errors); an
// empty query is answered in a shape of its own. A 404 without a code is not from TMDb; one for a list is a fault.
import LarderCore
import LarderHTTP

extension TMDb {
    private static let statuses = StatusTable("TMDb")

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        if endpoint == "other", response.status == 200 { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            let why = Impostor.describe(response.body, error)
            return response.status == 200 ? .broken(why) : Self.statuses.classify(response)
        }
        if root["success"]?.bool == false || root["status_code"] != nil && root["id"] == nil {
            let found = Self.byCode(
                root["status_code"]?.integer, response, root["status_message"]?.string, isTyped: endpoint != "other")
            let mayBeMissing = endpoint == "details" || endpoint == "other"
            return found == .notFound && !mayBeMissing ? Absence.ofList(response, of: "TMDb") : found
        }
        guard response.status == 200 else {
            let message = root["errors"]?.elements.first { _ in true }?.string
            return Self.statuses.classify(response, message.map(Impostor.shown))
        }
        switch endpoint {
        case "details": return root["id"]?.integer != nil ? .data : .broken("The record has no id.")
        case "configuration":
            return root["images"]?.kind == .object ? .data : .broken("The answer has no sizes of pictures.")
        case "genres":
            guard let list = root["genres"], list.kind == .array, !list.isForeignList() else {
                return .broken("The answer has no list of genres.")
            }
            return .data
        default:
            guard let list = root["results"], list.kind == .array, !list.isForeignList() else {
                return .broken("The answer has no list of results.")
            }
            var elements = list.elements
            return elements.next() == nil ? .empty : .data
        }
    }

    /// - Parameter isTyped: whether Larder's own questions have this endpoint. They send nothing but the key.
    private static func byCode(
        _ code: Int?, _ response: UpstreamResponse, _ message: String?, isTyped: Bool
    ) -> Classification {
        let shown = Impostor.shown(message ?? "TMDb answered \(response.status).")
        switch code {
        case 25: return .limited(until: RetryAfter.instant(response))
        case 7, 10: return .refused(shown)
        // What the client supplied is refused: a session, a token, a user, an item of somebody else.
        case 3, 8, 14, 16, 17, 30, 31, 32, 33, 35, 36, 38, 39, 45:
            return isTyped ? .refused(shown) : .invalidRequest(shown)
        case 6, 21, 34, 37: return .notFound
        case 4, 5, 18, 19, 20, 22, 23, 26, 27, 28, 29, 41, 42, 44, 47: return .invalidRequest(shown)
        case 2, 9, 11, 15, 24, 43, 46: return .broken(shown)
        case .some where message != nil && Absence.statuses.contains(response.status): return .notFound
        default: return statuses.classify(response, message.map(Impostor.shown))
        }
    }
}

extension TMDb {
    public func recordCheck(for request: UpstreamRequest, endpoint: String) -> (@Sendable (JSONValue) -> Bool)? {
        guard endpoint == "details", let id = request.lastSegment.flatMap({ Int($0) }) else { return nil }
        return { $0["id"]?.integer == id }
    }
}
