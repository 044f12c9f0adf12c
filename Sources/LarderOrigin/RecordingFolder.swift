// A folder of recorded answers. `index.json` names the request of each answer. An exact match of the request is used
// first. Otherwise the recording with the most matching parameters is used, unless a significant parameter contradicts
// the request.
import LarderCore
import LarderProviders

/// The recordings of one folder, read at start.
final class RecordingFolder: Sendable {
    private struct Recording: Sendable {
        var file: String
        var api: SampleAPI
        var method: Method
        var path: String
        var query: String
        /// The parameters that select this recording.
        var choosing: [String: String]
        var status: Int
        var body: Bytes
        var fields: HeaderFields
        /// For a file with many bodies: each body by its key. Otherwise empty.
        var bodies: [String: Bytes]
    }

    private let recordings: [Recording]
    private let images: [(name: String, body: Bytes)]

    /// The parameters that select an answer. All others page, sort or identify.
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
        var headers: [String: JSONValue?] = [:]
        for entry in root.elements {
            guard let file = entry["file"]?.string, !file.contains("..") else { continue }
            if entry["api"]?.string == "artwork" {
                images.append(
                    (file.split(separator: "/").last.map(String.init) ?? file, try FileReader.read("\(folder)/\(file)"))
                )
            }
            guard let api = entry["api"]?.string.flatMap(SampleAPIs.named), let place = entry["path"]?.string
            else {
                continue
            }
            var (path, query) = Self.target(place, entry)
            let body = try FileReader.read("\(folder)/\(file)")
            // A record may have a file of its own. The body then contains the id for the path.
            if path.contains("{id}"), let id = api.id(in: body, at: path) { path = path.replacing("{id}", with: id) }
            if headers[api.name] == nil {
                let file = try? FileReader.read("\(folder)/\(api.name)/response-headers.json")
                headers[api.name] = .some(file.flatMap { try? JSON.parse($0) })
            }
            let kept = Self.keptFields(headers[api.name] ?? nil, file: file)
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
        // One picture is broken on purpose. It is served only by its name.
        self.images = images
    }

    /// Returns the path and query of the recorded request. If the index has the host in place of the path, path and
    /// query are taken from the text of the request. In this text an ellipsis replaces values that were not kept.
    private static func target(_ path: String, _ entry: JSONValue) -> (path: String, query: String) {
        guard !path.hasPrefix("/") else { return (path, entry["query"]?.string ?? "") }
        let words = (entry["request"]?.string ?? "").split(separator: " ")
        let parts = (words.first { $0.hasPrefix("/") } ?? "/").split(separator: "?", maxSplits: 1)
        let items = parts.count > 1 ? parts[1].split(separator: "&").filter { !$0.contains("…") } : []
        return (parts.first.map(String.init) ?? "/", items.joined(separator: "&"))
    }

    /// All recordings, in the order of the index.
    var requests: [RecordedRequest] {
        recordings.map { recording in
            let path = recording.path.replacing("/{index}", with: "").replacing("/{id}.json", with: "")
            return RecordedRequest(
                file: recording.file, api: recording.api.name, method: recording.method, path: path,
                query: recording.query,
                status: recording.status, keys: recording.bodies.keys.sorted())
        }
    }

    /// Answers `/only/FILE/…` and `/only/FILE` with that recording, whatever else the request asks.
    func only(_ request: OriginRequest) -> OriginAnswer? {
        guard request.path.hasPrefix("/only/") else { return nil }
        let rest = request.path.dropFirst("/only/".utf8.count)
        let found = recordings.first { recording in
            [recording.file, recording.file.split(separator: "/").last.map(String.init) ?? ""]
                .contains { rest == $0 || rest.hasPrefix($0 + "/") }
        }
        guard let found else { return .text(404, "No recording of that name.") }
        if let beside = found.api.beside, rest.hasSuffix(beside) {
            return answer(found.api, SampleRequest(path: beside, parameters: QueryParameters()))
        }
        if let picture = rest.firstRange(of: "/api/images/") { return image(String(rest[picture.lowerBound...])) }
        // A recorded list of ids also serves the records that it names, if they were recorded.
        if let records = found.api.records, found.path.hasSuffix(records.list),
            let item = rest.firstRange(of: records.path)
        {
            let path = String(rest[item.lowerBound...])
            return details(found.api, path)
                ?? OriginAnswer(found.api.nothing(SampleRequest(path: path, parameters: QueryParameters())))
        }
        guard !found.bodies.isEmpty else { return Self.answer(found, found.body) }
        let key = Self.key(rest)
        guard let body = found.bodies[key] else { return .text(404, "Not Found") }
        return Self.answer(found, body)
    }

    /// The answer to a request to an API. The API's prefix is already removed from the path.
    func answer(_ api: SampleAPI, _ request: SampleRequest) -> OriginAnswer {
        let path = api.recordedPath(of: request.path) ?? request.path
        let candidates = recordings.filter {
            $0.api.name == api.name && $0.bodies.isEmpty && ($0.path == path || $0.path == request.path)
        }
        let asked = Self.choosing(request.parameters, api)
        if let exact = candidates.first(where: { $0.choosing == asked }) {
            return Self.answer(exact, exact.body)
        }
        if let details = details(api, request.path) { return details }
        let agreeing = candidates.filter { Self.agrees($0.choosing, with: asked) }
        let best = agreeing.max { $0.choosing.count < $1.choosing.count }
        if let best { return Self.answer(best, best.body) }
        return OriginAnswer(api.nothing(request))
    }

    /// Returns the picture with this name. For other names it returns a picture that depends only on the path.
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

    private func details(_ api: SampleAPI, _ path: String) -> OriginAnswer? {
        let segments = path.split(separator: "/")
        guard segments.count > 1 else { return nil }
        let key = Self.key(path[...])
        let folder = "/" + segments.dropLast().joined(separator: "/") + "/"
        for recording in recordings where recording.api.name == api.name && recording.path.hasPrefix(folder) {
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

    /// The selecting parameters in lower case. Values that equal the API's defaults are left out.
    private static func choosing(_ parameters: QueryParameters, _ api: SampleAPI) -> [String: String] {
        let defaults = api.defaults
        var chosen: [String: String] = [:]
        for item in parameters.items where significant.contains(item.name) {
            let value = (item.value ?? "").lowercased()
            if defaults[item.name] != value { chosen[item.name] = value }
        }
        return chosen
    }

    /// Whether a recording fits a request. Parameters that identify must be equal on both sides. A narrowing parameter
    /// (media, entity, country) may be absent on one side.
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

    private static func fields(_ api: SampleAPI, _ body: Bytes, _ kept: HeaderFields) -> HeaderFields {
        var fields = api.fields
        for line in kept { fields.set(line.name, line.value) }
        if api.hasTag { fields.set(.etag, SampleAnswer.tag(of: body)) }
        return fields
    }

    /// The recorded `Content-Type` and `Cache-Control` from `response-headers.json` beside the file.
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
