// The demo's walk through a recordings folder: every recording is asked for through the daemon, twice, and told in one
// line. What the API refused is told as Larder tells it.
import LarderCore
import LarderOrigin

enum DemoRecordings {
    /// - Parameter socket: the daemon's Unix socket, where suspensions may be ended.
    static func show(_ origin: OriginServer, socket: String, _ console: Console) throws(CommandFailure) {
        let conversation = Conversation(address: try DaemonAddress(url: socket))
        defer { origin.choose(nil) }
        console.line("\n" + console.styled("Every recording, asked for twice", .bold))
        for api in ["itunes", "newsapi", "dnd5e", "hackernews", "chucknorris", "tmdb", "imgur"] {
            var table = TableLayout(columns: [
                .init(api, weight: 4), .init("STATE"), .init("COUNT", isRight: true),
                .init("DROPPED", isRight: true), .init("FIRST", weight: 2), .init("MISS", isRight: true),
                .init("AGAIN", isRight: true),
            ])
            for recording in origin.recordings where recording.api == api && hasRoute(recording) {
                origin.choose(recording.file)
                let cells =
                    recording.keys.isEmpty ? try one(recording, conversation) : try many(recording, conversation)
                table.rows.append([name(of: recording)] + cells)
            }
            console.line()
            for (number, line) in table.lines(width: min(console.width, 110)).enumerated() {
                console.line(number == 0 ? console.styled(line, .bold) : line)
            }
        }
    }

    /// The file's name without what is the same for all.
    private static func name(of recording: RecordedRequest) -> String {
        let name = recording.file.split(separator: "/").last.map(String.init) ?? recording.file
        return name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    }

    /// Some recordings are of paths that are reached raw only.
    private static func hasRoute(_ recording: RecordedRequest) -> Bool {
        if recording.api == "imgur" { return recording.method == .get && !recording.path.contains("/account/") }
        return recording.api != "tmdb"
            || !["images", "latest", "company", "changes"].contains { recording.path.contains($0) }
    }

    private static func provider(of recording: RecordedRequest) -> String {
        recording.api == "chucknorris" ? "jokes" : recording.api
    }

    private static func one(
        _ recording: RecordedRequest, _ conversation: Conversation
    ) throws(CommandFailure) -> [String] {
        let target = target(of: recording)
        let first = try ask(target, isFirst: true, conversation)
        guard first.response.status == 200, let value = try? JSON.parse(first.response.body) else {
            let problem = Problem(first.response)
            // The next recording must not suffer from this one.
            _ = try conversation.demand(LocalRequest(.post, "/v1/providers/\(provider(of: recording))/resume"))
            return [problem.failure?.rawValue ?? "\(problem.status)", "", "", problem.failureText, first.took, ""]
        }
        let second = try ask(target, isFirst: false, conversation)
        let envelope = Envelope(value)
        let source = value["sources"]?.elements.first { _ in true }
        return [
            envelope.state, "\(envelope.results.count)",
            source?["dropped"]?.integer.map(String.init) ?? "", envelope.results.first?.title ?? "", first.took,
            "\(Envelope.outcome(second.response).prefix { $0 != "," }) \(second.took)",
        ]
    }

    /// A file with many bodies: each by its key, the times those of the last.
    private static func many(
        _ recording: RecordedRequest, _ conversation: Conversation
    ) throws(CommandFailure) -> [String] {
        var found: [String] = []
        var last = ("", "")
        // Comments that an item names were not recorded with it.
        let isHackerNews = recording.api == "hackernews"
        for key in recording.keys {
            let target = "\(target(of: recording))/\(key)\(isHackerNews ? "?depth=0" : "")"
            let first = try ask(target, isFirst: true, conversation)
            guard first.response.status == 200, let value = try? JSON.parse(first.response.body) else { continue }
            found += Envelope(value).results.map(\.title)
            let second = try ask(target, isFirst: false, conversation)
            last = (first.took, "\(Envelope.outcome(second.response).prefix { $0 != "," }) \(second.took)")
        }
        let lost = recording.keys.count - found.count
        return [
            found.isEmpty ? "noResults" : "results", "\(found.count)", lost > 0 ? "\(lost)" : "",
            found.first ?? "", last.0, last.1,
        ]
    }

    /// The first time must be a fetch even where another recording answers the same question.
    private static func ask(
        _ target: String, isFirst: Bool, _ conversation: Conversation
    ) throws(CommandFailure) -> (response: LocalResponse, took: String) {
        var request = LocalRequest(.get, target)
        if isFirst { request.fields.add("Cache-Control", "no-cache") }
        let clock = ContinuousClock()
        let start = clock.now
        let response = try conversation.ask(request)
        return (response, Envelope.milliseconds(start.duration(to: clock.now)))
    }

    /// "/v0/topstories.json" is asked as "top", all of it; "/v0/item/8863.json" as "item/8863".
    private static func hackerNews(_ recording: RecordedRequest, _ items: [String]) -> String {
        var parts = recording.path.split(separator: "/").dropFirst().map { $0.replacing(".json", with: "") }
        if recording.path.hasPrefix("/api/") {
            let known = items.filter { $0.hasPrefix("query=") || $0.hasPrefix("tags=") }.map {
                $0.replacing("{url}", with: "url")
            }
            return "search?\(known.joined(separator: "&"))"
        }
        if parts.count == 1, parts[0].hasSuffix("stories") {
            parts[0] = "\(parts[0].dropLast("stories".utf8.count))?limit=500"
        }
        let isItem = parts.count == 2 && parts[0] == "item"
        return parts.joined(separator: "/") + (isItem ? "?depth=0" : "")
    }

    /// The recorded question as it is asked of Larder. What its routes do not have (orders that the API documents
    /// nowhere) is left out; what was refused is asked about in words of its own, so that nothing stored covers for it.
    private static func target(of recording: RecordedRequest) -> String {
        let isGood = recording.status == 200
        var items =
            isGood
            ? recording.query.split(separator: "&").map(String.init)
            : ["q=\(PercentCoding.encode(name(of: recording)))"]
        switch recording.api {
        case "itunes":
            items.removeAll { $0.hasPrefix("sort=") || recording.path == "/lookup" && $0.hasPrefix("media=") }
            return "/v1/itunes\(recording.path)?\(items.joined(separator: "&"))"
        case "newsapi":
            let route = recording.path.split(separator: "/").last.map(String.init) ?? ""
            return "/v1/news/\(route == "top-headlines" ? "headlines" : route)?\(items.joined(separator: "&"))"
        case "chucknorris":
            let route = recording.path.split(separator: "/").last.map(String.init) ?? ""
            // The term of an old recording was not kept.
            let query = route == "search" && items.isEmpty ? "?q=anything" : items.isEmpty ? "" : "?\(items[0])"
            return "/v1/jokes/\(route)\(query)"
        case "hackernews": return "/v1/hackernews/\(hackerNews(recording, items))"
        case "imgur":
            let parts = recording.path.split(separator: "/").dropFirst().map(String.init)
            if parts.first != "gallery" { return "/v1/imgur/\(parts.joined(separator: "/"))" }
            return isGood ? "/v1/imgur/gallery" : "/v1/imgur/search?\(items[0])"
        case "tmdb":
            items.removeAll { $0.hasPrefix("api_key=") || $0.hasPrefix("append_to_response=") }
            let path = recording.path.split(separator: "/").dropFirst().joined(separator: "/")
            return "/v1/tmdb/\(path)\(items.isEmpty ? "" : "?\(items.joined(separator: "&"))")"
        default:
            return "/v1/dnd/\(recording.path.split(separator: "/").dropFirst(2).joined(separator: "/"))"
        }
    }
}
