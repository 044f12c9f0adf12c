// Samples in the shapes of Hacker News' two APIs: made-up posts, with what makes the real ones awkward: ids of nothing,
// dead and deleted posts, texts in HTML.
import LarderCore

private struct Post: Sendable {
    var id: Int
    var type = "story"
    var by = "ada"
    /// Minutes after the first of them.
    var minute: Int
    var title: String?
    var url: String?
    var text: String?
    var score: Int?
    var parent: Int?
    var kids: [Int] = []
    var parts: [Int] = []
    var isDead = false
    var isDeleted = false

    var time: Int { 1_795_168_800 + minute * 60 }

    var tags: [String] {
        var tags = [type, "author_\(by)", "story_\(HackerNewsSamples.story(of: id))"]
        if title?.hasPrefix("Ask HN") == true { tags.append("ask_hn") }
        if title?.hasPrefix("Show HN") == true { tags.append("show_hn") }
        return tags
    }
}

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

    /// "/v0/topstories.json" is asked as "top", all of it; "/v0/item/8863.json" as "item/8863", without its comments, which
    /// were not recorded with it.
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
        case ("user", 2): return Self.users[String(segments[1])].map { json(Bytes(text: $0)) } ?? nothing
        case ("maxitem", 1): return json(Bytes(text: "\(Self.posts.keys.max() ?? 0)"))
        case (let name?, 1):
            return Self.lists[String(name)].map { json(Bytes(text: "\($0)")) } ?? .text(404, "Not Found")
        default: return .text(404, "Not Found")
        }
    }

    /// What Firebase says of anything that is not there.
    private var nothing: SampleAnswer { json(Bytes(text: "null")) }

    private func json(_ body: Bytes) -> SampleAnswer {
        SampleAnswer(fields: fields, body: body)
    }

    private func item(_ post: Post) -> SampleAnswer {
        var writer = JSONWriter()
        writer.object { writer in
            if !post.isDeleted { writer.member("by", post.by) }
            if post.isDead { writer.member("dead", true) }
            if post.isDeleted { writer.member("deleted", true) }
            if ["story", "poll"].contains(post.type), !post.isDeleted {
                writer.member("descendants", Self.comments(below: post.id))
            }
            writer.member("id", post.id)
            if !post.kids.isEmpty { writer.member("kids", raw: Bytes(text: "\(post.kids)")) }
            if let parent = post.parent { writer.member(post.type == "pollopt" ? "poll" : "parent", parent) }
            if !post.parts.isEmpty { writer.member("parts", raw: Bytes(text: "\(post.parts)")) }
            if let score = post.score, !post.isDeleted { writer.member("score", score) }
            // Dead items carry no text.
            if !post.isDead, !post.isDeleted { writer.member(ifPresent: "text", post.text) }
            writer.member("time", post.time)
            if !post.isDeleted { writer.member(ifPresent: "title", post.title) }
            writer.member("type", post.type)
            if !post.isDeleted { writer.member(ifPresent: "url", post.url) }
        }
        return json(writer.bytes)
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
            !post.isDead && !post.isDeleted && (question.isEmpty || SampleText.matches(Self.words(post), question))
                && Self.agrees(post, tags: parameters["tags"] ?? "")
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

    private static func words(_ post: Post) -> String { "\(post.title ?? "") \(post.text ?? "") \(post.by)" }

    private static func hit(_ post: Post, _ writer: inout JSONWriter) {
        let story = posts[story(of: post.id)]
        writer.object { writer in
            writer.member("created_at", WallTime(seconds: Int64(post.time)).rfc3339)
            writer.member(ifPresent: "title", post.title)
            writer.member(ifPresent: "url", post.url)
            writer.member("author", post.by)
            if let score = post.score { writer.member("points", score) }
            writer.member(ifPresent: post.type == "comment" ? "comment_text" : "story_text", post.text)
            if post.parent == nil { writer.member("num_comments", comments(below: post.id)) }
            writer.member("story_id", story?.id ?? post.id)
            if let parent = post.parent {
                writer.member(ifPresent: "story_title", story?.title)
                writer.member(ifPresent: "story_url", story?.url)
                writer.member("parent_id", parent)
            }
            writer.member("created_at_i", post.time)
            writer.member("_tags", strings: post.tags)
            writer.member("objectID", "\(post.id)")
        }
    }

    /// All of the tags; of those in brackets, one.
    private static func agrees(_ post: Post, tags: String) -> Bool {
        var rest = tags[...]
        while !rest.isEmpty {
            let isGroup = rest.first == "("
            if isGroup { rest.removeFirst() }
            let term = rest.prefix { $0 != (isGroup ? ")" : ",") }
            guard term.split(separator: ",").contains(where: { post.tags.contains(String($0)) }) else { return false }
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

    fileprivate static func story(of id: Int) -> Int {
        var id = id
        while let parent = posts[id]?.parent { id = parent }
        return id
    }

    private static func comments(below id: Int) -> Int {
        (posts[id]?.kids ?? []).reduce(0) { sum, kid in
            sum + (posts[kid].map { $0.isDead || $0.isDeleted ? 0 : 1 } ?? 0) + comments(below: kid)
        }
    }

    /// 1000008 names nothing, 1000006 is dead and 1000007 deleted, as happens in the live lists.
    private static let lists: [String: [Int]] = [
        "topstories": [
            1_000_001, 1_000_002, 1_000_008, 1_000_005, 1_000_006, 1_000_003, 1_000_009, 1_000_004, 1_000_007,
        ],
        "newstories": [
            1_000_009, 1_000_008, 1_000_007, 1_000_006, 1_000_005, 1_000_004, 1_000_003, 1_000_002, 1_000_001,
        ],
        "beststories": [1_000_001, 1_000_005, 1_000_002], "askstories": [1_000_003], "showstories": [1_000_002],
        "jobstories": [1_000_004],
    ]

    private static let posts = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    private static let all = [
        Post(
            id: 1_000_001, minute: 0, title: "A cache that survives the night",
            url: "https://blog.example.org/2026/night", score: 214, kids: [1_000_011, 1_000_012, 1_000_013]),
        Post(
            id: 1_000_002, by: "grace", minute: 30, title: "Show HN: One local cache in front of every API",
            url: "https://www.example.com/one-cache?ref=hn&amp=1", score: 97, kids: [1_000_016]),
        Post(
            id: 1_000_003, by: "alan", minute: 60, title: "Ask HN: How do you count calls that were never made?",
            text: "My dashboard says <i>zero</i>, and I&#x27;d like to believe it.<p>What do you use?", score: 41),
        Post(
            id: 1_000_004, type: "job", by: "samplelabs", minute: 90,
            title: "Sample Labs is hiring a librarian for its caches", url: "https://jobs.example.com/librarian",
            score: 1),
        Post(
            id: 1_000_005, by: "grace", minute: 120, title: "Octopus found to remember which jars it has opened",
            url: "https://science.example.org/octopus", score: 180, kids: [1_000_017]),
        Post(
            id: 1_000_006, by: "spam", minute: 130, title: "Buy jars now", url: "https://jars.example.com", isDead: true
        ),
        Post(id: 1_000_007, minute: 140, isDeleted: true),
        Post(
            id: 1_000_009, type: "poll", minute: 150, title: "Poll: Tabs or spaces in your cache keys?", text: "",
            score: 12, parts: [1_000_021, 1_000_022]),
        Post(
            id: 1_000_011, type: "comment", by: "alan", minute: 10,
            text:
                "It&#x27;s the <i>stale</i> copy that I&#x27;d thank in the morning.<p>Ours is four years old by now, "
                + "see <a href=\"https:&#x2F;&#x2F;example.org&#x2F;a\" rel=\"nofollow\">https:&#x2F;&#x2F;example.org&#x2F;a</a>",
            parent: 1_000_001, kids: [1_000_014]),
        Post(
            id: 1_000_012, type: "comment", by: "barbara", minute: 20,
            text: "Does it keep <code>Cache-Control: no-store &amp; friends</code> apart?", parent: 1_000_001),
        Post(
            id: 1_000_013, type: "comment", minute: 25, parent: 1_000_001, kids: [1_000_015], isDeleted: true),
        Post(id: 1_000_014, type: "comment", minute: 40, text: "Mine is five. &gt; four!", parent: 1_000_011),
        Post(id: 1_000_015, type: "comment", by: "grace", minute: 45, text: "Well said.", parent: 1_000_013),
        Post(id: 1_000_016, type: "comment", by: "alan", minute: 50, text: "Nice work.", parent: 1_000_002),
        Post(
            id: 1_000_017, type: "comment", by: "barbara", minute: 125, text: "So does my octopus.", parent: 1_000_005),
        Post(id: 1_000_021, type: "pollopt", minute: 150, text: "Tabs", score: 7, parent: 1_000_009),
        Post(id: 1_000_022, type: "pollopt", minute: 150, text: "Length, then bytes", score: 31, parent: 1_000_009),
    ]

    private static let users = [
        "ada": #"{"about":"Writes about <b>caches</b> &amp; looms.","created":1173923446,"id":"ada","karma":4217,"#
            + #""submitted":[1000001,1000014]}"#,
        "grace": #"{"created":1190398535,"id":"grace","karma":1906,"submitted":[1000002,1000005,1000015]}"#,
    ]
}
