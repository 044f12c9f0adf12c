// Samples in the form of Imgur: invented pictures and albums with the difficulties of real ones: null in any place, old
// links without https, numbers above 32 bits, albums without their pictures.
import LarderCore

struct ImgurSamples: SampleAPI {
    let name = "imgur"
    /// Other paths below "/3/" belong to TMDb.
    let paths = ["/3/gallery", "/3/image/", "/3/album/", "/3/tags", "/3/credits"]
    let fields: HeaderFields = [
        "Content-Type": "application/json", "Server": "cat factory 1.0", "Access-Control-Allow-Origin": "*",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.idMember = ["data", "id"]
        return rule
    }

    /// The posts in the gallery.
    private static let posts = SampleFile("Imgur/gallery").records()
    /// The pictures of albums that the gallery shows without them.
    private static let hidden = SampleFile("Imgur/hidden").root
    private static let tags = SampleFile("Imgur/tags").root

    /// Only these links are pictures. Other links lead to pages.
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
                for picture in Self.pictures(of: post) where picture["id"]?.string == segments[2] {
                    return success { writer in writer.object { Self.write(picture, of: post, &$0) } }
                }
            }
            return failure(404, "Unable to find an image with the id, \(segments[2])", path)
        case ("album", 3):
            guard let album = Self.posts.first(where: { $0["id"]?.string == segments[2] && Self.isAlbum($0) }) else {
                return failure(404, "Unable to find an album with the id, \(segments[2])", path)
            }
            return success { writer in writer.object { Self.write(album: album, &$0) } }
        case ("tags", 2): return success { writer in if let tags = Self.tags { writer.sample(tags) } }
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
        var wanted: (JSONValue) -> Bool = { _ in true }
        switch segments.first {
        case "search":
            let words = ["q", "q_all", "q_any", "q_exactly"].compactMap { parameters[$0] }.filter { !$0.isEmpty }
            // A search may consist of filters alone.
            let isNarrowed = ["q_not", "q_type", "q_size_px"].contains { parameters[$0]?.isEmpty == false }
            guard !words.isEmpty || isNarrowed else { return failure(400, "A search query is required", path) }
            let type = parameters["q_type"]
            wanted = { post in
                guard type == nil || type == Self.type(of: post) else { return false }
                let title = post["title"]?.string ?? ""
                if let word = parameters["q_not"], SampleText.matches(title, word) { return false }
                return words.allSatisfy { SampleText.matches(title, $0) }
            }
        case "t" where segments.count > 1:
            let tag = segments[1].lowercased()
            wanted = { $0["tags"]?.elements.contains { $0["name"]?.string == tag } == true }
        case "r" where segments.count > 1: wanted = { $0["section"]?.string == segments[1] }
        case nil, "hot", "top", "user": break
        default: return failure(404, "Unable to find it", path)
        }
        // The page is the last segment. Each list has one page only.
        let isFirst = segments.last.flatMap { Int($0) }.map { $0 == 0 } ?? true
        let found = isFirst ? Self.posts.filter(wanted) : []
        guard segments.first == "t" else { return success { $0.samples(found) } }
        return success { writer in
            writer.object { writer in
                writer.member("name", segments[1])
                writer.member("display_name", segments[1])
                writer.member("total_items", found.count)
                writer.name("items")
                writer.samples(found)
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

    /// Imgur refuses requests without a client id or a token. The samples accept any.
    func refusal(of request: SampleRequest) -> SampleAnswer? {
        let field = request.fields.first("Authorization") ?? ""
        let isGiven = ["Client-ID ", "Bearer "].contains { field.hasPrefix($0) && field.utf8.count > $0.utf8.count }
        return isGiven || request.parameters["client_id"]?.isEmpty == false
            ? nil : failure(401, "Authentication required", request.path)
    }

    private let userLimit = 500
    private let clientLimit = 12_500

    /// The fields that report the remaining calls. The reset is in seconds, as in current responses.
    func credits(after calls: Int) -> HeaderFields {
        [
            "X-RateLimit-UserLimit": "\(userLimit)",
            "X-RateLimit-UserRemaining": "\(max(0, userLimit - calls))",
            "X-RateLimit-UserReset": "3600",
            "X-RateLimit-ClientLimit": "\(clientLimit)",
            "X-RateLimit-ClientRemaining": "\(max(0, clientLimit - calls))",
        ]
    }

    /// Pictures named "Gone…" are removed: the response redirects to the placeholder picture.
    func picture(at path: String) -> SampleAnswer? {
        guard path.hasPrefix("/i.imgur.com/Gone") else { return nil }
        return SampleAnswer(status: 302, fields: ["Location": "/artwork/i.imgur.com/removed.png"])
    }

    // MARK: Records

    private static func isAlbum(_ post: JSONValue) -> Bool { post["is_album"]?.bool == true }

    private static func pictures(of post: JSONValue) -> [JSONValue] {
        guard isAlbum(post) else { return [post] }
        let pictures = post["images"] ?? post["id"]?.string.flatMap { hidden?[$0] }
        return pictures.map { Array($0.elements) } ?? []
    }

    /// The type in the terms of a search's `q_type`.
    private static func type(of post: JSONValue) -> String {
        if isAlbum(post) { return "album" }
        let ending = post["link"]?.string?.split(separator: ".").last.map(String.init) ?? ""
        return ending == "gif" ? "anigif" : ending
    }

    /// The members of a record that do not depend on its place in the gallery.
    private static func own(_ record: JSONValue) -> some Sequence<JSONValue.Member> {
        record.members.prefix { !$0.isNamed("is_album") }
    }

    private static func write(album: JSONValue, _ writer: inout JSONWriter) {
        for member in own(album) where !member.isNamed("images") { writer.sample(member) }
        writer.name("images")
        writer.samples(pictures(of: album))
    }

    /// Writes a picture that is requested by itself. Its record inside an album does not contain the account.
    private static func write(_ picture: JSONValue, of post: JSONValue, _ writer: inout JSONWriter) {
        for member in own(picture) {
            writer.sample(member)
            guard member.isNamed("section"), isAlbum(post) else { continue }
            writer.nullable("account_url", post["account_url"]?.string)
            writer.name("account_id")
            writer.null()
        }
    }
}
