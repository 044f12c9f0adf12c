// A folder of recorded answers: `index.json` says which request each answers. Exact requests come first; else the
// recording that agrees with most of what was asked, provided it contradicts nothing that matters.
import LarderCore

/// The recordings of one folder, read at start.
final class RecordingShelf: Sendable {
    private struct Recording: Sendable {
        var file: String
        var api: OriginAPI
        var method: Method
        var path: String
        var query: String
        /// The parameters that choose it.
        var choosing: [String: String]
        var status: Int
        var body: Bytes
        var fields: HeaderFields
        /// Of files with many bodies: each by its key.
        var bodies: [String: Bytes]
    }

    private let recordings: [Recording]
    private let images: [(name: String, body: Bytes)]

    /// Parameters that choose an answer; the others page, sort or identify.
    private static let significant: Set<String> = [
        "term", "media", "entity", "attribute", "country", "id", "upc", "isbn", "bundleId", "amgArtistId", "amgAlbumId",
        "amgVideoId", "tags", "query", "q", "category", "sources", "case", "level", "school", "challenge_rating",
        "name",
    ]

    init(folder: String) throws(OriginError) {
        let index = try FileReader.read("\(folder)/index.json")
        let root: JSONValue
        do {
            root = try JSON.parse(index)
        } catch {
            throw OriginError("\(folder)/index.json: \(error)")
        }
        var recordings: [Recording] = []
        var images: [(String, Bytes)] = []
        var headers: [OriginAPI: JSONValue?] = [:]
        for entry in root.elements {
            guard let file = entry["file"]?.string, !file.contains("..") else { continue }
            if entry["api"]?.string == "artwork" {
                images.append(
                    (file.split(separator: "/").last.map(String.init) ?? file, try FileReader.read("\(folder)/\(file)"))
                )
            }
            guard let api = entry["api"]?.string.flatMap(OriginAPI.init(rawValue:)), let place = entry["path"]?.string
            else {
                continue
            }
            var (path, query) = Self.target(place, entry)
            let body = try FileReader.read("\(folder)/\(file)")
            // Of Imgur's records each has a file of its own, which says whose it is.
            if api == .imgur, let id = (try? JSON.parse(body))?["data"]?["id"]?.string {
                path = path.replacing("{id}", with: id)
            }
            if headers[api] == nil {
                let file = try? FileReader.read("\(folder)/\(api.rawValue)/response-headers.json")
                headers[api] = .some(file.flatMap { try? JSON.parse($0) })
            }
            let kept = Self.keptFields(headers[api] ?? nil, file: file)
            let status = entry["status"]?.integer ?? 200
            recordings.append(
                Recording(
                    file: file, api: api, method: Method(entry["method"]?.string ?? "GET"),
                    path: path.replacing(",", with: ""), query: query,
                    choosing: Self.choosing(Self.parameters(query), api),
                    status: status, body: body, fields: Self.fields(api, body, kept),
                    bodies: file.hasSuffix("-details.json") || path.contains("{id}") ? Self.bodies(body) : [:]))
        }
        guard !recordings.isEmpty else { throw OriginError("\(folder)/index.json names no recording of a known API.") }
        self.recordings = recordings
        // One of the pictures is broken on purpose: it is given by name only.
        self.images = images
    }

    /// Path and query of the recorded request. Where the index names the host in the path's place, both stand in the
    /// request's text; what was not kept is an ellipsis there.
    private static func target(_ path: String, _ entry: JSONValue) -> (path: String, query: String) {
        guard !path.hasPrefix("/") else { return (path, entry["query"]?.string ?? "") }
        let words = (entry["request"]?.string ?? "").split(separator: " ")
        let parts = (words.first { $0.hasPrefix("/") } ?? "/").split(separator: "?", maxSplits: 1)
        let items = parts.count > 1 ? parts[1].split(separator: "&").filter { !$0.contains("…") } : []
        return (parts.first.map(String.init) ?? "/", items.joined(separator: "&"))
    }

    /// All of them, in the order of the index.
    var requests: [RecordedRequest] {
        recordings.map { recording in
            let path = recording.path.replacing("/{index}", with: "").replacing("/{id}.json", with: "")
            return RecordedRequest(
                file: recording.file, api: recording.api.rawValue, method: recording.method, path: path,
                query: recording.query,
                status: recording.status, keys: recording.bodies.keys.sorted())
        }
    }

    /// `/only/FILE/…` and `/only/FILE`: that recording, whatever else was asked.
    func only(_ request: OriginRequest) -> OriginAnswer? {
        guard request.path.hasPrefix("/only/") else { return nil }
        let rest = request.path.dropFirst("/only/".utf8.count)
        let found = recordings.first { recording in
            [recording.file, recording.file.split(separator: "/").last.map(String.init) ?? ""]
                .contains { rest == $0 || rest.hasPrefix($0 + "/") }
        }
        guard let found else { return .text(404, "No recording of that name.") }
        // Asked for beside every question, to read its answer: that is never the recording.
        if found.api == .tmdb, rest.hasSuffix("/3/configuration") {
            return answer(.tmdb, path: "/3/configuration", QueryParameters())
        }
        if let picture = rest.firstRange(of: "/api/images/") { return image(String(rest[picture.lowerBound...])) }
        // A list of ids comes with the records it names, where they were recorded.
        if found.api == .hackernews, found.path.hasSuffix("stories.json"), let item = rest.firstRange(of: "/v0/item/") {
            return details(.hackernews, String(rest[item.lowerBound...])) ?? Samples.nothing(.hackernews, path: "/v0/")
        }
        guard !found.bodies.isEmpty else { return Self.answer(found, found.body) }
        let key = Self.key(rest)
        guard let body = found.bodies[key] else { return .text(404, "Not Found") }
        return Self.answer(found, body)
    }

    /// The answer to a request to an API, its prefix removed.
    func answer(_ api: OriginAPI, path: String, _ parameters: QueryParameters) -> OriginAnswer {
        let candidates = recordings.filter { $0.api == api && $0.bodies.isEmpty && Self.samePath($0.path, path) }
        let asked = Self.choosing(parameters, api)
        if let exact = candidates.first(where: { $0.choosing == asked }) {
            return Self.answer(exact, exact.body)
        }
        if let details = details(api, path) { return details }
        let agreeing = candidates.filter { Self.agrees($0.choosing, with: asked) }
        let best = agreeing.max { $0.choosing.count < $1.choosing.count }
        if let best { return Self.answer(best, best.body) }
        return Samples.nothing(api, path: path)
    }

    /// A picture by its name, else one that stays the same for the same path.
    func image(_ path: String) -> OriginAnswer? {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let whole = images.filter { !$0.name.hasPrefix("only-magic") }
        guard !name.hasPrefix("missing"), !whole.isEmpty else { return nil }
        let choice = Int(Digest(of: Bytes(text: path)).words.0 % UInt64(whole.count))
        let image = images.first { $0.name == name } ?? whole[choice]
        let type = image.name.hasSuffix(".png") ? "image/png" : "image/jpeg"
        return OriginAnswer(
            fields: [
                "Content-Type": type, "Cache-Control": "max-age=15552000, no-transform",
                "ETag": "\"\(Digest(of: image.body).hex.prefix(16))\"",
            ], body: image.body)
    }

    private func details(_ api: OriginAPI, _ path: String) -> OriginAnswer? {
        let segments = path.split(separator: "/")
        guard segments.count > 1 else { return nil }
        let key = Self.key(path[...])
        let folder = "/" + segments.dropLast().joined(separator: "/") + "/"
        for recording in recordings where recording.api == api && recording.path.hasPrefix(folder) {
            if let body = recording.bodies[key] { return Self.answer(recording, body) }
        }
        return nil
    }

    /// "goblin" of "…/monsters/goblin", "8863" of "…/item/8863.json".
    private static func key(_ path: Substring) -> String {
        let last = path.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".json") ? last.dropLast(5) : last)
    }

    private static func answer(_ recording: Recording, _ body: Bytes) -> OriginAnswer {
        OriginAnswer(status: recording.status, fields: recording.fields, body: body)
    }

    /// "/v2/sources" is also known as "/v2/top-headlines/sources".
    private static func samePath(_ recorded: String, _ asked: String) -> Bool {
        recorded == asked || (recorded == "/v2/sources" && asked == "/v2/top-headlines/sources")
    }

    /// Parameters that choose, values folded: case and the API's defaults say nothing.
    private static func choosing(_ parameters: QueryParameters, _ api: OriginAPI) -> [String: String] {
        var chosen: [String: String] = [:]
        for item in parameters.items where significant.contains(item.name) {
            let value = (item.value ?? "").lowercased()
            let isDefault = (item.name == "country" && value == "us") || (item.name == "media" && value == "all")
            if api != .itunes || !isDefault { chosen[item.name] = value }
        }
        return chosen
    }

    /// What is asked for by name must be what was recorded. Where one side is silent about how the thing was narrowed
    /// down (media, entity, country), that is no contradiction.
    private static func agrees(_ recorded: [String: String], with asked: [String: String]) -> Bool {
        let narrowing: Set<String> = ["media", "entity", "attribute", "country"]
        let names = Set(recorded.keys).union(asked.keys)
        var common = 0
        for name in names {
            switch (recorded[name], asked[name]) {
            case (let left?, let right?):
                guard left == right else { return false }
                common += 1
            default: guard narrowing.contains(name) else { return false }
            }
        }
        return common > 0 || names.isEmpty
    }

    private static func parameters(_ query: String) -> QueryParameters {
        (try? QueryParameters(parsing: query)) ?? QueryParameters()
    }

    private static func bodies(_ file: Bytes) -> [String: Bytes] {
        guard let root = try? JSON.parse(file) else { return [:] }
        return Dictionary(root.members.map { ($0.name, $0.value.raw) }, uniquingKeysWith: { _, last in last })
    }

    private static func fields(_ api: OriginAPI, _ body: Bytes, _ kept: HeaderFields) -> HeaderFields {
        var fields = api.fields
        for line in kept.lines { fields.set(line.name, line.value) }
        if api == .dnd5e {
            fields.set("ETag", "W/\"\(String(body.count, radix: 16))-\(Digest(of: body).hex.prefix(27))\"")
        }
        return fields
    }

    /// What was recorded of type and lifetime in `response-headers.json` beside the file.
    private static func keptFields(_ kept: JSONValue?, file: String) -> HeaderFields {
        let name = file.split(separator: "/").last.map(String.init)
        guard let entry = kept?.elements.first(where: { $0["file"]?.string == name }) else { return [:] }
        guard let headers = entry["headers"] else { return [:] }
        var fields = HeaderFields()
        for member in headers.members {
            for name in ["Content-Type", "Cache-Control"] where ASCII.equalFolded(member.name, name) {
                if let value = member.value.string { fields.set(name, value) }
            }
        }
        return fields
    }
}
