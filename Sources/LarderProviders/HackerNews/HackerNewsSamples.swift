// Samples in the forms of Hacker News' two APIs: invented posts with the difficulties of real ones: ids without an
// item, dead and deleted posts, texts in HTML.
import LarderCore

struct HackerNewsSamples: SampleAPI {
    let name = "hackernews"
    let paths = ["/v0/", "/api/v1/"]
    let fields: HeaderFields = [
        "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-cache",
        "Access-Control-Allow-Origin": "*",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.records = (list: "stories.json", path: "/v0/item/")
        return rule
    }

    func nothing(at path: String) -> SampleAnswer { path.hasPrefix("/v0/") ? nothing : .text(404, "Not Found") }

    var questions: [SampleQuestion] { [.get("/v1/hackernews/top?limit=9"), .search("cache", ("source", "hn"))] }

    /// "/v0/topstories.json" becomes a question for the whole list "top". "/v0/item/8863.json" becomes "item/8863"
    /// without its comments, which were not recorded.
    func route(of recording: RecordedRequest, key: String?) -> String? {
        var parts = recording.segments.dropFirst().map { $0.replacing(".json", with: "") }
        if recording.path.hasPrefix("/api/") {
            let known = recording.items.filter { $0.hasPrefix("query=") || $0.hasPrefix("tags=") }
                .map { $0.replacing("{url}", with: "url") }
            return "/v1/hackernews/search?\(known.joined(separator: "&"))"
        }
        if parts.count == 1, parts[0].hasSuffix("stories") {
            parts[0] = "\(parts[0].dropLast("stories".utf8.count))?limit=500"
        }
        if let key { parts.append(key) }
        let isItem = key != nil || parts.count == 2 && parts[0] == "item"
        return "/v1/hackernews/" + parts.joined(separator: "/") + (isItem ? "?depth=0" : "")
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        if path == "/api/v1/search" || path == "/api/v1/search_by_date" {
            return search(parameters, isRecent: path.hasSuffix("_by_date"))
        }
        guard path.hasPrefix("/v0/"), path.hasSuffix(".json") else { return .text(404, "Not Found") }
        let segments = path.dropFirst("/v0/".utf8.count).dropLast(".json".utf8.count).split(separator: "/")
        switch (segments.first, segments.count) {
        case ("item", 2): return Int(segments[1]).flatMap { Self.posts[$0] }.map(item) ?? nothing
        case ("user", 2): return Self.users?[String(segments[1])].map(sample) ?? nothing
        case ("maxitem", 1): return json(Bytes(text: "\(Self.posts.keys.max() ?? 0)"))
        case (let name?, 1):
            return Self.lists?[String(name)].map { json($0.raw) } ?? .text(404, "Not Found")
        default: return .text(404, "Not Found")
        }
    }

    /// Firebase's response for anything that does not exist.
    private var nothing: SampleAnswer { json(Bytes(text: "null")) }

    private func json(_ body: Bytes) -> SampleAnswer {
        SampleAnswer(fields: fields, body: body)
    }

    /// The response with one item. Lists of ids keep the spacing of the file.
    private func item(_ post: Post) -> SampleAnswer {
        json { writer in
            for member in post.record.members { writer.member(member.name, raw: member.value.raw) }
        }
    }

    private func search(_ parameters: QueryParameters, isRecent: Bool) -> SampleAnswer {
        let filters = (parameters["numericFilters"] ?? "").split(separator: ",")
        if let refused = filters.first(where: { !$0.hasPrefix("created_at_i") }) {
            let name = refused.prefix { $0.isLetter || $0 == "_" }
            return json(status: 400) { writer in
                writer.member("code", 400)
                writer.member("message", "invalid numeric attribute(\(name)), is not a numeric attribute")
            }
        }
        let question = parameters["query"] ?? ""
        let found = Self.posts.values.filter { post in
            !post.isHidden && (question.isEmpty || SampleText.matches(post.words, question))
                && Self.agrees(post.tags, with: parameters["tags"] ?? "")
                && filters.allSatisfy { Self.passes(post.time, $0) }
        }.sorted { left, right in
            isRecent || left.score == right.score
                ? (left.time, left.id) > (right.time, right.id) : (left.score ?? 0) > (right.score ?? 0)
        }
        let size = min(max(parameters["hitsPerPage"].flatMap { Int($0) } ?? 20, 1), 1000)
        let page = max(0, parameters["page"].flatMap { Int($0) } ?? 0)
        return json { writer in
            writer.name("hits")
            writer.array { writer in
                for post in found.dropFirst(page * size).prefix(size) { Self.hit(post, &writer) }
            }
            writer.member("nbHits", found.count)
            writer.member("page", page)
            writer.member("nbPages", (found.count + size - 1) / size)
            writer.member("hitsPerPage", size)
            writer.member("exhaustiveNbHits", true)
            writer.member("query", question)
            writer.member("processingTimeMS", 1)
        }
    }

    private static func hit(_ post: Post, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("created_at", WallTime(seconds: Int64(post.time)).rfc3339)
            writer.member(ifPresent: "title", post.text("title"))
            writer.member(ifPresent: "url", post.text("url"))
            writer.member(ifPresent: "author", post.text("by"))
            if let score = post.score { writer.member("points", score) }
            writer.member(ifPresent: post.type == "comment" ? "comment_text" : "story_text", post.text("text"))
            if post.parent == nil { writer.member("num_comments", post.record["descendants"]?.integer ?? 0) }
            let story = story(of: post)
            writer.member("story_id", story.id)
            if let parent = post.parent {
                writer.member(ifPresent: "story_title", story.text("title"))
                writer.member(ifPresent: "story_url", story.text("url"))
                writer.member("parent_id", parent)
            }
            writer.member("created_at_i", post.time)
            writer.member("_tags", strings: post.tags)
            writer.member("objectID", "\(post.id)")
        }
    }

    /// Whether a post has all of the requested tags, and one tag of each group in brackets.
    private static func agrees(_ tags: [String], with wanted: String) -> Bool {
        var rest = wanted[...]
        while !rest.isEmpty {
            let isGroup = rest.first == "("
            if isGroup { rest.removeFirst() }
            let term = rest.prefix { $0 != (isGroup ? ")" : ",") }
            guard term.split(separator: ",").contains(where: { tags.contains(String($0)) }) else { return false }
            rest = rest.dropFirst(term.count).drop { $0 == ")" || $0 == "," }
        }
        return true
    }

    private static func passes(_ time: Int, _ filter: Substring) -> Bool {
        let rest = filter.dropFirst("created_at_i".utf8.count)
        let sign = rest.prefix { !$0.isNumber }
        guard let bound = Int(rest.dropFirst(sign.count)) else { return false }
        return switch sign {
        case "<": time < bound
        case "<=": time <= bound
        case ">": time > bound
        case ">=": time >= bound
        default: time == bound
        }
    }

    private static func story(of post: Post) -> Post {
        var post = post
        while let parent = post.parent, let above = posts[parent] { post = above }
        return post
    }

    /// 1000008 does not exist, 1000006 is dead and 1000007 deleted. The live lists contain such ids too.
    private static let lists = SampleFile("HackerNews/lists").root
    private static let users = SampleFile("HackerNews/users").root

    private static let posts = Dictionary(
        SampleFile("HackerNews/items").records().map(Post.init).map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })

    private struct Post: Sendable {
        let record: JSONValue

        var id: Int { record["id"]?.integer ?? 0 }
        var type: String { text("type") ?? "" }
        var time: Int { record["time"]?.integer ?? 0 }
        var score: Int? { record["score"]?.integer }
        /// The parent of a comment, or the poll of an option.
        var parent: Int? { (record["parent"] ?? record["poll"])?.integer }
        /// Whether searches leave the post out.
        var isHidden: Bool { record["dead"] != nil || record["deleted"] != nil }
        var words: String { ["title", "text", "by"].compactMap(text).joined(separator: " ") }

        var tags: [String] {
            var tags = [type, "author_\(text("by") ?? "")", "story_\(story(of: self).id)"]
            if text("title")?.hasPrefix("Ask HN") == true { tags.append("ask_hn") }
            if text("title")?.hasPrefix("Show HN") == true { tags.append("show_hn") }
            return tags
        }

        func text(_ member: String) -> String? { record[member]?.string }
    }
}
