// Converts Imgur's posts to results. A post is a picture or an album. An album gives one result for each of its
// pictures, which names the album, because users search for pictures. Any member may be null. Numbers may exceed every
// integer type.
import LarderCore

enum ImgurResults {
    private static let provider = Imgur.facts.name
    /// The greatest length of a title taken from the description of a picture without one.
    private static let longestTitle = 100

    /// - Parameter isExplicitWanted: false excludes posts marked as explicit, without counting them as dropped.
    static func list(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, limit: Int?, sort: SortOrder, isExplicitWanted: Bool
    ) throws(NormaliseError) -> NormalisedAnswer {
        guard let posts = posts(try data(response)) else {
            throw NormaliseError(provider: provider, message: "The answer has no list of posts.")
        }
        var list = PictureList(signer: signer, capacity: response.body.count * 2)
        for post in posts.elements {
            if isExplicitWanted || post["nsfw"]?.bool != true { list.add(post) } else { list.list.leaveOut() }
        }
        return list.list.answer(sort: sort, language: nil, limit: limit)
    }

    /// The results of one picture, or of the pictures of one album.
    static func one(
        _ response: UpstreamResponse, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        var list = PictureList(signer: signer, capacity: response.body.count * 2)
        list.add(try data(response))
        return list.list.answer(sort: .relevance, language: nil)
    }

    static func tags(
        _ response: UpstreamResponse, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        guard let tags = try data(response)["tags"], tags.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of tags.")
        }
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        for tag in tags.elements {
            guard let name = TextCleaning.line(tag["name"]?.string) else {
                list.drop(.name)
                continue
            }
            var result = ResultItem(
                id: "\(provider):tag:\(name)", kind: "tag",
                title: TextCleaning.line(tag["display_name"]?.string) ?? name)
            result.summary = TextCleaning.paragraphs(tag["description"]?.string)
            result.url = "https://imgur.com/t/\(PercentCoding.encode(name))"
            if let picture = tag["background_hash"]?.string, Imgur.isID(picture) {
                result.artwork = ImgurPicture(id: picture, link: nil).artwork
            }
            result.attribute("name", text: name)
            result.attribute("items", number: tag["total_items"]?.numberText)
            result.attribute("followers", number: tag["followers"]?.numberText)
            list.add(result, from: tag)
        }
        return list.answer(sort: .relevance, language: nil)
    }

    static func credits(
        _ response: UpstreamResponse, _: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        let data = try data(response)
        var result = ResultItem(id: "\(provider):credits:all", kind: "credits", title: "Calls that are left")
        result.attribute("userLimit", number: Numbers.lenient(data["UserLimit"]))
        result.attribute("userRemaining", number: Numbers.lenient(data["UserRemaining"]))
        if let reset = Numbers.lenient(data["UserReset"]).flatMap({ Int64($0) }) {
            result.attribute("userResetsAt", text: Imgur.reset(reset, now: response.responseTime).rfc3339)
        }
        result.attribute("clientLimit", number: Numbers.lenient(data["ClientLimit"]))
        result.attribute("clientRemaining", number: Numbers.lenient(data["ClientRemaining"]))
        guard !result.attributes.isEmpty else {
            throw NormaliseError(provider: provider, message: "The answer has no credits.")
        }
        var list = ResultList(provider: provider, signer: nil)
        list.add(result, from: data)
        return list.answer(sort: .relevance, language: nil)
    }

    /// The posts in the response of a list. A tag's response has them in a member next to the description of the tag.
    static func posts(_ data: JSONValue) -> JSONValue? {
        if data.kind == .array { return data }
        return [data["items"], data["galleries"]].compactMap { $0 }.first { $0.kind == .array }
    }

    private static func data(_ response: UpstreamResponse) throws(NormaliseError) -> JSONValue {
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(response.body, error))
        }
        guard let data = root["data"] else {
            throw NormaliseError(provider: provider, message: "The answer has no data.")
        }
        return data
    }

    /// Collects results and adds each picture only once.
    private struct PictureList {
        var list: ResultList
        private var seen: Set<String> = []

        init(signer: ArtworkSigner, capacity: Int) {
            list = ResultList(provider: provider, signer: signer, capacity: capacity)
        }

        mutating func add(_ post: JSONValue) {
            // An album requested by its id does not have `is_album`.
            let isAlbum = post["is_album"]?.bool ?? (post["cover"]?.string != nil || post["images"]?.kind == .array)
            guard isAlbum else { return add(post, of: nil, position: nil) }
            guard let id = post["id"]?.string, Imgur.isID(id) else { return list.drop(.id) }
            if let images = post["images"], images.kind == .array, images.count > 0 {
                for (position, image) in images.elements.enumerated() { add(image, of: post, position: position + 1) }
            } else if let cover = post["cover"]?.string, Imgur.isID(cover) {
                add(cover: cover, of: post)
            } else {
                list.drop(.noPicture)
            }
        }

        private mutating func add(_ image: JSONValue, of album: JSONValue?, position: Int?) {
            guard let id = image["id"]?.string, Imgur.isID(id) else { return list.drop(.id) }
            guard seen.insert(id).inserted else { return list.drop(.repeated) }
            list.add(ImgurResults.result(id, image, of: album, position: position), from: image)
        }

        private mutating func add(cover: String, of album: JSONValue) {
            guard seen.insert(cover).inserted else { return list.drop(.repeated) }
            var result = ImgurResults.result(cover, nil, of: album, position: nil)
            result.attribute("width", number: album["cover_width"]?.numberText)
            result.attribute("height", number: album["cover_height"]?.numberText)
            list.add(result, from: album)
        }
    }

    /// - Parameters:
    ///   - image: nil if only the id is known, as with an album's cover.
    ///   - album: the album of the picture; nil if the picture is a post of its own.
    private static func result(_ id: String, _ image: JSONValue?, of album: JSONValue?, position: Int?) -> ResultItem {
        func both(_ name: String) -> [JSONValue] { [image?[name], album?[name]].compactMap { $0 } }
        let albumTitle = TextCleaning.line(album?["title"]?.string)
        let summary = both("description").lazy.compactMap { TextCleaning.paragraphs($0.string) }.first
        let title = TextCleaning.line(image?["title"]?.string) ?? albumTitle ?? summary.map(beginning) ?? id
        var result = ResultItem(id: "\(provider):image:\(id)", kind: "image", title: title)
        result.creator = both("account_url").lazy.compactMap { TextCleaning.line($0.string) }.first
        result.collection = albumTitle
        result.summary = summary
        let albumID = album?["id"]?.string
        result.url = albumID.map { "https://imgur.com/a/\($0)" } ?? "https://imgur.com/\(id)"
        result.genres = tags(both("tags"))
        // The last second of the year 9999, which is the latest that RFC 3339 can express.
        if let time = both("datetime").lazy.compactMap(\.integer).first, (1..<253_402_300_800).contains(time) {
            result.setPublished(WallTime(seconds: Int64(time)).rfc3339)
        }
        let picture = ImgurPicture(id: id, link: image?["link"]?.string)
        result.artwork = picture.artwork
        result.attribute("imageId", text: id)
        if let album {
            result.attribute("albumId", text: albumID)
            result.attribute("albumTitle", text: albumTitle)
            result.attribute("albumImages", number: album["images_count"]?.numberText)
            result.attribute("position", number: position.map(String.init))
            result.attribute("privacy", text: TextCleaning.line(album["privacy"]?.string))
            result.attribute("layout", text: TextCleaning.line(album["layout"]?.string))
        }
        if let image { add(image, picture, to: &result) }
        let post = album ?? image
        for name in counts {
            result.attribute(AttributeName(stringLiteral: name.name), number: post?[name.upstream]?.numberText)
        }
        result.attribute("nsfw", flag: both("nsfw").lazy.compactMap(\.bool).first)
        result.attribute("section", text: both("section").lazy.compactMap { TextCleaning.line($0.string) }.first)
        result.attribute("topic", text: TextCleaning.line(post?["topic"]?.string))
        let details = both("tags").flatMap { $0.elements.filter { $0.kind == .object } }
        if !details.isEmpty {
            let form = CamelCase()
            let list = details.map(form.value).joined(separator: [0x2C])
            result.attribute("tagDetails", json: [0x5B] + Bytes(list) + [0x5D])
        }
        if post?["in_most_viral"]?.bool == true { result.attribute("mostViral", flag: true) }
        if post?["is_ad"]?.bool == true { result.attribute("advertisement", flag: true) }
        return result
    }

    /// Adds the attributes that only a complete record of a picture has.
    private static func add(_ image: JSONValue, _ picture: ImgurPicture, to result: inout ResultItem) {
        result.attribute("type", text: TextCleaning.line(image["type"]?.string))
        for name in ["width", "height", "size", "views", "bandwidth"] as [StaticString] {
            result.attribute(AttributeName(stringLiteral: name), number: image["\(name)"]?.numberText)
        }
        guard image["animated"]?.bool == true || picture.video != nil else { return }
        result.attribute("animated", flag: true)
        let link = image["mp4"]?.string.flatMap { ImgurPicture.upgraded($0) }
        result.attribute("mp4", text: link ?? picture.video)
        result.attribute("mp4Size", number: image["mp4_size"]?.numberText)
        result.attribute("gifv", text: image["gifv"]?.string.flatMap { ImgurPicture.upgraded($0) })
        result.attribute("hls", text: image["hls"]?.string.flatMap { ImgurPicture.upgraded($0) })
        result.attribute("looping", flag: image["looping"]?.bool)
        result.attribute("hasSound", flag: image["has_sound"]?.bool)
    }

    /// The counts of a post. They are null on posts of a subreddit.
    private static let counts: [(name: StaticString, upstream: String)] = [
        ("ups", "ups"), ("downs", "downs"), ("points", "points"), ("score", "score"), ("comments", "comment_count"),
        ("favorites", "favorite_count"),
    ]

    private static func tags(_ lists: [JSONValue]) -> [String] {
        var names: [String] = []
        for tag in lists.flatMap({ Array($0.elements) }) {
            guard let name = TextCleaning.line(tag["display_name"]?.string ?? tag["name"]?.string ?? tag.string),
                !names.contains(name)
            else { continue }
            names.append(name)
        }
        return names
    }

    /// The first line, or its beginning cut at the end of a word.
    private static func beginning(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        guard line.count > longestTitle else { return String(line) }
        let start = line.prefix(longestTitle - 1)
        return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
    }
}
