// Classifies the responses of the joke APIs. api.chucknorris.io reports errors by status; icndb reports "success" or
// the name of a Java exception under status 200.
import LarderCore
import LarderHTTP

extension Jokes {
    /// The endpoints whose lists always exist. A joke may be missing, and so may a category from which one is drawn.
    private static let lists: Set = ["search", "categories"]
    private static let statuses = StatusTable("The joke service")

    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 200: break
        case 404 where Self.lists.contains(endpoint), 410 where Self.lists.contains(endpoint):
            return Absence.ofList(response, of: "The joke service")
        case 404, 410: return isOwnAbsence(response) ? .notFound : Self.statuses.classify(response)
        case 401, 403, 429: return Self.statuses.classify(response)
        case 400..<500: return Self.statuses.classify(response, Self.message(response.body))
        default: return Self.statuses.classify(response).heedingRetryAfter(of: response)
        }
        if endpoint == "other" { return .data }
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            return .broken(Impostor.describe(response.body, error))
        }
        if dialect == .icndb, let type = root["type"]?.string, type != "success" {
            // For example "NoSuchQuoteException". "NoSuchCategoryException" is about a parameter, so it is an absence
            // even for lists.
            let isAbsence = type.hasPrefix("NoSuchCategory") || !Self.lists.contains(endpoint)
            return type.hasPrefix("NoSuch") && isAbsence
                ? .notFound : .broken(Impostor.shown(root["value"]?.string ?? type))
        }
        if endpoint == "categories" {
            guard let names = JokesResults.names(root) else { return .broken("The answer has no list of categories.") }
            guard !names.isForeignList(where: { $0.string != nil }) else {
                return .broken("The answer's list has no categories.")
            }
            return names.count == 0 ? .empty : .data
        }
        guard let records = JokesResults.records(root) else { return .broken("The answer has no joke.") }
        if records.isEmpty { return .empty }
        guard records.contains(where: { $0.kind == .object }) else { return .broken("The answer's list has no jokes.") }
        if endpoint != "search", !records.contains(where: { JokesResults.Joke($0) != nil }) {
            return .broken("The answer has no joke.")
        }
        return .data
    }

    /// Whether a 404 has the form of api.chucknorris.io, which repeats the status in the body. icndb reports "NoSuch…"
    /// under 200 and has no 404.
    private func isOwnAbsence(_ response: UpstreamResponse) -> Bool {
        guard dialect != .icndb, let root = try? JSON.parse(response.body) else { return false }
        return root["status"]?.integer == response.status && (root["message"] ?? root["error"])?.string != nil
    }

    /// The message in `{timestamp, status, error, message, path}` or `{…, violations: {"search.query": text}}`.
    private static func message(_ body: Bytes) -> String? {
        guard let root = try? JSON.parse(body) else { return nil }
        return (root["message"]?.string ?? root["error"]?.string).map(Impostor.shown)
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
