// Samples in the shape of Imgur: pictures and albums that do not exist, with what makes the real ones awkward: null in
// any place, links of old records without https, figures beyond 32 bits, albums without their pictures.
import LarderCore

struct ImgurSamples: SampleAPI {
    let name = "imgur"
    /// Others below "/3/" are TMDb's.
    let paths = ["/3/gallery", "/3/image/", "/3/album/", "/3/tags", "/3/credits"]
    let fields: HeaderFields = [
        "Content-Type": "application/json", "Server": "cat factory 1.0", "Access-Control-Allow-Origin": "*",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.idMember = ["data", "id"]
        return rule
    }

    private struct Picture: Sendable {
        var id: String
        var title: String?
        var text: String?
        /// The ending of its file.
        var ending = "jpg"
        var width = 1024
        var height = 768
        var isExplicit: Bool?
    }

    private struct Post: Sendable {
        var id: String
        var title: String
        var author: String?
        var time: Int
        var pictures: [Picture]
        var isAlbum = false
        /// An album in a list without its pictures.
        var isBare = false
        var tags: [String] = []
        var section: String?
        var score = 100
    }

    private static let posts: [Post] = [
        Post(
            id: "LmpA001", title: "A lantern in the fog", author: "harbourcat", time: 1_795_168_800,
            pictures: [Picture(id: "LmpA001", title: "A lantern in the fog", text: "Taken at six in the morning.")],
            tags: ["photography", "lantern"], section: "pics", score: 4021),
        Post(
            id: "LmpAlb2", title: "How to make a paper lantern", author: "foldedpaper", time: 1_795_100_000,
            pictures: [
                Picture(id: "LmpB001", text: "One: the paper."), Picture(id: "LmpB002", title: "Two: the fold"),
                Picture(id: "LmpB003", ending: "png", width: 640, height: 480, isExplicit: false),
            ], isAlbum: true, tags: ["diy", "lantern"], score: 12_874),
        Post(
            id: "LmpGif3", title: "The lantern goes out by itself", time: 1_794_900_000,
            pictures: [
                Picture(id: "LmpGif3", title: "The lantern goes out by itself", ending: "gif", width: 636, height: 357)
            ], section: "funny", score: 553),
        Post(
            id: "LmpAlb4", title: "Every lantern of our street", author: "wanderer", time: 1_394_000_000,
            pictures: [Picture(id: "LmpC001", width: 610, height: 3704), Picture(id: "LmpC002")], isAlbum: true,
            isBare: true, score: 88),
        Post(
            id: "OctoP01", title: "An octopus opens a jar", author: "tidepool", time: 1_795_000_000,
            pictures: [
                Picture(id: "OctoP01", title: "An octopus opens a jar", ending: "mp4", width: 1280, height: 720)
            ],
            tags: ["octopus"], score: 30_211),
        Post(
            id: "CatsA01", title: "The cat that answers the door", author: "harbourcat", time: 1_795_120_000,
            pictures: [Picture(id: "CatsA01", title: "The cat that answers the door", isExplicit: true)],
            tags: ["cats"],
            score: 7),
    ]

    /// Other links are those of pages.
    func isPicture(member: String, _ text: String) -> Bool { member == "link" && text.contains("://i.imgur.com/") }

    func nothing(at path: String) -> SampleAnswer { failure(404, "Unable to find it", path) }

    var questions: [SampleQuestion] { [.search("lantern", ("source", "imgur"))] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        guard recording.method == .get, !recording.path.contains("/account/") else { return nil }
        let parts = recording.segments.dropFirst()
        if parts.first != "gallery" { return "/v1/imgur/\(parts.joined(separator: "/"))" }
        return recording.status == 200 ? "/v1/imgur/gallery" : "/v1/imgur/search?\(recording.items[0])"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let segments = path.split(separator: "/").map(String.init)
        guard segments.first == "3", segments.count > 1 else { return failure(404, "Unable to find it", path) }
        switch (segments[1], segments.count) {
        case ("gallery", 2...): return gallery(Array(segments.dropFirst(2)), path, parameters)
        case ("image", 3):
            for post in Self.posts {
                for picture in post.pictures where picture.id == segments[2] {
                    return success { writer in writer.object { Self.write(picture, of: post, isWhole: true, &$0) } }
                }
            }
            return failure(404, "Unable to find an image with the id, \(segments[2])", path)
        case ("album", 3):
            guard let album = Self.posts.first(where: { $0.id == segments[2] && $0.isAlbum }) else {
                return failure(404, "Unable to find an album with the id, \(segments[2])", path)
            }
            return success { writer in writer.object { Self.write(album: album, isWhole: true, &$0) } }
        case ("tags", 2): return tags
        case ("credits", 2):
            return success { writer in
                writer.object { writer in
                    writer.member("UserLimit", userLimit)
                    writer.member("UserRemaining", userLimit - 1)
                    writer.member("UserReset", 1_795_172_400)
                    writer.member("ClientLimit", clientLimit)
                    writer.member("ClientRemaining", clientLimit - 1)
                }
            }
        default: return failure(404, "Unable to find it", path)
        }
    }

    private func gallery(
        _ segments: [String], _ path: String, _ parameters: QueryParameters
    ) -> SampleAnswer {
        var wanted: (Post) -> Bool = { _ in true }
        switch segments.first {
        case "search":
            let words = ["q", "q_all", "q_any", "q_exactly"].compactMap { parameters[$0] }.filter { !$0.isEmpty }
            guard !words.isEmpty else { return failure(400, "A search query is required", path) }
            let type = parameters["q_type"]
            wanted = { post in
                guard type == nil || type == (post.isAlbum ? "album" : Self.ending(post)) else { return false }
                return words.allSatisfy { SampleText.matches(post.title, $0) }
            }
        case "t" where segments.count > 1:
            let tag = segments[1].lowercased()
            wanted = { $0.tags.contains(tag) }
        case "r" where segments.count > 1: wanted = { $0.section == segments[1] }
        case nil, "hot", "top", "user": break
        default: return failure(404, "Unable to find it", path)
        }
        // The page is the last segment; there is one page of everything.
        let isFirst = segments.last.flatMap { Int($0) }.map { $0 == 0 } ?? true
        let found = isFirst ? Self.posts.filter(wanted) : []
        guard segments.first == "t" else { return success { Self.write(found, &$0) } }
        return success { writer in
            writer.object { writer in
                writer.member("name", segments[1])
                writer.member("display_name", segments[1])
                writer.member("total_items", found.count)
                writer.name("items")
                Self.write(found, &writer)
            }
        }
    }

    private static func ending(_ post: Post) -> String? {
        post.pictures.first.map { $0.ending == "gif" ? "anigif" : $0.ending }
    }

    private var tags: SampleAnswer {
        success { writer in
            writer.object { writer in
                writer.name("tags")
                writer.array { writer in
                    for name in ["lantern", "octopus", "cats"] {
                        writer.object { writer in
                            writer.member("name", name)
                            writer.member("display_name", name.prefix(1).uppercased() + name.dropFirst())
                            writer.member("followers", 17)
                            writer.member("total_items", Self.posts.count { $0.tags.contains(name) })
                            writer.member("background_hash", "LmpA001")
                            writer.name("description")
                            writer.null()
                        }
                    }
                }
                writer.member("featured", "lantern")
                writer.name("galleries")
                writer.array { _ in }
            }
        }
    }

    // MARK: Envelopes

    private func success(_ data: (inout JSONWriter) -> Void) -> SampleAnswer {
        json { writer in
            writer.name("data")
            data(&writer)
            writer.member("success", true)
            writer.member("status", 200)
        }
    }

    private func failure(_ status: Int, _ message: String, _ path: String) -> SampleAnswer {
        json(status: status) { writer in
            writer.name("data")
            writer.object { writer in
                writer.member("error", message)
                writer.member("request", path)
                writer.member("method", "GET")
            }
            writer.member("success", false)
            writer.member("status", status)
        }
    }

    /// Imgur answers nobody without a client id or a token; any will do here.
    func refusal(of request: SampleRequest) -> SampleAnswer? {
        let field = request.fields.first("Authorization") ?? ""
        let isGiven = ["Client-ID ", "Bearer "].contains { field.hasPrefix($0) && field.utf8.count > $0.utf8.count }
        return isGiven || request.parameters["client_id"]?.isEmpty == false
            ? nil : failure(401, "Authentication required", request.path)
    }

    private let userLimit = 500
    private let clientLimit = 12_500

    /// What is left after so many calls. The reset in seconds, as answers of today have it.
    func credits(after calls: Int) -> HeaderFields {
        [
            "X-RateLimit-UserLimit": "\(userLimit)",
            "X-RateLimit-UserRemaining": "\(max(0, userLimit - calls))",
            "X-RateLimit-UserReset": "3600",
            "X-RateLimit-ClientLimit": "\(clientLimit)",
            "X-RateLimit-ClientRemaining": "\(max(0, clientLimit - calls))",
        ]
    }

    /// Pictures named "Gone…" were removed: they lead to the one picture that says so.
    func picture(at path: String) -> SampleAnswer? {
        guard path.hasPrefix("/i.imgur.com/Gone") else { return nil }
        return SampleAnswer(status: 302, fields: ["Location": "/artwork/i.imgur.com/removed.png"])
    }

    // MARK: Records

    private static func write(_ posts: [Post], _ writer: inout JSONWriter) {
        writer.array { writer in
            for post in posts {
                writer.object { writer in
                    if post.isAlbum {
                        write(album: post, isWhole: !post.isBare, &writer)
                        writer.member("is_album", true)
                    } else {
                        write(post.pictures[0], of: post, isWhole: true, &writer)
                        writer.member("is_album", false)
                    }
                    write(counts: post, &writer)
                }
            }
        }
    }

    private static func write(album post: Post, isWhole: Bool, _ writer: inout JSONWriter) {
        writer.member("id", post.id)
        writer.member("title", post.title)
        writer.nullable("description", nil)
        writer.member("datetime", post.time)
        writer.nullable("cover", post.pictures.first?.id)
        writer.member("cover_width", post.pictures[0].width)
        writer.member("cover_height", post.pictures[0].height)
        writer.nullable("account_url", post.author)
        writer.member("privacy", "public")
        writer.member("layout", "blog")
        writer.member("views", post.score * 97)
        writer.member("link", "\(post.time < 1_400_000_000 ? "http" : "https")://imgur.com/a/\(post.id)")
        writer.member("images_count", post.pictures.count)
        guard isWhole else { return }
        writer.name("images")
        writer.array { writer in
            for picture in post.pictures {
                writer.object { write(picture, of: post, isWhole: false, &$0) }
            }
        }
    }

    /// - Parameter isWhole: false inside an album: no account and nothing that is counted of a post.
    private static func write(_ picture: Picture, of post: Post, isWhole: Bool, _ writer: inout JSONWriter) {
        let isMoving = picture.ending == "gif" || picture.ending == "mp4"
        writer.member("id", picture.id)
        writer.nullable("title", picture.title)
        writer.nullable("description", picture.text)
        writer.member("datetime", post.time)
        writer.member("type", type(picture))
        writer.member("animated", isMoving)
        writer.member("width", picture.width)
        writer.member("height", picture.height)
        writer.member("size", picture.width * picture.height / 4)
        writer.member("views", post.score * 97)
        writer.member("bandwidth", post.score * picture.width * picture.height * 24)
        writer.nullable("vote", nil)
        writer.member("favorite", false)
        writer.name("nsfw")
        if let isExplicit = picture.isExplicit { writer.bool(isExplicit) } else { writer.null() }
        writer.nullable("section", post.section)
        if isWhole {
            writer.nullable("account_url", post.author)
            writer.name("account_id")
            writer.null()
        }
        if isMoving {
            writer.member("has_sound", picture.ending == "mp4")
            writer.member("mp4", "https://i.imgur.com/\(picture.id).mp4")
            writer.member("gifv", "https://i.imgur.com/\(picture.id).gifv")
            writer.member("hls", "")
            writer.member("mp4_size", picture.width * 300)
            writer.member("looping", true)
        }
        writer.member("link", "http://i.imgur.com/\(picture.id).\(picture.ending)")
    }

    private static func write(counts post: Post, _ writer: inout JSONWriter) {
        // On posts of a subreddit nothing is counted.
        let isCounted = post.section == nil
        for (name, value) in [
            ("ups", post.score), ("downs", post.score / 40), ("points", post.score - post.score / 40),
            ("score", post.score), ("comment_count", post.score / 17),
        ] {
            writer.name(name)
            if isCounted { writer.integer(value) } else { writer.null() }
        }
        writer.nullable("topic", nil)
        writer.member("in_most_viral", post.score > 10_000)
        writer.member("is_ad", false)
        writer.name("tags")
        writer.array { writer in
            for tag in post.tags {
                writer.object { writer in
                    writer.member("name", tag)
                    writer.member("display_name", tag)
                }
            }
        }
    }

    private static func type(_ picture: Picture) -> String {
        switch picture.ending {
        case "jpg": "image/jpeg"
        case "mp4": "video/mp4"
        default: "image/\(picture.ending)"
        }
    }
}
