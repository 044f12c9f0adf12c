// The pictures of Imgur's posts. A post is a picture or an album. An album gives one result for each of its pictures,
// which names the album, because users search for pictures. Any member may be null, and numbers may exceed every integer
// type. Imgur makes the sizes of a picture itself: a letter between the id and the dot selects the size. Every picture has
// each size as JPEG; for an animation it is a still.
import LarderCore

enum ImgurPicture {
    /// Ids are case-sensitive.
    static let idForm = "^[A-Za-z0-9]{1,32}$"
    static let id = TextPattern(idForm)

    /// At most 160 and 640 pixels, not cropped.
    private static let small = "t"
    private static let large = "l"
    /// 1,024 pixels: the largest still of an animation.
    private static let still = "h"

    /// A record for each picture of a post: the picture as `image`, the post as `album` if it is one, and what follows from
    /// both.
    static let expansion = ExpansionFunction("imgur.pictures") { post, _, add in
        func give(_ record: JSONValue?, _ source: JSONValue) { add(record ?? source, source) }
        // An album requested by its id does not have `is_album`.
        let isAlbum = post["is_album"]?.bool ?? (post["cover"]?.string != nil || post["images"]?.kind == .array)
        guard isAlbum else { return give(record(post["id"], post), post) }
        guard let name = post["id"]?.string, id.matches(name) else { return give(record(nil, nil), post) }
        var writer = JSONWriter()
        writer.object { writer in
            for member in post.members where member.name != "images" {
                writer.member(member.name, raw: member.value.raw)
            }
        }
        let album = parsed(writer)
        guard let images = post["images"], images.kind == .array, images.count > 0 else {
            return give(record(post["cover"], nil, of: album), post)
        }
        for (place, image) in images.elements.enumerated() {
            give(record(image["id"], image, of: album, position: place + 1), image)
        }
    }

    private static func record(
        _ name: JSONValue?, _ image: JSONValue?, of album: JSONValue? = nil, position: Int? = nil
    ) -> JSONValue? {
        let tags = [image?["tags"], album?["tags"]].compactMap { $0 }.flatMap { Array($0.elements) }
        var writer = JSONWriter()
        writer.object { writer in
            if let album { writer.member("album", raw: album.raw) }
            if let position { writer.member("position", position) }
            write(tags, to: &writer)
            let post = album ?? image
            if post?["in_most_viral"]?.bool == true { writer.member("mostViral", true) }
            if post?["is_ad"]?.bool == true { writer.member("advertisement", true) }
            if let image { writer.member("image", raw: image.raw) }
            guard let name = name?.string, id.matches(name) else { return }
            writer.member("id", name)
            if image == nil {
                writer.name("cover")
                writer.object { writer in
                    for size in ["width", "height"] {
                        if let value = album?["cover_\(size)"] { writer.member(size, raw: value.raw) }
                    }
                }
            }
            let video = write(name, image?["link"]?.string, to: &writer)
            guard let image, image["animated"]?.bool == true || video != nil else { return }
            writer.member("isMoving", true)
            writer.member("moving", raw: image.raw)
            writer.member(ifPresent: "video", video)
        }
        return parsed(writer)
    }

    /// What was written, which is nested a little deeper than the answer.
    private static func parsed(_ writer: JSONWriter) -> JSONValue? {
        try? JSON.parse(writer.bytes, maxDepth: ResultOrder.deepest)
    }

    /// Writes the names of tags, each once, and the tags that are objects.
    private static func write(_ tags: [JSONValue], to writer: inout JSONWriter) {
        let names = tags.compactMap { tag in
            TextCleaning.line(tag["display_name"]?.string ?? tag["name"]?.string ?? tag.string)
        }
        writer.member("tags", strings: names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        let details = tags.filter { $0.kind == .object }
        if details.isEmpty { return }
        let form = CamelCase()
        writer.member("tagDetails", raw: [0x5B] + Bytes(details.map(form.value).joined(separator: [0x2C])) + [0x5D])
    }

    /// Writes the URLs of a picture's sizes.
    /// - Parameter link: the link from the API; nil if only the id is known.
    /// - Returns: the link, if it is that of a film.
    private static func write(_ id: String, _ link: String?, to writer: inout JSONWriter) -> String? {
        let link = link.flatMap { upgraded($0) }
        let parts = link.flatMap { Self.parts($0, of: id) }
        let folder = parts?.folder ?? "https://i.imgur.com/"
        let ending = parts?.ending ?? "jpg"
        let isDrawn = ["jpg", "jpeg", "png", "gif", "webp"].contains(ending.lowercased())
        func size(_ letter: String) -> String {
            "\(folder)\(id)\(letter).\(["jpg", "jpeg", "png"].contains(ending.lowercased()) ? ending : "jpg")"
        }
        let whole = parts == nil ? "\(folder)\(id).jpg" : isDrawn ? link : nil
        writer.member("small", size(small))
        writer.member("large", size(large))
        writer.member("original", whole ?? size(still))
        return parts != nil && ["mp4", "webm"].contains(ending.lowercased()) ? link : nil
    }

    /// The folder and extension of a link to the picture. For a large animation the link has the still's letter.
    private static func parts(_ link: String, of id: String) -> (folder: String, ending: String)? {
        guard let url = WebURL(link) else { return nil }
        let path = url.target.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let file = path[path.index(after: slash)...]
        guard let dot = file.lastIndex(of: "."), file[..<dot] == id || file[..<dot] == id + still else { return nil }
        let ending = file[file.index(after: dot)...]
        guard (1...5).contains(ending.utf8.count), ending.utf8.allSatisfy({ ASCII.isLetter($0) || $0 == 0x34 })
        else { return nil }
        return (url.origin + path[...slash], String(ending))
    }

    /// A link in the form that clients receive. Old records have http links to hosts that support https. Nil if it is
    /// not a link.
    private static func upgraded(_ link: String) -> String? {
        let link = link.hasPrefix("//") ? "https:" + link : link
        guard WebURL.isWeb(link), let url = WebURL(link) else { return nil }
        guard url.scheme == "http", url.host == "imgur.com" || url.host.hasSuffix(".imgur.com") else { return link }
        return url.upgraded?.text ?? link
    }
}

extension ImgurPicture {
    /// Posts of a subreddit have no counts.
    static let result = ResultSpec(
        kind: "image", id: .first("$.id", as: .matching(id)),
        title: .any(
            .first("$.image.title", "$.album.title", as: .line),
            both("description", as: .paragraphs, .using(beginning)),
            .first("$.id")),
        creator: both("account_url", as: .line), collection: .first("$.album.title", as: .line),
        summary: both("description", as: .paragraphs),
        date: both("datetime", as: .integer(1...253_402_300_799), .unixTime),
        url: .template("https://imgur.com/a/{$.album.id}", or: .template("https://imgur.com/{$.id}")),
        genres: .first("$.tags[*]"),
        artwork: .urls(small: .first("$.small"), large: .first("$.large"), original: .first("$.original")),
        attributes: [
            AttributeSpec("imageId", .text, .first("$.id")), AttributeSpec("albumId", .text, .first("$.album.id")),
            AttributeSpec("albumTitle", .text, .first("$.album.title", as: .line)),
            AttributeSpec("albumImages", .number, .first("$.album.images_count")),
            AttributeSpec("position", .number, .first("$.position")),
            AttributeSpec("privacy", .text, .first("$.album.privacy", as: .line)),
            AttributeSpec("layout", .text, .first("$.album.layout", as: .line)),
            AttributeSpec("type", .text, .first("$.image.type", as: .line)),
            AttributeSpec("width", .number, .first("$.image.width")),
            AttributeSpec("height", .number, .first("$.image.height")),
            AttributeSpec("size", .number, .first("$.image.size")),
            AttributeSpec("views", .number, .first("$.image.views")),
            AttributeSpec("bandwidth", .number, .first("$.image.bandwidth")),
            AttributeSpec("animated", .flag, .first("$.isMoving")),
            AttributeSpec("mp4", .text, .any(.first("$.moving.mp4", as: .using(secured)), .first("$.video"))),
            AttributeSpec("mp4Size", .number, .first("$.moving.mp4_size")),
            AttributeSpec("gifv", .text, .first("$.moving.gifv", as: .using(secured))),
            AttributeSpec("hls", .text, .first("$.moving.hls", as: .using(secured))),
            AttributeSpec("looping", .flag, .first("$.moving.looping")),
            AttributeSpec("hasSound", .flag, .first("$.moving.has_sound")), post("ups"), post("downs"), post("points"),
            post("score"), post("comments", "comment_count"), post("favorites", "favorite_count"),
            AttributeSpec("nsfw", .flag, both("nsfw")), AttributeSpec("section", .text, both("section", as: .line)),
            AttributeSpec("topic", .text, .first("$.album.topic", "$.image.topic", as: .line)),
            AttributeSpec("tagDetails", .any, .first("$.tagDetails")),
            AttributeSpec("mostViral", .flag, .first("$.mostViral")),
            AttributeSpec("advertisement", .flag, .first("$.advertisement")),
            // Of a cover only the album tells the size.
            AttributeSpec("width", .number, .first("$.cover.width")),
            AttributeSpec("height", .number, .first("$.cover.height")),
        ],
        drops: [(.noPicture, "@.album && !@.position && !@.id")], once: .first("$.id"))

    /// What the picture says of itself, or the album says.
    private static func both(_ name: String, as transforms: Transform...) -> FieldRule {
        let paths: [JSONPath] = [
            JSONPath(stringLiteral: "$.image.\(name)"), JSONPath(stringLiteral: "$.album.\(name)"),
        ]
        return FieldRule(sources: paths.map { .path($0) }, transforms: transforms)
    }

    /// A count of the whole post.
    private static func post(_ name: String, _ upstream: String? = nil) -> AttributeSpec {
        let member = upstream ?? name
        return AttributeSpec(
            name, .number,
            .first(JSONPath(stringLiteral: "$.album.\(member)"), JSONPath(stringLiteral: "$.image.\(member)")))
    }

    private static let secured = TextFunction("imgur.link") { upgraded($0) }
    /// The first line, or its beginning cut at the end of a word.
    private static let beginning = TextFunction("imgur.beginning") { text in
        let line = text.prefix { !$0.isNewline }
        guard line.count > 100 else { return String(line) }
        let start = line.prefix(99)
        return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
    }
}
